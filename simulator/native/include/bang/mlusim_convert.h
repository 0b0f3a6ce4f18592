// Conversions of one number: `__float2half_rn(x)`, `__half2int_tz(x)`, ...; without a suffix toward zero.
//
// To whole numbers they saturate, and NaN gives 0, as the vendor's header does on 3xx.
#pragma once
#include <math.h>

#include "mlusim_half.h"

namespace mlusim {

enum Mode { tz, oz, up, dn, rd, rn, rm };

inline double whole(double x, Mode mode) {
  double low = floor(x), rest = x - low;
  switch (mode) {
    case tz: return trunc(x);
    case oz: return x < 0 ? low : ceil(x);
    case up: return ceil(x);
    case dn: return low;
    case rd: return round(x);
    case rn: return rint(x);
    default: return rest >= 0.5 ? low + 1 : low;  // rm
  }
}

// The next number of a floating-point format, whose bits are those of a sign and a magnitude.
template <class To, class Bits>
To next_number(To x, bool above) {
  constexpr Bits sign = Bits(1) << (8 * sizeof(Bits) - 1);
  Bits bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  if ((bits & ~sign) == 0)
    bits = above ? 1 : sign | 1;
  else
    bits = Bits(((bits & sign) != 0) == above ? bits - 1 : bits + 1);
  __builtin_memcpy(&x, &bits, sizeof bits);
  return x;
}

template <class To, class Bits>
To narrowed(double x, Mode mode) {
  To near = (To)(float)x;
  double value = (double)(float)near;
  if (value == x || x != x) return near;
  To low = value > x ? next_number<To, Bits>(near, false) : near, high = value > x ? near : next_number<To, Bits>(near, true);
  // Behind the largest number comes infinity, yet a tie lies halfway to where the next number would be.
  double a = (double)(float)low, b = (double)(float)high;
  double from = a, to = b;
  if (__builtin_isinf(b)) to = 2 * a - (double)(float)next_number<To, Bits>(low, false);
  if (__builtin_isinf(a)) from = 2 * b - (double)(float)next_number<To, Bits>(high, true);
  bool tie = x - from == to - x, upper = x - from > to - x;
  Bits bits;
  __builtin_memcpy(&bits, &low, sizeof bits);
  switch (mode) {
    case tz: return x < 0 ? high : low;
    case oz: return x < 0 ? low : high;
    case up: return high;
    case dn: return low;
    case rd: return tie ? (x < 0 ? low : high) : upper ? high : low;
    case rn: return tie ? (bits & 1 ? high : low) : upper ? high : low;
    default: return tie || upper ? high : low;  // rm
  }
}

template <class To>
To rounded(double x, Mode mode) {
  if constexpr (std::is_same_v<To, half>) {
#if __BANG_ARCH__ <= 372
    if (x > 65504 || x < -65504) return (half)(float)(x > 0 ? HUGE_VAL : -HUGE_VAL);
#endif
    return narrowed<half, uint16_t>(x, mode);
  } else if constexpr (std::is_same_v<To, bfloat16_t>) {
    return narrowed<bfloat16_t, uint16_t>(x, mode);
  } else if constexpr (std::is_same_v<To, float>) {
    return narrowed<float, uint32_t>(x, mode);
  } else {
    constexpr double least = std::is_signed_v<To> ? -(double)(1ull << (8 * sizeof(To) - 1)) : 0;
    constexpr double most = (double)((1ull << (8 * sizeof(To) - std::is_signed_v<To>)) - 1);
    double found = whole(x, mode);
    return x != x ? To(0) : found <= least ? (To)least : found >= most ? (To)most : (To)found;
  }
}

// tf32 has the exponent of a float and 10 bits behind the point; it is kept in a float.
inline float tf32(float x, Mode mode) {
  if (x != x || __builtin_isinf(x)) return x;
  uint32_t word = word_of(x), rest = word & 0x1fff, low = word & ~0x1fffu;
  bool negative = word >> 31, above = false;
  switch (mode) {
    case tz: break;
    case oz: above = rest; break;
    case up: above = rest && !negative; break;
    case dn: above = rest && negative; break;
    case rd: above = rest >= 0x1000; break;
    case rn: above = rest > 0x1000 || (rest == 0x1000 && (low & 0x2000)); break;
    default: above = rest > 0x1000 || (rest == 0x1000 && !negative);  // rm
  }
  return float_of(low + (above ? 0x2000 : 0));
}

}  // namespace mlusim

