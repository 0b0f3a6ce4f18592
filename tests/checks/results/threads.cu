// Kernels whose wrong elements came about in other threads than those that have stored them.
#include <cuda_runtime.h>

// Its last elements come out one too early.
__global__ void late(float *out, const float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  // late index
  if (i < n) out[i] = x[i - (i > 700)];                 // late
}

// A tree of sums; the second half of a block keeps elements from `slip` further on.
__global__ void tree(float *out, const float *x, int slip) {
  __shared__ float part[64];
  const int t = threadIdx.x;                                   // t
  const int at = blockIdx.x * 64 + (t < 32 ? t : t + slip);    // at
  part[t] = x[at];                                             // kept
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {                   // steps
    if (t < step) part[t] += part[t + step];                   // tree
    __syncthreads();
  }
  const float unused = x[64 + t];
  if (t == 0) out[blockIdx.x] = part[0];                       // sum
  if (t == 1) out[gridDim.x + blockIdx.x] = unused;
}

__device__ float warp_sum(float value) {
  for (int by = 16; by > 0; by /= 2) {                         // by
    value += __shfl_xor_sync(0xffffffff, value, by);           // shuffle
  }
  return value;
}

// The sum of a warp, in registers; another thread stores what is no part of it.
__global__ void in_registers(float *out, const float *x, const float *y) {
  const float mine = x[blockIdx.x * 32 + threadIdx.x];         // mine
  const float sum = warp_sum(mine);                            // call
  const float other = y[threadIdx.x];                          // other
  if (threadIdx.x == 0) out[blockIdx.x] = sum;                 // of a warp
  if (threadIdx.x == 1) out[gridDim.x + blockIdx.x] = other;   // of itself
}

// Each lane takes what the next one has.
__global__ void shifted(float *out, const float *x) {
  const float mine = x[threadIdx.x];                                // own
  out[threadIdx.x] = __shfl_down_sync(0xffffffff, mine, 1) + mine;  // shifted
}

// Added by every block.
__global__ void added(float *out, const float *x, int columns) {
  float sum = 0;
  for (int i = 0; i < 2; i++) sum += x[(blockIdx.x * 2 + i) * columns + threadIdx.x];  // rows
  atomicAdd(&out[threadIdx.x], sum);                                                   // atomic
}

// The last elements of each block are left out.
__global__ void some(float *out, const float *x, int n, int last) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;         // i
  if (threadIdx.x > last) return;                              // leaves
  if (i < n) {                                                 // guard
    out[i] = x[i];                                             // some
  }
}

// Some are doubled, those that a condition names.
__global__ void doubled(float *out, const float *x, int n) {
  __shared__ float kept[64];
  const int t = threadIdx.x;                                   // number
  kept[t] = x[t];                                              // first
  if (t < n) {                                                 // which
    kept[t] *= 2.0f;                                           // twice
  }
  __syncthreads();
  out[t] = kept[63 - t];                                       // backwards
}

// By way of a variable of the module.
__device__ float table[64];
__global__ void turned(float *out, const float *x) {
  table[threadIdx.x] = x[threadIdx.x];                         // into it
  __syncthreads();
  out[threadIdx.x] = table[63 - threadIdx.x];                  // out of it
}

// Each thread of one block goes through all elements, far more often than events are kept.
__global__ void long_sums(float *out, const float *x, int n, int rounds) {
  float sum = 0;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < n; i++) sum += x[(i + threadIdx.x) % n];  // long
  }
  out[threadIdx.x] = sum;                                         // after long
}
