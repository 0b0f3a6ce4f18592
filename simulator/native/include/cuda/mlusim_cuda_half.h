// The 16-bit floats of CUDA and their functions. Each operation is computed in float and rounded once, which is enough
// for all but a fused one.
#pragma once

typedef half __half;
typedef bfloat16_t __nv_bfloat16;
typedef bfloat16_t nv_bfloat16;

#define MLUSIM_PAIR(T2, T)                        \
  struct alignas(2 * alignof(T)) T2 {             \
    T x, y;                                       \
    T2() = default;                               \
    T2(T first, T second) : x(first), y(second) {} \
  };
MLUSIM_PAIR(half2, half)
MLUSIM_PAIR(__nv_bfloat162, __nv_bfloat16)
#undef MLUSIM_PAIR
typedef half2 __half2;
typedef __nv_bfloat162 nv_bfloat162;

struct __half_raw {
  unsigned short x;
  operator half() const { return mlusim::same_bits<half>(x); }
};
struct __nv_bfloat16_raw {
  unsigned short x;
  operator __nv_bfloat16() const { return mlusim::same_bits<__nv_bfloat16>(x); }
};

#define CUDART_INF_FP16 __ushort_as_half(0x7c00)
#define CUDART_NAN_FP16 __ushort_as_half(0x7fff)
#define CUDART_MIN_DENORM_FP16 __ushort_as_half(1)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half(0x7bff)
#define CUDART_NEG_ZERO_FP16 __ushort_as_half(0x8000)
#define CUDART_ZERO_FP16 __ushort_as_half(0)
#define CUDART_ONE_FP16 __ushort_as_half(0x3c00)
#define CUDART_INF_BF16 __ushort_as_bfloat16(0x7f80)
#define CUDART_NAN_BF16 __ushort_as_bfloat16(0x7fff)
#define CUDART_MIN_DENORM_BF16 __ushort_as_bfloat16(1)
#define CUDART_MAX_NORMAL_BF16 __ushort_as_bfloat16(0x7f7f)
#define CUDART_NEG_ZERO_BF16 __ushort_as_bfloat16(0x8000)
#define CUDART_ZERO_BF16 __ushort_as_bfloat16(0)
#define CUDART_ONE_BF16 __ushort_as_bfloat16(0x3f80)

// --- conversions: `name` is that of the type, `pair` that of two ------------------------------------------------------

#define MLUSIM_WITH_INTEGER(T, name, integer, I)                                                               \
  inline T __##integer##2##name##_rn(I x) { return mlusim::rounded<T, 'n'>((mlusim::widest)x); }               \
  inline T __##integer##2##name##_rz(I x) { return mlusim::rounded<T, 'z'>((mlusim::widest)x); }               \
  inline T __##integer##2##name##_rd(I x) { return mlusim::rounded<T, 'd'>((mlusim::widest)x); }               \
  inline T __##integer##2##name##_ru(I x) { return mlusim::rounded<T, 'u'>((mlusim::widest)x); }               \
  inline I __##name##2##integer##_rn(T x) { return mlusim::to_integer<I>(rintf((float)x)); }                   \
  inline I __##name##2##integer##_rz(T x) { return mlusim::to_integer<I>(truncf((float)x)); }                  \
  inline I __##name##2##integer##_rd(T x) { return mlusim::to_integer<I>(floorf((float)x)); }                  \
  inline I __##name##2##integer##_ru(T x) { return mlusim::to_integer<I>(ceilf((float)x)); }
