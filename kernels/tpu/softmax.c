// softmax(x) = e^(x - m) / sum(e^(x - m)) along rows, where m is the largest element of a row.
#include "tpu_rows.h"

enum { LARGEST, SUM, NEW, FACTOR };  // columns
enum { EXP, WORK0, WORK1, WIDE };    // wide tiles; 16-bit elements are cast to the first one

typedef struct {
  rows_t rows;
  local_addr_t coefficients, table;
} softmax_t;

static void load(const void *job, int step) {
  const softmax_t *s = job;
  const tile_t t = tile_of(&s->rows, step);
  load_rows(&s->rows, &t);
}

static void store(const void *job, int step) {
  const softmax_t *s = job;
  const tile_t t = tile_of(&s->rows, step);
  if (t.last) store_rows(&s->rows, &t);
}

static void exponential(const softmax_t *s, local_addr_t values, const dim4 *shape) {
  const rows_t *r = &s->rows;
  tpu_bdc_fp32_exp(values, values, r->wide[WORK0], r->wide[WORK1], s->coefficients, s->table, shape);
}

// The largest element of the rows so far; the sum so far is of powers that the new one makes smaller.
static void take_largest(const softmax_t *s, const tile_t *t, local_addr_t x) {
  const rows_t *r = &s->rows;
  const local_addr_t largest = column(r, LARGEST), sum = column(r, SUM), new = column(r, NEW);
  largest_of_rows(new, x, &t->shape);
  // Of a row that has only -infinity the largest float, so that its powers are 0 and not NaN.
  tpu_bdc_max_C(new, new, fp32(-3.402823466e38f), &t->column, NULL, NULL, DT_FP32);
  if (t->piece) {
    tpu_bdc_max(new, new, largest, &t->column, NULL, NULL, NULL, DT_FP32);
    const local_addr_t factor = column(r, FACTOR);
    tpu_bdc_fp_sub(factor, largest, new, &t->column, NULL, NULL, NULL, DT_FP32);
    exponential(s, factor, &t->column);
    tpu_bdc_fp_mul(sum, sum, factor, &t->column, NULL, NULL, NULL, DT_FP32);
  }
  tpu_bdc_cpy(largest, new, &t->column, NULL, NULL, DT_FP32);
}

static void compute(const void *job, int step) {
  const softmax_t *s = job;
  const rows_t *r = &s->rows;
  const tile_t t = tile_of(r, step);
  const local_addr_t x = as_floats(r, &t), powers = r->wide[EXP], sum = column(r, SUM), part = column(r, NEW);
  const dim4 repeat = repeated_column();
  if (t.pass == 0) take_largest(s, &t, x);
  tpu_bdc_fp_sub(powers, x, column(r, LARGEST), &t.shape, NULL, NULL, &repeat, DT_FP32);
  exponential(s, powers, &t.shape);
  if (t.pass == 0) {
    sum_rows(t.piece ? part : sum, powers, &t.shape, 1);
    if (t.piece) tpu_bdc_fp_add(sum, sum, part, &t.column, NULL, NULL, NULL, DT_FP32);
  }
  if (t.last) {
    tpu_bdc_fp32_reciprocal(part, sum, &t.column, NULL, NULL);
    tpu_bdc_fp_mul(result_of(r, &t), powers, part, &t.shape, NULL, NULL, &repeat, DT_FP32);
    finish(r, &t);
  }
}

int softmax(const void *arguments) {
  const rows_args_t *args = (const rows_args_t *)arguments;
  tpu_initialize();
  softmax_t job = {.rows = plan_rows(args, tpu_data_type_size(args->dtype), WIDE, 0, 65535)};
  job.coefficients = tables();
  job.table = tables() + 256;
  tpu_bdc_load_fp32_exp_coeff(job.coefficients);
  tpu_bdc_load_fp32_exp_table(job.table);
  const stages_t stages = {load, compute, store};
  run_pipeline(&stages, &job, job.rows.steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(softmax);
