// Layouts of tensors: strides in elements, sizes in bytes. What the kernel's processor computes for itself.
#pragma once

// Rows of lanes that c channels take from a start lane on.
static inline int tpu_channle_num_per_npu(int start_idx, int num_channels) {
  return DIV_UP(start_idx + num_channels, NPU_NUM);
}

static inline void mlusim_strides(dim4* stride, int start_idx, const dim4* shape, int h, int c) {
  stride->w = 1;
  stride->h = h;
  stride->c = c;
  stride->n = tpu_channle_num_per_npu(start_idx, shape->c) * c;
}
static inline void tpu_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype) {
  mlusim_strides(stride, start_idx, shape, shape->w, ALIGN(shape->h * shape->w, tpu_eu_num(dtype)));
}
static inline void tpu_compact_stride(dim4* stride, int start_idx, const dim4* shape) {
  mlusim_strides(stride, start_idx, shape, shape->w, shape->h * shape->w);
}
static inline void tpu_line_aligned_stride(dim4* stride, int start_idx, const dim4* shape, data_type_t dtype) {
  int line = ALIGN(shape->w, tpu_eu_num(dtype));
  mlusim_strides(stride, start_idx, shape, line, shape->h * line);
}
static inline void tpu_continuous_stride(dim4* stride, const dim4* shape) {
  stride->w = 1;
  stride->h = shape->w;
  stride->c = shape->h * shape->w;
  stride->n = shape->c * stride->c;
}

// Elements of a channel and of a batch in a lane, and bytes that a tensor takes of each lane.
static inline int tpu_get_local_cstride(int h, int w, bool align, data_type_t dtype) {
  return align ? ALIGN(h * w, tpu_eu_num(dtype)) : h * w;
}
static inline int tpu_get_local_nstride(int c_stride, int c, int start_idx) {
  return tpu_channle_num_per_npu(start_idx, c) * c_stride;
}
static inline int tpu_get_local_size(const dim4* shape, data_type_t dtype, int start_idx, bool align) {
  int channel = tpu_get_local_cstride(shape->h, shape->w, align, dtype);
  return shape->n * tpu_get_local_nstride(channel, shape->c, start_idx) * tpu_data_type_size(dtype);
}

static inline int tpu_aligned_feature_size(int h, int w, data_type_t dtype) {
  return ALIGN(DIV_UP(h * w * tpu_data_type_bits(dtype), 8), ALIGN_BYTES);
}

// The vendor's prints the values of a tensor; this one says that it was called.
static inline void tpu_print_local_mem_data(
    local_addr_t offset, int start_idx, const dim4* shape, const dim4* stride, data_type_t dtype) {
  (void)stride;
  printf("tpu_print_local_mem_data: lane %d, offset %u, [%d, %d, %d, %d], type %d\n", start_idx, offset, shape->n,
         shape->c, shape->h, shape->w, (int)dtype);
}

// The largest size of a dimension (0 to 3: n, c, h, w) in a copy.
static inline int tpu_gdma_shape_limit(int dim) { return dim >= 0 && dim < 4 ? 65535 : 0; }
