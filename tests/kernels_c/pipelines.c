// Pipelines of a TPU core whose syncs can be left out one by one: each is called unless its number is `drop`.
#include "tpu_kernel.h"

typedef struct {
  unsigned long long out, in;
  int tiles, drop;
} Arguments;

enum { TILE = 1024, BYTES = TILE * 4, HALF = 1 << 14 };
#define UNLESS(number, sync) \
  if (a->drop != number) sync

// Load and add of one tile run beside each other in a section; the halves of local memory change places.
void sections(const void *arguments) {
  const Arguments *a = (const Arguments *)arguments;
  const dim4 shape = {1, 64, 1, TILE / 64};
  tpu_initialize();
  for (int i = 0; i < a->tiles + 2; i++) {
    UNLESS(0, tpu_parallel_start());
    if (i >= 2) tpu_gdma_cpy_L2S(a->out + (i - 2) * BYTES, (i % 2) * HALF + 2 * HALF, &shape, 0, 0, DT_FP32);
    if (i < a->tiles) tpu_gdma_cpy_S2L((i % 2) * HALF, a->in + i * BYTES, &shape, 0, 0, DT_FP32);
    if (i >= 1 && i <= a->tiles) {
      const int half = ((i - 1) % 2) * HALF;
      tpu_bdc_fp_add(half + 2 * HALF, half, half, &shape, 0, 0, 0, DT_FP32);
    }
    UNLESS(1, tpu_parallel_end());
  }
  UNLESS(2, tpu_poll());
}
TPUKERNEL_FUNC_REGISTER(sections);

// HAU sorts what GDMA has copied, and what it leaves is copied on: nothing but polls orders the engines.
void through_hau(const void *arguments) {
  const Arguments *a = (const Arguments *)arguments;
  const dim4 shape = {1, 64, 1, TILE / 64};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &shape, 0, 0, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &shape, 0, 0, DT_FP32);
  UNLESS(0, tpu_poll());
  tpu_hau_sort(a->out + BYTES, a->out, TILE, TILE, 0, DT_FP32);
  UNLESS(1, tpu_hau_poll());
  tpu_gdma_cpy_S2L(0, a->out + BYTES, &shape, 0, 0, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0, &shape, 0, 0, DT_FP32);
  UNLESS(2, tpu_poll());
}
TPUKERNEL_FUNC_REGISTER(through_hau);

// Every core leaves a tile, and takes that of its neighbour.
void cores(const void *arguments) {
  const Arguments *a = (const Arguments *)arguments;
  const dim4 shape = {1, 64, 1, TILE / 64};
  const int mine = tpu_core_index(), next = (mine + 1) % tpu_core_num();
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in + mine * BYTES, &shape, 0, 0, DT_FP32);
  tpu_gdma_cpy_L2S(a->out + mine * BYTES, 0, &shape, 0, 0, DT_FP32);
  UNLESS(0, tpu_sync_all());
  tpu_gdma_cpy_S2L(0, a->out + next * BYTES, &shape, 0, 0, DT_FP32);
  UNLESS(1, tpu_sync_all());
  tpu_gdma_cpy_L2S(a->out + mine * BYTES, 0, &shape, 0, 0, DT_FP32);
  UNLESS(2, tpu_poll());
}
TPUKERNEL_FUNC_REGISTER(cores);
