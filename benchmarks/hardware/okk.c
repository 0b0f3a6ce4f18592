// What stands for operators of the BM1684 whose fastest programs are not public.
#include "okk.h"

#define LANES 64
#define HALF (okk_local_mem_size_per_npu() / 2)

// out[pixel] = in[pixel] with its three channels in the other order. A tile is loaded channel by channel, so that it
// lies in order, and stored in one piece while the next one is loaded.
typedef struct {
  unsigned long long out, in;
  long long pixels;
} __attribute__((packed)) rgb2bgr_t;

typedef struct {
  int lanes, rows;  // pixels of a lane
  system_addr_t at;
} tile_t;

static void store_pixels(const rgb2bgr_t *a, const tile_t *t, int half) {
  const dim4 shape = {1, t->lanes, t->rows, 3};
  okk_gdma_32bit_cpy_L2S(a->out + t->at, half * HALF, &shape, 0, 0);
}

static void load_pixels(const rgb2bgr_t *a, const tile_t *t, int half) {
  const dim4 shape = {1, t->lanes, t->rows, 1}, there = {0, 3 * t->rows, 3, 1}, pixel = {1, 1, 1, 3};
  dim4 here = {1, t->lanes, t->rows, 3};
  okk_128_byte_aligned_stride_for_32bit(&here, 0, &(dim4){1, t->lanes, t->rows, 3});
  for (int k = 0; k < pixel.w; k++)
    okk_gdma_32bit_cpy_S2L(half * HALF + 4 * k, a->in + t->at + 4 * (2 - k), &shape, &here, &there);
}

void rgb2bgr(const void *arguments) {
  const rgb2bgr_t *a = (const rgb2bgr_t *)arguments;
  okk_initialize();
  tile_t before = {0, 0, 0};
  int half = 0;
  for (long long at = 0; at < a->pixels;) {
    const long long left = a->pixels - at, each = (left + LANES - 1) / LANES;
    const int rows = each < 16384 ? (int)each : 16384;
    const tile_t t = {(int)(left / rows < LANES ? left / rows : LANES), rows, (system_addr_t)at * 12};
    okk_parallel_start();
    if (before.lanes) store_pixels(a, &before, 1 - half);
    load_pixels(a, &t, half);
    okk_parallel_end();
    before = t;
    half = 1 - half;
    at += (long long)t.lanes * t.rows;
  }
  store_pixels(a, &before, 1 - half);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(rgb2bgr);

// out = the elements of in, [outer][channels][rows], at strides, in order; loaded element by element, stored in pieces.
// Rows of more than one element lie together on both sides: they are copied within system memory.
typedef struct {
  unsigned long long out, in;
  int outer, channels, rows, width;
  int outer_stride, channel_stride, row_stride;
} __attribute__((packed)) transpose_t;

void transpose(const void *arguments) {
  const transpose_t *a = (const transpose_t *)arguments;
  const dim4 there = {a->outer_stride, a->channel_stride, a->row_stride, 1};
  const dim4 all = {a->outer, a->channels, a->rows, a->width}, tile = {1, a->channels, a->rows, 1};
  const unsigned long long bytes = 4ull * a->channels * a->rows;
  okk_initialize();
  if (a->width > 1) {
    okk_gdma_32bit_cpy_S2S(a->out, a->in, &all, 0, &there);
  } else {
    for (int n = 0; n < a->outer; n++) {
      okk_gdma_32bit_cpy_S2L(n % 2 * HALF, a->in + 4ull * n * a->outer_stride, &tile, 0, &there);
      okk_gdma_32bit_cpy_L2S(a->out + n * bytes, n % 2 * HALF, &tile, 0, 0);
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(transpose);

// out[channel][column] = sum over rows of in[channel][row][column], or over columns: the mean of a window, times its
// elements. Strides of the input are elements.
typedef struct {
  unsigned long long out, in;
  int channels, rows, columns, over_columns, channel_stride, row_stride;
} __attribute__((packed)) reduce_t;

void reduce_sum(const void *arguments) {
  const reduce_t *a = (const reduce_t *)arguments;
  const dim4 given = {1, a->channels, a->rows, a->columns}, there = {0, a->channel_stride, a->row_stride, 1};
  const int high = a->over_columns ? 1 : a->rows, wide = a->over_columns ? a->columns : 1;
  const dim4 sums = {1, a->channels, a->rows / high, a->columns / wide};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &given, 0, &there);
  okk_bdc_avg_pool2d(HALF, 0, &given, high, wide, 0, 0);
  okk_bdc_mul_C(HALF, HALF, high * wide, &sums, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, HALF, &sums, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(reduce_sum);
