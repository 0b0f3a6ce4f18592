// The kernels of the TPU card suite: each repeats one thing, `times` times, on `bytes` bytes of every lane or `parts`.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t far;  // zeros, APART bytes a core
  int bytes, times, parts;
} row_t;

#define APART (4 << 20)
#define QUARTER (LOCAL_MEM_SIZE / 4)
#define BANKS(number) ((local_addr_t)(number) * QUARTER)  // operands lie in banks of their own

static const dim2 one = {1, 1}, two = {2, 2};
static const padding_t none = {0, 0, 0, 0};

// Fills what kernels read, 32 KB of a lane in each quarter.
static void fill(float value) {
  const dim4 shape = {1, NPU_NUM, 1, 8192};
  const scalar_t number = {.f32 = value};
  for (int quarter = 0; quarter < 4; quarter++) tpu_bdc_set_C(BANKS(quarter), number, &shape, NULL, DT_FP32);
}

#define KERNEL(name, before, ...)                                               \
  int name(const void* arguments) {                                             \
    const row_t* r = (const row_t*)arguments;                                   \
    const global_addr_t own = r->far + (global_addr_t)tpu_core_index() * APART; \
    const dim4 shape = {1, NPU_NUM, 1, MAX(r->bytes / 4, 1)};                   \
    const local_addr_t a = BANKS(0), b = BANKS(1), c = BANKS(2), d = BANKS(3);  \
    (void)own, (void)shape, (void)a, (void)b, (void)c, (void)d;                 \
    tpu_initialize();                                                           \
    before;                                                                     \
    for (int time = 0; time < r->times; time++) {                               \
      __VA_ARGS__;                                                              \
    }                                                                           \
    tpu_poll();                                                                 \
    return 0;                                                                   \
  }                                                                             \
  TPUKERNEL_FUNC_REGISTER(name)

// --- launches, waits, barriers, the processor ---

KERNEL(launches, , tpu_poll())
KERNEL(waits, , tpu_poll())
KERNEL(barriers, , tpu_sync_all())
KERNEL(flushes, , tpu_flush_cache(tpu_global_mem_addr(own), r->bytes))

