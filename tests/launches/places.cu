// Kernels whose rows have places that are treated unlike the others, and kernels in which that is meant.

// Row r of y is row r of x over its sum.
template <bool all>
__global__ void shares_of(float *y, const float *x, int rows, int columns) {
  __shared__ float parts[32];
  int r = blockIdx.x, lane = threadIdx.x;
  float sum = 0.0f;
  for (int c = lane; c < columns; c += blockDim.x + !all) sum += x[r * columns + c];  // sum
  parts[lane] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int i = 0; i < blockDim.x; i++) sum += parts[i];
  for (int c = lane; c < columns; c += blockDim.x) y[r * columns + c] = x[r * columns + c] / sum;
}

// The same without the columns behind the first ones, or but for the one that a number says.
__global__ void of_the_first(float *y, const float *x, int rows, int columns, int first) {
  int r = blockIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < first; c++) sum += x[r * columns + c];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[r * columns + c] = x[r * columns + c] / sum;
}

__global__ void but_for_the_last(float *y, const float *x, int rows, int columns, int last) {
  int r = blockIdx.x;
  float sum = 0.0f;
  for (int c = 0; c <= columns - last; c++) sum += x[r * columns + c];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[r * columns + c] = x[r * columns + c] / sum;
}

__global__ void but_for_labels(float *y, const float *x, const int *labels, int rows, int columns) {
  int r = blockIdx.x;
  float sum = 0.0f;
  for (int c = 0; c < columns; c++) sum += c == labels[r] ? 0.0f : x[r * columns + c];
  for (int c = threadIdx.x; c < columns; c += blockDim.x) y[r * columns + c] = x[r * columns + c] / sum;
}

// Each block has a sum of its part, the last one of a smaller one.
__global__ void sums_of_parts(float *y, const float *x, int columns, int part) {
  if (threadIdx.x) return;
  float sum = 0.0f;
  for (int i = blockIdx.x * part; i < min((int)(blockIdx.x + 1) * part, columns); i++) sum += x[i];
  y[blockIdx.x] = sum;
}

// Rows of a table that numbers between 0 and 1 choose; most are not used.
__global__ void looked_up(float *y, const float *at, const float *table, int count, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) y[i] = table[(int)(at[i] * columns)];
}

// A number that is near one before it counts for nothing: it is the data that says which.
__global__ void first_of_its_kind(float *y, const float *x, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= columns) return;
  bool seen = false;
  for (int j = 0; j < i; j++) seen |= fabsf(x[j] - x[i]) < 1e-4f;
  y[i] = seen ? 0.0f : x[i];
}

__global__ void with_neighbours(float *y, const float *x, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < columns) y[i] = x[i] + x[max(i - 1, 0)] + x[min(i + 1, columns - 1)];
}

// Rows that a list chooses; those of the last of the list are halved, or not.
template <bool all>
__global__ void chosen_rows(float *y, const float *x, const int *list, int count, int columns) {
  for (int i = blockIdx.x; i < count; i += gridDim.x)
    for (int c = threadIdx.x; c < columns; c += blockDim.x)
      y[i * columns + c] = x[list[i] * columns + c] * (!all && i == count - 1 ? 0.5f : 1.0f);  // rows
}

// The sum of all elements, in place of the first one.
__global__ void summed_in_place(float *x, int count) {
  if (threadIdx.x) return;
  float sum = 0.0f;
  for (int i = 0; i < count; i++) sum += x[i];
  x[0] = sum;
}

// The sum of the columns between two numbers, both of which are among them.
__global__ void between(float *y, const float *x, int rows, int columns, int from, int to) {
  int r = blockIdx.x;
  float sum = 0.0f;
  for (int c = from; c <= to; c++) sum += x[r * columns + c];
  if (threadIdx.x == 0) y[r] = sum;
}
