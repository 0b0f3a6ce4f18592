// Carries out the steps of a program, eight numbers each; see program.py.
#include "tpu_kernel.h"

typedef struct {
  global_addr_t steps, system, start, out;
  int count, room;
} args_t;

enum { IN, OUT, LOCAL, SYSTEM, FILL, ADD, MAXIMUM, COPY, SCALE, SDMA, START, END, POLL };

static void carry_out(const args_t *a, const int *step) {
  const dim4 shape = {1, step[5], 1, step[6]};
  const local_addr_t lane = step[4] * LOCAL_MEM_SIZE;
  const local_addr_t to = lane + step[1] * 4, of = lane + step[2] * 4, by = lane + step[3] * 4;
  const system_addr_t there = a->system + step[1] * 4, here = a->system + step[2] * 4;
  const int row = DIV_UP(step[6] * step[7], EU_NUM) * EU_NUM;
  const dim4 strides = {3 * row, row, row, step[7]}, *st = step[7] > 1 ? &strides : NULL;
  const scalar_t half = {.f32 = 0.5f}, three = {.f32 = 3.f};
  switch (step[0]) {
    case IN: tpu_gdma_cpy_S2L(to, here, &shape, st, NULL, DT_FP32); break;
    case OUT: tpu_gdma_cpy_L2S(there, of, &shape, NULL, st, DT_FP32); break;
    case LOCAL: tpu_gdma_cpy_L2L(to, of, &shape, st, st, DT_FP32); break;
    case SYSTEM: tpu_gdma_cpy_S2S(there, here, &shape, NULL, NULL, DT_FP32); break;
    case FILL: tpu_bdc_set_C(to, three, &shape, st, DT_FP32); break;
    case ADD: tpu_bdc_fp_add(to, of, by, &shape, st, st, st, DT_FP32); break;
    case MAXIMUM: tpu_bdc_max(to, of, by, &shape, st, st, st, DT_FP32); break;
    case COPY: tpu_bdc_cpy(to, of, &shape, st, st, DT_FP32); break;
    case SCALE: tpu_bdc_fp_mul_C(to, of, half, &shape, st, st, DT_FP32); break;
    case SDMA: tpu_sdma_cpy_S2S(there, here, &shape, NULL, NULL, DT_FP32); break;
    case START: tpu_parallel_start(); break;
    case END: tpu_parallel_end(); break;
    default: tpu_poll();
  }
}

void program(const void *arguments) {
  const args_t *a = (const args_t *)arguments;
  const int *steps = (const int *)tpu_global_mem_addr(a->steps);
  const dim4 all = {1, NPU_NUM, 1, a->room};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->start, &all, NULL, NULL, DT_FP32);
  for (int step = 0; step < a->count; ++step) carry_out(a, steps + 8 * step);
  tpu_gdma_cpy_L2S(a->out, 0, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(program);
