// CUDA kernels that are right, for faults to be seeded into: each is what its author would have written.
#include <cuda_runtime.h>

// In strides of the grid.
__global__ void axpy(float *out, const float *x, const float *y, float factor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = factor * x[i] + y[i];
  }
}

// A tree of sums in shared memory, one for each block.
__global__ void sums(float *out, const float *x, int n) {
  __shared__ float part[64];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int step = 32; step > 0; step /= 2) {
    if (t < step) {
      part[t] += part[t + step];
    }
    __syncthreads();
  }
  if (t == 0) {
    out[blockIdx.x] = part[0];
  }
}

// Tiles of 8 x 8 are turned in shared memory.
__global__ void turned(float *out, const float *x, int rows, int columns) {
  __shared__ float tile[72];
  int column = blockIdx.x * 8 + threadIdx.x;
  int row = blockIdx.y * 8 + threadIdx.y;
  if (row < rows && column < columns) {
    tile[threadIdx.y * 9 + threadIdx.x] = x[row * columns + column];
  }
  __syncthreads();
  column = blockIdx.y * 8 + threadIdx.x;
  row = blockIdx.x * 8 + threadIdx.y;
  if (row < columns && column < rows) {
    out[row * rows + column] = tile[threadIdx.x * 9 + threadIdx.y];
  }
}

// A product of matrices, a tile of 8 terms at a time.
__global__ void product(float *out, const float *a, const float *b, int m, int k, int n) {
  __shared__ float left[64];
  __shared__ float right[64];
  int row = blockIdx.y * 8 + threadIdx.y;
  int column = blockIdx.x * 8 + threadIdx.x;
  int at = threadIdx.y * 8 + threadIdx.x;
  float sum = 0.0f;
  for (int first = 0; first < k; first += 8) {
    left[at] = row < m && first + threadIdx.x < k ? a[row * k + first + threadIdx.x] : 0.0f;
    right[at] = column < n && first + threadIdx.y < k ? b[(first + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 8; i++) {
      sum += left[threadIdx.y * 8 + i] * right[i * 8 + threadIdx.x];
    }
    __syncthreads();
  }
  if (row < m && column < n) {
    out[row * n + column] = sum;
  }
}

// Each element with its two neighbours, by way of shared memory.
__global__ void smoothed(float *out, const float *x, int n) {
  __shared__ float near[66];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  near[threadIdx.x + 1] = i < n ? x[i] : 0.0f;
  if (threadIdx.x == 0) {
    near[0] = i > 0 ? x[i - 1] : 0.0f;
  }
  if (threadIdx.x == 63) {
    near[65] = i + 1 < n ? x[i + 1] : 0.0f;
  }
  __syncthreads();
  if (i < n) {
    out[i] = (near[threadIdx.x] + near[threadIdx.x + 1] + near[threadIdx.x + 2]) / 3.0f;
  }
}

// A row for each block.
__global__ void row_maxima(float *out, const float *x, int columns) {
  __shared__ float most[64];
  float mine = x[blockIdx.x * columns];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    mine = fmaxf(mine, x[blockIdx.x * columns + i]);
  }
  most[threadIdx.x] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 64; i++) {
      mine = fmaxf(mine, most[i]);
    }
    out[blockIdx.x] = mine;
  }
}
