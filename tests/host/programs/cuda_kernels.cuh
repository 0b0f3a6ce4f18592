// Kernels and functions that both sources of the tests of CUDA programs include.
#pragma once
#include <cuda_runtime.h>

struct Scaled {
  float by;
  __host__ __device__ explicit Scaled(float by) : by(by) {}
  __host__ __device__ float operator()(float x) const { return by * max(x, 0.0f); }
};

template <typename T, class F>
__global__ void apply(const T* in, T* out, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(in[i]);
}

// In the other source.
__global__ void add_one(float4* values);
float last_of(const float* values, int n);
