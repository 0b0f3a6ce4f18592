// Copies to shared memory that go on beside the threads: pipelines, and what they forget.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

constexpr int TILE = 64, STAGES = 3;

// Each thread copies four numbers of a tile, and sums what another one has copied. `slip` leaves out a step.
template <int slip>
__global__ void pipeline(const float* in, float* out, int tiles) {
  __shared__ __align__(16) float ring[STAGES][TILE * 4];
  const int t = threadIdx.x;
  auto load = [&](int tile) {
    if (tile < tiles)
      __pipeline_memcpy_async(&ring[tile % STAGES][4 * t], in + (tile * TILE + t) * 4, 16);  // line: copy
    if (slip != 1) __pipeline_commit();
  };
  const int ahead = slip == 5 ? STAGES : STAGES - 1;  // one tile more takes the place of that which is summed
  for (int tile = 0; tile < ahead; ++tile) load(tile);
  float sum = 0;
  for (int tile = 0; tile < tiles; ++tile) {
    if (slip != 2) __pipeline_wait_prior(slip == 3 ? ahead : ahead - 1);
    if (slip != 4) __syncthreads();
    const float* mine = ring[tile % STAGES] + 4 * (TILE - 1 - t);
    for (int i = 0; i < 4; ++i) sum += mine[i];  // line: use
    load(tile + ahead);
  }
  out[t] = sum;
}

__global__ void tail(const float* in, float* out, int n) {
  __shared__ float part[2 * TILE];
  const int i = threadIdx.x, valid = i < n ? 4 : 0;
  __pipeline_memcpy_async(part + i, in + (valid ? i : 0), 4, 4 - valid);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[i] = part[i];
}

template <typename T>
__global__ void of_group(const T* in, T* out, int n, int first) {
  extern __shared__ __align__(16) unsigned char raw[];
  T* part = reinterpret_cast<T*>(raw);
  cg::thread_block block = cg::this_thread_block();
  cg::memcpy_async(block, part, in + first, sizeof(T) * n);
  cg::memcpy_async(block, part + n, n, in, n);
  cg::wait_prior<1>(block);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = part[n - 1 - i];
  cg::wait(block);
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[n + i] = part[n + (i + 1) % n];
}

__global__ void odd(const float* in, float* out, int size, int shift) {
  __shared__ __align__(16) float part[8];
  __pipeline_memcpy_async(part + shift, in, size);  // line: odd
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[0] = part[shift];
}
