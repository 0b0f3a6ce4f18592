// The 16-bit float types: the compiler's own where it has them, a class with the same behaviour elsewhere.
#pragma once
#include <stdint.h>
#include <string.h>

#include <type_traits>

namespace mlusim {

struct Unmodelled;  // converts to any number by itself; see mlu.h
template <class T>
using if_number = std::enable_if_t<!std::is_same_v<T, Unmodelled>>;
template <class T, class Float>
using beside = std::conditional_t<std::is_integral_v<T>, Float, T>;  // T with a float beside it

inline uint32_t word_of(float value) {
  uint32_t word;
  memcpy(&word, &value, 4);
  return word;
}

inline float float_of(uint32_t word) {
  float value;
  memcpy(&value, &word, 4);
  return value;
}

// The 16 bits of bfloat16: the upper half of a float.
struct Bfloat16 {
  // To nearest, ties to even; a NaN stays a NaN.
  static uint16_t narrow(float value) {
    uint32_t word = word_of(value);
    return value != value ? uint16_t(word >> 16 | 0x40) : uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  static float widen(uint16_t bits) { return float_of(uint32_t(bits) << 16); }
};

// The 16 bits of IEEE half precision.
struct Binary16 {
  // To nearest, ties to even; what is too large becomes infinite, a NaN stays a NaN.
  static uint16_t narrow(float value) {
    uint32_t sign = word_of(value) >> 16 & 0x8000, word = word_of(value) & 0x7fffffff;
    if (word > 0x7f800000) return uint16_t(sign | 0x7e00 | (word >> 13 & 0x3ff));
    if (word >= 0x47800000) return uint16_t(sign | 0x7c00);
    // Below the normal numbers the sum with 0.5 has its last bit where the last bit of a half is, and rounds there.
    if (word < 0x38800000) return uint16_t(sign | (word_of(float_of(word) + 0.5f) - 0x3f000000));
    return uint16_t(sign | ((word - 0x38000000 + 0xfff + (word >> 13 & 1)) >> 13));
  }
  static float widen(uint16_t bits) {
    uint32_t sign = uint32_t(bits & 0x8000) << 16, rest = bits & 0x7fff;
    if (rest >= 0x7c00) return float_of(sign | 0x7f800000 | (rest & 0x3ff) << 13);
    if (rest >= 0x400) return float_of(sign | ((rest << 13) + 0x38000000));
    return float_of(sign | word_of(float(rest) * 0x1p-24f));
  }
};

// A 16-bit float: stored narrow, computed in float, rounded after every operation. `c ? x : 0.0f` alone is refused,
// where C++ cannot choose between the two types; write `c ? x : T(0)`.
template <class Format>
struct Narrow {
  uint16_t bits;

  Narrow() = default;
  template <class T, class = if_number<T>, class = decltype(float(T()))>
  Narrow(T value) : bits(Format::narrow(float(value))) {}
  operator float() const { return Format::widen(bits); }

  Narrow operator-() const { return of(uint16_t(bits ^ 0x8000)); }
  Narrow operator+() const { return *this; }
  Narrow& operator++() { return *this += 1; }
  Narrow& operator--() { return *this -= 1; }

// As with built-in types: an integer takes the type of the float beside it, a wider float wins.
#define MLUSIM_NARROW(op)                                                                        \
  friend Narrow operator op(Narrow a, Narrow b) { return float(a) op float(b); }                 \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                          \
  friend beside<T, Narrow> operator op(Narrow a, T b) {                                          \
    return beside<T, float>(a) op beside<T, float>(b);                                           \
  }                                                                                              \
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>                          \
  friend beside<T, Narrow> operator op(T a, Narrow b) {                                          \
    return beside<T, float>(a) op beside<T, float>(b);                                           \
  }                                                                                              \
  template <class T, class = if_number<T>>                                                       \
  Narrow& operator op##=(T value) {                                                              \
    return *this = Narrow(*this op value);                                                       \
  }
  MLUSIM_NARROW(+)
  MLUSIM_NARROW(-)
  MLUSIM_NARROW(*)
  MLUSIM_NARROW(/)
#undef MLUSIM_NARROW

 private:
  static Narrow of(uint16_t bits) {
    Narrow made;
    made.bits = bits;
    return made;
  }
};

}  // namespace mlusim

// Clang defines the limits of the type also where it refuses the type (before 15).
#if defined(__clang__) ? __clang_major__ >= 15 : defined(__FLT16_MANT_DIG__)
typedef _Float16 half;
#else
typedef mlusim::Narrow<mlusim::Binary16> half;
#endif

#ifdef __STDCPP_BFLOAT16_T__
#include <stdfloat>
typedef std::bfloat16_t bfloat16_t;
#else
typedef mlusim::Narrow<mlusim::Bfloat16> bfloat16_t;
#endif

// Further names of the vendor.
typedef half __half;
typedef bfloat16_t __bang_bfloat16;
// To nearest even (inferred).
inline bfloat16_t __float2bfloat16__(float value) { return (bfloat16_t)value; }
// Two numbers of 4 bits: kernels move them, no instruction of ours works on them.
typedef struct {
  uint8_t bits;
} int4x2_t;

// Literals of half, such as 1.0h; names without an underscore are the compiler's own, says the compiler.
#pragma GCC diagnostic push
#ifdef __clang__
#pragma GCC diagnostic ignored "-Wuser-defined-literals"
#else
#pragma GCC diagnostic ignored "-Wliteral-suffix"
#endif
inline half operator""h(long double value) { return (half)(float)value; }
inline half operator""h(unsigned long long value) { return (half)(float)value; }
#pragma GCC diagnostic pop
