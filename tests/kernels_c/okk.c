// OKK kernels: what only C has (unions, structures by pointer, helpers), and a softmax that loads, computes and stores
// side by side.
#include "okk.h"
#include "bm_atomic.h"
#include "bmlib_runtime.h"

#ifndef NULL
#define NULL 0
#endif
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define UNLESS(number, command) \
  if (a->drop != number) command

typedef struct {
  unsigned long long out, in;
  int rows, columns, drop;
} __attribute__((packed)) rows_t;

enum { TILE = 64, BUFFERS = 3 };

// Row i of a tile lies in lane i. Tile t is loaded while t - 1 is computed and t - 2 is stored.
void softmax_rows(const void *arguments) {
  const rows_t *a = (const rows_t *)arguments;
  const int tiles = (a->rows + TILE - 1) / TILE;
  dim4 whole = {1, TILE, 1, a->columns}, one = {1, TILE, 1, 1}, stride, one_stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &whole);
  okk_128_byte_aligned_stride_for_32bit(&one_stride, 0, &one);
  const unsigned size = stride.n * sizeof(float), small = one_stride.n * sizeof(float);
  const local_addr_t work = BUFFERS * size, most = work + size, sum = most + small;
  OKKERNEL_ASSERT(sum + small <= okk_local_mem_size_per_npu());
  const dim4 repeated = {0, one_stride.c, 0, 0};
  okk_initialize();
  for (int t = 0; t < tiles + 2; t++) {
    UNLESS(0, okk_parallel_start());
    if (t < tiles) {
      dim4 shape = {1, MIN(TILE, a->rows - t * TILE), 1, a->columns};
      okk_gdma_32bit_cpy_S2L(t % BUFFERS * size, a->in + 4ull * t * TILE * a->columns, &shape, NULL, NULL);
    }
    if (t >= 1 && t <= tiles) {
      const local_addr_t x = (t - 1) % BUFFERS * size;
      const int rows = MIN(TILE, a->rows - (t - 1) * TILE);
      dim4 shape = {1, rows, 1, a->columns}, column = {1, rows, 1, 1};
      okk_bdc_max_pool2d(most, x, &shape, 1, a->columns, NULL, NULL);
      okk_bdc_sub(x, x, most, &shape, NULL, NULL, &repeated);
      okk_bdc_exp(x, x, work, &shape);
      okk_bdc_avg_pool2d(sum, x, &shape, 1, a->columns, NULL, NULL);
      okk_bdc_mul_C(sum, sum, (float)a->columns, &column, NULL, NULL);
      okk_bdc_div(x, x, sum, &shape, NULL, NULL, &repeated);
    }
    if (t >= 2) {
      dim4 shape = {1, MIN(TILE, a->rows - (t - 2) * TILE), 1, a->columns};
      okk_gdma_32bit_cpy_L2S(a->out + 4ull * (t - 2) * TILE * a->columns, (t - 2) % BUFFERS * size, &shape, NULL, NULL);
    }
    UNLESS(1, okk_parallel_end());
  }
  UNLESS(2, okk_poll());
}
OKKERNEL_FUNC_REGISTER(softmax_rows);

typedef struct {
  unsigned long long out, left, right, bias;
  int m, k, n, left_each, right_each;
} __attribute__((packed)) matmul_t;

