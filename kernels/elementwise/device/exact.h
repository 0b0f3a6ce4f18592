// Division and remainder of floats to the last place, and masks. The vector unit gives a quotient and proves its last
// place by the remainder; the few elements that it cannot judge are computed by the scalar unit.
#pragma once
#include "conversion.h"

#define SAFE_MAX 0x1p60f  // between these no product or remainder below overflows or loses places
#define SAFE_MIN 0x1p-60f
#define SIGN_BIT (int)0x80000000
#define EXPONENT_BITS 0x7f800000
#define UPPER_HALF_BITS (int)0xfffff000  // a float without its last 12 bits

// dst = bits of src that are set in mask; dst may be src, scratch may not.
__mlu_func__ void maskBits(float *dst, const float *src, int mask, int *scratch, int32_t n) {
  __bang_write_value(scratch, n, mask);
  __bang_band((int *)dst, (const int *)src, scratch, n);
}

// dst = where ? yes : no, for where of 0 and 1. Overwrites where; dst may be yes or no, scratch none of them.
__mlu_func__ void select(float *dst, float *where, const float *yes, const float *no, int *scratch, int32_t n) {
  int *mask = (int *)where;
  __bang_float2int32_tz(mask, where, n, 0);
  __bang_mul_scalar(mask, mask, -1, n);
  __bang_band(scratch, mask, (const int *)yes, n);
  __bang_bnot(mask, mask, n);
  __bang_band((int *)dst, mask, (const int *)no, n);
  __bang_bor((int *)dst, (const int *)dst, scratch, n);
}

// Calls fix(i) for every i whose element of where is not 0.
template <typename Fix>
__mlu_func__ void forEach(const float *where, int32_t n, Fix fix) {
  for (uint32_t left = __bang_count(where, n), i = 0; left > 0; left--, i++) {
    i += __bang_findfirst1(where + i, n - i);
    __sync_compute();
    fix(i);
  }
}

// dst += 1 where |x| is outside of the safe range.
__mlu_func__ void addUnsafe(float *dst, const float *magnitude, float *scratch, int32_t n) {
  __bang_gt_scalar(scratch, magnitude, SAFE_MAX, n);
  __bang_add(dst, dst, scratch, n);
  __bang_lt_scalar(scratch, magnitude, SAFE_MIN, n);
  __bang_add(dst, dst, scratch, n);
}

// dst = x - q * y, without an error where |dst| is at most y's last place times 2^24: y_high + y_low is y, each of 12
// bits, and so are the halves of q, so that no product below is rounded and no difference loses a bit.
__mlu_func__ void remainderOf(float *dst, const float *x, const float *q, const float *y_high, const float *y_low,
                              float *q_high, float *q_low, int32_t n) {
  maskBits(q_high, q, UPPER_HALF_BITS, (int *)q_low, n);
  __bang_sub(q_low, q, q_high, n);
  __bang_mul(dst, q_high, y_high, n);
  __bang_sub(dst, x, dst, n);
  __bang_mul(q_high, q_high, y_low, n);
  __bang_sub(dst, dst, q_high, n);
  __bang_mul(q_high, q_low, y_high, n);
  __bang_sub(dst, dst, q_high, n);
  __bang_mul(q_high, q_low, y_low, n);
  __bang_sub(dst, dst, q_high, n);
}

#define DIVIDE_SCRATCH 9

// What quotient and remainder begin with: magnitudes, the halves of y, 1 / y, and the elements to be judged by hand.
struct Division {
  float *x, *y, *y_high, *y_low, *reciprocal, *by_hand, *free0, *free1, *free2;
};

__mlu_func__ Division beginDivision(const Tile &t) {
  const Division d = {spare(t, 0), spare(t, 1), spare(t, 2), spare(t, 3), spare(t, 4),
                      spare(t, 5), spare(t, 6), spare(t, 7), spare(t, 8)};
  __bang_abs(d.x, t.x, t.n);
  __bang_abs(d.y, t.y, t.n);
  maskBits(d.y_high, d.y, UPPER_HALF_BITS, (int *)d.y_low, t.n);
  __bang_sub(d.y_low, d.y, d.y_high, t.n);
  __bang_recip(d.reciprocal, d.y, t.n);
  __bang_write_value(d.by_hand, t.n, 0.0f);
  addUnsafe(d.by_hand, d.y, d.free0, t.n);
  return d;
}

