// What becomes of an uncaught exception. Part of the runtime, and of images that throw: each may have a C++
// library of its own.
#pragma once
#include <cxxabi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <exception>
#include <typeinfo>

#include "mlusim_rt.h"

struct __attribute__((visibility("hidden"))) mlusim_terminate {
  mlusim_terminate() noexcept { std::set_terminate(handle); }

  static void handle() {
    const std::type_info* type = abi::__cxa_current_exception_type();
    char* name = type ? abi::__cxa_demangle(type->name(), nullptr, nullptr, nullptr) : nullptr;
    char text[256] = "";
    if (type) {
      snprintf(text, sizeof text, "%.80s", name ? name : type->name());
      try {
        throw;
      } catch (const std::exception& error) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, ": %.150s", error.what());
      } catch (...) {
      }
      abi::__cxa_end_catch();
    }
    free(name);
    mlusim_uncaught(text);
  }
};
