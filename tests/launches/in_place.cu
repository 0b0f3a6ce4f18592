// Arrays of which a launch updates a part in place, and slips that leave out elements of what it is to update.

// Elements change places with those opposite; the one in the middle has none.
template <int slip>
__global__ void reversed(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2 - slip) return;
  float held = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = held;
}

__global__ void doubled(float *x, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count - n) x[i] *= 2;
}

__global__ void added_to_diagonal(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * n + i] += 1;
}

// Without the diagonal, nothing of it is read before it is written.
__global__ void diagonal(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i * n + i] = 1;
}

// A step of an elimination: what lies behind row and column k.
template <int slip>
__global__ void eliminated(float *x, int n, int k) {
  int i = blockIdx.y * blockDim.y + threadIdx.y + k + 1 + slip, j = blockIdx.x * blockDim.x + threadIdx.x + k + 1 + slip;
  if (i < n && j < n) x[i * n + j] -= x[i * n + k] / x[k * n + k] * x[k * n + j];
}

// A step that makes row k of one array from column k of another; with a slip, it begins behind the diagonal.
template <int slip>
__global__ void row_of_step(float *r, const float *q, const float *a, int n, int k) {
  int j = blockIdx.x * blockDim.x + threadIdx.x + k + slip;
  if (j >= n) return;
  float sum = 0;
  for (int i = 0; i < n; i++) sum += q[i * n + k] * a[i * n + j];
  r[k * n + j] = sum;
}
