// Matrix products: of 16-bit floats on the cube, with sums in 32 bits; of 32-bit floats on the vector unit.
#include "float_product.h"

// A tile of the left matrix has four rows of lanes, and the right one as many rows and columns as 16 rows of lanes.
static product_t plan_cube(const product_args_t *args) {
  return plan_product(args, 2, 4 * NPU_NUM, 16 * NPU_NUM, 16 * NPU_NUM);
}

static local_addr_t left_matrix(int step) { return part_of(step); }
static local_addr_t right_matrix(int step) { return part_of(step) + part_bytes() / 4; }
static local_addr_t output_matrix(int step) { return part_of(step) + part_bytes() / 8 * 7; }
static local_addr_t sums(void) { return work_part(); }
static local_addr_t part_sums(void) { return work_part() + part_bytes(); }

// A block of a matrix: its rows are channels.
static void load_matrix(local_addr_t to, global_addr_t from, int rows, int columns, int stride, int dtype) {
  const dim4 shape = {1, rows, 1, columns}, system = {1, stride, 1, 1};
  tpu_gdma_cpy_S2L(to, from, &shape, NULL, &system, dtype);
}

static void load_cube(const void *job, int step) {
  const product_t *p = job;
  const product_args_t *a = &p->args;
  const block_t b = block_of(p, step);
  load_matrix(left_matrix(step), left_of(p, &b), b.rows, b.mids, a->k, a->dtype);
  if (a->transposed) load_matrix(right_matrix(step), right_of(p, &b), b.cols, b.mids, a->k, a->dtype);
  else load_matrix(right_matrix(step), right_of(p, &b), b.mids, b.cols, a->n, a->dtype);
}

static void multiply_cube(const void *job, int step) {
  const product_t *p = job;
  const int dtype = p->args.dtype;
  const block_t b = block_of(p, step);
  const dim4 shape = {1, b.rows, 1, b.cols};
  const local_addr_t left = left_matrix(step), right = right_matrix(step);
  if (p->args.transposed) {  // which does not add to what is there
    const local_addr_t to = b.mid ? part_sums() : sums();
    tpu_bdc_fp_mm_R_trans(to, left, right, b.rows, b.mids, b.cols, DT_FP32, dtype);
    if (b.mid) tpu_bdc_fp_add(sums(), sums(), to, &shape, NULL, NULL, NULL, DT_FP32);
  } else {
    tpu_bdc_fp_mm(sums(), left, right, b.rows, b.mids, b.cols, DT_FP32, dtype, b.mid > 0);
  }
  if (b.last) tpu_bdc_cast(output_matrix(step), sums(), &shape, NULL, NULL, dtype, DT_FP32, RM_HALF_TO_EVEN);
}

static void store_cube(const void *job, int step) {
  const product_t *p = job;
  const block_t b = block_of(p, step);
  const dim4 shape = {1, b.rows, 1, b.cols}, system = {1, p->args.n, 1, 1};
  if (b.last) tpu_gdma_cpy_L2S(output_of(p, &b), output_matrix(step), &shape, &system, NULL, p->args.dtype);
}

int matmul(const void *arguments) {
  const product_args_t *args = (const product_args_t *)arguments;
  tpu_initialize();
  if (args->dtype == DT_FP32) {
    multiply_all_floats(args);
  } else {
    const product_t job = plan_cube(args);
    const stages_t stages = {load_cube, multiply_cube, store_cube};
    run_pipeline(&stages, &job, job.steps);
  }
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(matmul);
