// attention = softmax(q x k transposed * scale) x v, a tile of queries at a time over all tiles of keys. What a query
// may not see of a causal attention, the keys behind its own number, is left out.
#include "online.h"

typedef struct {
  global_addr_t output, q, k, v;
  int batch, queries, keys, depth, values;  // q [batch, queries, depth], v [batch, keys, values]
  int causal, dtype;
  float scale;
} attention_args_t;

typedef struct {
  attention_args_t args;
  online_t online;
  int size, keys, pieces, tiles;  // keys of a tile, tiles of keys, tiles of queries
  int first, steps;
  // Local memory that only BDC uses.
  local_addr_t scores, weights, sums, part, turned, columns, rows;
} attention_t;

typedef struct {
  int batch, query, queries, key, keys;
  bool first, last, hidden;  // hidden: no query of it sees a key of it
} span_t;

static span_t span_of(const attention_t *a, int step) {
  const int tile = a->first + step / a->pieces;
  span_t s = {.batch = tile / a->tiles, .query = tile % a->tiles * NPU_NUM, .key = step % a->pieces * a->keys};
  s.queries = MIN(NPU_NUM, a->args.queries - s.query);
  s.keys = MIN(a->keys, a->args.keys - s.key);
  s.first = s.key == 0;
  s.last = s.key + s.keys == a->args.keys;
  s.hidden = a->args.causal && s.key >= s.query + s.queries;
  return s;
}

// Tiles of queries take turns in banks of their own, as they stay while keys come and go.
static local_addr_t queries_of(const attention_t *a, int step) {
  return work_part() + (step / a->pieces & 1) * BANK_SIZE;
}
static local_addr_t keys_tile(int step) { return part_of(step); }
static local_addr_t values_tile(int step) { return part_of(step) + part_bytes() * 3 / 8; }
static local_addr_t output_tile(int step) { return part_of(step) + part_bytes() * 3 / 4; }

static void load_lines(local_addr_t to, global_addr_t from, int64_t line, int lines, int length, const attention_t *a) {
  const dim4 shape = {1, lines, 1, length};
  tpu_gdma_cpy_S2L(to, from + line * length * a->size, &shape, NULL, NULL, a->args.dtype);
}

static void load(const void *job, int step) {
  const attention_t *a = job;
  const attention_args_t *args = &a->args;
  const span_t s = span_of(a, step);
  const int64_t key = (int64_t)s.batch * args->keys + s.key;
  if (s.hidden) return;
  if (s.first)
    load_lines(queries_of(a, step), args->q, (int64_t)s.batch * args->queries + s.query, s.queries, args->depth, a);
  load_lines(keys_tile(step), args->k, key, s.keys, args->depth, a);
  load_lines(values_tile(step), args->v, key, s.keys, args->values, a);
}

// Scores of keys behind the query's own number become the lowest float.
static void hide(const attention_t *a, const span_t *s, const dim4 *shape) {
  tpu_bdc_arithmetic_sequence_bcast(a->columns, s->queries, s->key, 1, s->keys);
  tpu_bdc_arithmetic_sequence_distribute(a->rows, s->query, 1, s->queries);
  const variable_t column = {TENSOR, {.addr = a->columns}}, row = {VECTOR, {.addr = a->rows}};
  const variable_t lowest = {SCALAR, {.scalar = fp32(-3.402823466e38f)}}, score = {TENSOR, {.addr = a->scores}};
  tpu_bdc_greater_select(a->scores, &column, &row, &lowest, &score, shape, DT_INT32, DT_FP32);
}

