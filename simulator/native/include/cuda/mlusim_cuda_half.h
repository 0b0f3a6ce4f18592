// The 16-bit floats of CUDA and their functions. Each operation is computed in float (a fused one in double) and
// rounded once.
#pragma once

typedef half __half;
typedef bfloat16_t __nv_bfloat16;
typedef bfloat16_t nv_bfloat16;

struct alignas(4) half2 {
  half x, y;
};
typedef half2 __half2;
struct alignas(4) __nv_bfloat162 {
  __nv_bfloat16 x, y;
};
typedef __nv_bfloat162 nv_bfloat162;

// --- conversions -----------------------------------------------------------------------------------------------------

inline half __float2half(float x) { return (half)x; }
inline half __float2half_rn(float x) { return (half)x; }
inline half __double2half(double x) { return (half)x; }
inline float __half2float(half x) { return (float)x; }
inline half2 __float2half2_rn(float x) { return {(half)x, (half)x}; }
inline half2 __floats2half2_rn(float x, float y) { return {(half)x, (half)y}; }
inline half2 __float22half2_rn(float2 v) { return {(half)v.x, (half)v.y}; }
inline float2 __half22float2(half2 v) { return {(float)v.x, (float)v.y}; }
inline half2 __half2half2(half x) { return {x, x}; }
inline half2 __halves2half2(half x, half y) { return {x, y}; }
inline half2 make_half2(half x, half y) { return {x, y}; }
inline half __low2half(half2 v) { return v.x; }
inline half __high2half(half2 v) { return v.y; }
inline float __low2float(half2 v) { return (float)v.x; }
inline float __high2float(half2 v) { return (float)v.y; }
inline half2 __low2half2(half2 v) { return {v.x, v.x}; }
inline half2 __high2half2(half2 v) { return {v.y, v.y}; }
inline half2 __lowhigh2highlow(half2 v) { return {v.y, v.x}; }
#define MLUSIM_FROM_INT(name, T) \
  inline half __##name##2half_rn(T x) { return (half)(float)x; }
MLUSIM_FROM_INT(int, int)
MLUSIM_FROM_INT(uint, unsigned)
MLUSIM_FROM_INT(short, short)
MLUSIM_FROM_INT(ushort, unsigned short)
#undef MLUSIM_FROM_INT
inline int __half2int_rn(half x) { return (int)rintf((float)x); }
inline int __half2int_rz(half x) { return (int)truncf((float)x); }
inline int __half2int_rd(half x) { return (int)floorf((float)x); }
inline int __half2int_ru(half x) { return (int)ceilf((float)x); }
inline unsigned short __half_as_ushort(half x) {
  unsigned short bits;
  __builtin_memcpy(&bits, &x, 2);
  return bits;
}
inline half __ushort_as_half(unsigned short bits) {
  half x;
  __builtin_memcpy(&x, &bits, 2);
  return x;
}
inline unsigned short __bfloat16_as_ushort(__nv_bfloat16 x) {
  unsigned short bits;
  __builtin_memcpy(&bits, &x, 2);
  return bits;
}
inline __nv_bfloat16 __ushort_as_bfloat16(unsigned short bits) {
  __nv_bfloat16 x;
  __builtin_memcpy(&x, &bits, 2);
  return x;
}
inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) { return {x, y}; }
inline __nv_bfloat16 __float2bfloat16(float x) { return (__nv_bfloat16)x; }
inline __nv_bfloat16 __float2bfloat16_rn(float x) { return (__nv_bfloat16)x; }
inline float __bfloat162float(__nv_bfloat16 x) { return (float)x; }

// --- arithmetic and comparison, of halves, of pairs and of bfloat16 ---------------------------------------------------

