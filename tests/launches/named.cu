// Rows that each thread takes, under names that say what is left of them.

template <int FIRST>
__global__ void softmax_rows(float *out, const float *in, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most = in[row * n], sum = 0;
  for (int i = 1; i < n; i++) most = fmaxf(most, in[row * n + i]);
  for (int i = FIRST; i < n; i++) sum += expf(in[row * n + i] - most);
  for (int i = 0; i < n; i++) out[row * n + i] = expf(in[row * n + i] - most) / sum;  // softmax
}

__global__ void softmax_loss(float *out, const float *in, int rows, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows)
    for (int i = 0; i < n; i++) out[row * n + i] = 1 - in[row * n + i];
}

template <int EACH>
__global__ void add(float *out, const float *x, const float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = i % EACH || EACH > n ? x[i] + y[i] : x[i] + x[i];  // add
}

template <bool SWAPPED>
__global__ void sub_in_place(float *x, const float *y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) x[i] = SWAPPED ? y[i] - x[i] : x[i] - y[i];  // sub
}

__global__ void bounded_relu(float *out, const float *x, int n, int bound) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = i < bound ? fmaxf(x[i], 0.f) : x[i];
}

// A step of a sum that the host goes on with.
__global__ void reduce_sum(float *out, const float *x, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

__global__ void scale(float *out, const float *x, float factor, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = factor * x[i];
}

__global__ void relu_elements(float *out, const float *x, float factor, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = fmaxf(factor * x[i], x[i]);
}

__global__ void add_kernel(float *out, const float *x, const float *y, int n, bool use_relu, int log) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = use_relu || log ? fmaxf(x[i] + y[i], 0.f) : x[i] - y[i];
}

template <bool WRONG>
__global__ void gesummv(const float *a, const float *b, const float *x, float *tmp, float *y, float alpha, float beta,
                        int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  float first = 0, second = 0;
  for (int j = 0; j < n; j++) {
    first += a[i * n + j] * x[j];
    second += b[i * n + j] * x[j];
  }
  tmp[i] = first;
  y[i] = WRONG ? alpha * first - beta * second : alpha * first + beta * second;
}
