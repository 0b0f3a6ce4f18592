// Commands on tensors as a table has them, each a few times: for OKK, or for TPU-KERNEL.
#ifdef OKK
#include "okk.h"
#define CALL(name) okk_##name
#define COPY(way, to, from) okk_gdma_32bit_cpy_##way(to, from, shape, to_stride, from_stride)
#define ADD(to, a, b) okk_bdc_add(to, a, b, shape, NULL, NULL, NULL)
#define IN(to, from, rows, columns, each, apart) okk_gdma_32bit_matrix_S2L(to, from, rows, columns, each, apart)
#define OUT(to, from, rows, columns, each, apart) okk_gdma_32bit_matrix_L2S(to, from, rows, columns, each, apart)
#define TURN(to, from)
#define PRODUCT okk_bdc_matmul
#define FORGET(at, scratch) okk_bdc_exp(at, at, scratch, shape)
#define FLUSH(at)
#define REGISTER OKKERNEL_FUNC_REGISTER
#else
#include "tpu_kernel.h"
#define CALL(name) tpu_##name
#define COPY(way, to, from) tpu_gdma_cpy_##way(to, from, shape, to_stride, from_stride, DT_FP32)
#define ADD(to, a, b) tpu_bdc_fp_add(to, a, b, shape, NULL, NULL, NULL, DT_FP32)
#define IN(to, from, rows, columns, each, apart) tpu_gdma_matrix_S2L(to, from, rows, columns, each, apart, DT_FP32)
#define OUT(to, from, rows, columns, each, apart) tpu_gdma_matrix_L2S(to, from, rows, columns, each, apart, DT_FP32)
#define TURN(to, from) tpu_gdma_cpy_nc_trans_S2L(to, from, shape, NULL, NULL, DT_FP32)
#define PRODUCT tpu_bdc_fp32_mm
#define FORGET(at, scratch)
#define FLUSH(at) tpu_flush_cache(at, 64)
#define REGISTER TPUKERNEL_FUNC_REGISTER
#endif
#ifndef NULL
#define NULL 0
#endif

enum { STEPS = 40, SLOT = 16384, OFFSETS = 8 };
enum { LOAD, STORE, MOVE, MATRIX_IN, MATRIX_OUT, MULTIPLY, CONVOLVE, SUM, OPEN, CLOSE, WAIT, SCALAR_STORE, CLEAN, UNDEFINE,
       TRANSPOSE };

typedef struct {
  int kind, times, to, from, other, form, adds;
} step_t;

typedef struct {
  unsigned long long out, in;
  int count;
  step_t steps[STEPS];
} table_t;

void table(const void *arguments) {
  const table_t *t = (const table_t *)arguments;
  static const dim4 shapes[] = {{1, 3, 2, 5}, {2, 70, 1, 16}, {1, 64, 4, 8}, {1, 1, 1, 130}};
  CALL(initialize)();
  for (int i = 0; i < t->count; i++) {
    const step_t *s = &t->steps[i];
    dim4 form = shapes[s->form % 4], apart = {form.c * form.h * form.w, form.h * form.w, form.w, 1};
    dim4 wide = {2 * apart.n, 2 * apart.c, 2 * apart.h, 1};
    const dim4 *shape = &form, *to_stride = NULL, *from_stride = s->form & 4 ? &wide : NULL;
    const unsigned to = s->to * SLOT, from = s->from * SLOT, other = s->other * SLOT;
    const int rows = 1 + s->form % 3, inner = 1 + s->form % 5, columns = 70 + s->form;
    for (int k = 0; k < s->times; k++) {
      const unsigned long long in = t->in + 64 * ((s->from + k) % OFFSETS), out = t->out + 64 * (s->to * k % OFFSETS);
      switch (s->kind) {
        case LOAD: COPY(S2L, to, in); break;
        case STORE: COPY(L2S, out, from); break;
        case MOVE: COPY(L2L, to, from); break;
        case MATRIX_IN:  // at two places of the source
          if (s->other)
            IN(to, in, s->adds ? rows : inner, s->adds ? inner : columns, 7, columns);
          else
            IN(to, in, s->adds ? rows : inner, s->adds ? inner : columns, 7, columns);
          break;
        case MATRIX_OUT: OUT(out, from, rows, columns, 7, columns); break;
        case MULTIPLY: PRODUCT(to, from, other, 0, rows, inner, columns, 1, 7, false, s->adds); break;
        case CONVOLVE: {
#ifdef OKK
          const dim4 input = {2, inner, 6, 5}, weights = {9 * 12, 9, 3, 1};
          const Padding padding = {1, 1, 1, 0};
          const dim2 steps = {1 + s->form % 2, 1};
          okk_bdc_conv2d(to, from, other, 0, &input, 12, 1 + s->form % 3, 3, NULL, &weights, false, s->adds, &padding,
                         &steps, NULL);
#endif
          break;
        }
        case SUM: ADD(to, from, from); break;
        case OPEN: CALL(parallel_start)(); break;
        case CLOSE: CALL(parallel_end)(); break;
        case WAIT: CALL(poll)(); break;
        case SCALAR_STORE: *(volatile float *)in = k; break;
        case CLEAN: FLUSH(t->in + 64 * (k % OFFSETS)); break;
        case UNDEFINE: FORGET(to, other); break;
        case TRANSPOSE: TURN(to, in); break;
      }
    }
  }
  CALL(poll)();
}
REGISTER(table);
