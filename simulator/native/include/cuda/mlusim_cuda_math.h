// Mathematics of the device. Functions that are approximate on a GPU (__expf, __fdividef, ...) are as exact here as
// those of the host's library.
#pragma once

#define MLUSIM_MIN_MAX(A, B, T)                     \
  inline T min(A a, B b) { return (T)b < (T)a ? (T)b : (T)a; } \
  inline T max(A a, B b) { return (T)a < (T)b ? (T)b : (T)a; }
MLUSIM_MIN_MAX(int, int, int)
MLUSIM_MIN_MAX(unsigned, unsigned, unsigned)
MLUSIM_MIN_MAX(int, unsigned, unsigned)
MLUSIM_MIN_MAX(unsigned, int, unsigned)
MLUSIM_MIN_MAX(long, long, long)
MLUSIM_MIN_MAX(unsigned long, unsigned long, unsigned long)
MLUSIM_MIN_MAX(long, unsigned long, unsigned long)
MLUSIM_MIN_MAX(unsigned long, long, unsigned long)
MLUSIM_MIN_MAX(long long, long long, long long)
MLUSIM_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
MLUSIM_MIN_MAX(long long, unsigned long long, unsigned long long)
MLUSIM_MIN_MAX(unsigned long long, long long, unsigned long long)
#undef MLUSIM_MIN_MAX
#define MLUSIM_MIN_MAX(A, B, T, f)                \
  inline T min(A a, B b) { return fmin##f(a, b); } \
  inline T max(A a, B b) { return fmax##f(a, b); }
MLUSIM_MIN_MAX(float, float, float, f)
MLUSIM_MIN_MAX(double, double, double, )
MLUSIM_MIN_MAX(float, double, double, )
MLUSIM_MIN_MAX(double, float, double, )
#undef MLUSIM_MIN_MAX

__forceinline__ void __trap() { abort(); }

// Loads and stores with a hint for the caches.
#define MLUSIM_LOAD(name)                                         \
  template <class T>                                              \
  __attribute__((always_inline)) inline T name(const T* p) {      \
    return *p;                                                    \
  }
MLUSIM_LOAD(__ldg)
MLUSIM_LOAD(__ldcg)
MLUSIM_LOAD(__ldca)
MLUSIM_LOAD(__ldcs)
MLUSIM_LOAD(__ldlu)
MLUSIM_LOAD(__ldcv)
#undef MLUSIM_LOAD
#define MLUSIM_STORE(name)                                                \
  template <class T>                                                      \
  __attribute__((always_inline)) inline void name(T* p, std::common_type_t<T> value) { \
    *p = value;                                                           \
  }
MLUSIM_STORE(__stwb)
MLUSIM_STORE(__stcg)
MLUSIM_STORE(__stcs)
MLUSIM_STORE(__stwt)
#undef MLUSIM_STORE

inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
inline double rsqrt(double x) { return 1.0 / sqrt(x); }
inline float __frsqrt_rn(float x) { return 1.0f / sqrtf(x); }
inline float __expf(float x) { return expf(x); }
inline float __exp10f(float x) { return powf(10.0f, x); }
inline float exp10f(float x) { return powf(10.0f, x); }
inline float __logf(float x) { return logf(x); }
inline float __log2f(float x) { return log2f(x); }
inline float __log10f(float x) { return log10f(x); }
inline float __powf(float x, float y) { return powf(x, y); }
inline float __sinf(float x) { return sinf(x); }
inline float __cosf(float x) { return cosf(x); }
inline float __tanf(float x) { return tanf(x); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x >= 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }
inline float __fadd_rn(float x, float y) { return x + y; }
inline float __fsub_rn(float x, float y) { return x - y; }
inline float __fmul_rn(float x, float y) { return x * y; }
inline float __fdiv_rn(float x, float y) { return x / y; }
inline float __fsqrt_rn(float x) { return sqrtf(x); }
inline float __frcp_rn(float x) { return 1.0f / x; }
inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }

// Conversions saturate; NaN becomes 0.
namespace mlusim {
template <class T>
inline T to_integer(double x) {
  if (x != x) return 0;
  if (x >= (double)std::numeric_limits<T>::max()) return std::numeric_limits<T>::max();
  return x <= (double)std::numeric_limits<T>::min() ? std::numeric_limits<T>::min() : (T)x;
}
}  // namespace mlusim
#define MLUSIM_TO(from, F, to, T)                                                          \
  inline T __##from##2##to##_rn(F x) { return mlusim::to_integer<T>(rint((double)x)); }    \
  inline T __##from##2##to##_rz(F x) { return mlusim::to_integer<T>(trunc((double)x)); }   \
  inline T __##from##2##to##_rd(F x) { return mlusim::to_integer<T>(floor((double)x)); }   \
  inline T __##from##2##to##_ru(F x) { return mlusim::to_integer<T>(ceil((double)x)); }
MLUSIM_TO(float, float, int, int)
MLUSIM_TO(float, float, uint, unsigned)
MLUSIM_TO(float, float, ll, long long)
MLUSIM_TO(double, double, int, int)
MLUSIM_TO(double, double, uint, unsigned)
MLUSIM_TO(double, double, ll, long long)
#undef MLUSIM_TO
inline float __int2float_rn(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline double __int2double_rn(int x) { return (double)x; }
inline float __double2float_rn(double x) { return (float)x; }

#define MLUSIM_BITS(name, From, To)                          \
  inline To name(From x) {                                   \
    To bits;                                                 \
    __builtin_memcpy(&bits, &x, sizeof bits);                \
    return bits;                                             \
  }
MLUSIM_BITS(__float_as_int, float, int)
MLUSIM_BITS(__float_as_uint, float, unsigned)
MLUSIM_BITS(__int_as_float, int, float)
MLUSIM_BITS(__uint_as_float, unsigned, float)
MLUSIM_BITS(__double_as_longlong, double, long long)
MLUSIM_BITS(__longlong_as_double, long long, double)
#undef MLUSIM_BITS

inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline unsigned __brev(unsigned x) {
  unsigned reversed = 0;
  for (int bit = 0; bit < 32; ++bit) reversed |= (x >> bit & 1) << (31 - bit);
  return reversed;
}
inline int __mul24(int x, int y) { return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8)); }
inline int __mulhi(int x, int y) { return (int)((long long)x * y >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) { return (unsigned)((unsigned long long)x * y >> 32); }
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