// result = x / y, rounded to nearest even; result is neither of them.
__mlu_func__ void divide(const Tile &t) {
#if __BANG_ARCH__ != 372
  __bang_div(t.result, t.x, t.y, t.n);
#else
  const int32_t n = t.n;
  const Division d = beginDivision(t);
  float *q = t.result;
  addUnsafe(d.by_hand, d.x, d.free0, n);
  __bang_eq_scalar(d.free0, d.x, 0.0f, n);  // 0 is safe
  __bang_sub(d.by_hand, d.by_hand, d.free0, n);
  // A quotient within two places, then within one: the second remainder is exact.
  __bang_mul(q, d.x, d.reciprocal, n);
  remainderOf(d.free2, d.x, q, d.y_high, d.y_low, d.free0, d.free1, n);
  __bang_mul(d.free2, d.free2, d.reciprocal, n);
  __bang_add(q, q, d.free2, n);
  remainderOf(d.free2, d.x, q, d.y_high, d.y_low, d.free0, d.free1, n);
  // A remainder of more than y times half a place says that the next float is nearer. None is ever at the middle.
  float *place = d.free0, *half_place = d.free1, *over = d.reciprocal;
  maskBits(place, q, EXPONENT_BITS, (int *)half_place, n);
  __bang_mul_scalar(place, place, 0x1p-23f, n);
  __bang_mul(half_place, place, d.y, n);
  __bang_mul_scalar(half_place, half_place, 0.5f, n);
  __bang_gt(over, d.free2, half_place, n);
  __bang_add(d.free2, d.free2, half_place, n);
  __bang_lt_scalar(d.free2, d.free2, 0.0f, n);
  __bang_sub(over, over, d.free2, n);
  __bang_mul(over, over, place, n);
  __bang_add(q, q, over, n);
  // The sign is that of the product.
  __bang_bxor((int *)d.free0, (const int *)t.x, (const int *)t.y, n);
  maskBits(d.free0, d.free0, SIGN_BIT, (int *)d.free1, n);
  __bang_bor((int *)q, (const int *)q, (const int *)d.free0, n);
  forEach(d.by_hand, n, [&](int32_t i) { q[i] = t.x[i] / t.y[i]; });
#endif
}

// result = fmod(x, y): x minus a whole number of y, with the sign of x.
__mlu_func__ void floatRemainder(const Tile &t) {
  const int32_t n = t.n;
  const Division d = beginDivision(t);
  float *q = t.result;
  // A quotient that is too large by one at most: its remainder, above -y and below y, is exact.
  __bang_mul(q, d.x, d.reciprocal, n);
  __bang_mul_scalar(q, q, 1 + 0x1p-21f, n);
  __bang_gt_scalar(d.free0, q, 0x1p20f, n);
  __bang_add(d.by_hand, d.by_hand, d.free0, n);
  __bang_float2int32_tz((int *)q, q, n, 0);
  __bang_int322float_rn(q, (int *)q, n, 0);
  remainderOf(d.free2, d.x, q, d.y_high, d.y_low, d.free0, d.free1, n);
  __bang_lt_scalar(d.free0, d.free2, 0.0f, n);
  __bang_mul(d.free0, d.free0, d.y, n);
  __bang_add(d.free2, d.free2, d.free0, n);
  maskBits(d.free0, t.x, SIGN_BIT, (int *)d.free1, n);
  __bang_bor((int *)q, (const int *)d.free2, (const int *)d.free0, n);
  forEach(d.by_hand, n, [&](int32_t i) { q[i] = fmodf(t.x[i], t.y[i]); });
}

#define INTEGER_SCRATCH 6

// |x| / |y| and its remainder, of int32, both not negative; by hand where float cannot tell, and 0 where y is 0.
__mlu_func__ void divideIntegers(const Tile &t, int *quotient, int *remainder) {
  const int32_t n = t.n;
  int *y = (int *)spare(t, 2), *step = (int *)spare(t, 4);
  float *reciprocal = spare(t, 3), *by_hand = spare(t, 5), *value = spare(t, 4);
  __bang_abs(remainder, (const int *)t.x, n);
  __bang_abs(y, (const int *)t.y, n);
  __bang_int322float_rn(reciprocal, y, n, 0);
  __bang_int322float_rn(value, remainder, n, 0);
  __bang_lt_scalar(by_hand, value, 0.0f, n);  // -2^31 has no magnitude in int32
  __bang_lt_scalar(value, reciprocal, 1.0f, n);
  __bang_add(by_hand, by_hand, value, n);
  __bang_recip(reciprocal, reciprocal, n);
  __bang_write_value(quotient, n, 0);
  for (int pass = 0; pass < 2; pass++) {
    __bang_int322float_rn(value, remainder, n, 0);
    __bang_mul(value, value, reciprocal, n);
    __bang_float2int32_tz(step, value, n, 0);
    __bang_add(quotient, quotient, step, n);
    __bang_mul(step, step, y, n);
    __bang_sub(remainder, remainder, step, n);
  }
  __bang_lt_scalar(step, remainder, 0, n);
  __bang_sub(quotient, quotient, step, n);
  __bang_mul(step, step, y, n);
  __bang_add(remainder, remainder, step, n);
  __bang_ge(step, remainder, y, n);
  __bang_add(quotient, quotient, step, n);
  __bang_mul(step, step, y, n);
  __bang_sub(remainder, remainder, step, n);
  const int *x = (const int *)t.x, *divisor = (const int *)t.y;
  forEach(by_hand, n, [&](int32_t i) {
    const int64_t dividend = std::abs((int64_t)x[i]), by = std::abs((int64_t)divisor[i]);
    quotient[i] = by ? (int)(dividend / by) : 0;
    remainder[i] = by ? (int)(dividend % by) : 0;
  });
}

// dst = negative ? -src : src, for negative of any sign bits; scratch may not be dst.
__mlu_func__ void giveSign(int *dst, const int *negative, int *scratch, int32_t n) {
  __bang_lt_scalar(scratch, negative, 0, n);
  __bang_mul_scalar(scratch, scratch, -2, n);
  __bang_add_scalar(scratch, scratch, 1, n);
  __bang_mul(dst, dst, scratch, n);
}
