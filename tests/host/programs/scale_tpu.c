#include "tpu_kernel.h"
typedef struct {
  global_addr_t to, from;
  int count, part;
} __attribute__((packed)) param_t;

// Each core takes the part that its own arguments name.
void scale(const void *args) {
  const param_t *param = (const param_t *)args;
  tpu_initialize();
  dim4 shape = {1, 1, 1, param->count}, stride;
  tpu_aligned_stride(&stride, 0, &shape, DT_FP32);
  system_addr_t offset = (system_addr_t)param->part * param->count * 4;
  scalar_t factor = {.f32 = 1 + param->part};
  tpu_gdma_cpy_S2L(0, param->from + offset, &shape, &stride, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(0, 0, factor, &shape, &stride, &stride, DT_FP32);
  tpu_gdma_cpy_L2S(param->to + offset, 0, &shape, NULL, &stride, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(scale);
