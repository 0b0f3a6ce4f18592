// Matrix products in tiles, in either dialect: output [m, n] = left [m, k] x right [k, n], or right [n, k] transposed.
// The tiles depend on the problem and not on the number of cores, so that results do not either.
#pragma once
#include "pipeline.h"

typedef struct {
  global_addr_t output, left, right;
  int batch, m, k, n;
  int transposed;  // right
  int dtype;
} product_args_t;

// How this core goes about its products.
typedef struct {
  product_args_t args;
  int size;             // bytes of an element
  int rows, mid, cols;  // of a tile: of m, k and n
  int down, deep, across;
  int first, steps;
} product_t;

// The tile of a step: elements [row, row + rows) of m and so on.
typedef struct {
  int batch, row, mid, col, rows, mids, cols;
  bool last;  // along k
} block_t;

#ifdef OKK
#define MOST_CORES 1
#else
#define MOST_CORES 8
#endif

// Tiles of at most so many rows, columns and elements in between; smaller ones where cores would be left without any.
static inline product_t plan_product(const product_args_t *args, int size, int rows, int mid, int cols) {
  product_t p = {.args = *args, .size = size, .rows = rows, .mid = mid, .cols = cols};
  const int lanes = ENGINE(npu_num)();
  for (;;) {
    p.down = (int)divided_up(args->m, p.rows), p.across = (int)divided_up(args->n, p.cols);
    if ((int64_t)p.down * p.across * args->batch >= MOST_CORES) break;
    if (p.cols > lanes && p.cols >= p.rows) p.cols /= 2;
    else if (p.rows > lanes) p.rows /= 2;
    else break;
  }
  p.deep = (int)divided_up(args->k, p.mid);
  const share_t mine = share_of_core(args->batch * p.down * p.across, 1);
  p.first = mine.begin;
  p.steps = (mine.end - mine.begin) * p.deep;
  return p;
}

static inline block_t block_of(const product_t *p, int step) {
  const int tile = p->first + step / p->deep, inside = tile % (p->down * p->across);
  block_t b = {.batch = tile / (p->down * p->across), .row = inside / p->across * p->rows,
               .col = inside % p->across * p->cols, .mid = step % p->deep * p->mid};
  b.rows = (int)smaller(p->rows, p->args.m - b.row);
  b.cols = (int)smaller(p->cols, p->args.n - b.col);
  b.mids = (int)smaller(p->mid, p->args.k - b.mid);
  b.last = b.mid + b.mids == p->args.k;
  return b;
}

// Where a block of each matrix begins in system memory.
static inline global_addr_t place(const product_t *p, global_addr_t base, int batch, int64_t rows, int64_t columns,
                                  int row, int column) {
  return base + ((batch * rows + row) * columns + column) * p->size;
}
static inline global_addr_t left_of(const product_t *p, const block_t *b) {
  return place(p, p->args.left, b->batch, p->args.m, p->args.k, b->row, b->mid);
}
static inline global_addr_t right_of(const product_t *p, const block_t *b) {
  return p->args.transposed ? place(p, p->args.right, b->batch, p->args.n, p->args.k, b->col, b->mid)
                            : place(p, p->args.right, b->batch, p->args.k, p->args.n, b->mid, b->col);
}
static inline global_addr_t output_of(const product_t *p, const block_t *b) {
  return place(p, p->args.output, b->batch, p->args.m, p->args.n, b->row, b->col);
}
