// Non-maximum suppression: of boxes [x1, y1, x2, y2] that overlap by more than a threshold, the one of the highest score
// stays. HAU sorts the scores, all cores compare pairs of boxes, and the processor of the first one picks.
#include "tpu_rows.h"

typedef struct {
  global_addr_t output, count;  // int32 [n]: the indices that stay; and how many, [1]
  global_addr_t boxes, scores;  // 32-bit floats [n, 4] and [n]
  // What the cores tell each other: sorted scores, their order and boxes in it, with empty ones up to `stride`, a
  // multiple of 8; overlaps of pairs, [n, stride] bytes; a byte for each box that has been suppressed.
  global_addr_t sorted, order, ordered, overlaps, suppressed;
  int n, stride;
  float threshold;
} nms_args_t;

#define COLUMNS_OF_TILE 1024

typedef struct {
  const nms_args_t *args;
  int across, first, steps;
} pairs_t;

typedef struct {
  int row, rows, col, cols;
  bool below;  // the diagonal: all of its boxes come before those that they would suppress
} pair_tile_t;

static pair_tile_t pairs_of(const pairs_t *p, int step) {
  const int tile = p->first + step, n = p->args->n;
  pair_tile_t t = {.row = tile / p->across * NPU_NUM, .col = tile % p->across * COLUMNS_OF_TILE};
  t.rows = MIN(NPU_NUM, n - t.row), t.cols = MIN(COLUMNS_OF_TILE, p->args->stride - t.col);
  t.below = t.col + t.cols <= t.row;
  return t;
}

// A part: x1, y1, x2, y2 of the boxes of columns, the same in all lanes, then those of rows, then the result.
enum { X1, Y1, X2, Y2, COORDINATES };
static local_addr_t of_columns(int step, int which) { return part_of(step) + which * COLUMNS_OF_TILE * 4; }
static local_addr_t of_rows(int step, int which) { return of_columns(step, COORDINATES) + which * EU_SIZE; }
static local_addr_t result_tile(int step) { return of_rows(step, COORDINATES); }

static void load(const void *job, int step) {
  const pairs_t *p = job;
  const pair_tile_t t = pairs_of(p, step);
  if (t.below) return;
  const dim4 columns = {1, NPU_NUM, 1, t.cols}, rows = {1, t.rows, 1, 1}, each_column = {1, 0, 1, 4};
  const dim4 each_row = {1, 4, 1, 1};
  for (int which = 0; which < COORDINATES; ++which) {
    const global_addr_t from = p->args->ordered + which * 4;
    tpu_gdma_cpy_S2L(of_columns(step, which), from + t.col * 16, &columns, NULL, &each_column, DT_FP32);
    tpu_gdma_cpy_S2L(of_rows(step, which), from + t.row * 16, &rows, NULL, &each_row, DT_FP32);
  }
}

enum { WIDTH, HEIGHT, LOWER, AREA };  // tiles, and two columns, of the work part
static local_addr_t tile_at(int which) { return work_part() + which * COLUMNS_OF_TILE * 4; }
static local_addr_t column_at(int which) { return tile_at(AREA + 1) + which * EU_SIZE; }