#define MLUSIM_16(T, T2)                                                                                            \
  inline T __hadd(T a, T b) { return (T)((float)a + (float)b); }                                                    \
  inline T __hsub(T a, T b) { return (T)((float)a - (float)b); }                                                    \
  inline T __hmul(T a, T b) { return (T)((float)a * (float)b); }                                                    \
  inline T __hdiv(T a, T b) { return (T)((float)a / (float)b); }                                                    \
  inline T __hfma(T a, T b, T c) { return (T)(float)((double)(float)a * (double)(float)b + (double)(float)c); }     \
  inline T __hneg(T a) { return (T)-(float)a; }                                                                     \
  inline T __habs(T a) { return (T)fabsf((float)a); }                                                               \
  inline T __hmax(T a, T b) { return (T)fmaxf((float)a, (float)b); }                                                \
  inline T __hmin(T a, T b) { return (T)fminf((float)a, (float)b); }                                                \
  inline bool __heq(T a, T b) { return (float)a == (float)b; }                                                      \
  inline bool __hne(T a, T b) { return (float)a < (float)b || (float)a > (float)b; }                                \
  inline bool __hlt(T a, T b) { return (float)a < (float)b; }                                                       \
  inline bool __hle(T a, T b) { return (float)a <= (float)b; }                                                      \
  inline bool __hgt(T a, T b) { return (float)a > (float)b; }                                                       \
  inline bool __hge(T a, T b) { return (float)a >= (float)b; }                                                      \
  inline bool __hisnan(T a) { return (float)a != (float)a; }                                                        \
  inline bool __hisinf(T a) { return __builtin_isinf((float)a); }                                                   \
  inline T2 __hadd2(T2 a, T2 b) { return {__hadd(a.x, b.x), __hadd(a.y, b.y)}; }                                    \
  inline T2 __hsub2(T2 a, T2 b) { return {__hsub(a.x, b.x), __hsub(a.y, b.y)}; }                                    \
  inline T2 __hmul2(T2 a, T2 b) { return {__hmul(a.x, b.x), __hmul(a.y, b.y)}; }                                    \
  inline T2 __h2div(T2 a, T2 b) { return {__hdiv(a.x, b.x), __hdiv(a.y, b.y)}; }                                    \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; }                    \
  inline T2 __hneg2(T2 a) { return {__hneg(a.x), __hneg(a.y)}; }                                                    \
  inline T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                                    \
  inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                                    \
  inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                                    \
  inline T2 operator+(T2 a, T2 b) { return __hadd2(a, b); }                                                         \
  inline T2 operator-(T2 a, T2 b) { return __hsub2(a, b); }                                                         \
  inline T2 operator*(T2 a, T2 b) { return __hmul2(a, b); }                                                         \
  inline T2 operator/(T2 a, T2 b) { return __h2div(a, b); }
MLUSIM_16(half, half2)
MLUSIM_16(__nv_bfloat16, __nv_bfloat162)
#undef MLUSIM_16

#define MLUSIM_HALF_MATH(name, expression)                         \
  inline half h##name(half a) { float x = (float)a; return (half)(expression); } \
  inline half2 h2##name(half2 v) { return {h##name(v.x), h##name(v.y)}; }
MLUSIM_HALF_MATH(exp, expf(x))
MLUSIM_HALF_MATH(exp2, exp2f(x))
MLUSIM_HALF_MATH(log, logf(x))
MLUSIM_HALF_MATH(log2, log2f(x))
MLUSIM_HALF_MATH(log10, log10f(x))
MLUSIM_HALF_MATH(sqrt, sqrtf(x))
MLUSIM_HALF_MATH(rsqrt, 1.0f / sqrtf(x))
MLUSIM_HALF_MATH(rcp, 1.0f / x)
MLUSIM_HALF_MATH(sin, sinf(x))
MLUSIM_HALF_MATH(cos, cosf(x))
MLUSIM_HALF_MATH(floor, floorf(x))
MLUSIM_HALF_MATH(ceil, ceilf(x))
MLUSIM_HALF_MATH(trunc, truncf(x))
MLUSIM_HALF_MATH(rint, rintf(x))
#undef MLUSIM_HALF_MATH
