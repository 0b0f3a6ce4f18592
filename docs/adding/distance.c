// Calls `tpu_bdc_fp_diff_abs` on a column for each lane.
#include "tpu_kernel.h"

typedef struct { global_addr_t out, a, b; } args_t;

int distance(const void *arguments) {
  const args_t *args = (const args_t *)arguments;
  const dim4 shape = {1, 64, 1, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, args->a, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(64, args->b, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_diff_abs(128, 0, 64, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(args->out, 128, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(distance);
