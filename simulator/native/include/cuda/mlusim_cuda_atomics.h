// Atomic functions: one thread runs at a time, so that a plain change does; the runtime is told of each.
#pragma once

namespace mlusim {

// Parameters that take the type of the pointer, as those of CUDA's overloads do.
template <class T>
struct same {
  using type = T;
};
template <class T>
using same_t = typename same<T>::type;

// An image that has atomic functions says so: there, a launch notes from its beginning on what blocks store for others.
#define MLUSIM_HAS_ATOMICS __asm__(".pushsection mlusim_atomics, \"a\", %progbits\n.byte 0\n.popsection")

template <class T, class Change>
__attribute__((always_inline, no_sanitize("thread"))) inline T atomically(T* p, int64_t pc, Change change) {
  MLUSIM_HAS_ATOMICS;
  mlusim_atomic(p, sizeof(T), pc);
  T old = *p;
  *p = (T)change(old);
  return old;
}

// The same beside threads of the host, which may change the value at any time.
template <class T, class Change>
__attribute__((always_inline, no_sanitize("thread"))) inline T atomically_with_host(T* p, int64_t pc, Change change) {
  MLUSIM_HAS_ATOMICS;
  mlusim_atomic(p, sizeof(T), pc);
  T old = *p, next;
  do next = (T)change(old);
  while (!__atomic_compare_exchange(p, &old, &next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  return old;
}

}  // namespace mlusim

#define MLUSIM_ATOMIC(name, how, expression)                                                                            \
  template <class T>                                                                                               \
  MLUSIM_OP T name(T* p, mlusim::same_t<T> value) {                                                                \
    return mlusim::how(p, MLUSIM_PC, [&](T old) __attribute__((no_sanitize("thread"))) { return expression; }); \
  }
#define MLUSIM_ATOMICS(name, expression) \
  MLUSIM_ATOMIC(name, atomically, expression) \
  MLUSIM_ATOMIC(name##_block, atomically, expression) \
  MLUSIM_ATOMIC(name##_system, atomically_with_host, expression)
MLUSIM_ATOMICS(atomicAdd, old + value)
MLUSIM_ATOMICS(atomicSub, old - value)
MLUSIM_ATOMICS(atomicExch, ((void)old, value))
MLUSIM_ATOMICS(atomicMin, value < old ? value : old)
MLUSIM_ATOMICS(atomicMax, value > old ? value : old)
MLUSIM_ATOMICS(atomicAnd, old & value)
MLUSIM_ATOMICS(atomicOr, old | value)
MLUSIM_ATOMICS(atomicXor, old ^ value)
MLUSIM_ATOMICS(atomicInc, old >= value ? 0 : old + 1)
MLUSIM_ATOMICS(atomicDec, old == 0 || old > value ? value : old - 1)
#undef MLUSIM_ATOMICS
#undef MLUSIM_ATOMIC

#define MLUSIM_CAS(name, how)                                                                              \
  template <class T>                                                                                  \
  MLUSIM_OP T name(T* p, mlusim::same_t<T> compare, mlusim::same_t<T> value) {                        \
    return mlusim::how(p, MLUSIM_PC, [&](T old) __attribute__((no_sanitize("thread"))) {       \
      return old == compare ? value : old;                                                            \
    });                                                                                               \
  }
MLUSIM_CAS(atomicCAS, atomically)
MLUSIM_CAS(atomicCAS_block, atomically)
MLUSIM_CAS(atomicCAS_system, atomically_with_host)
#undef MLUSIM_CAS
