// Norms of rows: rms_norm(x) = x / sqrt(mean(x^2) + eps) * gamma,
// layer_norm(x) = (x - mean) / sqrt(mean((x - mean)^2) + eps) * gamma + beta.
#include "tpu_rows.h"

enum { MEAN, SQUARES, PART, DELTA, SCALE };  // columns; SQUARES: the sum of squares, of distances to MEAN
enum { VALUES, OTHER, WIDE };                // wide tiles; 16-bit elements are cast to the first one
enum { GAMMA, BETA };                        // rows that all lanes read

typedef struct {
  rows_t rows;
  int shared;  // gamma, and beta of layer_norm
} norm_t;

// Gamma or beta, in the part of a step behind the tiles, and as floats.
static local_addr_t given_row(const norm_t *n, int number, int step) {
  const rows_t *r = &n->rows;
  return part_of(step) + 2 * r->result + (local_addr_t)(number * aligned_bytes(r->width, r->size));
}
static local_addr_t row_as_floats(const norm_t *n, int number, int step, const tile_t *t) {
  const rows_t *r = &n->rows;
  const local_addr_t given = given_row(n, number, step);
  if (r->args.dtype == DT_FP32) return given;
  const local_addr_t wide = r->shared + (local_addr_t)(number * aligned_bytes(r->width, 4));
  const dim4 shape = {1, NPU_NUM, 1, t->width};
  tpu_bdc_cast(wide, given, &shape, NULL, NULL, DT_FP32, r->args.dtype, RM_HALF_TO_EVEN);
  return wide;
}

// What all lanes read stays in both parts, unless it comes in pieces.
static void load(const void *job, int step) {
  const norm_t *n = job;
  const rows_t *r = &n->rows;
  const tile_t t = tile_of(r, step);
  load_rows(r, &t);
  if (r->pieces > 1 ? !t.last : step > 1) return;
  const global_addr_t rows[] = {r->args.gamma, r->args.beta};
  const dim4 shape = {1, NPU_NUM, 1, t.width}, repeat = {0, 0, 0, 1};
  for (int number = 0; number < n->shared; ++number) {
    const global_addr_t from = rows[number] + (int64_t)t.piece * r->width * r->size;
    tpu_gdma_cpy_S2L(given_row(n, number, step), from, &shape, NULL, &repeat, r->args.dtype);
  }
}

static void store(const void *job, int step) {
  const norm_t *n = job;
  const tile_t t = tile_of(&n->rows, step);
  if (t.last) store_rows(&n->rows, &t);
}

// to = the sum of squares of the rows.
static void sum_squares(const rows_t *r, const tile_t *t, local_addr_t to, local_addr_t values) {
  tpu_bdc_fp_mul(r->wide[OTHER], values, values, &t->shape, NULL, NULL, NULL, DT_FP32);
  sum_rows(to, r->wide[OTHER], &t->shape, 1);
}

// MEAN and SQUARES of this piece, taken together with those of the pieces before.
static void take_moments(const rows_t *r, const tile_t *t, local_addr_t x) {
  const local_addr_t mean = column(r, MEAN), squares = column(r, SQUARES), part = column(r, PART);
  const local_addr_t delta = column(r, DELTA), to_mean = t->piece ? delta : mean;
  const dim4 repeat = repeated_column();
  sum_rows(to_mean, x, &t->shape, 1.f / t->width);
  tpu_bdc_fp_sub(r->wide[OTHER], x, to_mean, &t->shape, NULL, NULL, &repeat, DT_FP32);
  sum_squares(r, t, t->piece ? part : squares, r->wide[OTHER]);
  if (!t->piece) return;
  const float before = (float)t->piece * r->width, weight = t->width / (before + t->width);
  tpu_bdc_fp_sub(delta, delta, mean, &t->column, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(squares, squares, part, &t->column, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(part, delta, fp32(weight), &t->column, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(mean, mean, part, &t->column, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(part, part, delta, &t->column, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(part, part, fp32(before), &t->column, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(squares, squares, part, &t->column, NULL, NULL, NULL, DT_FP32);
}

static void take_squares(const rows_t *r, const tile_t *t, local_addr_t x) {
  const local_addr_t squares = column(r, SQUARES), part = column(r, PART);
  sum_squares(r, t, t->piece ? part : squares, x);
  if (t->piece) tpu_bdc_fp_add(squares, squares, part, &t->column, NULL, NULL, NULL, DT_FP32);
}

// SCALE = 1 / sqrt(SQUARES / length + eps)
static void find_scale(const rows_t *r, const tile_t *t) {
  const local_addr_t scale = column(r, SCALE);
  tpu_bdc_fp_mul_C(scale, column(r, SQUARES), fp32(1.f / r->args.length), &t->column, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(scale, scale, fp32(r->args.eps), &t->column, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_rsqrt(scale, scale, &t->column);
}

static void compute(const void *job, int step) {
  const norm_t *n = job;
  const rows_t *r = &n->rows;
  const tile_t t = tile_of(r, step);
  const bool centred = n->shared > 1;
  local_addr_t x = as_floats(r, &t);
  const local_addr_t result = result_of(r, &t);
  if (t.pass == 0 && centred) take_moments(r, &t, x);
  if (t.pass == 0 && !centred) take_squares(r, &t, x);
  if (!t.last) return;
  if (t.piece == 0) find_scale(r, &t);
  const dim4 column_stride = repeated_column(), row_stride = repeated_row();
  if (centred) {
    tpu_bdc_fp_sub(result, x, column(r, MEAN), &t.shape, NULL, NULL, &column_stride, DT_FP32);
    x = result;
  }
  tpu_bdc_fp_mul(result, x, column(r, SCALE), &t.shape, NULL, NULL, &column_stride, DT_FP32);
  const local_addr_t gamma = row_as_floats(n, GAMMA, step, &t);
  tpu_bdc_fp_mul(result, result, gamma, &t.shape, NULL, NULL, &row_stride, DT_FP32);
  if (centred) {
    const local_addr_t beta = row_as_floats(n, BETA, step, &t);
    tpu_bdc_fp_add(result, result, beta, &t.shape, NULL, NULL, &row_stride, DT_FP32);
  }
  finish(r, &t);
}

static void norm(const rows_args_t *args, int shared) {
  tpu_initialize();
  const norm_t job = {plan_rows(args, tpu_data_type_size(args->dtype), WIDE, shared, 65535), shared};
  const stages_t stages = {load, compute, store};
  run_pipeline(&stages, &job, job.rows.steps);
  tpu_poll();
}

int rms_norm(const void *arguments) {
  norm((const rows_args_t *)arguments, 1);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(rms_norm);

int layer_norm(const void *arguments) {
  norm((const rows_args_t *)arguments, 2);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(layer_norm);
