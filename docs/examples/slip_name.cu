// `blockId` for `blockIdx`: an error of the compiler, in a template too.
template <typename T>
__global__ void negate(unsigned count, const T* in, T* out) {
  unsigned index = blockId.x * blockDim.x + threadIdx.x;
  if (index < count) out[index] = -in[index];
}
