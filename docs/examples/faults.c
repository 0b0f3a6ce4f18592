// One small kernel for each rule that only TPU-KERNEL kernels break, named after the rule.
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
  printf("largest: %g\n", out[0]);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(cache);

int dtype(const void *arguments) {
  const arguments_t *a = arguments;
  tpu_initialize();
  tpu_hau_sort(a->out, a->in, 64, 8, true, DT_FP16);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(dtype);

int lane(const void *arguments) {
  const dim4 shape = {1, 64, 1, 64};
  const local_addr_t next_lane = tpu_local_mem_size_per_npu();
  tpu_initialize();
  tpu_bdc_fp_add(0, 4096, next_lane, &shape, NULL, NULL, NULL, DT_FP32);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(lane);

int section(const void *arguments) {
  tpu_initialize();
  tpu_parallel_start();
  tpu_parallel_start();
  tpu_parallel_end();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(section);

int assertion(const void *arguments) {
  const arguments_t *a = arguments;
  TPUKERNEL_ASSERT(a->in % 4096 == 1);
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
  tpu_gdma_cpy_S2L(8192, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->out, 4096, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 8192, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(bank);
