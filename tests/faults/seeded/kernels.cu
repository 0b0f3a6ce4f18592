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

// Four elements of a row at a time, the bias of each column added, in strides of the grid; a tail of single ones.
__global__ void biased(float *out, const float *x, const float *bias, int rows, int columns) {
  int count = rows * columns;
  int quads = count / 4;
  int step = gridDim.x * blockDim.x;
  int first = blockIdx.x * blockDim.x + threadIdx.x;
  const float4 *from = reinterpret_cast<const float4 *>(x);
  float4 *to = reinterpret_cast<float4 *>(out);
  for (int i = first; i < quads; i += step) {
    float4 four = from[i];
    int column = i * 4 % columns;
    four.x += bias[column];
    four.y += bias[(column + 1) % columns];
    four.z += bias[(column + 2) % columns];
    four.w += bias[(column + 3) % columns];
    to[i] = four;
  }
  for (int i = quads * 4 + first; i < count; i += step) {
    out[i] = x[i] + bias[i % columns];
  }
}

// A row for each block, in dynamic shared memory: the largest, the sum of exponentials, their quotients.
__global__ void softmax_rows(float *out, const float *x, int columns) {
  extern __shared__ float row[];
  float *kept = row + columns;
  const float *from = x + blockIdx.x * columns;
  int t = threadIdx.x;
  float most = from[0];
  for (int i = t; i < columns; i += blockDim.x) {
    row[i] = from[i];
    most = fmaxf(most, row[i]);
  }
  kept[t] = most;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      kept[t] = fmaxf(kept[t], kept[t + half]);
    }
    __syncthreads();
  }
  most = kept[0];
  __syncthreads();
  float sum = 0.0f;
  for (int i = t; i < columns; i += blockDim.x) {
    row[i] = expf(row[i] - most);
    sum += row[i];
  }
  kept[t] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) {
      kept[t] += kept[t + half];
    }
    __syncthreads();
  }
  for (int i = t; i < columns; i += blockDim.x) {
    out[blockIdx.x * columns + i] = row[i] / kept[0];
  }
}

// Rows in strides of the grid: each less its mean, by its deviation, with a weight.
__global__ void normalized(float *out, const float *x, const float *weight, int rows, int columns) {
  __shared__ float sums[32];
  __shared__ float squares[32];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0.0f;
    float square = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 32) {
      float value = x[row * columns + i];
      sum += value;
      square += value * value;
    }
    sums[threadIdx.x] = sum;
    squares[threadIdx.x] = square;
    __syncthreads();
    sum = 0.0f;
    square = 0.0f;
    for (int i = 0; i < 32; i++) {
      sum += sums[i];
      square += squares[i];
    }
    float mean = sum / columns;
    float scale = rsqrtf(square / columns - mean * mean + 1e-5f);
    for (int i = threadIdx.x; i < columns; i += 32) {
      out[row * columns + i] = (x[row * columns + i] - mean) * scale * weight[i];
    }
    __syncthreads();
  }
}

// How often each value occurs, counted in each block first.
__global__ void counted(int *bins, const int *x, int n, int values) {
  __shared__ int mine[64];
  for (int i = threadIdx.x; i < values; i += blockDim.x) {
    mine[i] = 0;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&mine[x[i]], 1);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < values; i += blockDim.x) {
    atomicAdd(&bins[i], mine[i]);
  }
}

// Running sums of a row for each block, by doubling distances, in two buffers.
__global__ void scanned(float *out, const float *x, int columns) {
  __shared__ float sums[128];
  int t = threadIdx.x;
  int from = 0;
  sums[t] = t < columns ? x[blockIdx.x * columns + t] : 0.0f;
  __syncthreads();
  for (int distance = 1; distance < blockDim.x; distance *= 2) {
    int to = 64 - from;
    sums[to + t] = sums[from + t];
    if (t >= distance) {
      sums[to + t] += sums[from + t - distance];
    }
    from = to;
    __syncthreads();
  }
  if (t < columns) {
    out[blockIdx.x * columns + t] = sums[from + t];
  }
}

// Five points of a picture, a tile of 8 x 8 with its border at a time.
__global__ void blurred(float *out, const float *x, int rows, int columns) {
  __shared__ float tile[100];
  int column = blockIdx.x * 8 + threadIdx.x;
  int row = blockIdx.y * 8 + threadIdx.y;
  for (int i = threadIdx.y * 8 + threadIdx.x; i < 100; i += 64) {
    int r = min(max((int)blockIdx.y * 8 + i / 10 - 1, 0), rows - 1);
    int c = min(max((int)blockIdx.x * 8 + i % 10 - 1, 0), columns - 1);
    tile[i] = x[r * columns + c];
  }
  __syncthreads();
  if (row >= rows || column >= columns) {
    return;
  }
  int at = (threadIdx.y + 1) * 10 + threadIdx.x + 1;
  float around = tile[at - 1] + tile[at + 1] + tile[at - 10] + tile[at + 10];
  out[row * columns + column] = 0.5f * tile[at] + 0.125f * around;
}

// The sum of each column, of rows that are split among blocks.
__global__ void column_totals(float *out, const float *x, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < columns) {
    float sum = 0.0f;
    for (int row = blockIdx.y; row < rows; row += gridDim.y) {
      sum += x[row * columns + column];
    }
    atomicAdd(&out[column], sum);
  }
}

// Rows of a table, by their numbers; a row that is not there is zero.
__global__ void looked_up(float *out, const float *table, const int *numbers, int count, int columns, int rows) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count * columns; i += blockDim.x * gridDim.x) {
    int number = numbers[i / columns];
    float value = 0.0f;
    if (number >= 0 && number < rows) {
      value = table[number * columns + i % columns];
    }
    out[i] = value;
  }
}

// Pairs of a row are turned by an angle of their own.
__global__ void rotated(float *out, const float *x, const float *cosine, const float *sine, int rows, int half) {
  int pair = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y;
  if (pair >= half || row >= rows) {
    return;
  }
  int at = row * 2 * half + pair;
  float a = x[at];
  float b = x[at + half];
  float c = cosine[row * half + pair];
  float s = sine[row * half + pair];
  out[at] = a * c - b * s;
  out[at + half] = a * s + b * c;
}

// The largest of each window of two by two, of planes in the third dimension of the grid.
__global__ void pooled(float *out, const float *x, int rows, int columns) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int wide = columns / 2;
  int high = rows / 2;
  if (column < wide && row < high) {
    const float *plane = x + blockIdx.z * rows * columns;
    const float *upper = plane + 2 * row * columns + 2 * column;
    const float *lower = upper + columns;
    float most = fmaxf(fmaxf(upper[0], upper[1]), fmaxf(lower[0], lower[1]));
    out[blockIdx.z * high * wide + row * wide + column] = most;
  }
}
