// Kernels that are run on other grids, in other orders, with smaller counts: right ones and wrong ones.
#include <cuda_runtime.h>

__global__ void doubled(float *out, const float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * x[i];
}

__global__ void wide_steps(float *out, const float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * (blockDim.x + 1)) out[i] = 2 * x[i];
}

// Elements between the parts of two blocks are added by both.
__global__ void added_twice(float *out, const float *x, int n) {
  int i = blockIdx.x * (blockDim.x - 1) + threadIdx.x;
  if (i < n) atomicAdd(&out[i], x[i]);
}

__global__ void added_once(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&out[i], x[i]);
}

// A sum for each block, whatever its part is.
__global__ void parts(float *out, const float *x, int n) {
  float sum = 0;
  if (threadIdx.x == 0)
    for (int i = blockIdx.x; i < n; i += gridDim.x) sum += x[i];
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// As many blocks as there are rows, and no guard.
__global__ void row_by_block(float *out, const float *x) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x] + 1;
}

__global__ void last_wins(int *out, const int *x) {
  out[0] = x[blockIdx.x];  // last
}

__global__ void all_alike(int *out, const int *x) {
  out[0] = x[0];
}

// Which element has which place in the list is a matter of turns.
__global__ void listed(int *list, int *count, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) list[atomicAdd(count, 1)] = i;
}

__global__ void one_less(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1) out[i] = x[i];  // less
}

__global__ void inside(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = x[i - 1] + x[i + 1];
}

__global__ void chosen(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) out[i] = x[i];
}

__global__ void first_rows(float *out, const float *x, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int count = rows * columns;
  if (i < columns) out[i] = x[i];
  (void)count;
}

__global__ void tail_otherwise(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i < n / 32 * 32 ? x[i] : 2 * x[i];  // tail
}

__global__ void waits_for_the_first(int *out, volatile int *flag) {
  if (blockIdx.x == 0) *flag = 1;
  while (*flag == 0) {
  }
  out[blockIdx.x] = 1;
}

__global__ void short_rows(float *out, const float *x, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns - 1; i++) sum += x[row * columns + i];  // short
  out[row] = sum;
}

// Each row in two pieces of 32, of which the first thread takes the part of all.
__global__ void first_lanes(float *out, const float *x, int rows, int columns) {
  for (int i = 0; i < columns; i += 32) out[blockIdx.x * columns + i] = x[blockIdx.x * columns + i];
}

// Each thread draws its own numbers.
__global__ void drawn(float *out, int n) {
  unsigned state = blockIdx.x * blockDim.x + threadIdx.x + 1;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    state = state * 1664525u + 1013904223u;
    out[i] = state >> 8;
  }
}

// The last block that comes adds up what all have left.
__global__ void summed(float *out, float *parts, unsigned *done, const float *x, int n) {
  __shared__ float part[64];
  __shared__ bool last;
  float sum = 0;
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < 64; i++) sum += part[i];
    parts[blockIdx.x] = sum;
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    sum = 0;
    for (int i = 0; i < gridDim.x; i++) sum += parts[i];
    out[0] = sum;
  }
}

// A picture whose rows are as long as the grid is wide.
__global__ void picture(float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[y * gridDim.x * blockDim.x + x] = x * 1000 + y;
}

__global__ void some_rows(float *out, const float *x, const int *chosen, int count, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count * columns) out[i] = x[chosen[i / columns] * columns + i % columns];
}

// Indices are loaded in pairs, of which the first one is used twice.
__global__ void every_other_index(float *out, const float *x, const int *chosen, int count, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count * columns) return;
  int2 pair = reinterpret_cast<const int2 *>(chosen)[i / columns / 2];
  out[i] = x[pair.x * columns + i % columns];
}

__global__ void mixed(float *out, const float *x, int columns) {
  out[blockIdx.x * columns + threadIdx.x] = x[threadIdx.x * 3];
}

// A sum for each block of the part that its threads take, step by step.
__global__ void part_sums(float *out, const float *x, int n) {
  extern __shared__ float part[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < blockDim.x; i++) sum += part[i];
    out[blockIdx.x] = sum;
  }
}

// A sum for each row, by one block each; where a thread takes several elements, the last alone counts.
__global__ void row_sums(float *out, const float *x, int n) {
  extern __shared__ float part[];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum = x[blockIdx.x * n + i] + 0 * sum;
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < blockDim.x; i++) sum += part[i];
    out[blockIdx.x] = sum;
  }
}

// Written for one block: another one would do the same once more.
__global__ void halved_in_place(float *x) {
  for (int i = threadIdx.x; i < 64; i += blockDim.x) x[i] = x[i] / 2;
}

// The same, but with blocks of 64 threads the first element is halved twice.
__global__ void halved_twice(float *x) {
  for (int i = threadIdx.x; i < 65 && i < threadIdx.x + blockDim.x + 1; i += blockDim.x) x[i % 64] = x[i % 64] / 2;
}

// In place; the last element is computed in another way, and a number is ignored.
__global__ void last_otherwise(float *x, float ignored, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= i == n - 1 ? 3 : 2;
}

// The sum of all but the second of each four elements that a thread loads at once.
__global__ void three_of_four(float *out, const float4 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 v = x[i];  // four
  out[i] = v.x + v.z + v.w;
}

__global__ void four_of_four(float *out, const float4 *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 v = x[i];
  out[i] = v.x + v.y + v.z + v.w;
}

