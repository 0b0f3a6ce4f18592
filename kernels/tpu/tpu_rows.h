// What softmax and the norms of TPU-KERNEL share: their loads and stores, and sums and products of rows in 32 bits.
#pragma once
#include "rows.h"

static inline void load_rows(const rows_t *r, const tile_t *t) {
  const dim4 shape = system_shape(r, t), stride = system_stride(r);
  tpu_gdma_cpy_S2L(t->input, r->args.input + t->begin * r->size, &shape, NULL, &stride, r->args.dtype);
}

static inline void store_rows(const rows_t *r, const tile_t *t) {
  const dim4 shape = system_shape(r, t), stride = system_stride(r);
  tpu_gdma_cpy_L2S(r->args.output + t->begin * r->size, t->output, &shape, &stride, NULL, r->args.dtype);
}

// The elements as 32-bit floats: where they are, or else in the first wide tile.
static inline local_addr_t as_floats(const rows_t *r, const tile_t *t) {
  if (r->args.dtype == DT_FP32) return t->input;
  tpu_bdc_cast(r->wide[0], t->input, &t->shape, NULL, NULL, DT_FP32, r->args.dtype, RM_HALF_TO_EVEN);
  return r->wide[0];
}

// Where the result is computed, and what makes it the tile's output.
static inline local_addr_t result_of(const rows_t *r, const tile_t *t) {
  return r->args.dtype == DT_FP32 ? t->output : r->wide[0];
}
static inline void finish(const rows_t *r, const tile_t *t) {
  if (r->args.dtype != DT_FP32)
    tpu_bdc_cast(t->output, r->wide[0], &t->shape, NULL, NULL, r->args.dtype, DT_FP32, RM_HALF_TO_EVEN);
}

// A column repeats along its row, and a row that all lanes share along the rows of lanes.
static inline dim4 repeated_column(void) { return (dim4){0, tpu_eu_num(DT_FP32), 0, 0}; }
static inline dim4 repeated_row(void) { return (dim4){0, 0, 0, 1}; }

static inline scalar_t fp32(float value) { return (scalar_t){.f32 = value}; }

// column = the sum of every row, times a number.
static inline void sum_rows(local_addr_t column, local_addr_t values, const dim4 *shape, float factor) {
  const dim2 kernel = {1, shape->w}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_bdc_fp_avg_pool2d(column, values, shape, &kernel, &none, &one, &one, DT_FP32, fp32(factor));
}

static inline void largest_of_rows(local_addr_t column, local_addr_t values, const dim4 *shape) {
  const dim2 kernel = {1, shape->w}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_bdc_fp_max_pool2d(column, values, shape, &kernel, &none, &one, &one, DT_FP32, fp32(0));
}
