// How the simulator enters a kernel, and what it learns of its parameters.
#pragma once
#include <stdio.h>
#include <stdlib.h>

#include <type_traits>
#include <utility>

#include "mlusim_half.h"

namespace mlusim {

// A launch in host code. Host code compiles and is not run: kernels are launched from Python.
struct Dimensions {
  unsigned x, y, z;
};
template <class D = Dimensions, class T, class Q, class F>
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
  if (std::is_pointer_v<U>) return 'p';
  if (std::is_floating_point_v<U>) return sizeof(std::conditional_t<std::is_void_v<U>, char, U>) == 4 ? 'f' : 'd';
  if constexpr (std::is_enum_v<U>) return code<std::underlying_type_t<U>>();
  if constexpr (std::is_integral_v<U>) {
    constexpr char codes[] = {'b', 'h', 'i', 'q', 'B', 'H', 'I', 'Q'};
    return codes[(sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3) + (std::is_signed_v<U> ? 0 : 4)];
  }
  return 's';
}

// A parameter as text: of a pointer "P" and what it points to, of anything else its code and size.
template <class T>
constexpr void describe(char* out, int& length) {
  if constexpr (std::is_pointer_v<T>) {
    out[length++] = 'P';
    out[length++] = code<std::remove_pointer_t<T>>();
  } else {
    out[length++] = code<T>();
    size_t unit = 1;
    while (sizeof(T) / unit >= 10) unit *= 10;
    for (; unit; unit /= 10) out[length++] = (char)('0' + sizeof(T) / unit % 10);
  }
  out[length++] = ',';
}

// The types of a kernel's parameters; see parse_signature in launches/arguments.py. Data, so that it need not be run.
template <class... A>
struct Signature {
  char text[24 * sizeof...(A) + 1] = {};
  constexpr explicit Signature(void (*)(A...)) {
    int length = 0;
    (describe<std::remove_cv_t<std::remove_reference_t<A>>>(text, length), ...);
  }
};

// A parameter as its bytes come from the host. What has a copy constructor or a destructor of its own is passed by its
// address, and whoever calls makes and destroys it; here nothing does.
template <class A>
using Passed = std::conditional_t<std::is_reference_v<A> || (std::is_trivially_copy_constructible_v<A> &&
                                                             std::is_trivially_move_constructible_v<A> &&
                                                             std::is_trivially_destructible_v<A>),
                                  A, A&>;

// Both are part of the entry that calls them: what reads the arguments, which lie on the host, is in no other function.
#define MLUSIM_PART __attribute__((no_sanitize("thread"), always_inline)) inline
template <class... A, size_t... I>
MLUSIM_PART void invoke(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  reinterpret_cast<void (*)(Passed<A>...)>(kernel)(*static_cast<std::remove_reference_t<A>*>(arguments[I])...);
}

template <class... A>
MLUSIM_PART void invoke(void (*kernel)(A...), void** arguments) {
  invoke(kernel, arguments, std::index_sequence_for<A...>{});
}
#undef MLUSIM_PART

}  // namespace mlusim
