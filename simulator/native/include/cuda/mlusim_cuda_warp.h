// Functions of the threads of a warp: each gives a value, and waits for those that the mask names.
#pragma once

namespace mlusim {

// The types that have such functions: numbers of 4 and 8 bytes, smaller ones as ints, and 16-bit floats.
template <class T>
using exchanged_t = std::conditional_t<(std::is_integral_v<T> && sizeof(T) < 4), int, T>;
template <class T>
using if_exchanged = std::enable_if_t<sizeof(T) <= 8 && std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> &&
                                      !std::is_same_v<T, Unmodelled>>;

template <class T>
__attribute__((always_inline, no_sanitize("thread"))) inline uint64_t bits_of(T value) {
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof value);
  return bits;
}
template <class T>
__attribute__((always_inline, no_sanitize("thread"))) inline T of_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace mlusim

MLUSIM_OP void __syncwarp(unsigned mask = 0xffffffff) { mlusim_warp("__syncwarp", mask, 0, MLUSIM_PC); }
MLUSIM_OP unsigned __activemask() { return mlusim_warp("__activemask", 0, 0, MLUSIM_PC); }

// `lane` is the thread's own place, `first` and `last` those of its part of the warp.
#define MLUSIM_SHUFFLE(name, Parameter, from)                                                    \
  template <class T, class = mlusim::if_exchanged<T>>                                            \
  MLUSIM_OP mlusim::exchanged_t<T> name(unsigned mask, T given, Parameter by, int width = SIMT_WARP) {  \
    mlusim::exchanged_t<T> value = given;                                                        \
    int lane = (int)mlusim_lane(), first = lane & -width, last = lane | (width - 1), source = from; \
    return mlusim::of_bits<mlusim::exchanged_t<T>>(                                              \
        mlusim_shuffle(#name, mask, mlusim::bits_of(value), (uint32_t)source, MLUSIM_PC));       \
  }
MLUSIM_SHUFFLE(__shfl_sync, int, ((void)last, first | (by & (width - 1))))
MLUSIM_SHUFFLE(__shfl_up_sync, unsigned, ((void)last, by > (unsigned)(lane - first) ? lane : lane - (int)by))
MLUSIM_SHUFFLE(__shfl_down_sync, unsigned, ((void)first, by > (unsigned)(last - lane) ? lane : lane + (int)by))
MLUSIM_SHUFFLE(__shfl_xor_sync, int, ((void)first, (lane ^ by) > last ? lane : (lane ^ by) & (int)(SIMT_WARP - 1)))
#undef MLUSIM_SHUFFLE

// The threads in the mask for which a condition holds; `value` is what each of them gave, `mine` what this one did.
#define MLUSIM_WHERE(name, mask, given, condition)                     \
  uint64_t mine = given;                                               \
  uint32_t lanes = mlusim_warp(name, mask, mine, MLUSIM_PC);           \
  unsigned found = 0;                                                  \
  for (uint32_t i = 0; i < SIMT_WARP; ++i) {                                  \
    [[maybe_unused]] uint64_t value = mlusim_given(i);                  \
    if (lanes >> i & 1 && (condition)) found |= 1u << i;          \
  }
MLUSIM_OP unsigned __ballot_sync(unsigned mask, int predicate) {
  MLUSIM_WHERE("__ballot_sync", mask, predicate != 0, value)
  return found;
}
MLUSIM_OP int __any_sync(unsigned mask, int predicate) {
  MLUSIM_WHERE("__any_sync", mask, predicate != 0, value)
  return found != 0;
}
MLUSIM_OP int __all_sync(unsigned mask, int predicate) {
  MLUSIM_WHERE("__all_sync", mask, predicate != 0, value)
  return found == lanes;
}
template <class T, class = mlusim::if_exchanged<T>>
MLUSIM_OP unsigned __match_any_sync(unsigned mask, T given) {
  MLUSIM_WHERE("__match_any_sync", mask, mlusim::bits_of(given), value == mine)
  return found;
}
template <class T, class = mlusim::if_exchanged<T>>
MLUSIM_OP unsigned __match_all_sync(unsigned mask, T given, int* all) {
  MLUSIM_WHERE("__match_all_sync", mask, mlusim::bits_of(given), value == mine)
  *all = found == lanes;
  return *all ? found : 0;
}
#undef MLUSIM_WHERE

#define MLUSIM_REDUCE(name, T, expression)                                                      \
  MLUSIM_OP T name(unsigned mask, T given) {                                                    \
    uint32_t lanes = mlusim_warp(#name, mask, mlusim::bits_of(given), MLUSIM_PC);               \
    T all = given;                                                                              \
    for (uint32_t i = 0; i < SIMT_WARP; ++i) {                                                         \
      T one = mlusim::of_bits<T>(mlusim_given(i));                                               \
      if (lanes >> i & 1 && i != mlusim_lane()) all = expression;                          \
    }                                                                                           \
    return all;                                                                                 \
  }
MLUSIM_REDUCE(__reduce_add_sync, unsigned, all + one)
MLUSIM_REDUCE(__reduce_add_sync, int, (int)((unsigned)all + (unsigned)one))
MLUSIM_REDUCE(__reduce_min_sync, unsigned, one < all ? one : all)
MLUSIM_REDUCE(__reduce_min_sync, int, one < all ? one : all)
MLUSIM_REDUCE(__reduce_max_sync, unsigned, one > all ? one : all)
MLUSIM_REDUCE(__reduce_max_sync, int, one > all ? one : all)
MLUSIM_REDUCE(__reduce_and_sync, unsigned, all & one)
MLUSIM_REDUCE(__reduce_or_sync, unsigned, all | one)
MLUSIM_REDUCE(__reduce_xor_sync, unsigned, all ^ one)
#undef MLUSIM_REDUCE
