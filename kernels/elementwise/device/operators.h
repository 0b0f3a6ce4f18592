// What every operator does with a tile: of_float computes in float, of_int32 in int32. kernels/elementwise/operators.py
// has the same names, with the number of scratch buffers that each body here uses.
#pragma once
#include "exact.h"

#define LOG2_E 0x1.715476p+0f  // log2(e)
#define LN_2 0x1.62e430p-1f
#define ONE_BITS 0x3f800000

namespace of_float {

__mlu_func__ void add(const Launch &, const Tile &t) { __bang_add(t.result, t.x, t.y, t.n); }
__mlu_func__ void sub(const Launch &, const Tile &t) { __bang_sub(t.result, t.x, t.y, t.n); }
__mlu_func__ void mul(const Launch &, const Tile &t) { __bang_mul(t.result, t.x, t.y, t.n); }
__mlu_func__ void div(const Launch &, const Tile &t) { divide(t); }
__mlu_func__ void mod(const Launch &, const Tile &t) { floatRemainder(t); }
__mlu_func__ void maximum(const Launch &, const Tile &t) { __bang_nan_maximum(t.result, t.x, t.y, t.n); }
__mlu_func__ void minimum(const Launch &, const Tile &t) { __bang_nan_minimum(t.result, t.x, t.y, t.n); }

// x > 0 ? x : x * y
__mlu_func__ void prelu(const Launch &, const Tile &t) {
  float *positive = spare(t, 0), *product = spare(t, 1);
  __bang_gt_scalar(positive, t.x, 0.0f, t.n);
  __bang_mul(product, t.x, t.y, t.n);
  select(t.result, positive, t.x, product, (int *)spare(t, 2), t.n);
}

// 2^(y * log2|x|), then what that does not give: signs, nan of negative x, and 1 for x^0, 1^y and (-1)^inf.
__mlu_func__ void pow(const Launch &, const Tile &t) {
  float *magnitude = spare(t, 0), *whole = spare(t, 1), *odd = spare(t, 2), *test = spare(t, 3);
  int *bits = (int *)spare(t, 4);
  const int32_t n = t.n;
  __bang_abs(magnitude, t.x, n);
  __bang_log2(t.result, magnitude, n);
  __bang_mul(t.result, t.result, t.y, n);
  __bang_pow2(t.result, t.result, n);
  __bang_floor(whole, t.y, n);
  __bang_eq(whole, whole, t.y, n);
  __bang_mul_scalar(odd, t.y, 0.5f, n);
  __bang_floor(test, odd, n);
  __bang_ne(odd, odd, test, n);
  __bang_mul(odd, odd, whole, n);
  // Odd y keeps the sign of x.
  __bang_float2int32_tz((int *)odd, odd, n, 0);
  __bang_mul_scalar((int *)odd, (int *)odd, SIGN_BIT, n);
  __bang_band((int *)odd, (int *)odd, (const int *)t.x, n);
  __bang_bor((int *)t.result, (int *)t.result, (int *)odd, n);
  // A finite x < 0 has no power with y that is not whole; y = nan has given nan already.
  __bang_lt_scalar(test, t.x, 0.0f, n);
  __bang_gt_scalar(odd, t.x, -INFINITY, n);
  __bang_mul(test, test, odd, n);
  __bang_not(whole, whole, n);
  __bang_mul(test, test, whole, n);
  __bang_write_value(odd, n, NAN);
  select(t.result, test, odd, t.result, bits, n);
  // 1 where x is 1, y is 0, or |x| is 1 and |y| infinite.
  __bang_eq_scalar(test, t.x, 1.0f, n);
  __bang_eq_scalar(odd, t.y, 0.0f, n);
  __bang_or(test, test, odd, n);
  __bang_eq_scalar(magnitude, magnitude, 1.0f, n);
  __bang_abs(odd, t.y, n);
  __bang_eq_scalar(odd, odd, INFINITY, n);
  __bang_mul(odd, odd, magnitude, n);
  __bang_or(test, test, odd, n);
  __bang_write_value(odd, n, 1.0f);
  select(t.result, test, odd, t.result, bits, n);
}

__mlu_func__ void logical_and(const Launch &, const Tile &t) { __bang_and(t.result, t.x, t.y, t.n); }
__mlu_func__ void logical_or(const Launch &, const Tile &t) { __bang_or(t.result, t.x, t.y, t.n); }
__mlu_func__ void logical_not(const Launch &, const Tile &t) { __bang_not(t.result, t.x, t.n); }
__mlu_func__ void logical_xor(const Launch &, const Tile &t) {
  __bang_not(spare(t, 0), t.x, t.n);
  __bang_not(t.result, t.y, t.n);
  __bang_ne(t.result, t.result, spare(t, 0), t.n);
}

// With a tolerance |x - y| < tolerance: false for equal infinities, as fabsf(a - b) < 1e-6 is.
__mlu_func__ void equal(const Launch &launch, const Tile &t) {
  if (launch.limits[0] > 0) {
    __bang_sub(t.result, t.x, t.y, t.n);
    __bang_abs(t.result, t.result, t.n);
    __bang_lt_scalar(t.result, t.result, launch.limits[0], t.n);
  } else {
    __bang_eq(t.result, t.x, t.y, t.n);
  }
}
__mlu_func__ void not_equal(const Launch &, const Tile &t) { __bang_ne(t.result, t.x, t.y, t.n); }
__mlu_func__ void greater(const Launch &, const Tile &t) { __bang_gt(t.result, t.x, t.y, t.n); }
__mlu_func__ void greater_equal(const Launch &, const Tile &t) { __bang_ge(t.result, t.x, t.y, t.n); }
__mlu_func__ void less(const Launch &, const Tile &t) { __bang_lt(t.result, t.x, t.y, t.n); }
__mlu_func__ void less_equal(const Launch &, const Tile &t) { __bang_le(t.result, t.x, t.y, t.n); }

__mlu_func__ void cast(const Launch &, const Tile &t) { __bang_move(t.result, t.x, t.n * sizeof(float)); }
__mlu_func__ void zero(const Launch &, const Tile &t) { __bang_write_value(t.result, t.n, 0.0f); }
__mlu_func__ void neg(const Launch &, const Tile &t) { __bang_mul_scalar(t.result, t.x, -1.0f, t.n); }
__mlu_func__ void abs(const Launch &, const Tile &t) { __bang_abs(t.result, t.x, t.n); }
__mlu_func__ void sqrt(const Launch &, const Tile &t) { __bang_sqrt(t.result, t.x, t.n); }

__mlu_func__ void clip(const Launch &launch, const Tile &t) {
  __bang_write_value(spare(t, 0), t.n, launch.limits[0]);
  __bang_nan_maximum(t.result, t.x, spare(t, 0), t.n);
  __bang_write_value(spare(t, 0), t.n, launch.limits[1]);
  __bang_nan_minimum(t.result, t.result, spare(t, 0), t.n);
}

__mlu_func__ void relu(const Launch &, const Tile &t) {
  __bang_write_value(spare(t, 0), t.n, 0.0f);
  __bang_nan_maximum(t.result, t.x, spare(t, 0), t.n);
}

// dst = e^(factor * src)
__mlu_func__ void exponential(float *dst, const float *src, float factor, int32_t n) {
  __bang_mul_scalar(dst, src, factor * LOG2_E, n);
  __bang_pow2(dst, dst, n);
}

__mlu_func__ void exp(const Launch &, const Tile &t) { exponential(t.result, t.x, 1.0f, t.n); }

__mlu_func__ void log(const Launch &, const Tile &t) {
  __bang_log2(t.result, t.x, t.n);
  __bang_mul_scalar(t.result, t.result, LN_2, t.n);
}

// e^min(x, 0) / (1 + e^-|x|): neither overflows, and small results keep their places.
__mlu_func__ void sigmoid(const Launch &, const Tile &t) {
  float *above = spare(t, 0), *below = spare(t, 1);
  __bang_write_value(above, t.n, 0.0f);
  __bang_nan_minimum(above, t.x, above, t.n);
  exponential(above, above, 1.0f, t.n);
  __bang_abs(below, t.x, t.n);
  exponential(below, below, -1.0f, t.n);
  __bang_add_scalar(below, below, 1.0f, t.n);
  __bang_recip(below, below, t.n);
  __bang_mul(t.result, above, below, t.n);
}

__mlu_func__ void silu(const Launch &launch, const Tile &t) {
  sigmoid(launch, t);
  __bang_mul(t.result, t.result, t.x, t.n);
}

// x times the normal distribution function, as x * erfc(-x / sqrt(2)) / 2. erfc(z) = t * e^(p(t) - z^2) for z >= 0 with
// t = 1 / (1 + z / 2) and a polynomial p of degree 9, relative error 1.2e-7 (Numerical Recipes, erfcc); for x > 0
// it is taken from 2.
__mlu_func__ void gelu(const Launch &, const Tile &t) {
  const float coefficients[] = {0.17087277f,  -0.82215223f, 1.48851587f, -1.13520398f, 0.27886807f,
                                -0.18628806f, 0.09678418f,  0.37409196f, 1.00002368f,  -1.26551223f};
  float *z = spare(t, 0), *ratio = spare(t, 1), *series = spare(t, 2), *positive = spare(t, 3);
  const int32_t n = t.n;
  __bang_abs(z, t.x, n);
  __bang_write_value(ratio, n, 16.0f);  // beyond, erfc is 0
  __bang_nan_minimum(z, z, ratio, n);
  __bang_mul_scalar(ratio, z, 0x1.6a09e6p-2f, n);  // |x| / sqrt(2) / 2
  __bang_add_scalar(ratio, ratio, 1.0f, n);
  __bang_recip(ratio, ratio, n);
  __bang_mul_scalar(series, ratio, coefficients[0], n);
  for (int i = 1; i < 9; i++) {
    __bang_add_scalar(series, series, coefficients[i], n);
    __bang_mul(series, series, ratio, n);
  }
  __bang_add_scalar(series, series, coefficients[9], n);
  __bang_mul(z, z, z, n);
  __bang_mul_scalar(z, z, -0.5f, n);
  __bang_add(series, series, z, n);
  exponential(series, series, 1.0f, n);
  __bang_mul(series, series, ratio, n);
  __bang_mul_scalar(series, series, 0.5f, n);  // erfc / 2
  __bang_mul_scalar(ratio, series, -1.0f, n);
  __bang_add_scalar(ratio, ratio, 1.0f, n);
  __bang_gt_scalar(positive, t.x, 0.0f, n);
  select(t.result, positive, ratio, series, (int *)z, n);
  __bang_mul(t.result, t.result, t.x, n);
}

}  // namespace of_float