// A tree that ends a step too early (`last` is 2) leaves out every other row; which bins are counted, the data says.
__global__ void tree_of_rows(unsigned *out, const unsigned *x, int rows, int last) {
  __shared__ unsigned part[64];
  unsigned sum = 0;
  for (int i = threadIdx.x; i < rows; i += 64) sum += x[i * gridDim.x + blockIdx.x];  // rows
  part[threadIdx.x] = sum;
  for (int step = 32; step >= last; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// The largest of each four, and what lies above a limit: that any single element matters is up to the data.
__global__ void largest(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float most = 0;
  for (int k = 0; k < 4; k++) most = fmaxf(most, x[4 * i + k] > 100 ? x[4 * i + k] : 0);
  out[i] = most;
}

// Takes rows of three parts apart; the second one perhaps from an element further on.
__global__ void apart(float *a, float *b, float *c, const float *x, int rows, int columns, int slip) {
  int row = blockIdx.x, i = threadIdx.x;
  if (i >= columns) return;
  const float *from = x + row * 3 * columns + i;
  a[row * columns + i] = from[0];
  b[row * columns + i] = from[columns + slip];  // apart
  c[row * columns + i] = from[2 * columns];
}

// Starts a thread too late; the launch passes the lengths of the axes alone.
__global__ void upper(float *out, const float *x, int heads, int rows, int columns, int slip) {
  int i = blockIdx.x * blockDim.x + threadIdx.x + slip;
  if (i < heads * rows * columns * rows) out[i] = x[0];  // late
}

// The sum of some columns of each row: with a step of 2 that is meant.
__global__ void some_columns(float *out, const float *x, int columns, int step) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  for (int column = 0; column < columns; column += step) out[row] += x[row * columns + column];
}

// The sum of the part of each block, in a tree; with 16 for 32, the upper half of it is left out.
template <int WIDEST>
__global__ void tree_sums(float *out, const float *x, int n) {
  __shared__ float part[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int apart = WIDEST; apart > 0; apart /= 2) {
    if (threadIdx.x < apart) part[threadIdx.x] += part[threadIdx.x + apart];  // tree
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}

// The sum of each 32 elements; what does not add keeps the last of them alone.
template <bool ADDS>
__global__ void warp_sums(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = i < n ? x[i] : 0;
  for (int apart = 16; apart > 0; apart /= 2) {
    float other = __shfl_down_sync(0xffffffffu, sum, apart);
    sum = ADDS ? sum + other : other;
  }
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = sum;
}

// Pairs of which the second is in the block of the first, or in a later one; or, with a slip, in a later column.
__global__ void later_blocks(float *out, const float *x, int n, int slip) {
  int i = blockIdx.y * 32 + threadIdx.x, column = blockIdx.x;
  if (i < n && (slip ? column > 0 : column >= blockIdx.y)) out[i * gridDim.x + column] = x[i];
}

// Rows of a pitch, of which so many elements are made, less a slip.
__global__ void padded_rows(float *out, const float *x, int elements, int pitch, int slip) {
  int at = blockIdx.x * pitch + threadIdx.x;
  if (threadIdx.x < elements - slip) out[at] = x[at];
}

// The first elements of a list become sums of blocks, of 64 elements each. A result elsewhere is another matter.
__global__ void sums_in_place(float *out, float *x, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float mine = i < n ? x[i] : 0;
  for (int step = 32; step; step /= 2) {
    __shared__ float held[64];
    held[threadIdx.x] = mine;
    __syncthreads();
    mine += held[(threadIdx.x + step) % 64];
    __syncthreads();
  }
  if (threadIdx.x == 0) (out ? out : x)[blockIdx.x] = mine;
}

// All numbers of an input may be below the limit that they are held to.
template <typename T>
__global__ void at_least(T *out, const float *x, float limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = fmaxf(x[i], limit);
}

// The sum of a list of n numbers; of a slip of 1, without the elements of the first block.
__global__ void sum_of_list(float *out, const float *x, int n, int slip) {
  int i = (blockIdx.x + slip) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(out, x[i]);
}

__global__ void biased(float *out, float *x, float *bias, int n, int mode) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] + (mode == 2 ? bias[i] : 1.0f);
}

// Rows of y become rows of x where a list says; or, with a slip, always the last ones.
__global__ void copied_rows(float *y, const float *x, const int *list, int rows, int count, int columns, int slip) {
  int i = blockIdx.x, c = threadIdx.x;
  if (c < columns) y[(slip ? rows - count + i : list[i]) * columns + c] = x[i * columns + c];
}

// The running sum of each block, whatever its part is.
__global__ void scan_of_each_block(float *out, const float *x, int n) {
  extern __shared__ float sums[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    float before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
    __syncthreads();
    sums[threadIdx.x] += before;
    __syncthreads();
  }
  if (i < n) out[i] = sums[threadIdx.x];
}

__global__ void first_threads_of_each_block(float *out, const float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = threadIdx.x < 96 ? 2 * x[i] : x[i];
}

// The last interval that a number lies in, and how many of them, or -1.
__global__ void interval_of(int *which, int *count, const float *x, const float *low, int n, int intervals) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int found = -1, times = 0;
  for (int k = 0; k < intervals; k++)
    if (x[i] >= low[k] && x[i] < low[k] + 2) found = k, times++;
  which[i] = found;
  count[i] = times;
}

// The shares of the last four numbers in the sum of a block: it is written for one block.
__global__ void shares_of_a_block(float *out, const float *x, int n) {
  extern __shared__ float held[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  held[threadIdx.x] = i < n ? x[i] : 0;
  __syncthreads();
  float all = 0;
  for (int k = 0; k < blockDim.x; k++) all += held[k];
  if (i < n && i >= n - 4) out[i - n + 4] = x[i] / all;
}

// A number for each row, by a thread of its own; fewer rows by a slip.
__global__ void of_rows(float *out, const float *x, int rows, int columns, int slip) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows - slip) return;
  float sum = 0;
  for (int i = 0; i < columns; i++) sum += x[row * columns + i];
  out[row] = sum;
}
