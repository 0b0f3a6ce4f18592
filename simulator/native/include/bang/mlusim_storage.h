// Variables in on-chip memory, as the rewritten source declares them.
#pragma once
#include "../../runtime/mlusim_rt.h"

namespace mlusim {

// A file-scope variable in on-chip memory: a reference that the simulator points into the running core's memory.
struct Slot {
  const char *name, *space;
  int line;
  const char* file;
  const void* initial = nullptr;
  template <class U>
  operator U&() const {
    return *static_cast<U*>(mlusim_slot(name, space, line, file, initial, sizeof(U)));
  }
};

// Its address stands for a type.
template <class T>
inline char type_tag;

// A block-scope variable in on-chip memory: allocated on entry, freed on exit. One in the memory of a cluster is the
// same for all its cores, and stays until the tasks that share it have ended.
struct Local {
  const char *name, *space;
  int line;
  const char* file;
  uint64_t address = 0;
  template <class U>
  __attribute__((always_inline)) inline operator U&() {
    return *reinterpret_cast<U*>(take(sizeof(U), nullptr, &type_tag<U>));
  }
  template <class U>
  __attribute__((always_inline)) inline U& init(U& value) {
    return *reinterpret_cast<U*>(take(sizeof(U), &value, &type_tag<U>));
  }
  __attribute__((no_sanitize("thread"), noinline)) uint64_t take(uint64_t bytes, const void* initial, const void* type) {
    mlusim_variable variable{name, space, file, initial, type, bytes, line};
    return address = mlusim_local(&variable, MLUSIM_PC);
  }
  __attribute__((no_sanitize("thread"), noinline)) ~Local() {
    if (address) mlusim_release(address, MLUSIM_PC);
  }
};

}  // namespace mlusim