namespace of_int32 {

__mlu_func__ const int *x(const Tile &t) { return (const int *)t.x; }
__mlu_func__ const int *y(const Tile &t) { return (const int *)t.y; }
__mlu_func__ int *result(const Tile &t) { return (int *)t.result; }
__mlu_func__ int *words(const Tile &t, int32_t number) { return (int *)::spare(t, number); }

__mlu_func__ void add(const Launch &, const Tile &t) { __bang_add(result(t), x(t), y(t), t.n); }
__mlu_func__ void sub(const Launch &, const Tile &t) { __bang_sub(result(t), x(t), y(t), t.n); }
__mlu_func__ void mul(const Launch &, const Tile &t) { __bang_mul(result(t), x(t), y(t), t.n); }
__mlu_func__ void maximum(const Launch &, const Tile &t) { __bang_maxequal(result(t), x(t), y(t), t.n); }
__mlu_func__ void minimum(const Launch &, const Tile &t) { __bang_minequal(result(t), x(t), y(t), t.n); }

__mlu_func__ void div(const Launch &, const Tile &t) {
  divideIntegers(t, words(t, 0), words(t, 1));
  __bang_bxor(words(t, 1), x(t), y(t), t.n);
  giveSign(words(t, 0), words(t, 1), words(t, 2), t.n);
  __bang_move(result(t), words(t, 0), t.n * sizeof(int));
}

__mlu_func__ void mod(const Launch &, const Tile &t) {
  divideIntegers(t, words(t, 0), words(t, 1));
  giveSign(words(t, 1), x(t), words(t, 2), t.n);
  __bang_move(result(t), words(t, 1), t.n * sizeof(int));
}

__mlu_func__ void prelu(const Launch &, const Tile &t) {
  int *positive = words(t, 0), *factor = words(t, 1);
  __bang_gt_scalar(positive, x(t), 0, t.n);
  __bang_sub_scalar(factor, y(t), 1, t.n);
  __bang_mul_scalar(words(t, 2), positive, -1, t.n);
  __bang_add_scalar(words(t, 2), words(t, 2), 1, t.n);
  __bang_mul(factor, factor, words(t, 2), t.n);
  __bang_add_scalar(factor, factor, 1, t.n);  // positive ? 1 : y
  __bang_mul(result(t), factor, x(t), t.n);
}

// By squaring, bit for bit of y, and wrapped; negative y as C truncates: 0, but for x of 1 and -1.
__mlu_func__ void pow(const Launch &, const Tile &t) {
  int *square = words(t, 0), *bit = words(t, 1), *factor = words(t, 2), *power = words(t, 3);
  const int32_t n = t.n;
  __bang_move(square, x(t), n * sizeof(int));
  __bang_write_value(power, n, 1);
  for (int place = 0; place < 31; place++) {
    __bang_write_value(bit, n, 1 << place);
    __bang_band(bit, bit, y(t), n);
    __bang_ne_scalar(bit, bit, 0, n);
    __bang_sub_scalar(factor, square, 1, n);
    __bang_mul(factor, factor, bit, n);
    __bang_add_scalar(factor, factor, 1, n);  // bit ? square : 1
    __bang_mul(power, power, factor, n);
    __bang_mul(square, square, square, n);
  }
  __bang_write_value(bit, n, 1);
  __bang_band(bit, bit, y(t), n);
  __bang_mul_scalar(bit, bit, -2, n);
  __bang_add_scalar(bit, bit, 1, n);  // (-1)^y
  __bang_eq_scalar(square, x(t), -1, n);
  __bang_mul(bit, bit, square, n);
  __bang_eq_scalar(square, x(t), 1, n);
  __bang_add(bit, bit, square, n);
  __bang_lt_scalar(factor, y(t), 0, n);
  __bang_sub(bit, bit, power, n);
  __bang_mul(bit, bit, factor, n);
  __bang_add(result(t), power, bit, n);
}

__mlu_func__ void equal(const Launch &, const Tile &t) { __bang_eq(result(t), x(t), y(t), t.n); }
__mlu_func__ void not_equal(const Launch &, const Tile &t) { __bang_ne(result(t), x(t), y(t), t.n); }
__mlu_func__ void greater(const Launch &, const Tile &t) { __bang_gt(result(t), x(t), y(t), t.n); }
__mlu_func__ void greater_equal(const Launch &, const Tile &t) { __bang_ge(result(t), x(t), y(t), t.n); }
__mlu_func__ void less(const Launch &, const Tile &t) { __bang_lt(result(t), x(t), y(t), t.n); }
__mlu_func__ void less_equal(const Launch &, const Tile &t) { __bang_le(result(t), x(t), y(t), t.n); }

__mlu_func__ void cast(const Launch &, const Tile &t) { __bang_move(result(t), x(t), t.n * sizeof(int)); }
__mlu_func__ void zero(const Launch &, const Tile &t) { __bang_write_value(result(t), t.n, 0); }
__mlu_func__ void neg(const Launch &, const Tile &t) { __bang_mul_scalar(result(t), x(t), -1, t.n); }
__mlu_func__ void abs(const Launch &, const Tile &t) { __bang_abs(result(t), x(t), t.n); }

__mlu_func__ void relu(const Launch &, const Tile &t) {
  __bang_write_value(words(t, 0), t.n, 0);
  __bang_maxequal(result(t), x(t), words(t, 0), t.n);
}

__mlu_func__ void clip(const Launch &launch, const Tile &t) {
  __bang_write_value(words(t, 0), t.n, launch.whole_limits[0]);
  __bang_maxequal(result(t), x(t), words(t, 0), t.n);
  __bang_write_value(words(t, 0), t.n, launch.whole_limits[1]);
  __bang_minequal(result(t), result(t), words(t, 0), t.n);
}

}  // namespace of_int32
