// Rows and parts of them that blocks of threads take, and slips that leave some out or take some twice.

// The rows that a list names are added to those of y: with a slip, the number of a row comes from the wrong width.
template <int slip>
__global__ void added_rows(float *y, const float *x, const int *list, int rows, int columns) {
  int i = blockIdx.x + (slip ? gridDim.y : gridDim.x) * blockIdx.y;
  if (i < rows) atomicAdd(&y[list[i] * columns + threadIdx.x], x[i * columns + threadIdx.x]);
}

// The same without sums: blocks behind the last row do that again.
__global__ void copied_rows(float *y, const float *x, int rows, int columns) {
  int i = min(blockIdx.x, rows - 1);
  y[i * columns + threadIdx.x] = x[i * columns + threadIdx.x];
}

// Each block finds work until there is none; the others only look.
__global__ void by_turns(float *y, const float *x, int *next, int rows, int columns) {
  __shared__ int row;
  if (threadIdx.x == 0) row = atomicAdd(next, 2);
  __syncthreads();
  for (int i = row; i < row + 2 && i < rows; i++) y[i * columns + threadIdx.x] = 2 * x[i * columns + threadIdx.x];
}

// Two parts of each row of y, of four of x; rows are further apart than they are long. A part is left out by a slip.
template <int slip>
__global__ void gates(float *y, const float *x, int rows, int part, int y_stride, int x_stride) {
  const float *in = x + blockIdx.x * x_stride;
  float *out = y + blockIdx.x * y_stride;
  for (int j = threadIdx.x; j < part; j += blockDim.x) {
    out[j] = in[j] * in[j + part];
    out[j + part] = in[j + (slip ? 1 : 2) * part] * in[j + 3 * part];
  }
}

// What lies inside a border of one pixel; the blocks of a slip leave columns between them.
template <int slip>
__global__ void inside(float *y, const float *x, int height, int width) {
  int i = blockIdx.y + 1, j = blockIdx.x * (blockDim.x + 2 * slip) + threadIdx.x + 1;
  if (i < height - 1 && j < width - 1) y[i * width + j] = x[i * width + j] + x[(i - 1) * width + j];
}

// A weight for each point of a row, as many as a block has threads; by a slip rows overlap.
template <int slip>
__global__ void weighted(float *y, const float *x, const float *weights, int rows) {
  int i = blockIdx.x;
  y[i * blockDim.x + threadIdx.x] = x[i * blockDim.x + threadIdx.x] * weights[i * (slip ? 5 : 25) + threadIdx.x];
}
