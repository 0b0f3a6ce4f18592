// Threads of a warp that exchange values, as they do it right, and with mistakes.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define FULL 0xffffffffu

template <typename T>
__device__ T warp_sum(T v) {
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(FULL, v, o);
  return v;
}

__global__ void block_sum(float *out, const float *in, int n) {
  __shared__ float part[32];
  float v = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += in[i];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x < blockDim.x / 32 ? part[threadIdx.x] : 0;
  if (threadIdx.x < 32) v = warp_sum(v);
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}

// Column k: one form of a shuffle.
__global__ void shuffles(int *out, int width) {
  int t = threadIdx.x, v = 100 + t;
  int *row = out + 4 * t;
  row[0] = __shfl_sync(FULL, v, 5, width);
  row[1] = __shfl_up_sync(FULL, v, 3, width);
  row[2] = __shfl_down_sync(FULL, v, 3, width);
  row[3] = __shfl_xor_sync(FULL, v, 9, width);
}

__global__ void types(double *d, unsigned long long *u, half *h, half2 *p, short *s) {
  int t = threadIdx.x;
  d[t] = __shfl_xor_sync(FULL, d[t], 1);
  u[t] = __shfl_xor_sync(FULL, u[t], 1);
  h[t] = __shfl_xor_sync(FULL, h[t], 1);
  p[t] = __shfl_xor_sync(FULL, p[t], 1);
  s[t] = __shfl_xor_sync(FULL, s[t], 1);
}

__global__ void votes(unsigned *out, const int *in) {
  int t = threadIdx.x, all;
  unsigned *row = out + 10 * t;
  row[0] = __ballot_sync(FULL, in[t] > 2);
  row[1] = __any_sync(FULL, in[t] > 2);
  row[2] = __all_sync(FULL, in[t] >= 0);
  row[3] = __match_any_sync(FULL, in[t]);
  row[4] = __match_all_sync(FULL, in[t], &all);
  row[5] = all;
  row[6] = __reduce_add_sync(FULL, in[t]);
  row[7] = __reduce_min_sync(FULL, (unsigned)in[t]);
  row[8] = __reduce_max_sync(FULL, in[t]);
  row[9] = in[t] > 2 ? __activemask() : ~__activemask();
}

// Each half of a warp by itself; the last threads are sent away before, and their mask leaves them out.
__global__ void halves(int *out, int n) {
  int t = threadIdx.x;
  unsigned mask = __ballot_sync(FULL, t < n);
  if (t >= n) return;
  int v = t;
  if (t % 32 < 16) {
    for (int o = 8; o > 0; o >>= 1) v += __shfl_xor_sync(0xffff, v, o);
  } else {
    v = __reduce_max_sync(mask & 0xffff0000, v);
  }
  out[t] = v;
}

// A block of 64 threads sums them in shared memory; its last warp without barriers of the block.
__global__ void tree(float *out, const float *in, int fenced) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    float v = s[t];
    for (int o = 32; o > 0; o >>= 1) {
      v += s[t + o];
      if (fenced) __syncwarp();
      s[t] = v;  // line: stored
      if (fenced) __syncwarp();
    }
    if (t == 0) out[0] = v;
  }
}

// A fence of a warp does not order two of them.
__global__ void between_warps(int *out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = t;
  __syncwarp();
  out[t] = s[63 - t];  // line: crossed
}

__global__ void counted(int *out) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  atomicAdd(&count, 1);
  __syncwarp();
  out[threadIdx.x] = count;
}

__global__ void divergent(int *out) {
  int t = threadIdx.x;
  out[t] = t < 16 ? __shfl_sync(FULL, t, 0) : 0;  // line: half
  __syncthreads();                                // line: others
}

__global__ void left_out(int *out) {
  out[threadIdx.x] = __shfl_sync(0xff, (int)threadIdx.x, 0);  // line: left out
}

__global__ void gone(float *out, int n) {
  if (threadIdx.x >= n) return;
  float v = warp_sum(1.0f);
  if (threadIdx.x == 0) out[0] = v;
}
