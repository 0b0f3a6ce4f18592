// Softmax of rows that come in pieces: the largest element so far, and the sum of the powers so far.
#pragma once
#include "tpu_rows.h"

typedef struct {
  local_addr_t largest, sum, next, factor;  // columns
  local_addr_t work[2];                     // tiles
  local_addr_t coefficients, table;
} online_t;

static inline void load_tables(online_t *o) {
  o->coefficients = tables();
  o->table = tables() + 256;
  tpu_bdc_load_fp32_exp_coeff(o->coefficients);
  tpu_bdc_load_fp32_exp_table(o->table);
}

// values = e^values
static inline void exponential(const online_t *o, local_addr_t values, const dim4 *shape) {
  tpu_bdc_fp32_exp(values, values, o->work[0], o->work[1], o->coefficients, o->table, shape);
}

// powers = e^(values - largest)
static inline void powers_of(const online_t *o, local_addr_t powers, local_addr_t values, const dim4 *shape) {
  const dim4 repeat = repeated_column();
  tpu_bdc_fp_sub(powers, values, o->largest, shape, NULL, NULL, &repeat, DT_FP32);
  exponential(o, powers, shape);
}

// Takes a piece: the sum so far, and all else that the caller has summed of powers, is `factor` times what it was.
static inline void take_piece(const online_t *o, local_addr_t powers, local_addr_t values, const dim4 *shape,
                              bool first) {
  const dim4 column = {1, shape->c, 1, 1};
  largest_of_rows(o->next, values, shape);
  // Of a row that has only -infinity the lowest float, so that its powers are 0 and not NaN.
  tpu_bdc_max_C(o->next, o->next, fp32(-3.402823466e38f), &column, NULL, NULL, DT_FP32);
  if (!first) {
    tpu_bdc_max(o->next, o->next, o->largest, &column, NULL, NULL, NULL, DT_FP32);
    tpu_bdc_fp_sub(o->factor, o->largest, o->next, &column, NULL, NULL, NULL, DT_FP32);
    exponential(o, o->factor, &column);
    tpu_bdc_fp_mul(o->sum, o->sum, o->factor, &column, NULL, NULL, NULL, DT_FP32);
  }
  tpu_bdc_cpy(o->largest, o->next, &column, NULL, NULL, DT_FP32);
  powers_of(o, powers, values, shape);
  sum_rows(first ? o->sum : o->next, powers, shape, 1);
  if (!first) tpu_bdc_fp_add(o->sum, o->sum, o->next, &column, NULL, NULL, NULL, DT_FP32);
}
