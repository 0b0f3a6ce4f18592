// Elements that move: axes in another order, lines of a table by index. They keep their bits.
#include "pipeline.h"

#define MOST_AXES 8

// A tensor as matrices, one for each index of the outer axes. The columns of a matrix lie side by side where it comes
// from; where it goes to, its rows do (`turned`), or its columns as well.
typedef struct {
  global_addr_t output, input;
  int rows, cols;
  int64_t row_from, row_to, col_to;  // elements from one row, or column, to the next
  int outer;                         // axes
  int counts[MOST_AXES];
  int64_t sources[MOST_AXES], to[MOST_AXES];
  int turned, dtype;
} transpose_args_t;

typedef struct {
  const transpose_args_t *args;
  int size, rows, cols, down, across;  // of a tile; tiles of a matrix
  int first, steps;
} transpose_t;

typedef struct {
  int64_t from, to;  // elements at which it begins
  int rows, cols;
} patch_t;

static patch_t patch_of(const transpose_t *t, int step) {
  const transpose_args_t *a = t->args;
  const int tile = t->first + step, inside = tile % (t->down * t->across);
  const int row = inside / t->across * t->rows, col = inside % t->across * t->cols;
  patch_t p = {row * a->row_from + col, row * a->row_to + col * a->col_to, MIN(t->rows, a->rows - row),
               MIN(t->cols, a->cols - col)};
  for (int axis = a->outer - 1, left = tile / (t->down * t->across); axis >= 0; left /= a->counts[axis--]) {
    p.from += left % a->counts[axis] * a->sources[axis];
    p.to += left % a->counts[axis] * a->to[axis];
  }
  return p;
}

static void load_patch(const void *job, int step) {
  const transpose_t *t = job;
  const patch_t p = patch_of(t, step);
  const dim4 shape = {1, p.rows, 1, p.cols}, system = {1, (int)t->args->row_from, 1, 1};
  tpu_gdma_cpy_S2L(part_of(step), t->args->input + p.from * t->size, &shape, NULL, &system, t->args->dtype);
}

static local_addr_t turned_patch(int step) { return part_of(step) + part_bytes() / 2; }

static void turn_patch(const void *job, int step) {
  const transpose_t *t = job;
  const patch_t p = patch_of(t, step);
  const dim4 shape = {1, p.cols, 1, p.rows};
  if (t->args->turned) tpu_bdc_cw_trans(turned_patch(step), part_of(step), &shape, t->args->dtype);
}

static void store_patch(const void *job, int step) {
  const transpose_t *t = job;
  const transpose_args_t *a = t->args;
  const patch_t p = patch_of(t, step);
  const dim4 shape = a->turned ? (dim4){1, p.cols, 1, p.rows} : (dim4){1, p.rows, 1, p.cols};
  const dim4 system = {1, (int)(a->turned ? a->col_to : a->row_to), 1, 1};
  const local_addr_t from = a->turned ? turned_patch(step) : part_of(step);
  tpu_gdma_cpy_L2S(a->output + p.to * t->size, from, &shape, &system, NULL, a->dtype);
}