#define MLUSIM_CONVERSIONS(T, T2, name, pair, as)                                                              \
  inline T __float2##name(float x) { return (T)x; }                                                            \
  inline T __float2##name##_rn(float x) { return (T)x; }                                                       \
  inline T __float2##name##_rz(float x) { return mlusim::rounded<T, 'z'>(x); }                                 \
  inline T __float2##name##_rd(float x) { return mlusim::rounded<T, 'd'>(x); }                                 \
  inline T __float2##name##_ru(float x) { return mlusim::rounded<T, 'u'>(x); }                                 \
  inline T __double2##name(double x) { return mlusim::rounded<T, 'n'>(x); }                                    \
  inline float __##name##2float(T x) { return (float)x; }                                                      \
  MLUSIM_WITH_INTEGER(T, name, short, short)                                                                   \
  MLUSIM_WITH_INTEGER(T, name, ushort, unsigned short)                                                         \
  MLUSIM_WITH_INTEGER(T, name, int, int)                                                                       \
  MLUSIM_WITH_INTEGER(T, name, uint, unsigned)                                                                 \
  MLUSIM_WITH_INTEGER(T, name, ll, long long)                                                                  \
  MLUSIM_WITH_INTEGER(T, name, ull, unsigned long long)                                                        \
  inline signed char __##name##2char_rz(T x) { return mlusim::to_integer<signed char>(truncf((float)x)); }     \
  inline unsigned char __##name##2uchar_rz(T x) { return mlusim::to_integer<unsigned char>(truncf((float)x)); } \
  inline unsigned short __##as##_as_ushort(T x) { return mlusim::same_bits<unsigned short>(x); }               \
  inline short __##as##_as_short(T x) { return mlusim::same_bits<short>(x); }                                  \
  inline T __ushort_as_##as(unsigned short bits) { return mlusim::same_bits<T>(bits); }                        \
  inline T __short_as_##as(short bits) { return mlusim::same_bits<T>(bits); }                                  \
  inline T2 __float2##pair##_rn(float x) { return {(T)x, (T)x}; }                                              \
  inline T2 __floats2##pair##_rn(float x, float y) { return {(T)x, (T)y}; }                                    \
  inline T2 __float22##pair##_rn(float2 v) { return {(T)v.x, (T)v.y}; }                                        \
  inline float2 __##pair##2float2(T2 v) { return {(float)v.x, (float)v.y}; }                                   \
  inline T2 __##name##2##pair(T x) { return {x, x}; }                                                          \
  inline T2 __halves2##pair(T x, T y) { return {x, y}; }                                                       \
  inline T2 make_##pair(T x, T y) { return {x, y}; }                                                           \
  inline T __low2##name(T2 v) { return v.x; }                                                                  \
  inline T __high2##name(T2 v) { return v.y; }                                                                 \
  inline float __low2float(T2 v) { return (float)v.x; }                                                        \
  inline float __high2float(T2 v) { return (float)v.y; }                                                       \
  inline T2 __low2##pair(T2 v) { return {v.x, v.x}; }                                                          \
  inline T2 __high2##pair(T2 v) { return {v.y, v.y}; }                                                         \
  inline T2 __lowhigh2highlow(T2 v) { return {v.y, v.x}; }                                                     \
  inline T2 __lows2##pair(T2 a, T2 b) { return {a.x, b.x}; }                                                   \
  inline T2 __highs2##pair(T2 a, T2 b) { return {a.y, b.y}; }
MLUSIM_CONVERSIONS(half, half2, half, half2, half)
MLUSIM_CONVERSIONS(__nv_bfloat16, __nv_bfloat162, bfloat16, bfloat162, bfloat16)
#undef MLUSIM_CONVERSIONS
#undef MLUSIM_WITH_INTEGER

// --- arithmetic: of numbers and of pairs ------------------------------------------------------------------------------

#define MLUSIM_UNARY(T, T2, one, two, expression)                               \
  inline T one(T a) { return expression; }                                      \
  inline T2 two(T2 v) { return {one(v.x), one(v.y)}; }
#define MLUSIM_BINARY(T, T2, one, two, expression)                              \
  inline T one(T a, T b) { return expression; }                                 \
  inline T2 two(T2 v, T2 w) { return {one(v.x, w.x), one(v.y, w.y)}; }
