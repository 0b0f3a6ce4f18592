// Convolutions, in either dialect. Input channels that a tile has no room for are added in later steps.
#pragma once
#include "windows.h"

// Weights lie in the lane of their output channel as [blocks of input channels][kernel][channels of a block].
#ifdef OKK
#define BLOCK(size) 2
#define ZERO(to, shape, dtype) okk_gdma_32bit_set_C_local(to, (x32){.u32 = 0}, shape, NULL)
#else
#define BLOCK(size) ((size) == 4 ? 1 : NPU_NUM / (size))
#define ZERO(to, shape, dtype) tpu_gdma_set_C_local(to, (scalar_t){.u32 = 0}, shape, NULL, dtype)
#endif

static inline int64_t taps_of(const windows_t *p, int channels) {
  return rounded_up(channels, BLOCK(p->size)) * p->args.kernel_h * p->args.kernel_w;
}

// Of a part: half for the input, a quarter for weights and bias, a quarter for the output.
static inline local_addr_t input_tile(int step) { return part_of(step); }
static inline local_addr_t weight_tile(int step) { return part_of(step) + part_bytes() / 2; }
static inline local_addr_t bias_tile(int step) { return part_of(step) + part_bytes() / 4 * 3 - 256; }
static inline local_addr_t output_tile(int step) { return part_of(step) + part_bytes() / 4 * 3; }

static inline windows_t plan_conv(const windows_args_t *args, int size) {
  windows_t p = {.args = *args, .size = size};
  const int64_t lanes = ENGINE(npu_num)(), quarter = part_bytes() / 4 - 256, half = part_bytes() / 2 - EU_SIZE;
  const int64_t reach = (int64_t)reach_of(args->kernel_h, args->dilation_h) * reach_of(args->kernel_w, args->dilation_w);
  const int64_t block = BLOCK(size), kernel = (int64_t)args->kernel_h * args->kernel_w * size;
  // Channels whose weights fit, windows of which fit a lane, and which a command counts.
  const int64_t weights = quarter / (kernel * block) * block, images = half / (reach * size) * lanes;
  p.ins = (int)smaller(args->c, smaller(weights, smaller(images, 4095) / block * block));
  // Up to four rows of lanes of output channels share an input.
  const int64_t taps = taps_of(&p, p.ins) * size;
  const int64_t deep = smaller(smaller(divided_up(args->oc, lanes), 4), quarter / taps);
  p.outs = (int)smaller(args->oc, deep * lanes);
  plan_windows(&p, half / (divided_up(p.ins, lanes) * size), quarter / (deep * 4) / 32 * 32);
  return p;
}

// Whether a step finds the weights of the one that had the same part before it.
static inline bool has_weights(const windows_t *p, int step) {
  return p->deep == 1 && step >= 2 && window_of(p, step).out == window_of(p, step - 2).out;
}

static inline void load_weights(const windows_t *p, const window_t *t, int step) {
  const windows_args_t *a = &p->args;
  const int block = BLOCK(p->size), kernel = a->kernel_h * a->kernel_w, blocks = (int)divided_up(t->ins, block);
  const int taps = (int)taps_of(p, t->ins), lanes = ENGINE(npu_num)(), channel = a->c * kernel;
  const local_addr_t to = weight_tile(step);
  const global_addr_t from = a->weight + ((int64_t)t->out * channel + (int64_t)t->in * kernel) * p->size;
  const dim4 compact = {1, taps, taps, 1};
  if (block == 1) {
    const dim4 shape = {1, t->outs, 1, taps}, system = {1, channel, 1, 1};
    LOAD(to, from, &shape, &compact, &system, a->dtype);
    return;
  }
  if (t->ins % block) {  // what the last block lacks
    const dim4 all = {1, (int)smaller(t->outs, lanes), 1, (int)divided_up(t->outs, lanes) * taps};
    ZERO(to, &all, a->dtype);
  }
  // One command for each block, or for each channel of all blocks, whichever is less.
  const bool by_block = blocks < block;
  for (int n = 0; n < (by_block ? blocks : smaller(block, t->ins)); ++n) {
    const int count = by_block ? (int)smaller(block, t->ins - n * block) : (int)divided_up(t->ins - n, block);
    const dim4 shape = {count, t->outs, kernel, 1};
    const dim4 system = {by_block ? kernel : block * kernel, channel, 1, 1};
    const dim4 local = {by_block ? 1 : block * kernel, taps, block, 1};
    LOAD(to + (by_block ? n * block * kernel : n) * p->size, from + (int64_t)n * (by_block ? block : 1) * kernel * p->size,
         &shape, &local, &system, a->dtype);
  }
}

static void load_conv(const void *job, int step) {
  const windows_t *p = job;
  const window_t t = window_of(p, step);
  load_image(p, &t, input_tile(step), t.in, t.ins);
  if (has_weights(p, step)) return;
  load_weights(p, &t, step);
  if (p->args.bias && t.in == 0) {
    const int deep = (int)divided_up(t.outs, ENGINE(npu_num)());
    const dim4 shape = {1, t.outs, 1, 1}, compact = {deep, 1, 1, 1};
    LOAD(bias_tile(step), p->args.bias + (int64_t)t.out * 4, &shape, &compact, NULL, DT_FP32);
  }
}

static void store_conv(const void *job, int step) {
  const windows_t *p = job;
  const window_t t = window_of(p, step);
  if (t.last) store_image(p, &t, output_tile(step));
}
