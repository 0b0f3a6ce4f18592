// Between the types of arrays and those of the computation, float and int32.
#pragma once
#include "launch.h"

// Vectors of n elements in NRAM, as the body of an operator sees them. Inputs are left as they are: the next tile may
// use them again. x, y and result hold int32 where the launch computes in int32.
struct Tile {
  const float *x, *y;
  float *result;
  float *scratch;  // the operator's own buffers, one after the other
  int32_t room;    // elements in each
  int32_t n;
};

__mlu_func__ float *spare(const Tile &tile, int32_t number) { return tile.scratch + number * tile.room; }

__mlu_func__ void toFloat(float *dst, const void *src, int32_t type, int32_t n) {
  switch (type) {
    case HALF: __bang_half2float(dst, (const half *)src, n); break;
    case BFLOAT16: __bang_bfloat162float(dst, (const bfloat16_t *)src, n); break;
    case INT32: __bang_int322float_rn(dst, (const int *)src, n, 0); break;
    default: __bang_int82float(dst, (const int8_t *)src, n, 0); break;  // INT8, BOOL
  }
}

// Rounds to nearest even; to int32 and int8 toward zero and saturated, nan is 0; to bool whether it is not 0.
// tz false: to int8 to nearest even. src is changed where dst is bool.
__mlu_func__ void fromFloat(void *dst, float *src, int32_t type, int32_t n, bool tz = true) {
  switch (type) {
    case HALF: __bang_float2half_rn((half *)dst, src, n); break;
    case BFLOAT16: __bang_float2bfloat16_rn((bfloat16_t *)dst, src, n); break;
    case INT32: __bang_float2int32_tz((int *)dst, src, n, 0); break;
    case BOOL: __bang_ne_scalar(src, src, 0.0f, n);  // and on
    default:
      if (tz) {
        __bang_float2int8_tz((int8_t *)dst, src, n, 0);
      } else {
        __bang_float2int8_rn((int8_t *)dst, src, n, 0);
      }
  }
}

// Elements of an array in the type of the computation; from float to int32 as in C, from bool and int8 by way of float.
__mlu_func__ void toCompute(float *dst, const void *src, int32_t type, int32_t compute, int32_t n) {
  toFloat(dst, src, type, n);
  if (compute == INT32) __bang_float2int32_tz((int *)dst, dst, n, 0);
}

// int32 to the range of int8 as in C: the low byte with its sign.
__mlu_func__ void wrapToInt8(int *values, int *scratch, int32_t n) {
  __bang_write_value(scratch, n, 255);
  __bang_add_scalar(values, values, 128, n);
  __bang_band(values, values, scratch, n);
  __bang_sub_scalar(values, values, 128, n);
}

// The tile's result in the element type of the output. It is rounded to the type of the operator's result first: that
// of an addition of halfs is a half, also on its way to floats. Changes the result; dst is the result itself where the
// output has the type of the computation.
__mlu_func__ void deliver(const Launch &launch, const Tile &tile, void *dst) {
  float *value = tile.result, *scratch = tile.scratch;
  int *whole = (int *)value;
  const int32_t n = tile.n, type = launch.out.type;
  if (launch.compute == INT32) {
    if (type == INT8 || launch.result == INT8) wrapToInt8(whole, (int *)scratch, n);
    if (type != INT32) __bang_int322float_rn(value, whole, n, 0);
  } else if (launch.result != type && launch.result != FLOAT) {
    fromFloat(scratch, value, launch.result, n, !launch.scaled);
    toFloat(value, scratch, launch.result, n);
  }
  if (type == launch.compute) return;
  if (type == FLOAT) {
    __bang_move(dst, value, n * sizeof(float));
  } else {
    fromFloat(dst, value, type, n, !launch.scaled);
  }
}
