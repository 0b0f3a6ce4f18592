// Ways to write what threads.cu has, all of them right: nothing here is a finding.
#include <cstdio>
#include <cuda.h>
#include <device_launch_parameters.h>

#define BOTH __host__ __device__
#define CHECK(call) do { if ((call) != cudaSuccess) printf("%s\n", cudaGetErrorString(cudaGetLastError())); } while (0)

namespace tools {
template <typename T>
struct Pair {
  T first, second;
  BOTH Pair(T a, T b) : first(a), second(b) {}
  BOTH T sum() const { return first + second; }
  __device__ static T twice(T x);
};
template <typename T>
__device__ T Pair<T>::twice(T x) { return x + x; }

static __device__ inline int declared_first(int x);
static __device__ __forceinline__ int declared_first(int x) { return x + 1; }
__device__ const int steps[] = {1, 10, 100};
__device__ __constant__ int offset = 5;
__device__ int *nowhere, total;
}  // namespace tools

__shared__ int at_file_scope[64];
extern __shared__ char raw[];

__global__ void file_scope(int* out) {
  at_file_scope[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = at_file_scope[63 - threadIdx.x] + tools::offset + tools::steps[threadIdx.x % 3];
}

__global__ void carved(float* out) {
  float* numbers = reinterpret_cast<float*>(raw);
  int* counts = reinterpret_cast<int*>(numbers + blockDim.x);
  numbers[threadIdx.x] = threadIdx.x * 0.5f;
  counts[threadIdx.x] = threadIdx.x;
  __syncthreads();
  unsigned other = blockDim.x - 1 - threadIdx.x;
  out[threadIdx.x] = numbers[other] + counts[other];
}

struct alignas(8) Cell { float value; int tag; };

__global__ void several(int* out, int n) {
  __shared__ int one[32], two[4][8];
  __shared__ Cell cells[32];
  __shared__ volatile int flag;
  int t = threadIdx.x;
  one[t] = t, two[t / 8][t % 8] = 2 * t;
  cells[t] = Cell{1.5f, t};
  if (t == 0) flag = n;
  __syncthreads();
  Cell mine = cells[31 - t];
  auto add = [=] __device__(int x) { return x + flag; };
  tools::Pair<int> pair(one[31 - t], two[t % 4][t / 4]);
  out[t] = add(pair.sum()) + tools::Pair<int>::twice(mine.tag) + tools::declared_first(int(mine.value));
}

template <int N, class F>
__global__ void __launch_bounds__(N) tiled(const float* __restrict__ in, float* __restrict__ out, F) {
  __shared__ float tile[N / 8][8 + 1];
  auto x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = __ldg(&in[y * blockDim.x + x]);
  __syncthreads();
  out[x * blockDim.y + y] = F()(tile[y][x]);
}
struct Negated { __device__ float operator()(float x) const { return -x; } };

extern "C" __global__ void grid_stride(const unsigned char* in, unsigned* histogram, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x)
    atomicAdd(histogram + in[i], 1u);
}

__global__ void prints(int* out) {
  if (threadIdx.x == 2) printf("thread %u of %d\n", threadIdx.x, warpSize);
  out[threadIdx.x] = min(threadIdx.x, 3u) + max(1, 2) + __popc(threadIdx.x) + __float2int_rn(2.5f);
}

__global__ void compared(int* lock, int* out) {
  int seen = atomicCAS(lock, 0, 7);
  if (threadIdx.x == 0) out[0] = seen;
  unsigned long long* wide = (unsigned long long*)(out + 2);
  atomicAdd(wide, 1ULL);
  atomicExch(out + 1, 3);
}

int main() {
  int* memory;
  CHECK(cudaMalloc(&memory, 256));
  dim3 grid(2), block(32, 1);
  several<<<grid, block>>>(memory, 1);
  several<<<1, 32, 0, 0>>>(memory, 1);
  CHECK(cudaDeviceSynchronize());
  return 0;
}