// to = the length that two boxes share along an axis, from X1 and X2 or from Y1 and Y2.
static void shared_length(local_addr_t to, int step, int low, const dim4 *shape) {
  const dim4 repeat = repeated_column();
  tpu_bdc_min(to, of_columns(step, low + 2), of_rows(step, low + 2), shape, NULL, NULL, &repeat, DT_FP32);
  tpu_bdc_max(tile_at(LOWER), of_columns(step, low), of_rows(step, low), shape, NULL, NULL, &repeat, DT_FP32);
  tpu_bdc_fp_sub(to, to, tile_at(LOWER), shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_max_C(to, to, fp32(0), shape, NULL, NULL, DT_FP32);
}

static void area(local_addr_t to, local_addr_t other, const local_addr_t box[], const dim4 *shape) {
  tpu_bdc_fp_sub(to, box[X2], box[X1], shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_sub(other, box[Y2], box[Y1], shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(to, to, other, shape, NULL, NULL, NULL, DT_FP32);
}

// result = 1 where what two boxes share is more than the threshold times what both cover.
static void compute(const void *job, int step) {
  const pairs_t *p = job;
  const pair_tile_t t = pairs_of(p, step);
  if (t.below) return;
  const dim4 shape = {1, t.rows, 1, t.cols}, rows = {1, t.rows, 1, 1}, repeat = repeated_column();
  local_addr_t column_box[COORDINATES], row_box[COORDINATES];
  for (int which = 0; which < COORDINATES; ++which)
    column_box[which] = of_columns(step, which), row_box[which] = of_rows(step, which);
  const local_addr_t both = tile_at(WIDTH), covered = tile_at(AREA);
  shared_length(both, step, X1, &shape);
  shared_length(tile_at(HEIGHT), step, Y1, &shape);
  tpu_bdc_fp_mul(both, both, tile_at(HEIGHT), &shape, NULL, NULL, NULL, DT_FP32);
  area(covered, tile_at(LOWER), column_box, &shape);
  area(column_at(0), column_at(1), row_box, &rows);
  tpu_bdc_fp_add(covered, covered, column_at(0), &shape, NULL, NULL, &repeat, DT_FP32);
  tpu_bdc_fp_sub(covered, covered, both, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(covered, covered, fp32(p->args->threshold), &shape, NULL, NULL, DT_FP32);
  tpu_bdc_greater(result_tile(step), both, covered, (scalar_t){.u8 = 1}, &shape, NULL, NULL, NULL, DT_UINT8, DT_FP32);
}

static void store(const void *job, int step) {
  const pairs_t *p = job;
  const pair_tile_t t = pairs_of(p, step);
  if (t.below) return;
  const dim4 shape = {1, t.rows, 1, t.cols}, system = {1, p->args->stride, 1, 1};
  const global_addr_t to = p->args->overlaps + (int64_t)t.row * p->args->stride + t.col;
  // mlusim: allow(unwritten) nothing is read below the diagonal
  tpu_gdma_cpy_L2S(to, result_tile(step), &shape, &system, NULL, DT_UINT8);
}

// Boxes in the order of their scores, the highest first.
static void sort_boxes(const nms_args_t *a) {
  tpu_hau_sort_natural_index(a->sorted, a->order, a->scores, a->n, a->n, true, DT_FP32);
  tpu_hau_poll();
  const dim4 shape = {1, 1, a->n, 4};
  tpu_gdma_h_gather_S2S(a->ordered, a->boxes, a->order, false, (scalar_t){.u32 = 0}, &shape, a->n, NULL, NULL, NULL,
                        DT_FP32);
}

// The boxes that no better one suppresses; where eight lie in one word, they are looked at together.
static void pick(const nms_args_t *a) {
  const size_t bytes = (size_t)a->n * a->stride;
  tpu_invalidate_cache(a->overlaps, ALIGN(bytes, 64));
  tpu_invalidate_cache(a->order, ALIGN(a->n * 4, 64));
  const uint8_t *overlaps = tpu_global_mem_addr(a->overlaps);
  const int *order = tpu_global_mem_addr(a->order);
  uint8_t *suppressed = tpu_global_mem_addr(a->suppressed);
  int *kept = tpu_global_mem_addr(a->output), count = 0;
  for (int box = 0; box < a->stride; ++box) suppressed[box] = 0;
  for (int box = 0; box < a->n; ++box) {
    if (suppressed[box]) continue;
    kept[count++] = order[box];
    const uint8_t *row = overlaps + (size_t)box * a->stride;
    int other = box + 1;
    for (; other < a->n && other % 8; ++other) suppressed[other] |= row[other];
    for (; other < a->n; other += 8) *(uint64_t *)(suppressed + other) |= *(const uint64_t *)(row + other);
  }
  *(int *)tpu_global_mem_addr(a->count) = count;
  tpu_flush_cache(a->output, ALIGN(a->n * 4, 64));
  tpu_flush_cache(a->count, 64);
}

int nms(const void *arguments) {
  const nms_args_t *args = (const nms_args_t *)arguments;
  tpu_initialize();
  if (tpu_core_index() == 0) sort_boxes(args);
  tpu_sync_all();
  pairs_t job = {.args = args, .across = DIV_UP(args->stride, COLUMNS_OF_TILE)};
  const share_t mine = share_of_core(DIV_UP(args->n, NPU_NUM) * job.across, 1);
  job.first = mine.begin;
  job.steps = mine.end - mine.begin;
  const stages_t stages = {load, compute, store};
  run_pipeline(&stages, &job, job.steps);
  tpu_sync_all();
  if (tpu_core_index() == 0) pick(args);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(nms);
