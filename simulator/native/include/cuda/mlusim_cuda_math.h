// Mathematics of the device. Functions that are approximate on a GPU (__expf, __fdividef, ...) are as exact here as
// those of the host's library.
#pragma once

namespace mlusim {

// The compiler takes the numbers for unknown ones from here on.
template <class... T>
inline __attribute__((always_inline)) void hide(T&... values) {
  (([](T& value) { __asm__ volatile("" : "+m"(value) : : "memory"); }(values)), ...);
}

// Numbers are rounded to zero (z), down (d) or up (u) for as long as it lives.
class Rounding {
 public:
  explicit Rounding(char mode) : before_(get()) { set(before_ | (mode == 'z' ? kDown | kUp : mode == 'd' ? kDown : kUp)); }
  ~Rounding() { set(before_); }

 private:
#ifdef __x86_64__
  static constexpr uint64_t kDown = 1 << 13, kUp = 1 << 14;
  static uint64_t get() { return __builtin_ia32_stmxcsr(); }
  static void set(uint64_t control) { __builtin_ia32_ldmxcsr((unsigned)control); }
#else
  static constexpr uint64_t kDown = 1 << 23, kUp = 1 << 22;
  static uint64_t get() {
    uint64_t control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static void set(uint64_t control) { __asm__ volatile("msr fpcr, %0" : : "r"(control)); }
#endif
  uint64_t before_;
};

}  // namespace mlusim

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

inline unsigned umin(unsigned a, unsigned b) { return min(a, b); }
inline unsigned umax(unsigned a, unsigned b) { return max(a, b); }
inline long long llmin(long long a, long long b) { return min(a, b); }
inline long long llmax(long long a, long long b) { return max(a, b); }
inline unsigned long long ullmin(unsigned long long a, unsigned long long b) { return min(a, b); }
inline unsigned long long ullmax(unsigned long long a, unsigned long long b) { return max(a, b); }

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
extern "C" inline void __sincosf(float x, float* sine, float* cosine) noexcept { sincosf(x, sine, cosine); }
inline float __fdividef(float x, float y) { return x / y; }
inline float fdividef(float x, float y) { return x / y; }
inline float __saturatef(float x) { return x >= 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
inline float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678118654752f); }

inline double normcdf(double x) { return 0.5 * erfc(-x * 0.70710678118654752440); }
inline float sinpif(float x) { return (float)sin(M_PI * fmod((double)x, 2.0)); }
inline float cospif(float x) { return (float)cos(M_PI * fmod((double)x, 2.0)); }
inline double sinpi(double x) { return sin(M_PI * fmod(x, 2.0)); }
inline double cospi(double x) { return cos(M_PI * fmod(x, 2.0)); }
inline void sincospif(float x, float* sine, float* cosine) { *sine = sinpif(x), *cosine = cospif(x); }
inline void sincospi(double x, double* sine, double* cosine) { *sine = sinpi(x), *cosine = cospi(x); }
inline float rcbrtf(float x) { return (float)(1.0 / cbrt((double)x)); }
inline double rcbrt(double x) { return 1.0 / cbrt(x); }
inline float rhypotf(float x, float y) { return (float)(1.0 / hypot((double)x, (double)y)); }
inline double rhypot(double x, double y) { return 1.0 / hypot(x, y); }
inline double norm3d(double x, double y, double z) { return hypot(hypot(x, y), z); }
inline double norm4d(double x, double y, double z, double w) { return hypot(hypot(x, y), hypot(z, w)); }
inline double rnorm3d(double x, double y, double z) { return 1.0 / norm3d(x, y, z); }
inline double rnorm4d(double x, double y, double z, double w) { return 1.0 / norm4d(x, y, z, w); }
inline float norm3df(float x, float y, float z) { return (float)norm3d(x, y, z); }
inline float norm4df(float x, float y, float z, float w) { return (float)norm4d(x, y, z, w); }
inline float rnorm3df(float x, float y, float z) { return (float)rnorm3d(x, y, z); }
inline float rnorm4df(float x, float y, float z, float w) { return (float)rnorm4d(x, y, z, w); }

// Arithmetic that names its rounding.
#define MLUSIM_ROUNDED(name, T, mode, expression, parameters, ...)     \
  __attribute__((noinline)) inline T name parameters {                 \
    mlusim::Rounding rounding(mode);                                   \
    mlusim::hide(__VA_ARGS__);                                         \
    T result = expression;                                             \
    mlusim::hide(result);                                              \
    return result;                                                     \
  }
#define MLUSIM_ROUNDINGS(name, T, expression, parameters, ...)                              \
  inline T name##_rn parameters { return expression; }                                      \
  MLUSIM_ROUNDED(name##_rz, T, 'z', expression, parameters, __VA_ARGS__)          \
  MLUSIM_ROUNDED(name##_rd, T, 'd', expression, parameters, __VA_ARGS__)            \
  MLUSIM_ROUNDED(name##_ru, T, 'u', expression, parameters, __VA_ARGS__)
#define MLUSIM_ARITHMETIC(T, letter, fused, f)                             \
  MLUSIM_ROUNDINGS(__##letter##add, T, x + y, (T x, T y), x, y)            \
  MLUSIM_ROUNDINGS(__##letter##sub, T, x - y, (T x, T y), x, y)            \
  MLUSIM_ROUNDINGS(__##letter##mul, T, x * y, (T x, T y), x, y)            \
  MLUSIM_ROUNDINGS(__##letter##div, T, x / y, (T x, T y), x, y)            \
  MLUSIM_ROUNDINGS(__##letter##rcp, T, (T)1 / x, (T x), x)                 \
  MLUSIM_ROUNDINGS(__##letter##sqrt, T, sqrt##f(x), (T x), x)              \
  MLUSIM_ROUNDINGS(__##fused, T, fma##f(x, y, z), (T x, T y, T z), x, y, z)
MLUSIM_ARITHMETIC(float, f, fmaf, f)
MLUSIM_ARITHMETIC(double, d, fma, )
#undef MLUSIM_ARITHMETIC
#undef MLUSIM_ROUNDINGS
#undef MLUSIM_ROUNDED
