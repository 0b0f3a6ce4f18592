// Conversions between numbers, with a stated rounding: n to nearest, z to zero, d down, u up.
#pragma once

namespace mlusim {

using widest = long double;  // holds every integer of 64 bits, at least where kernels may be checked in full

template <class To, class From>
inline To same_bits(From x) {
  static_assert(sizeof(To) == sizeof(From));
  To bits;
  __builtin_memcpy(&bits, &x, sizeof bits);
  return bits;
}

template <class T>
using bits_as_wide = std::conditional_t<sizeof(T) == 2, uint16_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>>;

// The number next to it, away from zero or towards it.
template <class T>
inline T neighbour(T x, bool away) {
  using Bits = bits_as_wide<T>;
  return same_bits<T>((Bits)(same_bits<Bits>(x) + (away ? 1 : -1)));
}

// An inexact result whose last bit is set: rounded again, to at least two bits less, it is as if it were rounded once.
template <class T>
inline T to_odd(T x, bool exact, bool too_small) {
  return exact || same_bits<bits_as_wide<T>>(x) & 1 ? x : neighbour(x, too_small);
}

template <class T, char Mode, class W>
inline T rounded(W x) {
  using Wide = std::conditional_t<sizeof(T) == 2, float, T>;  // 16-bit floats become floats first
  Wide wide = (Wide)x;
  if constexpr (sizeof(W) > sizeof(Wide)) {
    if (sizeof(T) == 2) wide = to_odd(wide, x != x || (W)wide == x, ((W)wide < x) == (x > 0));
  }
  T near = (T)wide;
  W back = (W)(Wide)near;
  if (Mode == 'n' || x != x || back == x) return near;
  bool up = Mode == 'u' || (Mode == 'z' && x < 0);
  return up == (back < x) ? neighbour(near, up != (bool)__builtin_signbit((Wide)near)) : near;
}

// Saturates. A NaN becomes 0; of doubles and with 64 bits, the number with its first bit set alone.
template <class T, class F>
inline T to_integer(F x) {
  constexpr T most = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::min();
  if (x != x) return sizeof(F) == 8 || sizeof(T) == 8 ? (T)(1ull << (8 * sizeof(T) - 1)) : 0;
  return x >= (F)most ? most : x <= (F)least ? least : (T)x;
}

// a * b + c of 16-bit floats, rounded once. The product is exact.
template <class T>
inline T fused(T a, T b, T c) {
  double product = (double)(float)a * (double)(float)b, other = (double)(float)c, sum = product + other;
  double part = sum - product, rest = (product - (sum - part)) + (other - part);
  return rounded<T, 'n'>(rest != rest ? sum : to_odd(sum, rest == 0, (rest > 0) == (sum > 0)));
}

template <class T>
inline T above_zero(T x) {
  return (float)x <= 0.0f ? (T)0.0f : x;
}
template <class T>
inline bool unordered(T a, T b) {
  return (float)a != (float)a || (float)b != (float)b;
}
template <class T>
inline T either_nan(T a, T b, T otherwise) {
  return unordered(a, b) ? same_bits<T>((uint16_t)0x7fff) : otherwise;
}

}  // namespace mlusim

#define MLUSIM_TO(from, F, to, T)                                                   \
  inline T __##from##2##to##_rn(F x) { return mlusim::to_integer<T>((F)rint(x)); }  \
  inline T __##from##2##to##_rz(F x) { return mlusim::to_integer<T>((F)trunc(x)); } \
  inline T __##from##2##to##_rd(F x) { return mlusim::to_integer<T>((F)floor(x)); } \
  inline T __##from##2##to##_ru(F x) { return mlusim::to_integer<T>((F)ceil(x)); }
#define MLUSIM_FROM(from, F, W, to, T)                                              \
  inline T __##from##2##to##_rn(F x) { return mlusim::rounded<T, 'n'>((W)x); }      \
  inline T __##from##2##to##_rz(F x) { return mlusim::rounded<T, 'z'>((W)x); }      \
  inline T __##from##2##to##_rd(F x) { return mlusim::rounded<T, 'd'>((W)x); }      \
  inline T __##from##2##to##_ru(F x) { return mlusim::rounded<T, 'u'>((W)x); }
#define MLUSIM_BETWEEN(integer, I)                                                  \
  MLUSIM_TO(float, float, integer, I)                                               \
  MLUSIM_TO(double, double, integer, I)                                             \
  MLUSIM_FROM(integer, I, mlusim::widest, float, float)                             \
  MLUSIM_FROM(integer, I, mlusim::widest, double, double)
MLUSIM_BETWEEN(int, int)
MLUSIM_BETWEEN(uint, unsigned)
MLUSIM_BETWEEN(ll, long long)
MLUSIM_BETWEEN(ull, unsigned long long)
MLUSIM_FROM(double, double, double, float, float)
#undef MLUSIM_BETWEEN
#undef MLUSIM_FROM
#undef MLUSIM_TO

#define MLUSIM_BITS(name, From, To) \
  inline To name(From x) { return mlusim::same_bits<To>(x); }
MLUSIM_BITS(__float_as_int, float, int)
MLUSIM_BITS(__float_as_uint, float, unsigned)
MLUSIM_BITS(__int_as_float, int, float)
MLUSIM_BITS(__uint_as_float, unsigned, float)
MLUSIM_BITS(__double_as_longlong, double, long long)
MLUSIM_BITS(__longlong_as_double, long long, double)
#undef MLUSIM_BITS
inline int __double2hiint(double x) { return (int)(mlusim::same_bits<uint64_t>(x) >> 32); }
inline int __double2loint(double x) { return (int)mlusim::same_bits<uint64_t>(x); }
inline double __hiloint2double(int high, int low) {
  return mlusim::same_bits<double>((uint64_t)(uint32_t)high << 32 | (uint32_t)low);
}
