// Updates of global memory: each kernel is run by blocks of 64 threads.
#define AT (blockIdx.x * blockDim.x + threadIdx.x)

__device__ int total;

__global__ void histogram(const int* x, int* counts) {
  counts[x[AT]]++;  // ^ histogram
}

__global__ void sum(const float* x, float* out) {
  float mine = x[AT];
  out[0] += mine;  // ^ sum
}

__global__ void of_blocks(const int* x, int* out) {
  if (threadIdx.x == 0) out[0] += x[blockIdx.x];  // ^ of_blocks
}

__global__ void largest(const int* x, int* out) {
  if (x[AT] > out[0])
    out[0] = x[AT];  // ^ largest
}

__global__ void of_the_module() {
  total += 1;  // ^ of_the_module
}

__global__ void beside_atomics(int* out) {
  if (threadIdx.x % 2)
    atomicAdd(out, 1);
  else
    out[0] += 1;  // ^ beside_atomics
}

__global__ void in_a_warp(int* out) {
  if (threadIdx.x < 2) out[0] += 1;  // ^ in_a_warp
}

__global__ void behind_volatile(const int* x, int* out) {
  __shared__ volatile int part[64];
  part[threadIdx.x] = x[AT];
  __syncthreads();
  if (threadIdx.x == 0) out[0] += part[0] + part[1];  // ^ behind_volatile
}

// Near misses.

__global__ void in_place(int* x) {
  x[AT] += 1;
  x[AT] *= 2;
}

__global__ void narrow(unsigned char* x) { x[AT] += 1; }

__global__ void with_atomics(const int* x, int* counts) { atomicAdd(&counts[x[AT]], 1); }

__global__ void by_barriers(int* out) {
  for (int t = 0; t < blockDim.x; t++) {
    if (threadIdx.x == t) out[blockIdx.x] += 1;
    __syncthreads();
  }
}

__global__ void by_warps(int* out) {
  for (int t = 0; t < warpSize; t++) {
    if (threadIdx.x % warpSize == t) out[AT / warpSize] += 1;
    __syncwarp();
  }
}

__global__ void locked(int* lock, int* out) {
  if (threadIdx.x) return;
  while (atomicCAS(lock, 0, 1)) {
  }
  out[0] += 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void the_last_block(int* parts, int* ticket, int* out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    parts[blockIdx.x] += 1;
    __threadfence();
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x < gridDim.x) {
    parts[threadIdx.x] *= 2;
    if (threadIdx.x == 0) out[0] = parts[0];
  }
}

__global__ void turns(volatile int* turn, int* out) {
  if (threadIdx.x) return;
  while (*turn != blockIdx.x) {
  }
  out[0] += 1;
  __threadfence();
  *turn = blockIdx.x + 1;
}

__global__ void flags(int* out) {
  if (!out[0]) out[0] = 1;
  out[1] |= 1;
}

__global__ void by_one(const int* who, int* out) {
  if (AT == who[0]) out[0] += 1;
}