// Also with the result between 0 and 1, and under the name that forbids to fuse it with another operation.
#define MLUSIM_ARITHMETIC(T, T2, name, expression)                              \
  MLUSIM_BINARY(T, T2, __h##name, __h##name##2, expression)                     \
  MLUSIM_BINARY(T, T2, __h##name##_rn, __h##name##2_rn, expression)             \
  MLUSIM_BINARY(T, T2, __h##name##_sat, __h##name##2_sat, (T)__saturatef((float)__h##name(a, b)))
#define MLUSIM_FUSED(T, T2, ending, expression)                                 \
  inline T __hfma##ending(T a, T b, T c) { return expression; }                 \
  inline T2 __hfma2##ending(T2 u, T2 v, T2 w) {                                 \
    return {__hfma##ending(u.x, v.x, w.x), __hfma##ending(u.y, v.y, w.y)};      \
  }
#define MLUSIM_OPERATOR(T2, op, function)                                       \
  inline T2 operator op(T2 a, T2 b) { return function(a, b); }                  \
  inline T2& operator op##=(T2& a, T2 b) { return a = function(a, b); }
#define MLUSIM_16(T, T2)                                                        \
  MLUSIM_ARITHMETIC(T, T2, add, (T)((float)a + (float)b))                       \
  MLUSIM_ARITHMETIC(T, T2, sub, (T)((float)a - (float)b))                       \
  MLUSIM_ARITHMETIC(T, T2, mul, (T)((float)a * (float)b))                       \
  MLUSIM_BINARY(T, T2, __hdiv, __h2div, (T)((float)a / (float)b))               \
  MLUSIM_FUSED(T, T2, , mlusim::fused(a, b, c))                                 \
  MLUSIM_FUSED(T, T2, _sat, (T)__saturatef((float)__hfma(a, b, c)))             \
  MLUSIM_FUSED(T, T2, _relu, (mlusim::above_zero(__hfma(a, b, c))))             \
  inline T2 __hcmadd(T2 a, T2 b, T2 c) {                                        \
    T real = __hfma(a.x, b.x, c.x), imaginary = __hfma(a.x, b.y, c.y);          \
    return {__hfma((T)-(float)a.y, b.y, real), __hfma(a.y, b.x, imaginary)};    \
  }                                                                             \
  MLUSIM_UNARY(T, T2, __hneg, __hneg2, (T)-(float)a)                            \
  MLUSIM_UNARY(T, T2, __habs, __habs2, (T)fabsf((float)a))                      \
  MLUSIM_BINARY(T, T2, __hmax, __hmax2, (T)fmaxf((float)a, (float)b))           \
  MLUSIM_BINARY(T, T2, __hmin, __hmin2, (T)fminf((float)a, (float)b))           \
  MLUSIM_BINARY(T, T2, __hmax_nan, __hmax2_nan, (mlusim::either_nan(a, b, __hmax(a, b))))                        \
  MLUSIM_BINARY(T, T2, __hmin_nan, __hmin2_nan, (mlusim::either_nan(a, b, __hmin(a, b))))                        \
  MLUSIM_OPERATOR(T2, +, __hadd2)                                               \
  MLUSIM_OPERATOR(T2, -, __hsub2)                                               \
  MLUSIM_OPERATOR(T2, *, __hmul2)                                               \
  MLUSIM_OPERATOR(T2, /, __h2div)                                               \
  inline T2 operator+(T2 a) { return a; }                                       \
  inline T2 operator-(T2 a) { return __hneg2(a); }                              \
  inline T2& operator++(T2& a) { return a += T2((T)1, (T)1); }                  \
  inline T2& operator--(T2& a) { return a -= T2((T)1, (T)1); }
MLUSIM_16(half, half2)
MLUSIM_16(__nv_bfloat16, __nv_bfloat162)
#undef MLUSIM_16
#undef MLUSIM_OPERATOR
#undef MLUSIM_FUSED
#undef MLUSIM_ARITHMETIC

// --- comparisons: false for a NaN, or true in the forms that end in u -------------------------------------------------

#define MLUSIM_ORDERED(T, T2, name, result)                                                                    \
  inline bool __h##name(T a, T b) { return result; }                                                           \
  inline T2 __h##name##2(T2 v, T2 w) { return {(T)(float)__h##name(v.x, w.x), (T)(float)__h##name(v.y, w.y)}; } \
  inline bool __hb##name##2(T2 v, T2 w) { return __h##name(v.x, w.x) && __h##name(v.y, w.y); }                 \
  inline unsigned __h##name##2_mask(T2 v, T2 w) {                                                              \
    return (__h##name(v.x, w.x) ? 0xffffu : 0) | (__h##name(v.y, w.y) ? 0xffff0000u : 0);                      \
  }
#define MLUSIM_COMPARISON(T, T2, name, op)                                                                     \
  MLUSIM_ORDERED(T, T2, name, !mlusim::unordered(a, b) && (float)a op(float) b)                                \
  MLUSIM_ORDERED(T, T2, name##u, mlusim::unordered(a, b) || (float)a op(float) b)
#define MLUSIM_16(T, T2)                                                                                       \
  MLUSIM_COMPARISON(T, T2, eq, ==)                                                                             \
  MLUSIM_COMPARISON(T, T2, ne, !=)                                                                             \
  MLUSIM_COMPARISON(T, T2, lt, <)                                                                              \
  MLUSIM_COMPARISON(T, T2, le, <=)                                                                             \
  MLUSIM_COMPARISON(T, T2, gt, >)                                                                              \
  MLUSIM_COMPARISON(T, T2, ge, >=)                                                                             \
  inline bool __hisnan(T a) { return (float)a != (float)a; }                                                   \
  inline T2 __hisnan2(T2 v) { return {(T)(float)__hisnan(v.x), (T)(float)__hisnan(v.y)}; }                     \
  inline bool operator==(T2 a, T2 b) { return __hbeq2(a, b); }                                                 \
  inline bool operator!=(T2 a, T2 b) { return __hbneu2(a, b); }                                                \
  inline bool operator<(T2 a, T2 b) { return __hblt2(a, b); }                                                  \
  inline bool operator<=(T2 a, T2 b) { return __hble2(a, b); }                                                 \
  inline bool operator>(T2 a, T2 b) { return __hbgt2(a, b); }                                                  \
  inline bool operator>=(T2 a, T2 b) { return __hbge2(a, b); }
MLUSIM_16(half, half2)
MLUSIM_16(__nv_bfloat16, __nv_bfloat162)
#undef MLUSIM_16
#undef MLUSIM_COMPARISON
#undef MLUSIM_ORDERED
inline int __hisinf(half a) { return __builtin_isinf_sign((float)a); }
inline int __hisinf(__nv_bfloat16 a) { return __builtin_isinf_sign((float)a); }

// --- mathematical functions -------------------------------------------------------------------------------------------

#define MLUSIM_MATH(name, function)                                                       \
  MLUSIM_UNARY(half, half2, h##name, h2##name, (half)function((float)a))                  \
  MLUSIM_UNARY(__nv_bfloat16, __nv_bfloat162, h##name, h2##name, (__nv_bfloat16)function((float)a))
MLUSIM_MATH(exp, expf)
MLUSIM_MATH(exp2, exp2f)
MLUSIM_MATH(exp10, exp10f)
MLUSIM_MATH(log, logf)
MLUSIM_MATH(log2, log2f)
MLUSIM_MATH(log10, log10f)
MLUSIM_MATH(sqrt, sqrtf)
MLUSIM_MATH(rsqrt, rsqrtf)
MLUSIM_MATH(rcp, __frcp_rn)
MLUSIM_MATH(sin, sinf)
MLUSIM_MATH(cos, cosf)
MLUSIM_MATH(tanh, tanhf)
MLUSIM_MATH(tanh_approx, tanhf)
MLUSIM_MATH(floor, floorf)
MLUSIM_MATH(ceil, ceilf)
MLUSIM_MATH(trunc, truncf)
MLUSIM_MATH(rint, rintf)
#undef MLUSIM_MATH
#undef MLUSIM_BINARY
#undef MLUSIM_UNARY
