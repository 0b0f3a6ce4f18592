// What is measured of blocks of threads.
__global__ void add(const float* a, const float* b, float* c, unsigned count) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  c[index] = a[index] + b[index];
}

// A sum for each block: shared memory, and nine barriers.
__global__ void sums(const float* in, float* out) {
  __shared__ float part[256];
  unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (unsigned step = 128; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
