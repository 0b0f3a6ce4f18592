// Pooling, in either dialect: every channel by itself.
#pragma once
#include "windows.h"

static inline local_addr_t input_tile(int step) { return part_of(step); }
static inline local_addr_t output_tile(int step) { return part_of(step) + part_bytes() / 4 * 3; }

static inline windows_t plan_pooling(const windows_args_t *args, int size) {
  windows_t p = {.args = *args, .size = size, .ins = args->c};
  p.outs = (int)smaller(args->c, ENGINE(npu_num)());
  plan_windows(&p, (part_bytes() / 4 * 3 - EU_SIZE) / size, part_bytes() / 4 / size);
  return p;
}

static void load_pooling(const void *job, int step) {
  const windows_t *p = job;
  const window_t t = window_of(p, step);
  load_image(p, &t, input_tile(step), t.out, t.outs);
}

static void store_pooling(const void *job, int step) {
  const windows_t *p = job;
  const window_t t = window_of(p, step);
  store_image(p, &t, output_tile(step));
}
