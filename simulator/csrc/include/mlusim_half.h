// The 16-bit float types: the compiler's own where it has them, a class with the same behaviour elsewhere.
#pragma once
#include <stdint.h>
#include <string.h>

typedef _Float16 half;

#ifdef __STDCPP_BFLOAT16_T__
#include <stdfloat>
typedef std::bfloat16_t bfloat16_t;
#else
struct bfloat16_t {
  uint16_t bits;
  bfloat16_t() = default;
  template <class T, class = decltype(float(T()))>
  bfloat16_t(T value) {
    float wide = float(value);
    uint32_t word;
    memcpy(&word, &wide, 4);
    // To nearest, ties to even; a NaN stays a NaN.
    bits = wide != wide ? uint16_t(word >> 16 | 0x40) : uint16_t((word + 0x7fff + (word >> 16 & 1)) >> 16);
  }
  operator float() const {
    uint32_t word = uint32_t(bits) << 16;
    float wide;
    memcpy(&wide, &word, 4);
    return wide;
  }
  bfloat16_t& operator+=(float x) { return *this = bfloat16_t(float(*this) + x); }
  bfloat16_t& operator-=(float x) { return *this = bfloat16_t(float(*this) - x); }
  bfloat16_t& operator*=(float x) { return *this = bfloat16_t(float(*this) * x); }
  bfloat16_t& operator/=(float x) { return *this = bfloat16_t(float(*this) / x); }
};
#endif
