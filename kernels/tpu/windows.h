// Operators on windows of images, in either dialect: which part of the input a tile of the output needs.
#pragma once
#include "pipeline.h"

typedef struct {
  global_addr_t output, input, weight, bias;  // bias: 32-bit floats, or 0
  int images, c, h, w;                        // of the input
  int oc, oh, ow;                             // of the output
  int kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  int top, bottom, left, right;  // padding
  int largest;                   // of poolings: the largest element, not the mean
  int dtype;
} windows_args_t;

// How this core goes about its images.
typedef struct {
  windows_args_t args;
  int size;                         // bytes of an element
  int ins, outs, rows, cols;        // of a tile: channels, rows and columns of the output
  int deep, blocks, down, across;   // tiles of channels, rows and columns
  int first, steps;
} windows_t;

// The tile of a step: [image, out .. out + outs, row .., col ..] of the output, channels [in, in + ins) of the input.
typedef struct {
  int image, in, ins, out, outs, row, rows, col, cols;
  int y, x, h, w;                // of the input
  int top, bottom, left, right;  // padding that it meets
  bool last;                     // of the input's channels
} window_t;

#ifdef OKK
#define MOST_SIDE 2000  // of the input of a tile
#else
#define MOST_SIDE 65000
#endif

static inline int reach_of(int kernel, int dilation) { return (kernel - 1) * dilation + 1; }

// As many windows as an input of a length holds.
static inline int64_t windows_in(int64_t length, int reach, int stride) { return (length - reach) / stride + 1; }

// Tiles: whole rows of the output where an input of `input` elements holds them, and at most `output` elements.
static inline void plan_windows(windows_t *p, int64_t input, int64_t output) {
  const windows_args_t *a = &p->args;
  const int reach_h = reach_of(a->kernel_h, a->dilation_h), reach_w = reach_of(a->kernel_w, a->dilation_w);
  p->cols = (int)smaller(smaller(a->ow, output), windows_in(smaller(input / reach_h, MOST_SIDE), reach_w, a->stride_w));
  const int64_t wide = (int64_t)(p->cols - 1) * a->stride_w + reach_w;
  p->rows = (int)smaller(smaller(a->oh, output / p->cols),
                         windows_in(smaller(input / wide, MOST_SIDE), reach_h, a->stride_h));
  p->deep = (int)divided_up(a->c, p->ins), p->blocks = (int)divided_up(a->oc, p->outs);
  p->down = (int)divided_up(a->oh, p->rows), p->across = (int)divided_up(a->ow, p->cols);
  const share_t mine = share_of_core(p->blocks * a->images * p->down * p->across, 1);
  p->first = mine.begin;
  p->steps = (mine.end - mine.begin) * p->deep;
}

// What windows [at, at + count) of an axis need of `length` elements: those from *begin on, and padding around them.
static inline int needed(int at, int count, int stride, int reach, int before, int length, int *begin, int *first,
                         int *last) {
  const int from = at * stride - before, to = from + (count - 1) * stride + reach;
  *begin = (int)larger(from, 0);
  *first = *begin - from;
  *last = (int)larger(to - length, 0);
  return to - *last - *begin;
}

static inline window_t window_of(const windows_t *p, int step) {
  const windows_args_t *a = &p->args;
  int tile = p->first + step / p->deep;
  window_t t = {.in = step % p->deep * p->ins};
  t.col = tile % p->across * p->cols, tile /= p->across;
  t.row = tile % p->down * p->rows, tile /= p->down;
  t.image = tile % a->images;
  t.out = tile / a->images * p->outs;
  t.ins = (int)smaller(p->ins, a->c - t.in), t.outs = (int)smaller(p->outs, a->oc - t.out);
  t.rows = (int)smaller(p->rows, a->oh - t.row), t.cols = (int)smaller(p->cols, a->ow - t.col);
  t.h = needed(t.row, t.rows, a->stride_h, reach_of(a->kernel_h, a->dilation_h), a->top, a->h, &t.y, &t.top, &t.bottom);
  t.w = needed(t.col, t.cols, a->stride_w, reach_of(a->kernel_w, a->dilation_w), a->left, a->w, &t.x, &t.left, &t.right);
  t.last = t.in + t.ins == a->c;
  return t;
}

// Where a tile begins in system memory, and how channels and rows follow each other there.
static inline global_addr_t at_image(global_addr_t base, int64_t channel, int row, int col, int h, int w, int size) {
  return base + ((channel * h + row) * w + col) * size;
}
static inline dim4 image_stride(int h, int w) { return (dim4){1, h * w, w, 1}; }

#ifdef OKK
#define LOAD(to, from, shape, local, system, dtype) okk_gdma_32bit_cpy_S2L(to, from, shape, local, system)
#define STORE(to, from, shape, system, dtype) okk_gdma_32bit_cpy_L2S(to, from, shape, system, NULL)
#else
#define LOAD(to, from, shape, local, system, dtype) tpu_gdma_cpy_S2L(to, from, shape, local, system, dtype)
#define STORE(to, from, shape, system, dtype) tpu_gdma_cpy_L2S(to, from, shape, system, NULL, dtype)
#endif

// Channels [channel, channel + channels) of a tile's input.
static inline void load_image(const windows_t *p, const window_t *t, local_addr_t to, int channel, int channels) {
  const windows_args_t *a = &p->args;
  const dim4 shape = {1, channels, t->h, t->w}, system = image_stride(a->h, a->w);
  const global_addr_t from =
      at_image(a->input, (int64_t)t->image * a->c + channel, t->y, t->x, a->h, a->w, p->size);
  // mlusim: allow(unread) steps of windows pass over rows and columns
  LOAD(to, from, &shape, NULL, &system, a->dtype);
}

static inline void store_image(const windows_t *p, const window_t *t, local_addr_t from) {
  const windows_args_t *a = &p->args;
  const dim4 shape = {1, t->outs, t->rows, t->cols}, system = image_stride(a->oh, a->ow);
  const global_addr_t to =
      at_image(a->output, (int64_t)t->image * a->oc + t->out, t->row, t->col, a->oh, a->ow, p->size);
  STORE(to, from, &shape, &system, a->dtype);
}
