// Host code of a CUDA source: it compiles and is not run. Kernels are launched from Python.
#pragma once

// Headers of others ask for them.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__

typedef enum cudaError { cudaSuccess = 0, cudaErrorInvalidValue = 1, cudaErrorMemoryAllocation = 2 } cudaError_t;
enum { cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited };
typedef enum {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
} cudaMemcpyKind;
enum { cudaStreamNonBlocking = 1 };
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxSharedMemoryPerBlock = 8, cudaDevAttrWarpSize = 10,
  cudaDevAttrClockRate = 13, cudaDevAttrMultiProcessorCount = 16, cudaDevAttrIntegrated = 18,
  cudaDevAttrComputeMode = 20, cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrCooperativeLaunch = 95, cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};
typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int major, minor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], regsPerBlock, clockRate;
  int multiProcessorCount, maxThreadsPerMultiProcessor, memoryClockRate, memoryBusWidth, l2CacheSize, managedMemory;
  int cooperativeLaunch, concurrentKernels, unifiedAddressing;
};

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
MLUSIM_HOST(cudaMemcpy2D)
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
MLUSIM_HOST(cudaGetDeviceCount)
MLUSIM_HOST(cudaGetDeviceProperties)
MLUSIM_HOST(cudaDeviceGetAttribute)
MLUSIM_HOST(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
MLUSIM_HOST(cudaOccupancyMaxPotentialBlockSize)
MLUSIM_HOST(cudaLaunchCooperativeKernel)
MLUSIM_HOST(cudaMemGetInfo)
MLUSIM_HOST(cudaStreamCreate)
MLUSIM_HOST(cudaStreamCreateWithFlags)
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
inline const char* cudaGetErrorName(cudaError_t) { return "mlusim: host code is not run"; }
