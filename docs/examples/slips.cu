// Four slips that are easily made in elementwise kernels, each beside its fixed form; see cuda.md.
#include <cuda_fp16.h>

// Both inputs go to shared memory as pairs, and the sums over the first of them. Seen as halves, the two inputs lie
// elsewhere than their pairs: other threads have stored what a thread loads, with no barrier between.
__global__ void overlapping(const half2* a, const half2* b, half2* out) {
  __shared__ half2 pairs[256];
  half* halves = reinterpret_cast<half*>(pairs);
  int t = threadIdx.x;
  pairs[t] = a[t];
  pairs[t + 128] = b[t];
  halves[t] = __hadd(halves[t], halves[t + 128]);
  out[t] = pairs[t];
}

// Each thread works on its own pairs: no barrier is needed.
__global__ void overlapping_fixed(const half2* a, const half2* b, half2* out) {
  __shared__ half2 pairs[256];
  int t = threadIdx.x;
  pairs[t] = a[t];
  pairs[t + 128] = b[t];
  pairs[t] = __hadd2(pairs[t], pairs[t + 128]);
  out[t] = pairs[t];
}

// `>` lets the thread behind the last element through.
__global__ void one_behind(unsigned count, const bool* a, const bool* b, bool* out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index > count) return;
  out[index] = a[index] != b[index];
}

__global__ void one_behind_fixed(unsigned count, const bool* a, const bool* b, bool* out) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  out[index] = a[index] != b[index];
}

// The macro ends in two underscores: without them it is 0, and nothing is left of the body.
__global__ void left_out(const float* a, float* out) {
#if __CUDA_ARCH__ >= 600 && __CUDACC_VER_MAJOR >= 9
  out[threadIdx.x] = -a[threadIdx.x];
#endif
}

__global__ void left_out_fixed(const float* a, float* out) {
#if __CUDA_ARCH__ >= 600 && __CUDACC_VER_MAJOR__ >= 9
  out[threadIdx.x] = -a[threadIdx.x];
#endif
}
