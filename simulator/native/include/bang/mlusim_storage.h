// Variables in on-chip memory, as the rewritten source declares them.
#pragma once
#include <type_traits>

#include "../../runtime/mlusim_rt.h"
#include "mlusim_half.h"

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

// A pointer to a row, as an array of arrays becomes one, in place of its first element.
template <class T>
constexpr bool is_row = std::is_pointer_v<std::decay_t<T>>&& std::is_array_v<std::remove_pointer_t<std::decay_t<T>>>;
template <class T>
__attribute__((always_inline)) inline decltype(auto) first_element(T&& value) {
  if constexpr (is_row<T>)
    return (std::remove_all_extents_t<std::remove_pointer_t<std::decay_t<T>>>*)value;
  else
    return (T&&)value;
}

// Bytes of the elements that a fill with a value has: a double is a float there.
template <class T>
constexpr size_t filled_width = std::is_same_v<T, double> ? sizeof(float) : sizeof(T);
template <class T>
constexpr bool is_element = std::is_arithmetic_v<T> || std::is_same_v<std::remove_cv_t<T>, half> ||
                            std::is_same_v<std::remove_cv_t<T>, bfloat16_t>;
// Whether a pointer to P promises elements of another width. One to bytes promises nothing, and with a value of one byte
// the bytes of an element are meant.
template <class P, class V>
constexpr bool is_other_width = is_element<P>&& is_element<V> && (sizeof(P) > 1) && (filled_width<V> > 1) &&
                                sizeof(P) != filled_width<V>;
__attribute__((noinline, unused, no_sanitize("thread"))) static void report_fill(const char* name, size_t pointed,
                                                                                 size_t filled) {
  mlusim_fill(name, pointed, filled, MLUSIM_PC);
}

}  // namespace mlusim

// A fill takes any pointer: one that says something else than the value is reported, and the value counts.
#define MLUSIM_FILL(name)                                                                                        \
  template <class P, class N, class V, class... More, class = std::enable_if_t<mlusim::is_other_width<P, V>>>    \
  __attribute__((always_inline)) inline void name(P* target, N count, V value, More... more) {                   \
    mlusim::report_fill(#name, sizeof(P), mlusim::filled_width<V>);                                              \
    name((void*)target, count, value, more...);                                                                  \
  }
// An instruction takes rows of an array where it takes elements, as with the vendor's compiler.
#define MLUSIM_ROWS(name)                                                                         \
  template <class... A, class = std::enable_if_t<(mlusim::is_row<A> || ...)>>                     \
  __attribute__((always_inline)) inline auto name(A&&... given) {                                 \
    return name(mlusim::first_element((A&&)given)...);                                            \
  }
