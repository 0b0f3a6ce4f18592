// The kernels for elements of type T and results of type Out; variants.cu names the types.

__global__ void nobroadcast(uint64_t count, What what, const T* in0, const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  out[index] = compute<Out>(what, in0[index], in1[index]);
}

__global__ void stride(uint64_t count, int dims, What what, Strides by, const T* in0, const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  uint64_t rest = index, offset0 = 0, offset1 = 0;
  for (int i = 0; i < dims; i++) {
    offset0 += rest / by.out[i] * by.in0[i];
    offset1 += rest / by.out[i] * by.in1[i];
    rest %= by.out[i];
  }
  out[index] = compute<Out>(what, in0[offset0], in1[offset1]);
}

// `dense` takes an index apart, `by` says where its elements lie: the output changes its layout.
__global__ void limit_nhwc(uint64_t count, int dims, What what, Strides dense, Strides by, const T* in0, const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  uint64_t offset0 = 0, offset1 = 0, offset = 0;
  for (int i = 0; i < dims; i++) {
    uint64_t at = index / dense.out[i];
    offset0 += at * by.in0[i];
    offset1 += at * by.in1[i];
    offset += at * by.out[i];
    index %= dense.out[i];
  }
  out[offset] = compute<Out>(what, in0[offset0], in1[offset1]);
}

__device__ void with_shorter(bool first_shorter, uint64_t index, uint64_t shorter, const What& what, const T* in0, const T* in1,
                             Out* out) {
  out[index] = compute<Out>(what, in0[first_shorter ? shorter : index], in1[first_shorter ? index : shorter]);
}

__global__ void one_scalar(uint64_t count, bool first_shorter, What what, const T* in0, const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) with_shorter(first_shorter, index, 0, what, in0, in1, out);
}

__global__ void one_dimension(uint64_t count, int inner_dim, bool first_shorter, What what, const T* in0, const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) with_shorter(first_shorter, index, index % inner_dim, what, in0, in1, out);
}

__global__ void one_not_broadcast(uint64_t count, int axis_lgt, int inner_dim, bool first_shorter, What what, const T* in0,
                                  const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) with_shorter(first_shorter, index, index / inner_dim % axis_lgt, what, in0, in1, out);
}

__global__ void one_broadcast(uint64_t count, int outer_stride, int inner_dim, bool first_shorter, What what, const T* in0,
                              const T* in1, Out* out) {
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) with_shorter(first_shorter, index, index / outer_stride * inner_dim + index % inner_dim, what, in0, in1, out);
}
