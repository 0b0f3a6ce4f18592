// Scalar functions of the device: conversions with a rounding suffix, typed loads and stores, minimum and maximum,
// and the mathematics of <math.h> on half (computed in float and rounded once; inferred).
#pragma once

#define MLUSIM_ROUNDINGS(X) \
  X(, truncf) X(_tz, truncf) X(_up, ceilf) X(_dn, floorf) X(_rn, rintf) X(_rd, roundf) X(_oz, mlusim_away)

static inline float mlusim_away(float x) { return x < 0 ? floorf(x) : ceilf(x); }

// Saturates, and gives 0 for NaN, as the vendor's header does on 3xx.
static inline int32_t mlusim_to_int(float x) {
  if (x != x) return 0;
  if (x >= 2147483648.0f) return INT32_MAX;
  if (x < -2147483648.0f) return INT32_MIN;
  return (int32_t)x;
}

#define MLUSIM_TO_INT(suffix, rounding)                                                                     \
  static inline int32_t __float2int32##suffix(float x) { return mlusim_to_int(rounding(x)); }               \
  static inline int32_t __float2int##suffix(float x) { return mlusim_to_int(rounding(x)); }                 \
  static inline int32_t __half2int32##suffix(half x) { return mlusim_to_int(rounding((float)x)); }          \
  static inline int32_t __half2int##suffix(half x) { return mlusim_to_int(rounding((float)x)); }
MLUSIM_ROUNDINGS(MLUSIM_TO_INT)
#undef MLUSIM_TO_INT

static inline half __float2half_rn(float x) { return (half)x; }
static inline float __half2float(half x) { return (float)x; }

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
#define MLUSIM_HALF_MATH2(name) \
  static inline half name(half x, half y) { return (half)name##f((float)x, (float)y); }
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
#undef MLUSIM_HALF_TEST
