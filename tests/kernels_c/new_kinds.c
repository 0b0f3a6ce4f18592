// TPU-KERNEL: instructions on tensors, called as the host asks; layouts, casts of scalars, and faults.
#include "tpu_kernel.h"

// CASES, a call of each function, and the number of POWER come from tests/isa/tensors_from_c.py.
enum { NO_DST_STRIDE = 1, NO_SRC0_STRIDE = 2, NO_SRC1_STRIDE = 4, NO_SHAPE = 8, WILD_SHAPE = 16, LATE_SHAPE = 32 };

typedef struct {
  global_addr_t image;         // all of local memory, before and after
  local_addr_t at[8];          // operands, in order
  dim4 shape, stride[3];       // of the destination and the sources
  dim4 whole;                  // the shape of all of local memory, in bytes
  int given;                   // which of them are not given
  int function, dtype, source_dtype, mode;
  system_addr_t system;        // where a copy goes or comes from
} call_t;

// One instruction on a core whose local memory is the image.
int call(const void *arguments) {
  const call_t *c = arguments;
  const local_addr_t *at = c->at;
  const dim4 *dst = c->given & NO_DST_STRIDE ? NULL : c->stride;
  const dim4 *src0 = c->given & NO_SRC0_STRIDE ? NULL : c->stride + 1;
  const dim4 *src1 = c->given & NO_SRC1_STRIDE ? NULL : c->stride + 2;
  dim4 shape = c->shape;
  const dim4 *given = c->given & NO_SHAPE ? NULL : c->given & WILD_SHAPE ? (const dim4 *)64 : &shape;
  const data_type_t dtype = c->dtype, source_dtype = c->source_dtype;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, c->image, &c->whole, NULL, NULL, DT_UINT8);
  switch (c->function) {
    CASES
  }
  if (c->function == POWER)
    for (int work = 3; work < 5; ++work) tpu_gdma_cpy_S2L(at[work], c->system, given, NULL, NULL, DT_FP32);
  // The commands have the structure as it was.
  if (c->given & LATE_SHAPE) shape.n = shape.c = shape.h = shape.w = 7;
  tpu_gdma_cpy_L2S(c->image, 0, &c->whole, NULL, NULL, DT_UINT8);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(call);

typedef struct {
  global_addr_t out, in, how;
  int count;
} casts_t;

// Conversions of scalars: out[i] = in[i] in another type, in unions; how[i] holds function, mode and types, a byte each.
int casts(const void *arguments) {
  const casts_t *c = arguments;
  scalar_t *out = tpu_global_mem_addr(c->out);
  const scalar_t *in = tpu_global_mem_addr(c->in);
  const uint32_t *how = tpu_global_mem_addr(c->how);
  for (int i = 0; i < c->count; ++i) {
    const data_type_t to = how[i] >> 16 & 255, from = how[i] >> 24;
    const rounding_mode_t mode = how[i] >> 8 & 255;
    switch (how[i] & 255) {
      case 0: out[i] = tpu_cast(in[i], to, from, mode); break;
      case 1: out[i] = tpu_fp_cast(in[i], to, from, mode); break;
      case 2: out[i] = tpu_fp_to_int_cast(in[i], to, from, mode); break;
      case 3: out[i] = tpu_int_to_fp_cast(in[i], to, from, mode); break;
      case 4: out[i] = tpu_int_cast(in[i], to, from); break;
    }
  }
  return 0;
}
TPUKERNEL_FUNC_REGISTER(casts);

typedef struct {
  global_addr_t out;
  dim4 shape;
  int start, dtype;
} layout_t;

// Every helper of layouts, its numbers one after the other.
int layouts(const void *arguments) {
  const layout_t *l = arguments;
  int *out = tpu_global_mem_addr(l->out);
  dim4 stride[4];
  tpu_aligned_stride(stride, l->start, &l->shape, l->dtype);
  tpu_compact_stride(stride + 1, l->start, &l->shape);
  tpu_line_aligned_stride(stride + 2, l->start, &l->shape, l->dtype);
  tpu_continuous_stride(stride + 3, &l->shape);
  for (int i = 0; i < 4; ++i) {
    const dim4 *s = stride + i;
    *out++ = s->n, *out++ = s->c, *out++ = s->h, *out++ = s->w;
  }
  *out++ = tpu_aligned_feature_size(l->shape.h, l->shape.w, l->dtype);
  *out++ = tpu_channle_num_per_npu(l->start, l->shape.c);
  for (int dim = 0; dim < 4; ++dim) *out++ = tpu_gdma_shape_limit(dim);
  *out++ = tpu_eu_num(l->dtype);
  *out++ = tpu_data_type_size(l->dtype);
  *out++ = tpu_npu_num();
  *out++ = tpu_local_mem_size_per_npu();
  for (int align = 0; align < 2; ++align) *out++ = tpu_get_local_size(&l->shape, l->dtype, l->start, align);
  return 0;
}
TPUKERNEL_FUNC_REGISTER(layouts);

// Whether a section is open: before one, inside and after it, and after a second one.
int sections(const void *arguments) {
  int *out = tpu_global_mem_addr(*(const global_addr_t *)arguments);
  tpu_initialize();
  *out++ = tpu_is_parallel_state();
  tpu_parallel_start();
  *out++ = tpu_is_parallel_state();
  if (tpu_is_parallel_state()) tpu_parallel_end();
  *out++ = tpu_is_parallel_state();
  tpu_parallel_start();
  tpu_parallel_end();
  *out = tpu_is_parallel_state();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(sections);

// A scalar in a union as an argument: what is not found is filled with it.
int gather(const void *arguments) {
  const call_t *c = arguments;
  scalar_t fill = {.u32 = 0xdeadbeef};
  if (c->dtype == DT_FP32) fill.f32 = -1.5f;
  if (c->dtype == DT_INT16) fill.s16 = -7;
  if (c->dtype == DT_FP16) fill.f16.bits = 0x3c01;
  tpu_initialize();
  tpu_hau_line_gather(c->image, c->system, c->system + 512, fill, 4, 16, 4, 0, 3, (data_type_t)c->dtype, true);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(gather);