#define MLUSIM_CONVERSION(suffix, mode, from, From, to, To) \
  static inline To __##from##2##to##suffix(From x) { return mlusim::rounded<To>((double)(x), mlusim::mode); }
#define MLUSIM_CONVERT(from, From, to, To)                                                                      \
  MLUSIM_CONVERSION(, tz, from, From, to, To) MLUSIM_CONVERSION(_tz, tz, from, From, to, To)                   \
  MLUSIM_CONVERSION(_oz, oz, from, From, to, To) MLUSIM_CONVERSION(_up, up, from, From, to, To)                \
  MLUSIM_CONVERSION(_dn, dn, from, From, to, To) MLUSIM_CONVERSION(_rd, rd, from, From, to, To)                \
  MLUSIM_CONVERSION(_rn, rn, from, From, to, To) MLUSIM_CONVERSION(_rm, rm, from, From, to, To)
#define MLUSIM_TO_WHOLE(from, From)                                                                            \
  MLUSIM_CONVERT(from, From, int, int32_t) MLUSIM_CONVERT(from, From, int32, int32_t)                          \
  MLUSIM_CONVERT(from, From, uint, uint32_t) MLUSIM_CONVERT(from, From, short, int16_t)                        \
  MLUSIM_CONVERT(from, From, ushort, uint16_t) MLUSIM_CONVERT(from, From, char, int8_t)                        \
  MLUSIM_CONVERT(from, From, uchar, uint8_t)
#define MLUSIM_FROM_WHOLE(to, To)                                                                              \
  MLUSIM_CONVERT(int, int32_t, to, To) MLUSIM_CONVERT(uint, uint32_t, to, To)                                  \
  MLUSIM_CONVERT(short, int16_t, to, To) MLUSIM_CONVERT(ushort, uint16_t, to, To)                              \
  MLUSIM_CONVERT(char, int8_t, to, To) MLUSIM_CONVERT(uchar, uint8_t, to, To)
MLUSIM_TO_WHOLE(float, float)
MLUSIM_TO_WHOLE(half, half)
MLUSIM_FROM_WHOLE(float, float)
MLUSIM_FROM_WHOLE(half, half)
MLUSIM_CONVERT(float, float, half, half)
MLUSIM_CONVERT(float, float, bfloat16, bfloat16_t)
MLUSIM_CONVERT(half, half, float, float)
MLUSIM_CONVERT(bfloat16, bfloat16_t, float, float)
#undef MLUSIM_FROM_WHOLE
#undef MLUSIM_TO_WHOLE
#undef MLUSIM_CONVERT
#undef MLUSIM_CONVERSION

#define MLUSIM_TF32(suffix, mode) \
  static inline float __float2tf32##suffix(float x) { return mlusim::tf32(x, mlusim::mode); }
MLUSIM_TF32(, tz) MLUSIM_TF32(_tz, tz) MLUSIM_TF32(_oz, oz) MLUSIM_TF32(_up, up) MLUSIM_TF32(_dn, dn)
MLUSIM_TF32(_rd, rd) MLUSIM_TF32(_rn, rn) MLUSIM_TF32(_rm, rm)
#undef MLUSIM_TF32
static inline float __tf322float(float x) { return x; }

// The same bits as another type.
#define MLUSIM_BITS(from, From, to, To)             \
  static inline To __##from##_as_##to(From x) {     \
    To result;                                      \
    __builtin_memcpy(&result, &x, sizeof result);             \
    return result;                                  \
  }
MLUSIM_BITS(half, half, short, int16_t)
MLUSIM_BITS(half, half, ushort, uint16_t)
MLUSIM_BITS(short, int16_t, half, half)
MLUSIM_BITS(ushort, uint16_t, half, half)
MLUSIM_BITS(float, float, int, int32_t)
MLUSIM_BITS(float, float, uint, uint32_t)
MLUSIM_BITS(int, int32_t, float, float)
MLUSIM_BITS(uint, uint32_t, float, float)
#undef MLUSIM_BITS
