// Words of shared memory that no thread loads, and blocks that repeat each other; beside each wrong one, what is right.
#include <cuda_runtime.h>

// Of each four elements of a part the one with number 2 is that at PICKED.
template <int PICKED>
__global__ void by_four(float *out, const float *x) {
  __shared__ float part[64];
  int i = blockIdx.x * 64 + threadIdx.x, at = threadIdx.x % 4;
  part[threadIdx.x] = x[i];  // part
  __syncthreads();
  out[i] = part[threadIdx.x - at + (at == 2 ? PICKED : at)];
}

// The same of rows, behind each of which there are 16 zeros.
__global__ void padded(float *out, const float *x) {
  __shared__ float part[64];
  int i = blockIdx.x * 48 + threadIdx.x;
  part[threadIdx.x] = threadIdx.x < 48 ? x[i] : 0;
  __syncthreads();
  if (threadIdx.x < 48) out[i] = part[47 - threadIdx.x];
}

// The same with the last element of the row instead of zeros; two rows of a block are next to each other.
__global__ void repeated(float *out, const float *x) {
  __shared__ float part[2][32];
  int row = blockIdx.x * 2 + threadIdx.y, last = min(threadIdx.x, 23);
  part[threadIdx.y][threadIdx.x] = x[row * 24 + last];
  __syncthreads();
  if (threadIdx.x < 24) out[row * 24 + threadIdx.x] = part[threadIdx.y][23 - threadIdx.x];
}

// The sum of each part, whose last step leaves unused words beside it.
__global__ void summed_by_warps(float *out, const float *x) {
  __shared__ volatile float part[128];
  part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  part[threadIdx.x + 64] = 0;
  __syncthreads();
  for (int apart = 32; apart > 0; apart /= 2) {
    float other = part[threadIdx.x + apart];
    __syncthreads();
    part[threadIdx.x] = part[threadIdx.x] + other;
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// The sums of all warps before each, by the first warp; a block has two of 32 that there is room for.
template <int PICKED>
__global__ void totals(float *out, const float *x) {
  __shared__ float part[64], sums[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  part[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  if (warp == 0) sums[lane] = 0;
  __syncthreads();
  if (lane == 0)
    for (int i = 0; i < 32; i++) sums[warp] += part[32 * warp + i];
  __syncthreads();
  float mine = sums[lane], all = mine + lane;
  __syncthreads();
  if (warp == 0) sums[lane] = all;  // totals
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = sums[PICKED ? lane & ~PICKED : warp];
}

// What data says of a table that each block has.
__global__ void looked_up(float *out, const float *table, const int *which) {
  __shared__ float own[64];
  own[threadIdx.x] = table[threadIdx.x];
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = own[which[blockIdx.x * 64 + threadIdx.x]];
}

// The points above, below and beside each of 8 x 8, four away; the corners of the tile, a quarter of it, have no part.
__global__ void cross(float *out, const float *x) {
  __shared__ float tile[16][16];
  int width = 8 * gridDim.x, row = threadIdx.y, column = threadIdx.x;
  for (int i = row; i < 16; i += 8)
    for (int j = column; j < 16; j += 8) tile[i][j] = x[i * (width + 8) + blockIdx.x * 8 + j];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 9; i++) sum += tile[row + i][column + 4] + tile[row + 4][column + i];
  out[row * width + blockIdx.x * 8 + column] = sum;
}

// Each block takes as many elements as it has threads, modulo so many blocks.
template <int BLOCKS>
__global__ void doubled(float *out, const float *x) {
  int i = blockIdx.x % BLOCKS * blockDim.x + threadIdx.x;
  out[i] = 2 * x[i];  // blocks
}

// The last block is moved back, so that it is full; all say that they are there.
__global__ void moved_back(float *out, int *there, const float *x, int n) {
  int first = blockIdx.x * blockDim.x;
  if (first + blockDim.x > n) first = n - blockDim.x;
  out[first + threadIdx.x] = 2 * x[first + threadIdx.x];
  *there = 1;
}

// Written for one block: each does all of it, up to a count.
__global__ void by_one_block(float *out, const float *x, int count) {
  for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = 2 * x[i];  // all
}

// A warp adds to its own numbers, which it keeps, those of the others; another one may do so with another table.
__global__ void kept(float* y, const float* x) {
  __shared__ float first[128], second[128];
  int at = threadIdx.x;
  float one = x[blockIdx.x * 128 + at], square = one * one;
  first[at] = one;
  second[at] = square;
  __syncthreads();
  if (at < 32) {
    for (int i = 32; i < 128; i += 32) one += first[at + i];
    y[blockIdx.x * 64 + at] = one;
  } else if (at < 64) {
    square += second[at - 32];
    for (int i = 32; i < 96; i += 32) square += second[at + i];
    y[blockIdx.x * 64 + at] = square;
  }
}
