// out = in * factor, of rows of floats: while BDC computes a tile, GDMA stores the one before it and loads the next.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t out, in;
  int rows, cols;
  float factor;
} args_t;

// A tile has a row in each lane. Tiles take turns in two halves of local memory, which share no bank.
static local_addr_t source(int tile) { return (tile & 1) * LOCAL_MEM_SIZE / 2; }
static local_addr_t result(int tile) { return source(tile) + LOCAL_MEM_SIZE / 4; }
static dim4 shape_of(const args_t *a, int row) { return (dim4){1, MIN(NPU_NUM, a->rows - row), 1, a->cols}; }

int scale(const void *arguments) {
  const args_t *a = (const args_t *)arguments;
  tpu_initialize();
  const int all = DIV_UP(a->rows, NPU_NUM), share = DIV_UP(all, tpu_core_num());
  const int first = MIN(share * tpu_core_index(), all), tiles = MIN(share, all - first);
  tpu_parallel_start();
  for (int step = 0; step < tiles + 2; ++step) {
    const int row = (first + step) * NPU_NUM, before = row - NPU_NUM, last = before - NPU_NUM;
    if (step >= 2) {
      const dim4 shape = shape_of(a, last);
      tpu_gdma_cpy_L2S(a->out + (uint64_t)last * a->cols * 4, result(step), &shape, NULL, NULL, DT_FP32);
    }
    if (step < tiles) {
      const dim4 shape = shape_of(a, row);
      tpu_gdma_cpy_S2L(source(step), a->in + (uint64_t)row * a->cols * 4, &shape, NULL, NULL, DT_FP32);
    }
    if (step >= 1 && step <= tiles) {
      const dim4 shape = shape_of(a, before);
      const scalar_t factor = {.f32 = a->factor};
      tpu_bdc_fp_mul_C(result(step - 1), source(step - 1), factor, &shape, NULL, NULL, DT_FP32);
    }
    tpu_parallel_end();  // both engines are done with this step
    tpu_parallel_start();
  }
  tpu_parallel_end();
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(scale);
