// One kernel for each rule that only blocks of threads can break; see findings.md.

// Each thread stores into the first half of shared memory while others still load from it.
__global__ void race(float* x) {
  __shared__ float part[128];
  part[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = part[(threadIdx.x + 1) % 128];
}
