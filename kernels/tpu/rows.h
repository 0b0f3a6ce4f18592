// Operators on rows: each lies in one lane, as many side by side as fit. A row that does not fit is taken in pieces:
// a first pass finds what its elements have in common, a second one computes the result.
//
// The tensor is [groups, length, inner], and rows run along the middle axis; with inner = 1 groups is 1, and the tensor
// [rows, length].
#pragma once
#include "pipeline.h"

typedef struct {
  global_addr_t output, input;
  global_addr_t gamma, beta;  // [length] each, of norms
  int groups, rows, length, inner;
  int dtype;
  float eps;
} rows_args_t;

// How this core goes about its rows.
typedef struct {
  rows_args_t args;
  int size;              // bytes of an element
  int tile_rows, tiles;  // rows of a tile, tiles of a group
  int first, steps;      // this core's first tile; its tiles times passes times pieces
  int width, pieces, passes;
  local_addr_t result;   // of a part: where the result lies behind the input
  local_addr_t wide[4];  // tiles of 32-bit floats for computing
  local_addr_t columns;  // columns of 32-bit floats, one element for each row of a tile
  local_addr_t shared;   // rows of floats that all lanes read
} rows_t;

// The tile of a step.
typedef struct {
  int pass, piece, width, count;
  bool last;               // pass
  int64_t begin;           // element at which it begins
  local_addr_t input, output;
  dim4 shape, column;      // of the tile, and of a column of one element a row
} tile_t;

// Bytes of some elements in the aligned layout.
static inline int64_t aligned_bytes(int64_t count, int size) { return rounded_up(count * size, EU_SIZE); }

#define TABLE_BYTES 2048  // at the end, for the tables of exp
#define COLUMNS 8         // at most

// `wide` tiles of floats and `shared` rows that all lanes read; a piece has at most `widest` elements.
static inline rows_t plan_rows(const rows_args_t *args, int size, int wide, int shared, int widest) {
  rows_t r = {.args = *args, .size = size};
  const int64_t lanes = ENGINE(npu_num)(), work = lane_bytes() - work_part() - TABLE_BYTES;
  const int64_t columns = COLUMNS * aligned_bytes(1, 4);
  const int64_t room = smaller(part_bytes() / ((2 + shared) * size), (work - columns) / (4 * (wide + shared)));
  r.width = (int)smaller(smaller(args->length, widest), room / 64 * 64);
  r.pieces = (int)divided_up(args->length, r.width);
  r.width = (int)divided_up(args->length, r.pieces);
  r.passes = r.pieces > 1 ? 2 : 1;
  const int64_t row = aligned_bytes(r.width, size), floats = aligned_bytes(r.width, 4);
  const int64_t fit =
      smaller((part_bytes() - shared * row) / (2 * row), (work - shared * floats) / (wide * floats + columns));
  const int64_t total = (int64_t)args->groups * args->rows, share = divided_up(total, CORE_NUM);
  // Several tiles a core where there are rows for more than one.
  const int64_t few = share <= lanes ? share : rounded_up(divided_up(share, 4), lanes);
  r.tile_rows = (int)smaller(smaller(few, fit * lanes), smaller(args->rows, 4095));
  r.tiles = (int)divided_up(args->rows, r.tile_rows);
  const share_t mine = share_of_core(args->groups * r.tiles, 1);
  r.first = mine.begin;
  r.steps = (mine.end - mine.begin) * r.passes * r.pieces;
  const int64_t deep = divided_up(r.tile_rows, lanes);
  r.result = (local_addr_t)(deep * row);
  for (int n = 0; n < wide; ++n) r.wide[n] = (local_addr_t)(work_part() + n * deep * floats);
  r.columns = (local_addr_t)(work_part() + wide * deep * floats);
  r.shared = (local_addr_t)(lane_bytes() - TABLE_BYTES - shared * floats);
  return r;
}

static inline local_addr_t tables(void) { return lane_bytes() - TABLE_BYTES; }

static inline local_addr_t column(const rows_t *r, int number) {
  return r->columns + (local_addr_t)(number * divided_up(r->tile_rows, ENGINE(npu_num)()) * aligned_bytes(1, 4));
}

static inline tile_t tile_of(const rows_t *r, int step) {
  const rows_args_t *a = &r->args;
  const int index = r->first + step / (r->passes * r->pieces), group = index / r->tiles;
  const int row = index % r->tiles * r->tile_rows, piece = step % r->pieces;
  tile_t t = {.pass = step / r->pieces % r->passes, .piece = piece};
  t.last = t.pass == r->passes - 1;
  t.count = (int)smaller(r->tile_rows, a->rows - row);
  t.width = (int)smaller(r->width, a->length - piece * r->width);
  t.begin = (int64_t)group * a->length * a->inner + (int64_t)row * (a->inner == 1 ? a->length : 1) +
            (int64_t)piece * r->width * a->inner;
  t.input = part_of(step);
  t.output = t.input + r->result;
  t.shape = (dim4){1, t.count, 1, t.width};
  t.column = (dim4){1, t.count, 1, 1};
  return t;
}

// A tile in system memory: elements of a row lie side by side, or `inner` elements apart.
static inline dim4 system_shape(const rows_t *r, const tile_t *t) {
  return r->args.inner == 1 ? t->shape : (dim4){1, t->count, t->width, 1};
}
static inline dim4 system_stride(const rows_t *r) {
  return r->args.inner == 1 ? (dim4){0, r->args.length, 0, 1} : (dim4){0, 1, r->args.inner, 1};
}