int transpose(const void *arguments) {
  const transpose_args_t *args = (const transpose_args_t *)arguments;
  tpu_initialize();
  transpose_t t = {.args = args, .size = tpu_data_type_size(args->dtype)};
  // Turned, a tile has up to eight rows of lanes both ways; else as many bytes of a row as half a part holds.
  t.cols = MIN(args->cols, args->turned ? 8 * NPU_NUM : (int)part_bytes() / 2 / t.size);
  const int deep = args->turned ? 8 : part_bytes() / 2 / ALIGN(t.cols * t.size, ALIGN_BYTES);
  t.rows = MIN(args->rows, MIN(MAX(deep, 1) * NPU_NUM, 65535));
  int64_t matrices = 1;
  for (int axis = 0; axis < args->outer; ++axis) matrices *= args->counts[axis];
  while (t.rows > NPU_NUM && matrices * DIV_UP(args->rows, t.rows) * DIV_UP(args->cols, t.cols) < 2 * tpu_core_num())
    t.rows = ALIGN(t.rows / 2, NPU_NUM);
  t.down = DIV_UP(args->rows, t.rows), t.across = DIV_UP(args->cols, t.cols);
  const share_t mine = share_of_core((int)(matrices * t.down * t.across), 1);
  t.first = mine.begin;
  t.steps = mine.end - mine.begin;
  const stages_t stages = {load_patch, turn_patch, store_patch};
  run_pipeline(&stages, &t, t.steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(transpose);

// output[i] = table[indices[i]], lines of `length` elements.
typedef struct {
  global_addr_t output, table, indices;
  int count, lines, length;
  int dtype;
} gather_args_t;

typedef struct {
  const gather_args_t *args;
  int size, lines, width, across, pages;  // of a tile; pieces of a line; parts of the table that a command reaches
  int first, steps;
} gather_t;

typedef struct {
  int line, column, lines, width, page, reach;  // the first line and column; lines of the table that it reaches
} lines_t;

#define PAGE 65535

static lines_t lines_of(const gather_t *g, int step) {
  const gather_args_t *a = g->args;
  const int tile = g->first + step / g->pages;
  lines_t l = {.line = tile / g->across * g->lines, .column = tile % g->across * g->width, .page = step % g->pages};
  l.lines = MIN(g->lines, a->count - l.line);
  l.width = MIN(g->width, a->length - l.column);
  l.reach = MIN(PAGE, a->lines - l.page * PAGE);
  return l;
}

// Parts: lines, then indices; work: lines of the pages so far.
static local_addr_t part_lines(int step) { return part_of(step); }
static local_addr_t part_result(int step) { return part_of(step) + part_bytes() / 2; }

static void load_lines(const void *job, int step) {
  const gather_t *g = job;
  const gather_args_t *a = g->args;
  const lines_t l = lines_of(g, step);
  const dim4 shape = {1, l.lines, 1, l.width}, table = {1, 0, a->length, 1}, each = {1, 1, 1, 1};
  // Indices of a page count from its first line; those of other pages are past its end, and give zeros.
  const global_addr_t indices = a->indices + ((int64_t)l.page * a->count + l.line) * 4;
  tpu_gdma_h_gather_S2L(part_lines(step), a->table + ((int64_t)l.page * PAGE * a->length + l.column) * g->size,
                        indices, false, (scalar_t){.u32 = 0}, &shape, l.reach, NULL, &table, &each, a->dtype);
}

static void join_pages(const void *job, int step) {
  const gather_t *g = job;
  const lines_t l = lines_of(g, step);
  if (g->pages == 1) return;
  const dim4 shape = {1, l.lines, 1, l.width};
  const bool last = l.page == g->pages - 1;
  const local_addr_t to = last ? part_result(step) : work_part();
  if (l.page) tpu_bdc_or(to, work_part(), part_lines(step), &shape, NULL, NULL, NULL, g->args->dtype);
  else tpu_bdc_cpy(to, part_lines(step), &shape, NULL, NULL, g->args->dtype);
}

static void store_lines(const void *job, int step) {
  const gather_t *g = job;
  const gather_args_t *a = g->args;
  const lines_t l = lines_of(g, step);
  if (l.page < g->pages - 1) return;
  const dim4 shape = {1, l.lines, 1, l.width}, system = {1, a->length, 1, 1};
  const global_addr_t to = a->output + ((int64_t)l.line * a->length + l.column) * g->size;
  tpu_gdma_cpy_L2S(to, g->pages > 1 ? part_result(step) : part_lines(step), &shape, &system, NULL, a->dtype);
}

int gather(const void *arguments) {
  const gather_args_t *args = (const gather_args_t *)arguments;
  tpu_initialize();
  gather_t g = {.args = args, .size = tpu_data_type_size(args->dtype), .pages = DIV_UP(args->lines, PAGE)};
  g.width = MIN(args->length, (int)part_bytes() / 2 / g.size);
  const int deep = part_bytes() / 2 / ALIGN(g.width * g.size, ALIGN_BYTES);
  g.lines = MIN(DIV_UP(args->count, tpu_core_num()), MIN(deep * NPU_NUM, PAGE));
  g.across = DIV_UP(args->length, g.width);
  const share_t mine = share_of_core(DIV_UP(args->count, g.lines) * g.across, 1);
  g.first = mine.begin;
  g.steps = (mine.end - mine.begin) * g.pages;
  const stages_t stages = {load_lines, join_pages, store_lines};
  run_pipeline(&stages, &g, g.steps);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(gather);