int scalars(const void* arguments) {
  const row_t* r = (const row_t*)arguments;
  int* there = (int*)tpu_global_mem_addr(r->far);
  unsigned found = 1;
  tpu_initialize();
  for (int time = 0; time < r->times; time++) found = (found ^ (found << 1)) + (unsigned)r->parts;
  there[0] = (int)found;
  tpu_flush_cache(there, 64);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(scalars)

int reads(const void* arguments) {
  const row_t* r = (const row_t*)arguments;
  volatile int* there = (volatile int*)tpu_global_mem_addr(r->far);
  int found = 0;
  tpu_initialize();
  for (int time = 0; time < r->times; time++) found += there[time % 1024];
  there[1024] = found;
  tpu_flush_cache((void*)(there + 1024), 64);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(reads)

// --- copies ---

KERNEL(loads, , tpu_gdma_cpy_S2L(a, own, &shape, NULL, NULL, DT_FP32))
KERNEL(stores, fill(1), tpu_gdma_cpy_L2S(own, a, &shape, NULL, NULL, DT_FP32))
KERNEL(loads_waited, , tpu_gdma_cpy_S2L(a, own, &shape, NULL, NULL, DT_FP32); tpu_poll())
KERNEL(moves, fill(1), tpu_gdma_cpy_L2L(b, a, &shape, NULL, NULL, DT_FP32))

// --- BDC, a kernel for each class of instructions ---

KERNEL(additions, fill(1), tpu_bdc_fp_add(c, a, b, &shape, NULL, NULL, NULL, DT_FP32))

static variable_t tensor(local_addr_t address) { return (variable_t){TENSOR, {.addr = address}}; }

static void selected(const row_t* r, const dim4* shape) {
  const variable_t left = tensor(BANKS(0)), right = tensor(BANKS(1));
  const variable_t zero = {SCALAR, {.scalar = {.f32 = 0}}};
  (void)r;
  tpu_bdc_greater_select(BANKS(2), &left, &right, &left, &zero, shape, DT_FP32, DT_FP32);
}
KERNEL(selections, fill(1), selected(r, &shape))

// A window of 2 x 2 over two rows of half the bytes; the result has one.
static dim4 rows_of(const row_t* r) { return (dim4){1, NPU_NUM, 2, r->bytes / 8}; }

KERNEL(poolings, fill(1), const dim4 input = rows_of(r);
       tpu_bdc_fp_max_pool2d(c, a, &input, &two, &none, &one, &one, DT_FP32, (scalar_t){.f32 = 0}))
KERNEL(depthwise, fill(1), const dim4 input = rows_of(r);
       tpu_bdc_fp_depthwise2d(c, a, b, 0, &input, &two, &none, &one, &one, DT_FP32, false))
KERNEL(logarithms, fill(1); tpu_bdc_load_fp32_log_coeff(d), tpu_bdc_fp32_log(c, a, b, d, &shape))
KERNEL(roots, fill(1), tpu_bdc_fp32_rsqrt(c, a, &shape))

// `parts` channels in, 1 x 1, to as many channels as there are lanes.
static void convolved(const row_t* r, data_type_t dtype) {
  const dim4 input = {1, r->parts, 1, r->bytes / 4};
  tpu_bdc_fp_conv2d(BANKS(2), BANKS(0), BANKS(1), 0, &input, NULL, NPU_NUM, &one, &none, &one, &one, dtype, dtype,
                    false, false);
}
KERNEL(convolutions, fill(1), convolved(r, DT_FP32))
KERNEL(convolutions_half, fill(0), convolved(r, DT_FP16))

// Products of `parts` rows of 64 columns with 64 rows of 1024 or, in half precision, bytes / 4 columns.
KERNEL(products, fill(1), tpu_bdc_fp32_mm(c, a, b, 0, r->parts, 64, 1024, 1, 16, false, false))
KERNEL(products_half, fill(0), tpu_bdc_fp_mm(c, a, b, r->parts, 64, r->bytes / 4, DT_FP16, DT_FP16, false))
KERNEL(products_right, fill(0), tpu_bdc_fp_mm_R_trans(c, a, b, r->parts, 64, r->bytes / 4, DT_FP16, DT_FP16))
KERNEL(products_both, fill(0), tpu_bdc_fp_mm_all_trans(c, a, b, 64, r->parts, r->bytes / 4, DT_FP16, DT_FP16, false))

KERNEL(requantizations, fill(0),
       tpu_bdc_int_requant(c, a, &shape, 3, -1, (scalar_t){.s32 = 0}, DT_INT8, DT_INT32, RM_HALF_UP))
KERNEL(gathers, fill(0), tpu_bdc_w_gather(c, a, b, &shape, 64, DT_FP32, DT_UINT16))
KERNEL(gathers_of_lines, fill(0), const dim4 lines = {1, NPU_NUM, 16, r->bytes / 64};
       tpu_bdc_batch_bcast_h_gather(c, a, b, &lines, 16, DT_FP32, DT_UINT16, false))
KERNEL(transpositions, fill(1), tpu_bdc_cw_trans(c, a, &shape, DT_FP32))
KERNEL(broadcasts, fill(1), tpu_bdc_npu_bcast(c, a, &shape, DT_FP32))

// --- HAU ---

KERNEL(sorts, , tpu_hau_sort(own + APART / 2, own, r->bytes / 4, r->bytes / 4, true, DT_FP32))
KERNEL(line_gathers, ,
       tpu_hau_line_gather(own + APART / 2, own, own + APART / 4, (scalar_t){.f32 = 0}, 16, 16, r->bytes / 64, 0, 15,
                           DT_FP32, false))
