// |base|^y for vectors of exponents y, as a power of two.
#pragma once
#include <mlu.h>

#if __BANG_ARCH__ < 322
#error "logspace needs __bang_pow2, which exists from BANG architecture 322 on; choose a newer device"
#endif

#define SPLIT_FACTOR 4097.0f   // 2^12 + 1: splits a float into two of 12 bits
#define SATURATING 0x1p127f    // three factors of it take the smallest float beyond the largest
#define TWO_PART_MAX 0x1p23f   // beyond, a float has no place left for the whole part; nearly all results are 0 or inf

enum PowerKind {
  DIRECT_POWER,    // pow2(y * log2|base|): error below 9e-8 * |y * log2|base|| + 2e-7
  TWO_PART_POWER,  // the same with product and logarithm in two floats: error below 4e-7
  EXTREME_POWER,   // |base| is 0 or inf: 0, 1 or inf, by the sign of y
  NAN_POWER,       // base is nan: 1 where y is 0, else nan
};

struct Power {
  PowerKind kind;
  float base_log;                     // log2|base|, rounded to float
  float base_log_high, base_log_low;  // log2|base| to 30 bits and more; high has 12 bits
};

// x without the last 12 bits of its fraction.
__mlu_func__ float highPart(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof(bits));
  bits &= 0xfffff000u;
  memcpy(&x, &bits, sizeof(x));
  return x;
}

// log2(x) of a finite x > 0 as power->base_log_high + power->base_log_low.
// x = m * 2^e with m near 1; log2(m) = 2 / ln(2) * atanh(s), s = (m - 1) / (m + 1), all beyond the first term is small.
__mlu_func__ void log2InTwoParts(float x, Power *power) {
  int exponent;
  float m = frexpf(x, &exponent);
  if (m < 0.70710678f) {
    m *= 2;
    --exponent;
  }
  const float above = m - 1;
  const float below = m + 1;
  const float below_rest = m - (below - 1);
  const float s = above / below;
  const float s_rest = (fmaf(-s, below, above) - s * below_rest) / below;
  const float s2 = s * s;
  const float tail = s * s2 * (1 / 3.0f + s2 * (1 / 5.0f + s2 * (1 / 7.0f + s2 * (1 / 9.0f + s2 / 11.0f))));
  const float factor = 0x1.715476p+1f;       // 2 / ln(2)
  const float factor_rest = 0x1.4ae0cp-25f;  // what the float above lacks
  const float first = factor * s;
  const float rest = fmaf(factor, s, -first) + factor_rest * s + factor * (s_rest + tail);
  const float sum = exponent + first;
  const float sum_rest = (exponent - sum) + first;
  power->base_log_high = highPart(sum);
  power->base_log_low = (sum - power->base_log_high) + (sum_rest + rest);
}

// How to compute |base|^y for |y| <= max_y: pow2(y * log2|base|) while the exponent of two stays within direct_limit.
__mlu_func__ Power choosePower(float base, float max_y, float direct_limit) {
  Power power = {DIRECT_POWER, 0, 0, 0};
  const float magnitude = fabsf(base);
  if (magnitude != magnitude) {
    power.kind = NAN_POWER;
  } else if (magnitude == 0 || magnitude == INFINITY) {
    power.kind = EXTREME_POWER;
    power.base_log = magnitude == 0 ? -SATURATING : SATURATING;
  } else {
    power.base_log = log2f(magnitude);
    const float max_exponent = max_y * fabsf(power.base_log);
    if (max_exponent > direct_limit && max_exponent < TWO_PART_MAX) {
      power.kind = TWO_PART_POWER;
      log2InTwoParts(magnitude, &power);
    }
  }
  return power;
}

// Blocks of NRAM, as long as y, that computePower takes: y itself and what it needs besides.
__mlu_func__ int32_t powerBlocks(const Power &power) { return power.kind == TWO_PART_POWER ? 3 : 1; }

// y = 2^(y * log2|base|), the product as an exact float, a whole part taken from it, and a small rest.
__mlu_func__ void computeTwoPartPower(const Power &power, float *y, float *high, float *whole, int32_t num) {
  __bang_mul_scalar(high, y, SPLIT_FACTOR, num);
  __bang_sub(whole, high, y, num);
  __bang_sub(high, high, whole, num);
  __bang_sub(y, y, high, num);  // high + y is the former y, each of 12 bits
  __bang_mul_scalar(y, y, power.base_log, num);
  __bang_mul_scalar(whole, high, power.base_log_low, num);
  __bang_add(y, y, whole, num);
  __bang_mul_scalar(high, high, power.base_log_high, num);  // exact
  __bang_add(whole, high, y, num);
  __bang_float2int32_dn((int *)whole, whole, num, 0);  // floor, which could not be in place
  __bang_int322float(whole, (int *)whole, num, 0);
  __bang_sub(high, high, whole, num);
  __bang_add(y, y, high, num);
  __bang_pow2(y, y, num);  // 1 to 2
  __bang_pow2(whole, whole, num);
  __bang_mul(y, y, whole, num);
}

// y = |base|^y, in place; scratch holds two blocks of at least num elements for TWO_PART_POWER.
__mlu_func__ void computePower(const Power &power, float *y, float *scratch0, float *scratch1, int32_t num) {
  if (power.kind == TWO_PART_POWER) {
    computeTwoPartPower(power, y, scratch0, scratch1, num);
    return;
  }
  if (power.kind != DIRECT_POWER) {
    // 0 stays 0, every other number becomes infinite, so that no 0 * inf arises where pow(x, 0) is 1.
    __bang_mul_scalar(y, y, SATURATING, num);
    __bang_mul_scalar(y, y, SATURATING, num);
  }
  if (power.kind == NAN_POWER) {
    __bang_mul_scalar(y, y, SATURATING, num);
    __bang_sub(y, y, y, num);  // 0 - 0 = 0, inf - inf = nan
  } else {
    __bang_mul_scalar(y, y, power.base_log, num);
  }
  __bang_pow2(y, y, num);
}
