// Commands of BDC and GDMA on tiles of one row of 64 elements in each lane, on one core.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t out, in;
  int times;
} args_t;

static const dim4 shape = {1, 64, 1, 64};
#define TILE 256

// Sums, one after the other.
int sums(const void *arguments) {
  const args_t *a = (const args_t *)arguments;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &shape, NULL, NULL, DT_FP32);
  for (int n = 0; n < a->times; ++n) tpu_bdc_fp_add(TILE, 0, 0, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, TILE, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(sums);

// Sections of four commands: a tile is stored, one loaded, and one computed in two steps.
int sections(const void *arguments) {
  const args_t *a = (const args_t *)arguments;
  tpu_initialize();
  for (int n = 0; n < a->times + 2; ++n) {
    const local_addr_t now = n % 2 * LOCAL_MEM_SIZE / 2, other = LOCAL_MEM_SIZE / 2 - now;
    const int64_t tile = 64 * 64 * sizeof(float);
    tpu_parallel_start();
    if (n >= 2) tpu_gdma_cpy_L2S(a->out + (n - 2) * tile, now + TILE, &shape, NULL, NULL, DT_FP32);
    if (n < a->times) tpu_gdma_cpy_S2L(now, a->in + n * tile, &shape, NULL, NULL, DT_FP32);
    if (n >= 1 && n <= a->times) {
      tpu_bdc_fp_mul(other + TILE, other, other, &shape, NULL, NULL, NULL, DT_FP32);
      tpu_bdc_fp_add(other + TILE, other + TILE, other, &shape, NULL, NULL, NULL, DT_FP32);
    }
    tpu_parallel_end();
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(sections);
