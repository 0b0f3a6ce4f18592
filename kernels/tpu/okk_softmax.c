// softmax.c for the BM1684, whose elements are 32-bit floats.
#define OKK
#include "rows.h"

enum { LARGEST, SUM, NEW, FACTOR };  // columns
enum { EXP, WORK, WIDE };            // wide tiles
#define WIDEST 2047                  // elements that a pooling window has at most

static void load(const void *job, int step) {
  const rows_t *r = job;
  const tile_t t = tile_of(r, step);
  const dim4 shape = system_shape(r, &t), stride = system_stride(r);
  okk_gdma_32bit_cpy_S2L(t.input, r->args.input + t.begin * r->size, &shape, NULL, &stride);
}

static void store(const void *job, int step) {
  const rows_t *r = job;
  const tile_t t = tile_of(r, step);
  const dim4 shape = system_shape(r, &t), stride = system_stride(r);
  if (t.last) okk_gdma_32bit_cpy_L2S(r->args.output + t.begin * r->size, t.output, &shape, &stride, NULL);
}

// The largest element of the rows so far; the sum so far is of powers that the new one makes smaller.
static void take_largest(const rows_t *r, const tile_t *t) {
  const local_addr_t largest = column(r, LARGEST), sum = column(r, SUM), new = column(r, NEW);
  okk_bdc_max_pool2d(new, t->input, &t->shape, 1, t->width, NULL, NULL);
  // Of a row that has only -infinity the largest float, so that its powers are 0 and not NaN.
  okk_bdc_max_C(new, new, -3.402823466e38f, &t->column, NULL, NULL);
  if (t->piece) {
    okk_bdc_max(new, new, largest, &t->column, NULL, NULL, NULL);
    const local_addr_t factor = column(r, FACTOR);
    okk_bdc_sub(factor, largest, new, &t->column, NULL, NULL, NULL);
    okk_bdc_max_C(factor, factor, -103.f, &t->column, NULL, NULL);
    okk_bdc_exp(factor, factor, r->wide[WORK], &t->column);
    okk_bdc_mul(sum, sum, factor, &t->column, NULL, NULL, NULL);
  }
  okk_bdc_32bit_cpy(largest, new, &t->column, NULL, NULL);
}

static void compute(const void *job, int step) {
  const rows_t *r = job;
  const tile_t t = tile_of(r, step);
  const local_addr_t powers = r->wide[EXP], sum = column(r, SUM), part = column(r, NEW);
  const dim4 repeat = {0, okk_eu_num(), 0, 0};
  if (t.pass == 0) take_largest(r, &t);
  okk_bdc_sub(powers, t.input, column(r, LARGEST), &t.shape, NULL, NULL, &repeat);
  okk_bdc_max_C(powers, powers, -103.f, &t.shape, NULL, NULL);  // the chip's exp takes [-103, 88]
  okk_bdc_exp(powers, powers, r->wide[WORK], &t.shape);
  if (t.pass == 0) {
    okk_bdc_avg_pool2d(part, powers, &t.shape, 1, t.width, NULL, NULL);
    okk_bdc_mul_C(t.piece ? part : sum, part, t.width, &t.column, NULL, NULL);
    if (t.piece) okk_bdc_add(sum, sum, part, &t.column, NULL, NULL, NULL);
  }
  if (t.last) {
    okk_bdc_reciprocal(part, sum, &t.column, NULL, NULL);
    okk_bdc_mul(t.output, powers, part, &t.shape, NULL, NULL, &repeat);
  }
}

void softmax(const void *arguments) {
  okk_initialize();
  const rows_t job = plan_rows((const rows_args_t *)arguments, 4, WIDE, 0, WIDEST);
  const stages_t stages = {load, compute, store};
  run_pipeline(&stages, &job, job.steps);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(softmax);
