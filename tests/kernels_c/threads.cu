// Kernels of thread blocks, most of them with one fault; the tests find the lines by the word after "line:".
#include <cuda_fp16.h>
#include <cuda_runtime.h>

template <typename T>
__global__ void add(const T* __restrict__ a, const T* __restrict__ b, T* c, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  c[i] = a[i] + b[i];
}

__global__ void one_too_many(const float* a, float* c, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n) return;
  c[i] = a[i];  // line: one_too_many
}

__global__ void through_header(const int* a, int* c) {
  c[threadIdx.x] = __ldg(a + threadIdx.x);  // line: through_header
}

__global__ void coordinates(unsigned* out) {
  unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] =
      blockIdx.x + 10 * blockIdx.y + 100 * blockIdx.z + 1000 * threadIdx.x + 10000 * threadIdx.y + 100000 * threadIdx.z;
}

// Each block turns its part round.
__global__ void turn(const int* in, int* out) {
  __shared__ int part[256];
  part[threadIdx.x] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];
}

__global__ void turn_without_barrier(const int* in, int* out) {
  __shared__ int part[256];
  part[threadIdx.x] = in[threadIdx.x];  // line: race_store
  out[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x];  // line: race_load
}

// A tree of sums: barriers in a loop, dynamic shared memory under the type of the template.
template <typename T>
__global__ void sum(const T* in, T* out, unsigned n) {
  extern __shared__ T partial[];
  unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] : T(0);
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (t < step) partial[t] += partial[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// As above, where a thread reads what its neighbour still changes.
__global__ void sum_without_barrier(const int* in, int* out) {
  extern __shared__ int partial[];
  unsigned t = threadIdx.x;
  partial[t] = in[t];
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2)
    if (t < step) partial[t] += partial[t + step];  // line: sum_race
  if (t == 0) out[0] = partial[0];
}

__global__ void shared_overrun(int* out) {
  __shared__ int first[32];
  __shared__ int second[32];
  first[threadIdx.x + 1] = 1;  // line: shared_overrun
  second[threadIdx.x] = 2;
  out[threadIdx.x] = second[threadIdx.x];
}

__global__ void dynamic_overrun(int* out) {
  extern __shared__ int part[];
  part[threadIdx.x] = 1;  // line: dynamic_overrun
  out[threadIdx.x] = part[threadIdx.x];
}

__global__ void never_written(float* out) {
  __shared__ float part[64];
  if (threadIdx.x < 32) part[threadIdx.x] = 1.0f;
  __syncthreads();
  out[threadIdx.x] = part[threadIdx.x];  // line: never_written
}

__global__ void early_return(int* out, int n) {
  __shared__ int part[64];
  if (threadIdx.x >= n) return;
  part[threadIdx.x] = threadIdx.x;
  __syncthreads();  // line: early_return
  out[threadIdx.x] = part[n - 1 - threadIdx.x];
}

__global__ void two_barriers(int* out) {
  if (threadIdx.x % 2) {
    __syncthreads();  // line: odd
  } else {
    __syncthreads();  // line: even
  }
  out[threadIdx.x] = 1;
}

__global__ void skip_alike(int* out, int n) {
  if (blockIdx.x < n) __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void vectors(const float* in, float* out, int offset) {
  float4 v = *reinterpret_cast<const float4*>(in + offset + 4 * threadIdx.x);  // line: misaligned
  v.x += 1;
  reinterpret_cast<float4*>(out)[threadIdx.x] = v;
}

__global__ void counted(int* count, unsigned* most, float* total) {
  __shared__ int local;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  atomicAdd(&local, 1);
  atomicMax(most, blockIdx.x * blockDim.x + threadIdx.x);
  atomicAdd(total, 0.5f);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(count, local);
}

__global__ void atomic_and_plain(int* out) {
  __shared__ int local;
  if (threadIdx.x == 0) local = 0;
  __syncthreads();
  atomicAdd(&local, 1);  // line: atomic
  out[threadIdx.x] = local;  // line: plain
}

__constant__ float weights[3] = {0.25f, 0.5f, 0.25f};
__device__ int calls = 7, table[4] = {1, 2, 3, 4};

__device__ __forceinline__ float blend(const float* p) { return weights[0] * p[-1] + weights[1] * p[0] + weights[2] * p[1]; }

__global__ __launch_bounds__(64) void smooth(const float* in, float* out) {
  unsigned i = threadIdx.x;
  out[i] = blend(in + i + 1) + calls + table[i % 4];
}

__global__ void table_overrun(int* out, int at) {
  out[0] = table[at];  // line: table_overrun
}

__global__ void change_constant(int* out) {
  const_cast<float&>(weights[0]) = 1.0f;  // line: change_constant
  out[0] = 1;
}

__global__ void halves(const half* a, const half2* b, half* out) {
  unsigned i = threadIdx.x;
  half2 pair = __hmul2(b[i], __float2half2_rn(2.0f));
  out[i] = __hadd(__hfma(a[i], __low2half(pair), __high2half(pair)), half(1));
}

__global__ void timed(int* out) {
  out[threadIdx.x] = (int)clock64();  // line: timed
}

__global__ void lane(int* out) {
  int number;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(number));  // line: lane
  out[threadIdx.x] = number;
}

__global__ void large_static(int* out) {
  __shared__ int large[13000];
  large[threadIdx.x] = 1;  // line: large_static
  out[threadIdx.x] = large[threadIdx.x];
}

__device__ int deep(volatile int* p, int n) { return n == 0 ? *p : deep(p, n - 1) + 1; }

__global__ void recursive(int* out, int n) {
  __syncthreads();
  out[threadIdx.x] = deep(out + threadIdx.x, n);
}

__global__ void divides(int* out, int by) {
  __syncthreads();
  out[threadIdx.x] = 100 / by;  // line: divides
}

__global__ void endless(volatile int* out) {
  while (out[0] == 0) {  // line: endless
  }
}

__global__ void asserts(int* out) {
  assert(out[threadIdx.x] == 0);  // line: asserts
  out[threadIdx.x] = 1;
}

__global__ void strided(const float* in, float* out, int stride) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i * stride];
}

__global__ void banks(float* out, int stride) {
  __shared__ float part[32 * 33];
  part[threadIdx.x * stride] = 1.0f;
  out[threadIdx.x] = part[threadIdx.x * stride];
}
