// What stands for the result of an instruction or function that is known and not modelled.
#pragma once
#include <iosfwd>

#include "mlusim_half.h"

namespace mlusim {

// The value of what is known and not modelled: fits wherever a number, a pointer or a plain structure is expected. Nothing
// can stand for it, so that a task that uses it ends there; its finding has been reported.
struct Unmodelled {
  template <class T, class = std::enable_if_t<!std::is_same_v<T, Unmodelled> && std::is_trivially_copyable_v<T>>>
  operator T() const {
    mlusim_end_task();
    __builtin_unreachable();
  }
};

#define MLUSIM_UNMODELLED(op)                                                                                       \
  template <class T, class = if_number<T>>                                                                          \
  T& operator op##=(T& left, Unmodelled) {                                                                          \
    mlusim_end_task();                                                                                              \
    return left;                                                                                                    \
  }                                                                                                                 \
  MLUSIM_UNMODELLED_BESIDE(op)
#define MLUSIM_UNMODELLED_BESIDE(op)                                                                                \
  template <class T, class = if_number<T>>                                                                          \
  T operator op(T left, Unmodelled) {                                                                               \
    mlusim_end_task();                                                                                              \
    return left;                                                                                                    \
  }                                                                                                                 \
  template <class T, class = if_number<T>>                                                                          \
  T operator op(Unmodelled, T right) {                                                                              \
    mlusim_end_task();                                                                                              \
    return right;                                                                                                   \
  }
MLUSIM_UNMODELLED(+)
MLUSIM_UNMODELLED(-)
MLUSIM_UNMODELLED(*)
MLUSIM_UNMODELLED(/)
MLUSIM_UNMODELLED(%)
MLUSIM_UNMODELLED(&)
MLUSIM_UNMODELLED(|)
MLUSIM_UNMODELLED(^)
MLUSIM_UNMODELLED_BESIDE(==)
MLUSIM_UNMODELLED_BESIDE(!=)
MLUSIM_UNMODELLED_BESIDE(<)
MLUSIM_UNMODELLED_BESIDE(>)
MLUSIM_UNMODELLED_BESIDE(<=)
MLUSIM_UNMODELLED_BESIDE(>=)
#undef MLUSIM_UNMODELLED
#undef MLUSIM_UNMODELLED_BESIDE

template <class C, class T>
std::basic_ostream<C, T>& operator<<(std::basic_ostream<C, T>& out, Unmodelled) {
  mlusim_end_task();
  return out;
}

// What is not modelled may set its arguments: the compiler is not to say that they are never set.
template <class T>
inline __attribute__((always_inline)) void perhaps_set(T* argument) {
  __asm__ volatile("" : : "r"(argument) : "memory");
}

template <class... A>
__attribute__((noinline, no_sanitize("thread"))) Unmodelled not_modelled(const char* name, A&&... arguments) {
  (perhaps_set(__builtin_addressof(arguments)), ...);
  mlusim_not_modelled(name, MLUSIM_PC);
  return {};
}

}  // namespace mlusim

// An instruction that is known and not modelled: any arguments, any result.
#define MLUSIM_KNOWN(name)                                          \
  template <class... A>                                             \
  MLUSIM_OP mlusim::Unmodelled name(A&&... arguments) {             \
    (mlusim::perhaps_set(__builtin_addressof(arguments)), ...);     \
    mlusim_not_modelled(#name, MLUSIM_PC);                          \
    return {};                                                      \
  }
