// Conversions of one scalar on the kernel's processor. Integers saturate and NaN becomes the largest integer, as in
// tpu_bdc_cast (inferred).
#pragma once
#include <math.h>

static inline float mlusim_half_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float value = exponent == 31 ? (fraction ? NAN : INFINITY)
                : exponent     ? ldexpf((float)(fraction + 1024), exponent - 25)
                               : ldexpf((float)fraction, -24);
  return bits & 0x8000 ? -value : value;
}

// A whole number near x, by a rounding mode.
static inline double mlusim_rounded(double x, rounding_mode_t mode) {
  double down = floor(x), rest = x - down;
  switch (mode) {
    case RM_HALF_TO_EVEN: return rint(x);
    case RM_HALF_AWAY_FROM_ZERO: return round(x);
    case RM_TOWARDS_ZERO: return trunc(x);
    case RM_DOWN: return down;
    case RM_UP: return ceil(x);
    case RM_HALF_UP: return rest >= 0.5 ? down + 1 : down;
    default: return rest > 0.5 ? down + 1 : down;
  }
}

// A float of `digits` binary digits whose smallest normal exponent is `least` and whose largest number is `most`.
static inline double mlusim_narrowed(double x, int digits, int least, double most, rounding_mode_t mode) {
  if (x != x || isinf(x) || x == 0) return x;
  int exponent;
  frexp(x, &exponent);
  double unit = ldexp(1.0, (exponent > least ? exponent : least) - digits);
  double value = mlusim_rounded(x / unit, mode) * unit;
  if (fabs(value) <= most) return copysign(value, x);
  bool inward = mode == RM_TOWARDS_ZERO || (mode == RM_DOWN && x > 0) || (mode == RM_UP && x < 0);
  return copysign(inward ? most : INFINITY, x);
}

static inline uint16_t mlusim_half_bits(double x, rounding_mode_t mode) {
  double value = fabs(mlusim_narrowed(x, 11, -13, 65504.0, mode));
  uint16_t sign = signbit(x) ? 0x8000 : 0;
  if (x != x) return 0x7e00;
  if (isinf(value)) return sign | 0x7c00;
  int exponent;
  double fraction = frexp(value, &exponent);
  if (value == 0 || exponent < -13) return sign | (uint16_t)ldexp(value, 24);
  return sign | (uint16_t)((exponent + 14) << 10 | ((int)ldexp(fraction, 11) - 1024));
}

static inline uint16_t mlusim_bfloat16_bits(double x, rounding_mode_t mode) {
  union { float f; uint32_t u; } made;
  made.f = (float)mlusim_narrowed(x, 8, -125, 3.3895313892515355e38, mode);
  return x != x ? 0x7fc0 : (uint16_t)(made.u >> 16);
}

// The 8-bit float with four bits of exponent has no infinity: what is too large becomes NaN.
static inline float mlusim_e4m3_value(uint8_t bits) {
  int exponent = bits >> 3 & 15, fraction = bits & 7;
  float value = (bits & 127) == 127 ? NAN
                : exponent          ? ldexpf((float)(fraction + 8), exponent - 10)
                                    : ldexpf((float)fraction, -9);
  return bits & 0x80 ? -value : value;
}

static inline uint8_t mlusim_e4m3_bits(double x, rounding_mode_t mode) {
  double value = fabs(mlusim_narrowed(x, 4, -5, 448.0, mode));
  uint8_t sign = signbit(x) ? 0x80 : 0;
  if (x != x || isinf(value)) return sign | 0x7f;
  int exponent;
  double fraction = frexp(value, &exponent);
  if (value == 0 || exponent < -5) return sign | (uint8_t)ldexp(value, 9);
  return sign | (uint8_t)((exponent + 6) << 3 | ((int)ldexp(fraction, 4) - 8));
}

