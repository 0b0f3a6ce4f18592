// A program with host code: scale.cu on an array, with as many threads in a block as its argument says.
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "scale.cu"

int main(int argc, char** argv) {
  const unsigned count = 65536, threads = argc > 1 ? atoi(argv[1]) : 256;
  std::vector<float> values(count, 2.0f);
  float *in, *out, ms = 0;
  cudaEvent_t begin, end;
  cudaMalloc(&in, count * sizeof(float));
  cudaMalloc(&out, count * sizeof(float));
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  cudaMemcpy(in, values.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemset(out, 0, count * sizeof(float));
  cudaEventRecord(begin);
  scale<<<(count + threads - 1) / threads, threads>>>(in, out, 2.5f, count);
  cudaEventRecord(end);
  cudaError_t error = cudaGetLastError();
  cudaMemcpy(values.data(), out, count * sizeof(float), cudaMemcpyDeviceToHost);
  cudaEventElapsedTime(&ms, begin, end);
  printf("%s: %g in %.3f ms\n", cudaGetErrorString(error), values[count - 1], ms);
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  cudaFree(in);
  cudaFree(out);
  return error != cudaSuccess;
}
