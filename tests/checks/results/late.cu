// Its last elements come out one too early.
__global__ void late(float *out, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i - (i > 700)];
}
