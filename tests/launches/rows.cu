// Rows of which each element has the same part in the results, but for one slip each.
#include <cuda_runtime.h>

// Each row divided by its sum, which each of its threads has.
__global__ void shares(float *out, const float *x) {
  float own = expf(x[blockIdx.x * 32 + threadIdx.x]), sum = own;
  for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, apart);
  out[blockIdx.x * 32 + threadIdx.x] = own / sum;
}

// The same by one thread for each row; what does not add takes the last element alone for the sum.
template <bool ADDS>
__global__ void by_rows(float *out, const float *x, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns; i++) {
    float more = expf(x[row * columns + i]);  // sum
    sum = ADDS ? sum + more : more;
  }
  for (int i = 0; i < columns; i++) out[row * columns + i] = expf(x[row * columns + i]) / sum;  // share
}

// Pairs that are turned; one of both results may take the first twice.
template <bool BOTH>
__global__ void turned(float *out, const float2 *x, float sine, float cosine) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float2 v = x[i];  // turned
  out[2 * i] = v.x * cosine - v.y * sine;
  out[2 * i + 1] = v.x * sine + (BOTH ? v.y : v.x) * cosine;
}

// What is not of one kind in right kernels: sums up to an element, the largest of a row, neighbours, a half that is
// left as it is, rows of which data chooses elements.
__global__ void sums_up_to(float *out, const float *x, int columns) {
  float sum = 0;
  for (int i = 0; i <= threadIdx.x; i++) sum += x[blockIdx.x * columns + i];
  out[blockIdx.x * columns + threadIdx.x] = sum;
}

__global__ void by_the_largest(float *out, const float *x, int columns) {
  float most = 0;
  for (int i = 0; i < columns; i++) most = fmaxf(most, fabsf(x[blockIdx.x * columns + i]));
  out[blockIdx.x * columns + threadIdx.x] = x[blockIdx.x * columns + threadIdx.x] / most;
}

__global__ void neighbours(float *out, const float *x, int columns) {
  int i = threadIdx.x, first = blockIdx.x * columns;
  out[first + i] = x[first + max(i - 1, 0)] + x[first + i] + x[first + min(i + 1, columns - 1)];
}

__global__ void half_turned(float *out, const float *x, int columns) {
  int i = threadIdx.x, first = blockIdx.x * columns, quarter = columns / 4;
  float own = x[first + i];
  if (i < 2 * quarter) own = 0.8f * own + (i < quarter ? -0.6f : 0.6f) * x[first + (i + quarter) % (2 * quarter)];
  out[first + i] = own;
}

__global__ void chosen(float *out, const float *x, int columns) {
  int i = threadIdx.x, first = blockIdx.x * columns;
  float sum = 0;
  for (int j = 0; j < columns; j++) sum += x[first + j] > 0.5f ? x[first + j] : 0;
  out[first + i] = x[first + i] + sum;
}

// The column of x for which a sum with a column of a table is the least: equal numbers there, whatever they are, say
// that it is that of x alone.
__global__ void place_of_the_least(float *out, const float *x, const float *table, const int *picked, int columns) {
  __shared__ float sums[64];
  int i = threadIdx.x, first = blockIdx.x * columns;
  sums[i] = x[first + i] + table[i * columns + picked[blockIdx.x]];
  __syncthreads();
  int at = 0;
  for (int j = 1; j < columns; j++)
    if (sums[j] < sums[at]) at = j;
  out[first + i] = at;
}
