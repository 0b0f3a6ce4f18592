// Products of 32-bit floats on the vector unit, in either dialect. Columns of a matrix are dealt to channels, some to
// each, and a row is an image.
#pragma once
#include "product.h"

#ifdef OKK
#define LOAD_MATRIX(...) okk_gdma_32bit_matrix_S2L(__VA_ARGS__)
#define STORE_MATRIX(...) okk_gdma_32bit_matrix_L2S(__VA_ARGS__)
#define LOAD(...) okk_gdma_32bit_cpy_S2L(__VA_ARGS__)
#define COPY(to, from, part) okk_bdc_32bit_cpy(to, from, &(part)->shape, &(part)->stride, &(part)->stride)
#define MULTIPLY okk_bdc_matmul
#else
#define LOAD_MATRIX(...) tpu_gdma_matrix_S2L(__VA_ARGS__, DT_FP32)
#define STORE_MATRIX(...) tpu_gdma_matrix_L2S(__VA_ARGS__, DT_FP32)
#define LOAD(...) tpu_gdma_cpy_S2L(__VA_ARGS__, DT_FP32)
#define COPY(to, from, part) tpu_bdc_cpy(to, from, &(part)->shape, &(part)->stride, &(part)->stride, DT_FP32)
#define MULTIPLY tpu_bdc_fp32_mm
#endif

// Columns of a channel where there are enough: those that a lane computes at once, but no fewer than 16.
static inline int dealt(int columns) { return (int)smaller(larger(EU_SIZE / 4, 16), columns); }
static inline int row_bytes(void) { return 4 * dealt(1 << 20); }

// A tile of each matrix takes a quarter of a part, or less: as many rows, of as many columns as all lanes have.
static inline product_t plan_floats(const product_args_t *args) {
  const int rows = part_bytes() / 4 / row_bytes();
  return plan_product(args, 4, rows, rows, ENGINE(npu_num)() * dealt(1 << 20));
}

static inline local_addr_t left_tile(int step) { return part_of(step); }
static inline local_addr_t right_tile(int step) { return part_of(step) + part_bytes() / 4; }
static inline local_addr_t output_tile(int step) { return part_of(step) + part_bytes() / 2; }

// A matrix across lanes as tensors: the channels that are full, and the last one where it has fewer columns.
typedef struct {
  dim4 shape, stride;
  local_addr_t offset;
  int column;  // the first
} channels_t;

static inline int channels_of(int rows, int columns, channels_t found[2]) {
  const int each = dealt(columns), full = columns / each, rest = columns % each, lanes = ENGINE(npu_num)();
  const dim4 whole = {rows, (int)divided_up(columns, each), 1, each};
  dim4 stride;
#ifdef OKK
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &whole);
#else
  tpu_aligned_stride(&stride, 0, &whole, DT_FP32);
#endif
  found[0] = (channels_t){{rows, full, 1, each}, stride, 0, 0};
  const local_addr_t last = full % lanes * lane_bytes() + full / lanes * stride.c * 4;
  found[1] = (channels_t){{rows, 1, 1, rest}, stride, last, full * each};
  return rest ? 2 : 1;
}

// A matrix [columns, rows] in system memory becomes one of [rows, columns]: element by element.
static inline void load_transposed(local_addr_t to, global_addr_t from, int rows, int columns, int row_stride) {
  channels_t parts[2];
  const int count = channels_of(rows, columns, parts);
  for (const channels_t *part = parts; part < parts + count; ++part) {
    const int each = part->shape.w;
    const dim4 shape = {rows, part->shape.c, each, 1}, system = {1, each * row_stride, row_stride, 1};
    const dim4 local = {part->stride.n, part->stride.c, 1, 1};
    LOAD(to + part->offset, from + (int64_t)part->column * row_stride * 4, &shape, &local, &system);
  }
}

static void load_floats(const void *job, int step) {
  const product_t *p = job;
  const block_t b = block_of(p, step);
  LOAD_MATRIX(left_tile(step), left_of(p, &b), b.rows, b.mids, dealt(b.mids), p->args.k);
  if (p->args.transposed) load_transposed(right_tile(step), right_of(p, &b), b.mids, b.cols, p->args.k);
  else LOAD_MATRIX(right_tile(step), right_of(p, &b), b.mids, b.cols, dealt(b.cols), p->args.n);
}

static void multiply_floats(const void *job, int step) {
  const product_t *p = job;
  const block_t b = block_of(p, step);
  MULTIPLY(work_part(), left_tile(step), right_tile(step), 0, b.rows, b.mids, b.cols, dealt(b.mids), dealt(b.cols),
           false, b.mid > 0);
  if (!b.last) return;
  channels_t parts[2];
  const int count = channels_of(b.rows, b.cols, parts);
  for (const channels_t *part = parts; part < parts + count; ++part)
    COPY(output_tile(step) + part->offset, work_part() + part->offset, part);
}

static void store_floats(const void *job, int step) {
  const product_t *p = job;
  const block_t b = block_of(p, step);
  if (b.last) STORE_MATRIX(output_of(p, &b), output_tile(step), b.rows, b.cols, dealt(b.cols), p->args.n);
}

static inline void multiply_all_floats(const product_args_t *args) {
  const product_t job = plan_floats(args);
  const stages_t stages = {load_floats, multiply_floats, store_floats};
  run_pipeline(&stages, &job, job.steps);
}
