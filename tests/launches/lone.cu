// Inputs of which some elements have no part in the results.

// Windows of three, two apart, of a line: their gradients go back to it. It adds them, unless ADDS is false.
template <bool ADDS>
__global__ void windows_back(const float *of_windows, float *of_line, int windows, int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= length) return;
  float sum = 0;
  for (int w = (i - 1) / 2; w <= i / 2; w++)
    if (w < windows && i - 2 * w < 3) sum = ADDS ? sum + of_windows[3 * w + i - 2 * w] : of_windows[3 * w + i - 2 * w];  // taken
  of_line[i] = sum;
}

// Gradients pass where the number is positive: the others have no part, which is as it should be.
__global__ void relu_back(const float *gradient, const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float passed = i < n ? gradient[i] : 0;
  if (i < n) out[i] = x[i] > 0 ? passed : 0;
}

__global__ void taken_by_index(const float *x, const int *index, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float own = i < n ? x[i] : 0;
  if (i < n) out[i] = index[i] < 0 ? 0 : own;
}

template <bool READS>
__global__ void momentum_step(const float *gradient, float *velocity, float *weights, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  velocity[i] = 0.5f * (READS ? velocity[i] : weights[i]) + gradient[i];  // velocity
  weights[i] -= velocity[i];
}

struct Operands {
  float *a, *b, *out;
};

template <bool BOTH>
__global__ void product(Operands of, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) of.out[i] = of.a[i] * (BOTH ? of.b : of.a)[i];
}

struct Job {
  float *a, *b, *out;
};

__global__ void doubled(Job of, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) of.out[i] = 2 * of.a[i];
}

__global__ void added(Job of, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) of.out[i] = of.a[i] + of.b[i];
}

template <bool twice>
__global__ void added_once(Job of, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float *a = of.a, *b = twice ? of.a : of.b;
  if (i < n) of.out[i] = a[i] + b[i];
}