static void compute(const void *job, int step) {
  const attention_t *a = job;
  const attention_args_t *args = &a->args;
  const online_t *o = &a->online;
  const span_t s = span_of(a, step);
  const dim4 scores = {1, s.queries, 1, s.keys}, result = {1, s.queries, 1, args->values};
  const dim4 turned = {1, args->values, 1, s.keys}, column = {1, s.queries, 1, 1}, repeat = repeated_column();
  if (!s.hidden) {
    tpu_bdc_fp_mm_R_trans(a->scores, queries_of(a, step), keys_tile(step), s.queries, args->depth, s.keys, DT_FP32,
                          args->dtype);
    tpu_bdc_fp_mul_C(a->scores, a->scores, fp32(args->scale), &scores, NULL, NULL, DT_FP32);
    if (args->causal && s.key + s.keys - 1 > s.query) hide(a, &s, &scores);
    take_piece(o, a->scores, a->scores, &scores, s.first);
    if (args->dtype != DT_FP32)
      tpu_bdc_cast(a->weights, a->scores, &scores, NULL, NULL, args->dtype, DT_FP32, RM_HALF_TO_EVEN);
    tpu_bdc_cw_trans(a->turned, values_tile(step), &turned, args->dtype);
    tpu_bdc_fp_mm_R_trans(s.first ? a->sums : a->part, a->weights, a->turned, s.queries, s.keys, args->values, DT_FP32,
                          args->dtype);
  }
  if (!s.hidden && !s.first) {
    tpu_bdc_fp_mul(a->sums, a->sums, o->factor, &result, NULL, NULL, &repeat, DT_FP32);
    tpu_bdc_fp_add(a->sums, a->sums, a->part, &result, NULL, NULL, NULL, DT_FP32);
  }
  if (!s.last) return;
  const bool wide = args->dtype == DT_FP32;
  tpu_bdc_fp32_reciprocal(o->next, o->sum, &column, NULL, NULL);
  tpu_bdc_fp_mul(wide ? output_tile(step) : a->sums, a->sums, o->next, &result, NULL, NULL, &repeat, DT_FP32);
  if (!wide) tpu_bdc_cast(output_tile(step), a->sums, &result, NULL, NULL, args->dtype, DT_FP32, RM_HALF_TO_EVEN);
}

static void store(const void *job, int step) {
  const attention_t *a = job;
  const attention_args_t *args = &a->args;
  const span_t s = span_of(a, step);
  const dim4 shape = {1, s.queries, 1, args->values};
  const int64_t line = (int64_t)s.batch * args->queries + s.query;
  if (s.last)
    tpu_gdma_cpy_L2S(args->output + line * args->values * a->size, output_tile(step), &shape, NULL, NULL, args->dtype);
}

// Places behind the queries, one after the other.
static void plan_memory(attention_t *a) {
  const bool wide = a->args.dtype == DT_FP32;
  local_addr_t at = work_part() + 2 * BANK_SIZE;
  const local_addr_t of_keys = aligned_bytes(a->keys, 4), of_values = aligned_bytes(a->args.values, 4);
  local_addr_t *const rows[] = {&a->scores, &a->columns, &a->online.work[0], &a->online.work[1]};
  for (int n = 0; n < 4; ++n, at += of_keys) *rows[n] = at;
  a->weights = wide ? a->scores : at;
  at += wide ? 0 : of_keys;
  a->sums = at, a->part = at + of_values, at += 2 * of_values;
  local_addr_t *const columns[] = {&a->online.largest, &a->online.sum, &a->online.next, &a->online.factor, &a->rows};
  for (int n = 0; n < 5; ++n, at += EU_SIZE) *columns[n] = at;
  a->turned = at;
  TPUKERNEL_ASSERT(at + DIV_UP(a->args.values, NPU_NUM) * of_keys <= tables());
}

int attention(const void *arguments) {
  const attention_args_t *args = (const attention_args_t *)arguments;
  tpu_initialize();
  attention_t a = {.args = *args, .size = tpu_data_type_size(args->dtype), .tiles = DIV_UP(args->queries, NPU_NUM)};
  a.keys = MIN(args->keys, (args->depth + args->values > 512 ? 1 : 4) * NPU_NUM);
  a.pieces = DIV_UP(args->keys, a.keys);
  const share_t mine = share_of_core(args->batch * a.tiles, 1);
  a.first = mine.begin;
  a.steps = (mine.end - mine.begin) * a.pieces;
  plan_memory(&a);
  load_tables(&a.online);
  const stages_t stages = {load, compute, store};
  run_pipeline(&stages, &a, a.steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(attention);
