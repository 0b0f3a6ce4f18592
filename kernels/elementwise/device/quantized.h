// int8 with scales: (a * s0 op b * s1) / s_out, rounded to nearest even, saturated to int8. The vector unit computes in
// float; where its error could decide between two integers, the scalar unit compares exactly, in double.
#pragma once
#include "operators.h"

#define QUANTIZED_SCRATCH 3  // x and the output's scale, y, and their result

// A number as a double and what that lacks.
struct Exact {
  double value, rest;
};

__mlu_func__ Exact sumOf(double x, double y) {
  const double sum = x + y, part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}

__mlu_func__ Exact productOf(double x, double y) { return {x * y, fma(x, y, -(x * y))}; }

__mlu_func__ double sigmoidOf(double x) { return 1 / (1 + exp(-x)); }

// x op y, without an error where rational arithmetic defines it (a quotient: see compare). Functions take the floats that
// the vector unit takes: 20 * 0.1 is 2, so that a negative number has a power with it.
__mlu_func__ Exact exactly(const Launch &launch, int32_t op, double x, double y) {
  const double a = (float)x, b = (float)y;
  switch (op) {
    case OP_add: return sumOf(x, y);
    case OP_sub: return sumOf(x, -y);
    case OP_mul: return productOf(x, y);
    case OP_maximum: return {fmax(x, y), 0};
    case OP_minimum: return {fmin(x, y), 0};
    case OP_mod: return {y == 0 ? 0 : fmod(x, y), 0};
    case OP_pow: return {pow(a, b), 0};
    case OP_prelu: return x > 0 ? Exact{x, 0} : productOf(x, y);
    case OP_neg: return {-x, 0};
    case OP_abs: return {fabs(x), 0};
    case OP_relu: return {fmax(x, 0), 0};
    case OP_clip: return {fmin(fmax(x, launch.limits[0]), launch.limits[1]), 0};
    case OP_sqrt: return {sqrt(a), 0};
    case OP_exp: return {exp(a), 0};
    case OP_log: return {log(a), 0};
    case OP_sigmoid: return {sigmoidOf(a), 0};
    case OP_silu: return {a * sigmoidOf(a), 0};
    case OP_gelu: return {a * erfc(-a * M_SQRT1_2) / 2, 0};
    default: return {x, 0};
  }
}

// The sign of x op y - limit.
__mlu_func__ int compare(const Launch &launch, int32_t op, double x, double y, double limit) {
  Exact found;
  if (op == OP_div) {
    const Exact product = productOf(limit, y);
    found = {(x - product.value) - product.rest, 0};
    if (y < 0) found.value = -found.value;
  } else {
    found = exactly(launch, op, x, y);
    found = {(found.value - limit) + found.rest, 0};
  }
  return (found.value > 0) - (found.value < 0);
}

// The integer next to (x op y) / scale, which is at least the given one.
__mlu_func__ float roundExactly(const Launch &launch, int32_t op, double x, double y, float below) {
  const double scale = launch.scale[launch.inputs];
  for (;; below += 1) {
    const int sign = compare(launch, op, x, y, (below + 0.5) * scale);
    const bool odd = fmodf(below, 2) != 0;
    if (sign < 0 || (sign == 0 && !odd) || below > 128) return below;
  }
}

// result = (x * s0 op y * s1) / s_out as integers where it is in doubt. apply computes a tile.
template <typename Apply>
__mlu_func__ void applyScaled(const Launch &launch, int32_t op, const Tile &tile, Apply apply) {
  const int32_t n = tile.n;
  float *x = spare(tile, 0), *y = spare(tile, 1), *value = spare(tile, 2);
  Tile inner = {x, y, value, spare(tile, QUANTIZED_SCRATCH), tile.room, n};
  __bang_mul_scalar(x, tile.x, launch.scale[0], n);
  if (launch.inputs == 2) __bang_mul_scalar(y, tile.y, launch.scale[1], n);
  apply(inner);
  __bang_write_value(x, n, launch.scale[launch.inputs]);
  inner.x = value;
  inner.y = x;
  inner.result = tile.result;
  divide(inner);
  if (launch.doubt == 0) return;

  float *below = x, *doubtful = y, *magnitude = value, *result = tile.result;
  __bang_floor(below, result, n);
  __bang_sub(doubtful, result, below, n);
  __bang_sub_scalar(doubtful, doubtful, 0.5f, n);
  __bang_abs(doubtful, doubtful, n);
  __bang_le_scalar(doubtful, doubtful, launch.doubt, n);
  const bool anything = launch.doubt >= 0.5f;  // estimates tell nothing
  if (!anything) {
    __bang_abs(magnitude, result, n);
    __bang_le_scalar(magnitude, magnitude, 130.0f, n);  // beyond, it is saturated in any case
    __bang_mul(doubtful, doubtful, magnitude, n);
  }
  forEach(doubtful, n, [&](int32_t i) {
    const double left = (double)tile.x[i] * launch.scale[0];
    const double right = launch.inputs == 2 ? (double)tile.y[i] * launch.scale[1] : 0;
    result[i] = roundExactly(launch, op, left, right, anything ? -129 : below[i]);
  });
}
