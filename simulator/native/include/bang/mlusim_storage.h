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

}  // namespace mlusim

// An instruction takes rows of an array where it takes elements, as with the vendor's compiler.
#define MLUSIM_ROWS(name)                                                                         \
  template <class... A, class = std::enable_if_t<(mlusim::is_row<A> || ...)>>                     \
  __attribute__((always_inline)) inline auto name(A&&... given) {                                 \
    return name(mlusim::first_element((A&&)given)...);                                            \
  }
