// The kernels of faults.c, fixed: none of them breaks a rule.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t out, in;
} arguments_t;

int cache(const void *arguments) {
  const arguments_t *a = arguments;
  const float *out = tpu_global_mem_addr(a->out);
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 64, 8, true, DT_FP32);
  tpu_hau_poll();
  tpu_invalidate_cache(a->out, 64 * sizeof(float));
  printf("largest: %g\n", out[0]);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(cache);

int dtype(const void *arguments) {
  const arguments_t *a = arguments;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 64, 8, true, DT_FP32);
  tpu_hau_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(dtype);

int lane(const void *arguments) {
  const arguments_t *a = arguments;
  const dim4 shape = {1, 64, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(4096, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(0, 4096, 4096, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(lane);

int section(const void *arguments) {
  tpu_initialize();
  tpu_parallel_start();
  tpu_parallel_end();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(section);

int assertion(const void *arguments) {
  const arguments_t *a = arguments;
  TPUKERNEL_ASSERT(a->in % 4 == 0);
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 64, 8, true, DT_FP32);
  tpu_hau_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(assertion);

int bank(const void *arguments) {
  const arguments_t *a = arguments;
  const dim4 shape = {1, 64, 1, 1024};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_bdc_fp_add(4096, 0, 0, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(2 * 16384, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->out, 4096, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 2 * 16384, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(bank);
