// Races in global memory: each kernel is run by two blocks of 64 threads, on arrays of 256 numbers.
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

__device__ int shift;

__global__ void of_the_next(int* x, int* out) {
  x[AT] = 2 * x[AT + 1];  // ^ of_the_next
}

__global__ void of_the_one_before(int* x, int* out) {
  if (AT) x[AT] = x[AT - 1] + 3;  // ^ of_the_one_before
}

__global__ void broadcast(int* x, int* out) {
  if (threadIdx.x == 0) x[blockIdx.x] = 7 + AT;
  out[AT] = x[blockIdx.x];  // ^ broadcast
}

__global__ void scratch(int* x, int* out) {
  x[AT] = 3 * AT + 1;  // ^ scratch
  out[AT] = x[blockIdx.x * 64 + (threadIdx.x + 1) % 64];
}

__global__ void between_blocks(int* x, int* out) {
  if (threadIdx.x == 0) x[blockIdx.x] = AT + 5;
  __syncthreads();
  if (blockIdx.x) out[AT] = x[blockIdx.x - 1];  // ^ between_blocks
}

__global__ void of_the_module(int* x, int* out) {
  if (AT == 0) shift = 4;
  out[AT] = shift;  // ^ of_the_module
}

__global__ void across_warps(int* x, int* out) {
  x[AT] = 3 * AT;
  __syncwarp();
  out[AT] = x[AT ^ 32];  // ^ across_warps
}

__global__ void updated_beside(int* x, int* out) {
  int* own = x + 64 * blockIdx.x;
  if (threadIdx.x == 0) own[9] = 1;  // from then on, loads are noted
  if (threadIdx.x == 1) out[AT] = own[0];
  if (threadIdx.x == 2) own[0] += 7;  // ^ updated_beside
}

__global__ void updated_before(int* x, int* out) {
  int* own = x + 64 * blockIdx.x;
  if (threadIdx.x == 0) own[9] = 1;
  if (threadIdx.x == 1) own[0] += 7;
  if (threadIdx.x == 2) own[0] = 1000;  // ^ updated_before
}

// Near misses.

__global__ void with_a_barrier(int* x, int* out) {
  int next = x[AT % 64 == 63 ? AT : AT + 1];
  __syncthreads();
  x[AT] = 2 * next;
}

__global__ void in_rounds(int* x, int* out) {
  for (int by = 32; by; by /= 2) {
    if (threadIdx.x < by) x[AT] += x[AT + by];
    __syncthreads();
  }
}

__global__ void in_warps(int* x, int* out) {
  x[AT] = 3 * AT;
  __syncwarp();
  out[AT] = x[AT ^ 1];
}

__global__ void its_own(int* x, int* out) {
  x[AT] += 1;
  x[AT] *= x[AT];
}

__global__ void to_another(int* x, int* out) { out[AT] = x[AT + 1] - x[AT]; }

__global__ void the_same_flag(int* x, int* out) {
  if (x[AT] > 3) out[0] = 1;
  if (out[0] != 1 && x[AT + 1] > 3) out[0] = 1;
}

__global__ void asked_first(int* x, int* out) {
  if (x[AT] > out[0]) atomicMax(out, x[AT]);
}

__global__ void the_last_block(int* x, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    x[blockIdx.x] = 9 * blockIdx.x + 1;
    __threadfence();
    last = atomicAdd(&out[0], 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) out[1 + threadIdx.x] = x[threadIdx.x];
}

__global__ void locked(int* x, int* out) {
  for (bool done = false; !done;) {
    int is = out[0];
    if (is == 0 && atomicCAS(&out[0], is, 1) == is) {
      x[0] += AT;
      __threadfence();
      out[0] = 0;
      done = true;
    }
    __syncthreads();
  }
}

// What each thread does in each round: nothing, load an element of `x`, or store a number of its own to one.
__global__ void in_rounds_of(const int* what, const int* where, int* x, int* out, int rounds, int steps) {
  int sum = 0;
  for (int r = 0; r < rounds; r++) {
    for (int s = 0; s < steps; s++) {
      int at = (r * steps + s) * gridDim.x * blockDim.x + AT;
      if (what[at] == 1) sum += x[where[at]];
      if (what[at] == 2) x[where[at]] = at + 1;
    }
    __syncthreads();
  }
  out[AT] = sum;
}
