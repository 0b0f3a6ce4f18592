// The part of some work that falls to this core, in either dialect.
#pragma once
#ifdef OKK
#include "okk.h"
#define ENGINE(name) okk_##name
#define CORE_INDEX 0
#define CORE_NUM 1
#define EU_SIZE (okk_eu_num() * 4)  // bytes that a lane computes at once
#else
#include "tpu_kernel.h"
#define ENGINE(name) tpu_##name
#define CORE_INDEX tpu_core_index()
#define CORE_NUM tpu_core_num()
#define EU_SIZE (tpu_eu_num(DT_FP32) * 4)
#endif

typedef struct {
  int begin, end;
} share_t;

static inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t divided_up(int64_t count, int64_t size) { return (count + size - 1) / size; }
static inline int64_t rounded_up(int64_t count, int64_t size) { return divided_up(count, size) * size; }

// Splits count items over the cores, in pieces of a multiple of step items; the last cores may get nothing.
static inline share_t share_of_core(int count, int step) {
  const int64_t piece = divided_up(divided_up(count, step), CORE_NUM) * step;
  const int64_t begin = smaller(piece * CORE_INDEX, count);
  return (share_t){.begin = (int)begin, .end = (int)smaller(begin + piece, count)};
}
