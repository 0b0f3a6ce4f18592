// Scalar functions of the device: conversions, typed loads and stores, minimum and maximum, the mathematics of <math.h>
// on half (computed in float and rounded once; inferred), and the device library's functions of one number.
#pragma once

#include "mlusim_convert.h"

template <class T> static inline T __load_gdram(const T* p) { return *p; }
template <class T> static inline T __load_sram(const T* p) { return *p; }
template <class T> static inline T __load_nram(const T* p) { return *p; }
template <class T> static inline void __store_gdram(T* p, T value) { *p = value; }
template <class T> static inline void __store_sram(T* p, T value) { *p = value; }

template <class A, class B>
static inline std::common_type_t<A, B> min(A a, B b) {
  return b < a ? b : a;
}
template <class A, class B>
static inline std::common_type_t<A, B> max(A a, B b) {
  return a < b ? b : a;
}

#define MLUSIM_HALF_MATH(name) \
  static inline half name(half x) { return (half)name##f((float)x); }
// Beside another type a half is what C++ makes of it: beside a float one, else a double.
#define MLUSIM_HALF_BESIDE(name, other, wide)                                          \
  static inline wide name(half x, other y) { return ::name((wide)(float)x, (wide)y); } \
  static inline wide name(other x, half y) { return ::name((wide)x, (wide)(float)y); }
#define MLUSIM_HALF_MATH2(name)                                                         \
  static inline half name(half x, half y) { return (half)name##f((float)x, (float)y); } \
  MLUSIM_HALF_BESIDE(name, float, float) MLUSIM_HALF_BESIDE(name, double, double) MLUSIM_HALF_BESIDE(name, int, double)
#define MLUSIM_HALF_TEST(name) \
  static inline bool name(half x) { return __builtin_##name((float)x); }
#define MLUSIM_HALF_NAMES(ONE, TWO, TEST)                                                                       \
  ONE(sin) ONE(cos) ONE(tan) ONE(tanh) ONE(exp) ONE(exp2) ONE(log) ONE(log2) ONE(log10) ONE(sqrt) ONE(cbrt)     \
  ONE(erf) ONE(fabs) ONE(floor) ONE(ceil) ONE(round) ONE(trunc) ONE(rint)                                       \
  TWO(pow) TWO(fmin) TWO(fmax) TWO(fmod) TWO(atan2) TEST(isnan) TEST(isinf) TEST(isfinite)
MLUSIM_HALF_NAMES(MLUSIM_HALF_MATH, MLUSIM_HALF_MATH2, MLUSIM_HALF_TEST)
static inline half abs(half x) { return fabs(x); }

namespace std {
#define MLUSIM_USING(name) using ::name;
MLUSIM_HALF_NAMES(MLUSIM_USING, MLUSIM_USING, MLUSIM_USING)
MLUSIM_USING(abs)
// Names of C++11 that not every library has.
#define MLUSIM_USING_F(name) using ::name##f;
#define MLUSIM_SKIP(name)
MLUSIM_HALF_NAMES(MLUSIM_USING_F, MLUSIM_USING_F, MLUSIM_SKIP)
#undef MLUSIM_USING
#undef MLUSIM_USING_F
#undef MLUSIM_SKIP
}  // namespace std
#undef MLUSIM_HALF_NAMES
#undef MLUSIM_HALF_MATH
#undef MLUSIM_HALF_MATH2
#undef MLUSIM_HALF_BESIDE
#undef MLUSIM_HALF_TEST

// The device library: `__cn_scalar_sin_f32`, `__cn_scalar_sin_f16`, ...; computed in double and rounded once (inferred).
static inline double mlusim_sign(double x) { return x != x ? x : (x > 0) - (x < 0); }
static inline double mlusim_rsqrt(double x) { return 1 / sqrt(x); }
#define MLUSIM_CN(name, function)                                                                      \
  static inline float __cn_scalar_##name##_f32(float x) { return (float)function((double)x); }        \
  static inline half __cn_scalar_##name##_f16(half x) { return (half)(float)function((double)(float)x); }
#define MLUSIM_CN2(name, suffix, expression) \
  static inline float __cn_scalar_##name##_f32##suffix(float x, float y) { return expression; }
MLUSIM_CN(sin, ::sin) MLUSIM_CN(cos, ::cos) MLUSIM_CN(tan, ::tan) MLUSIM_CN(sinh, ::sinh) MLUSIM_CN(cosh, ::cosh)
MLUSIM_CN(tanh, ::tanh) MLUSIM_CN(asin, ::asin) MLUSIM_CN(acos, ::acos) MLUSIM_CN(atan, ::atan)
MLUSIM_CN(ceil, ::ceil) MLUSIM_CN(floor, ::floor) MLUSIM_CN(trunc, ::trunc) MLUSIM_CN(round, ::round)
MLUSIM_CN(abs, ::fabs) MLUSIM_CN(sign, mlusim_sign) MLUSIM_CN(log, ::log) MLUSIM_CN(log1p, ::log1p)
MLUSIM_CN(log2, ::log2) MLUSIM_CN(log10, ::log10) MLUSIM_CN(exp, ::exp) MLUSIM_CN(erf, ::erf)
MLUSIM_CN(sqrt, ::sqrt) MLUSIM_CN(rsqrt, mlusim_rsqrt)
MLUSIM_CN2(add, _rn, x + y) MLUSIM_CN2(sub, _rn, x - y) MLUSIM_CN2(mul, _rn, x * y) MLUSIM_CN2(div, _rn, x / y)
MLUSIM_CN2(mod, , ::fmodf(x, y)) MLUSIM_CN2(pow, , (float)::pow((double)x, (double)y))
MLUSIM_CN2(max, , ::fmaxf(x, y)) MLUSIM_CN2(min, , ::fminf(x, y))
static inline bool __cn_scalar_isinf_f32(float x) { return __builtin_isinf(x); }
static inline bool __cn_scalar_isnan_f32(float x) { return __builtin_isnan(x); }
#undef MLUSIM_CN
#undef MLUSIM_CN2
