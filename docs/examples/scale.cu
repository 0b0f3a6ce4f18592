// out = factor * in, one element a thread.
template <typename T>
__global__ void scale(const T* in, T* out, T factor, unsigned count) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  out[index] = factor * in[index];
}

// The same for a column of a matrix of `width` columns: neighbours in the block are far apart in memory.
__global__ void scale_column(const float* in, float* out, float factor, unsigned rows, unsigned width) {
  unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) out[row * width] = factor * in[row * width];
}
