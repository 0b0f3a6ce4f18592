// The part of some work that falls to this core.
#pragma once
#include "tpu_kernel.h"

typedef struct {
  int begin, end;
} share_t;

// Splits count items over the cores, in pieces of a multiple of step items; the last cores may get nothing.
static inline share_t share_of_core(int count, int step) {
  const int64_t steps = DIV_UP((int64_t)count, step);
  const int64_t piece = DIV_UP(steps, tpu_core_num()) * step;
  const int64_t begin = MIN(piece * tpu_core_index(), count);
  return (share_t){.begin = (int)begin, .end = (int)MIN(begin + piece, count)};
}
