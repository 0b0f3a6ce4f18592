// How the simulator enters a kernel, and what it learns of its parameters.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include <type_traits>
#include <utility>

#include "mlusim_half.h"

namespace mlusim {

// A launch in host code. Host code compiles and is not run: kernels are launched from Python.
template <class D, class T, class Q, class F>
void launch(D&&, T&&, Q&&, F&& kernel) {
  (void)kernel;
  fprintf(stderr, "mlusim: host code cannot launch kernels; launch them from Python\n");
  abort();
}

template <class T>
constexpr char code() {
  using U = std::remove_cv_t<T>;
  if (std::is_same_v<U, half>) return 'e';
  if (std::is_same_v<U, bfloat16_t>) return 'y';
  if (std::is_same_v<U, bool>) return '?';
  if (std::is_void_v<U>) return 'v';
  if (std::is_floating_point_v<U>) return sizeof(std::conditional_t<std::is_void_v<U>, char, U>) == 4 ? 'f' : 'd';
  if constexpr (std::is_integral_v<U> || std::is_enum_v<U>) {
    constexpr bool is_signed = std::is_signed_v<U> || std::is_enum_v<U>;
    constexpr char codes[] = {'b', 'h', 'i', 'q', 'B', 'H', 'I', 'Q'};
    return codes[(sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3) + (is_signed ? 0 : 4)];
  }
  return 's';
}

// A pointer is "P" and what it points to; anything else its code and size. As snprintf: what does not fit is not
// written, and the length is that of all of it.
template <class T>
int describe(char* out, int room) {
  if constexpr (std::is_pointer_v<T>)
    return snprintf(out, room, "P%c,", code<std::remove_pointer_t<T>>());
  else
    return snprintf(out, room, "%c%zu,", code<T>(), sizeof(T));
}

template <class... A, size_t... I>
__attribute__((no_sanitize("thread"))) void invoke(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_reference_t<A>*>(arguments[I])...);
}

template <class... A>
void invoke(void (*kernel)(A...), void** arguments) {
  invoke(kernel, arguments, std::index_sequence_for<A...>{});
}

// The types of a kernel's parameters; see parse_signature in launch/arguments.py.
template <class... A>
int signature(void (*)(A...), char* out, int room) {
  int length = 0;
  ((length += describe<std::remove_cv_t<std::remove_reference_t<A>>>(length < room ? out + length : nullptr,
                                                                     length < room ? room - length : 0)), ...);
  return length;
}

}  // namespace mlusim
