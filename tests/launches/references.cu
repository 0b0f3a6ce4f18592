// Kernels beside functions of the host and other kernels that take the same arguments.
#include <cassert>

__device__ void scale_device(float *y, const float *x, int n, float by) { y[0] = -1; }

static void scale_cpu(float *y, const float *x, int n, float by) {
  for (int i = 0; i < n; i++) y[i] = x[i] * by;
}

inline void verify_scale(float *y, const float *x, int n, float by) {
  for (int i = 0; i < n; i++) assert(y[i] == x[i] * by);
}

namespace host {
template <typename T>
void rows_reference(int columns, int rows, const T *in, T *out) {
  for (int i = 0; i < rows; i++) {
    T sum = 0;
    for (int j = 0; j < columns; j++) sum += in[i * columns + j];
    out[i] = sum;
  }
}
}  // namespace host

// ADDED is a fault where it is not 0.
template <int ADDED>
__global__ void scale_by(float *y, const float *x, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * by + ADDED;  // scaled
}

__global__ void shift_by(float *y, const float *x, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + by;
}

template <int FIRST>
__global__ void rows_of_threads(const float *in, float *out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = FIRST; i < rows && j < columns; j++) sum += in[i * columns + j];
  if (i < rows) out[i] = sum;
}

__global__ void steps(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 2 * x[i];
}

__global__ void steps_from_the_end(float *x, int n) {
  int i = n - 1 - blockIdx.x * blockDim.x - threadIdx.x;
  if (i >= 0) x[i] = 2 * x[i];
}

// The last elements are other ones.
__global__ void steps_with_a_tail(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i < n - 2 ? 2 * x[i] : x[i] + 1;
}

// It has another share of the elements.
__global__ void steps_of_four(float *x, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  for (int k = 0; k < 4 && i + k < n / 2; k++) x[i + k] = 2 * x[i + k];
}