void matmul(const void *arguments) {
  const matmul_t *a = (const matmul_t *)arguments;
  const unsigned quarter = okk_local_mem_size_per_npu() / 4;
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(0, a->left, a->m, a->k, a->left_each, a->k);
  okk_gdma_32bit_matrix_S2L(quarter, a->right, a->k, a->n, a->right_each, a->n);
  okk_gdma_32bit_matrix_S2L(2 * quarter, a->bias, 1, a->n, a->right_each, a->n);
  okk_bdc_matmul(3 * quarter, 0, quarter, 2 * quarter, a->m, a->k, a->n, a->left_each, a->right_each, true, false);
  okk_gdma_32bit_matrix_L2S(a->out, 3 * quarter, a->m, a->n, a->right_each, a->n);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(matmul);

typedef struct {
  unsigned long long out, in, weights;
  dim4 shape;
  int channels, kernel;
} __attribute__((packed)) conv_t;

// Padding and stride are given, the dilation is null.
void conv(const void *arguments) {
  const conv_t *a = (const conv_t *)arguments;
  const dim4 shape = a->shape, weights = {(shape.c + 1) / 2, a->channels, a->kernel, a->kernel};
  const dim4 packed = {weights.n, weights.c, weights.h, 2 * weights.w};
  const Padding padding = {.top = 1, .bottom = 0, .left = 2, .right = 1};
  const dim2 stride = {.h = 2, .w = 1};
  const dim4 out = {shape.n, a->channels, (shape.h + 1 - a->kernel) / 2 + 1, shape.w + 3 - a->kernel + 1};
  const unsigned third = okk_local_mem_size_per_npu() / 3 / 128 * 128;
  dim4 pairs, floats;
  okk_compact_stride(&pairs, 0, &weights);
  okk_compact_stride(&floats, 0, &packed);
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(third, a->in, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(2 * third, a->weights, &packed, &floats, NULL);
  okk_bdc_conv2d(0, third, 2 * third, 0, &shape, a->channels, a->kernel, a->kernel, NULL, &pairs, false, false,
                 &padding, &stride, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &out, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(conv);

typedef struct {
  unsigned long long out, in;
} __attribute__((packed)) pair_t;

// Values in unions, and tensors or values by pointer; the results lie behind each other.
void unions(const void *arguments) {
  const pair_t *a = (const pair_t *)arguments;
  const dim4 shape = {1, 3, 1, 4};
  const x32 third = {.fp32 = 1.f / 3}, minus = {.s32 = -7};
  const x16 half = {.s16 = -2};
  const x8 byte = {.u8 = 200};
  const fp32_or_addr_t x = {true, {.addr = 0}}, zero = {false, {.val = 0.f}};
  const x32_or_addr_t same = {true, {.addr = 0}}, other = {false, {.val = {.fp32 = 0.25f}}};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->in, &shape, NULL, NULL);
  okk_bdc_greater_select(1024, &x, &zero, &same, &other, &shape);
  okk_gdma_32bit_cpy_L2S(a->out, 1024, &shape, NULL, NULL);
  okk_bdc_equal_C_select_value(1024, 0, 2.f, third, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out + 48, 1024, &shape, NULL, NULL);
  okk_bdc_32bit_set_C(1024, minus, &shape, NULL);
  okk_bdc_32bit_C_logical_shift(1024, 1024, 0x80000000u, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out + 96, 1024, &shape, NULL, NULL);
  okk_gdma_32bit_set_C_system(a->out + 144, third, &shape, NULL);
  okk_gdma_16bit_set_C_system(a->out + 192, half, &shape, NULL);
  okk_gdma_8bit_set_C_system(a->out + 216, byte, &shape, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(unions);

// A tensor goes to the end of the second level's memory and comes back, or (in: 1) begins one float behind.
void second_level(const void *arguments) {
  const pair_t *a = (const pair_t *)arguments;
  const dim4 shape = {1, 70, 2, 3};
  const system_addr_t end = okk_l2_sram_start_addr() + okk_l2_sram_size();
  okk_initialize();
  okk_gdma_32bit_set_C_local(0, (x32){.s32 = 5}, &shape, NULL);
  okk_gdma_32bit_cpy_L2S(end - 4 * 420 + 4 * a->in, 0, &shape, NULL, NULL);
  if (!a->in) okk_gdma_32bit_cpy_S2L(4096, end - 4 * 420, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, a->in ? 0 : 4096, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(second_level);

typedef struct {
  unsigned long long out;
  dim4 shape;
  int start;
} __attribute__((packed)) layout_t;

// Strides of five layouts, then what the chip has.
void layouts(const void *arguments) {
  const layout_t *a = (const layout_t *)arguments;
  int *out = (int *)okk_global_mem_addr(a->out);
  const dim4 shape = a->shape;
  dim4 found[5];
  okk_128_byte_aligned_stride_for_32bit(&found[0], a->start, &shape);
  okk_128_byte_aligned_stride_for_16bit(&found[1], a->start, &shape);
  okk_128_byte_aligned_stride_for_8bit(&found[2], a->start, &shape);
  okk_compact_stride(&found[3], a->start, &shape);
  okk_continuous_stride(&found[4], &shape);
  for (int i = 0; i < 5; i++) {
    *out++ = found[i].n;
    *out++ = found[i].c;
    *out++ = found[i].h;
    *out++ = found[i].w;
  }
  *out++ = okk_channle_num_per_npu(a->start, shape.c);
  *out++ = okk_start_npu_index(a->start * okk_local_mem_size_per_npu() + 128);
  *out++ = okk_npu_num();
  *out++ = okk_eu_num();
  *out++ = okk_local_mem_size_per_npu();
  *out++ = okk_local_mem_bank_per_npu();
  *out++ = okk_l2_sram_size();
  *out++ = okk_dtcm_size();
  *out++ = okk_is_parallel_state();
  okk_parallel_start();
  *out++ = okk_is_parallel_state();
  okk_parallel_end();
}
OKKERNEL_FUNC_REGISTER(layouts);

// What is known and not modelled, and memory that the processor does not reach.
void packed(const void *arguments) {
  const dim4 shape = {1, 3, 1, 4};
  okk_bdc_fixed_point_packed_add(0, 0, 0, &shape, NULL, NULL, NULL, S8_OP_S8_TO_S8, 0);
  (void)arguments;
}
OKKERNEL_FUNC_REGISTER(packed);
void reach(const void *arguments) {
  const pair_t *a = (const pair_t *)arguments;
  *(float *)okk_global_mem_addr(a->out) = *(float *)okk_dtcm_addr(okk_dtcm_start_addr());
}
OKKERNEL_FUNC_REGISTER(reach);
