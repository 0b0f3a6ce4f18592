// TPU-KERNEL kernels that are right, for faults to be seeded into: each is what its author would have written.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t out, in, other;
  int rows, columns;
  float factor;
} job_t;

#define LESS(a, b) ((a) < (b) ? (a) : (b))
enum { LANES = 64, PART = 1 << 14 };

// Rows in lanes, as many at a time as there are lanes; each core takes its share.
int scaled_rows(const void *arguments) {
  const job_t *a = arguments;
  const int cores = tpu_core_num(), each = (a->rows + cores - 1) / cores;
  const int begin = tpu_core_index() * each, end = LESS(begin + each, a->rows);
  tpu_initialize();
  for (int row = begin; row < end; row += LANES) {
    const int count = LESS(end - row, LANES);
    const dim4 shape = {1, count, 1, a->columns};
    const unsigned long long at = 4ULL * row * a->columns;
    tpu_gdma_cpy_S2L(0, a->in + at, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(PART, 0, (scalar_t){.f32 = a->factor}, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + at, PART, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(scaled_rows);

// Two matrices are added in three stages beside each other, the halves of local memory in turn.
int added(const void *arguments) {
  const job_t *a = arguments;
  const int tiles = a->rows / LANES;
  const dim4 shape = {1, LANES, 1, a->columns};
  const int bytes = 4 * LANES * a->columns;
  tpu_initialize();
  for (int i = 0; i < tiles + 2; i++) {
    tpu_parallel_start();
    if (i >= 2) {
      tpu_gdma_cpy_L2S(a->out + (i - 2) * bytes, (i % 2) * PART + 8192, &shape, NULL, NULL, DT_FP32);
    }
    if (i < tiles) {
      tpu_gdma_cpy_S2L((i % 2) * PART, a->in + i * bytes, &shape, NULL, NULL, DT_FP32);
      tpu_gdma_cpy_S2L((i % 2) * PART + 4096, a->other + i * bytes, &shape, NULL, NULL, DT_FP32);
    }
    if (i >= 1 && i <= tiles) {
      const int half = (i - 1) % 2 * PART;
      tpu_bdc_fp_add(half + 8192, half, half + 4096, &shape, NULL, NULL, NULL, DT_FP32);
    }
    tpu_parallel_end();
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(added);

// (x - other) * factor, clipped at 0, in place after the first step.
int rectified(const void *arguments) {
  const job_t *a = arguments;
  tpu_initialize();
  for (int row = 0; row < a->rows; row += LANES) {
    const int count = LESS(a->rows - row, LANES);
    const dim4 shape = {1, count, 1, a->columns};
    const unsigned long long at = 4ULL * row * a->columns;
    tpu_gdma_cpy_S2L(0, a->in + at, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_S2L(PART, a->other + at, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_sub(2 * PART, 0, PART, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(2 * PART, 2 * PART, (scalar_t){.f32 = a->factor}, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_max_C(2 * PART, 2 * PART, (scalar_t){.f32 = 0.f}, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + at, 2 * PART, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(rectified);

// Every core leaves its tile, and adds the one that its neighbour has left.
int neighbours(const void *arguments) {
  const job_t *a = arguments;
  const dim4 shape = {1, LANES, 1, a->columns};
  const int bytes = 4 * LANES * a->columns;
  const int mine = tpu_core_index(), next = (mine + 1) % tpu_core_num();
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in + mine * bytes, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(0, 0, (scalar_t){.f32 = a->factor}, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->other + mine * bytes, 0, &shape, NULL, NULL, DT_FP32);
  tpu_sync_all();
  tpu_gdma_cpy_S2L(PART, a->other + next * bytes, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(2 * PART, 0, PART, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out + mine * bytes, 2 * PART, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(neighbours);

// Columns in pieces that are narrower than a row: strided in system memory.
int in_columns(const void *arguments) {
  const job_t *a = arguments;
  const dim4 lines = {a->rows * a->columns, a->columns, a->columns, 1};
  tpu_initialize();
  for (int row = 0; row < a->rows; row += LANES) {
    for (int column = 0; column < a->columns; column += 16) {
      const int count = LESS(a->rows - row, LANES), width = LESS(a->columns - column, 16);
      const dim4 shape = {1, count, 1, width};
      const unsigned long long at = 4ULL * (row * a->columns + column);
      tpu_gdma_cpy_S2L(0, a->in + at, &shape, NULL, &lines, DT_FP32);
      tpu_bdc_fp_add_C(PART, 0, (scalar_t){.f32 = a->factor}, &shape, NULL, NULL, DT_FP32);
      tpu_gdma_cpy_L2S(a->out + at, PART, &shape, &lines, NULL, DT_FP32);
    }
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(in_columns);