// The one with five bits of exponent is the upper byte of a half.
static inline uint8_t mlusim_e5m2_bits(double x, rounding_mode_t mode) {
  return (uint8_t)(mlusim_half_bits(mlusim_narrowed(x, 3, -13, 57344.0, mode), mode) >> 8);
}

static inline double mlusim_scalar_value(scalar_t source, data_type_t from) {
  union { uint32_t u; float f; } wide;
  switch (from) {
    case DT_FP32: return source.f32;
    case DT_FP16: return mlusim_half_value(source.f16.bits);
    case DT_BFP16: wide.u = (uint32_t)source.bf16.bits << 16; return wide.f;
#if MLUSIM_ARCH >= 1690  // the first that has 8-bit floats
    case DT_FP8E4M3: return mlusim_e4m3_value(source.u8);
    case DT_FP8E5M2: return mlusim_half_value((uint16_t)(source.u8 << 8));
#endif
    case DT_INT32: return source.s32;
    case DT_UINT32: return source.u32;
    case DT_INT16: return source.s16;
    case DT_UINT16: return source.u16;
    case DT_INT8: return source.s8;
    case DT_UINT8: return source.u8;
    default: mlusim_not_modelled("a cast of this data_type_t", MLUSIM_PC); mlusim_end_task(); return 0;
  }
}

static inline double mlusim_clamped(double x, double least, double most, rounding_mode_t mode) {
  double whole = mlusim_rounded(x, mode);
  return x != x || whole > most ? most : whole < least ? least : whole;
}

MLUSIM_OP scalar_t tpu_cast(scalar_t source, data_type_t to, data_type_t from, rounding_mode_t mode) {
  double x = mlusim_scalar_value(source, from);
  scalar_t made;
  made.u32 = 0;
  switch (to) {
    case DT_FP32: made.f32 = (float)mlusim_narrowed(x, 24, -125, 3.4028234663852886e38, mode); break;
    case DT_FP16: made.f16.bits = mlusim_half_bits(x, mode); break;
    case DT_BFP16: made.bf16.bits = mlusim_bfloat16_bits(x, mode); break;
#if MLUSIM_ARCH >= 1690
    case DT_FP8E4M3: made.u8 = mlusim_e4m3_bits(x, mode); break;
    case DT_FP8E5M2: made.u8 = mlusim_e5m2_bits(x, mode); break;
#endif
    case DT_INT32: made.s32 = (int32_t)mlusim_clamped(x, -2147483648.0, 2147483647.0, mode); break;
    case DT_UINT32: made.u32 = (uint32_t)mlusim_clamped(x, 0, 4294967295.0, mode); break;
    case DT_INT16: made.s16 = (int16_t)mlusim_clamped(x, -32768, 32767, mode); break;
    case DT_UINT16: made.u16 = (uint16_t)mlusim_clamped(x, 0, 65535, mode); break;
    case DT_INT8: made.s8 = (int8_t)mlusim_clamped(x, -128, 127, mode); break;
    case DT_UINT8: made.u8 = (uint8_t)mlusim_clamped(x, 0, 255, mode); break;
    default: mlusim_not_modelled("a cast to this data_type_t", MLUSIM_PC); mlusim_end_task();
  }
  return made;
}
MLUSIM_OP scalar_t tpu_fp_cast(scalar_t source, data_type_t to, data_type_t from, rounding_mode_t mode) {
  return tpu_cast(source, to, from, mode);
}
MLUSIM_OP scalar_t tpu_int_cast(scalar_t source, data_type_t to, data_type_t from) {
  return tpu_cast(source, to, from, RM_TOWARDS_ZERO);
}
MLUSIM_OP scalar_t tpu_fp_to_int_cast(scalar_t source, data_type_t to, data_type_t from, rounding_mode_t mode) {
  return tpu_cast(source, to, from, mode);
}
MLUSIM_OP scalar_t tpu_int_to_fp_cast(scalar_t source, data_type_t to, data_type_t from, rounding_mode_t mode) {
  return tpu_cast(source, to, from, mode);
}
