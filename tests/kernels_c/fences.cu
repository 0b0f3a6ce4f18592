// What blocks leave in global memory for others. `fence`: where it stands; 0 for nowhere.
__device__ int ticket;

// The last block adds up what all have left.
template <int fence>
__global__ void by_ticket(const float* x, float* parts, float* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = x[blockIdx.x];
    if (fence == 1) __threadfence();
    if (fence == 2) __threadfence_block();
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
    if (fence == 3) __threadfence();
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  ticket = 0;
  float sum = 0;
  for (int i = 0; i < gridDim.x; i++) sum += parts[i];  // ^ by_ticket
  out[0] = sum;
}

// Each thread stores, and one says so behind a barrier: its fence is for all.
template <int fence>
__global__ void all_store(const float* x, float* parts, float* out) {
  __shared__ bool last;
  parts[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) {
    if (fence) __threadfence();
    last = atomicInc((unsigned*)&ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last) return;
  for (int i = 0; i < gridDim.x; i++) out[threadIdx.x] += parts[i * blockDim.x + threadIdx.x];  // ^ all_store
}

// A running sum over blocks: each waits for the one before, by a flag.
template <int fence>
__global__ void by_flags(const float* x, float* sums, volatile int* flags) {
  if (threadIdx.x) return;
  int b = blockIdx.x;
  while (b && !flags[b - 1]) {
  }
  sums[b] = (b ? sums[b - 1] : 0) + x[b];  // ^ by_flags
  if (fence) __threadfence();
  flags[b] = 1;
}

// Near misses: atomics that pass the values themselves, results that only their own block uses, and data of no block.
__global__ void by_atomics(const float* x, float* sum, float* out) {
  if (threadIdx.x) return;
  atomicAdd(sum, x[blockIdx.x]);
  if (atomicAdd(&ticket, 1) == gridDim.x - 1) {
    out[0] = atomicAdd(sum, 0.0f);
    ticket = 0;
  }
}

__global__ void its_own(const float* x, float* mine, int* count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  mine[i] = x[i];
  atomicAdd(count, 1);
  mine[i] *= 2;
}
