#include "okk.h"
typedef struct {
  unsigned long long to, from;
  int count;
  float factor;
} __attribute__((packed)) param_t;

void scale(const void *args) {
  const param_t *param = (const param_t *)args;
  dim4 shape = {1, 64, 1, param->count / 64}, stride;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  okk_gdma_32bit_cpy_S2L(0, param->from, &shape, &stride, NULL);
  okk_bdc_mul_C(0, 0, param->factor, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(param->to, 0, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(scale);
