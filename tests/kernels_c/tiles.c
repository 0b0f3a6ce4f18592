// TPU-KERNEL: an addition of half matrices, tile by tile, every command after the one before.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t out, a, b;
  int rows, columns, tile_rows, tile_columns;
} add_t;

int add(const void *arguments) {
  const add_t *t = arguments;
  const dim4 shape = {.n = 1, .c = t->tile_rows, .h = 1, .w = t->tile_columns};
  const dim4 lines = {.n = t->rows * t->columns, .c = t->columns, .h = t->columns, .w = 1};
  tpu_initialize();
  for (int row = 0; row < t->rows; row += t->tile_rows) {
    for (int column = 0; column < t->columns; column += t->tile_columns) {
      const unsigned long long at = 2ULL * (row * t->columns + column);
      tpu_gdma_cpy_S2L(0, t->a + at, &shape, NULL, &lines, DT_FP16);
      tpu_gdma_cpy_S2L(65536, t->b + at, &shape, NULL, &lines, DT_FP16);
      tpu_bdc_fp_add(131072, 0, 65536, &shape, NULL, NULL, NULL, DT_FP16);
      tpu_gdma_cpy_L2S(t->out + at, 131072, &shape, &lines, NULL, DT_FP16);
    }
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(add);
