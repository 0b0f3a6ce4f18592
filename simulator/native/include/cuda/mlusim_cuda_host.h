// Host code of a CUDA source: it compiles and is not run. Kernels are launched from Python.
#pragma once

typedef enum { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 } cudaError_t;
typedef enum {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
} cudaMemcpyKind;
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;

namespace mlusim {

inline void no_host() {
  fprintf(stderr, "mlusim: the host code of a CUDA source is not run; launch its kernels from Python\n");
  abort();
}

template <class... A>
void launch(A&&...) {
  no_host();
}

}  // namespace mlusim

#define MLUSIM_HOST(name)      \
  template <class... A>        \
  cudaError_t name(A&&...) {   \
    mlusim::no_host();         \
    return cudaSuccess;        \
  }
MLUSIM_HOST(cudaMalloc)
MLUSIM_HOST(cudaMallocHost)
MLUSIM_HOST(cudaMallocManaged)
MLUSIM_HOST(cudaFree)
MLUSIM_HOST(cudaFreeHost)
MLUSIM_HOST(cudaMemcpy)
MLUSIM_HOST(cudaMemcpyAsync)
MLUSIM_HOST(cudaMemcpyToSymbol)
MLUSIM_HOST(cudaMemcpyFromSymbol)
MLUSIM_HOST(cudaMemset)
MLUSIM_HOST(cudaMemsetAsync)
MLUSIM_HOST(cudaDeviceSynchronize)
MLUSIM_HOST(cudaDeviceReset)
MLUSIM_HOST(cudaGetLastError)
MLUSIM_HOST(cudaPeekAtLastError)
MLUSIM_HOST(cudaSetDevice)
MLUSIM_HOST(cudaGetDevice)
MLUSIM_HOST(cudaStreamCreate)
MLUSIM_HOST(cudaStreamDestroy)
MLUSIM_HOST(cudaStreamSynchronize)
MLUSIM_HOST(cudaEventCreate)
MLUSIM_HOST(cudaEventRecord)
MLUSIM_HOST(cudaEventSynchronize)
MLUSIM_HOST(cudaEventElapsedTime)
MLUSIM_HOST(cudaEventDestroy)
MLUSIM_HOST(cudaFuncSetAttribute)
#undef MLUSIM_HOST
inline const char* cudaGetErrorString(cudaError_t) { return "mlusim: host code is not run"; }
