// The result is declared const and written.
template <typename T>
__global__ void negate(unsigned count, const T* in, const T* out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) out[index] = -in[index];
}
