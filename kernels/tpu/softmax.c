// softmax(x) = e^(x - m) / sum(e^(x - m)) along rows, where m is the largest element of a row.
#include "online.h"

enum { LARGEST, SUM, NEXT, FACTOR };  // columns
enum { POWERS, WORK0, WORK1, WIDE };  // wide tiles; 16-bit elements are cast to the first one

typedef struct {
  rows_t rows;
  online_t online;
} softmax_t;

static void load(const void *job, int step) {
  const softmax_t *s = job;
  const tile_t t = tile_of(&s->rows, step);
  load_rows(&s->rows, &t);
}

static void compute(const void *job, int step) {
  const softmax_t *s = job;
  const rows_t *r = &s->rows;
  const online_t *o = &s->online;
  const tile_t t = tile_of(r, step);
  const local_addr_t x = as_floats(r, &t), powers = r->wide[POWERS];
  const dim4 repeat = repeated_column();
  if (t.pass == 0) take_piece(o, powers, x, &t.shape, t.piece == 0);
  else powers_of(o, powers, x, &t.shape);
  if (!t.last) return;
  tpu_bdc_fp32_reciprocal(o->next, o->sum, &t.column, NULL, NULL);
  tpu_bdc_fp_mul(result_of(r, &t), powers, o->next, &t.shape, NULL, NULL, &repeat, DT_FP32);
  finish(r, &t);
}

static void store(const void *job, int step) {
  const softmax_t *s = job;
  const tile_t t = tile_of(&s->rows, step);
  if (t.last) store_rows(&s->rows, &t);
}

int softmax(const void *arguments) {
  const rows_args_t *args = (const rows_args_t *)arguments;
  tpu_initialize();
  softmax_t job = {.rows = plan_rows(args, tpu_data_type_size(args->dtype), WIDE, 0, 65535)};
  const rows_t *r = &job.rows;
  job.online = (online_t){column(r, LARGEST), column(r, SUM), column(r, NEXT), column(r, FACTOR),
                          {r->wide[WORK0], r->wide[WORK1]}};
  load_tables(&job.online);
  const stages_t stages = {load, compute, store};
  run_pipeline(&stages, &job, r->steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(softmax);
