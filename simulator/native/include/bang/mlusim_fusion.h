// `fuse.nram` in inline assembly: a chain .op(x).op(y) of up to four operations becomes the arguments of one instruction.
#pragma once

namespace mlusim {

// The number of an operation in isa/bang/elementwise/fusion.py, -1 for one that is not there.
constexpr int fuse_code(const char* name) {
  constexpr const char* names[] = {"", "add", "sub", "mul", "eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor"};
  for (int number = 1; number < int(sizeof names / sizeof *names); ++number)
    if (!__builtin_strcmp(name, names[number])) return number;
  return -1;
}

constexpr bool fuse_known(const char* name) { return fuse_code(name) > 0; }
template <class X>
constexpr bool fuse_known(X) {
  return true;
}

#define MLUSIM_PICK template <int at, class T, class X, class... Rest> __attribute__((always_inline)) constexpr

// The operation at a place, and its value.
template <int at, class T>
constexpr int fuse_operation() {
  return 0;
}
MLUSIM_PICK int fuse_operation(const char* name, X, Rest... rest) {
  if constexpr (at == 0)
    return fuse_code(name);
  else
    return fuse_operation<at - 1, T>(rest...);
}
template <int at, class T>
constexpr T fuse_value() {
  return 0;
}
MLUSIM_PICK T fuse_value(const char*, X x, Rest... rest) {
  if constexpr (at != 0)
    return fuse_value<at - 1, T>(rest...);
  else if constexpr (std::is_pointer_v<X>)
    return 0;
  else
    return (T)x;
}
// The vector in a chain, and its place.
template <int at, class T>
constexpr const T* fuse_vector(int*) {
  return nullptr;
}
MLUSIM_PICK const T* fuse_vector(int* place, const char*, X x, Rest... rest) {
  if constexpr (std::is_pointer_v<X>) {
    *place = at;
    return (const T*)x;
  } else {
    return fuse_vector<at + 1, T>(place, rest...);
  }
}
#undef MLUSIM_PICK

template <class... Chain>
constexpr int fuse_vectors = (0 + ... + (std::is_pointer_v<Chain> && !std::is_same_v<Chain, const char*>));

}  // namespace mlusim

#define MLUSIM_FUSE_STEP(n) mlusim::fuse_operation<n, T>(chain...), mlusim::fuse_value<n, T>(chain...)
#define MLUSIM_FUSE_STEPS MLUSIM_FUSE_STEP(0), MLUSIM_FUSE_STEP(1), MLUSIM_FUSE_STEP(2), MLUSIM_FUSE_STEP(3)
#define MLUSIM_FUSE(name, type)                                                                                    \
  template <class... Chain>                                                                                        \
  __attribute__((always_inline)) inline void mlusim_fuse_##name(type* dst, const type* src, int count,             \
                                                                Chain... chain) {                                  \
    using T = type;                                                                                                \
    if constexpr (sizeof...(Chain) > 8 || mlusim::fuse_vectors<Chain...> > 1) {                                    \
      mlusim::not_modelled("asm: fuse.nram." #name " with more than four operations or one vector");               \
    } else if (((!mlusim::fuse_known(chain)) || ...)) {                                                            \
      mlusim::not_modelled("asm: fuse.nram." #name " with another operation");                                     \
    } else {                                                                                                       \
      int at = 0;                                                                                                  \
      const T* other = mlusim::fuse_vector<0, T>(&at, chain...);                                                   \
      if constexpr (mlusim::fuse_vectors<Chain...> == 1)                                                           \
        __asm_fuse_nram_##name(dst, src, other, count, at, MLUSIM_FUSE_STEPS);                                     \
      else                                                                                                         \
        __asm_fuse_nram_##name(dst, src, count, MLUSIM_FUSE_STEPS);                                                \
    }                                                                                                              \
  }                                                                                                                \
  template <class D, class S, class... Rest>                                                                       \
  __attribute__((always_inline)) inline void __asm_fuse_nram_##name(D* dst, int count, S* src, const char* first,  \
                                                                    Rest... rest) {                                \
    mlusim_fuse_##name((type*)dst, (const type*)src, count, first, rest...);                                       \
  }
MLUSIM_FUSE(f16, half)
MLUSIM_FUSE(f32, float)
MLUSIM_FUSE(s32, int32_t)
MLUSIM_FUSE(u32, uint32_t)
#undef MLUSIM_FUSE
#undef MLUSIM_FUSE_STEPS
#undef MLUSIM_FUSE_STEP
