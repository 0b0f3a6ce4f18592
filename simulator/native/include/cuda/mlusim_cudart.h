// The functions of the CUDA runtime that are modelled. Those of the other API of NVIDIA, the driver's, are not.
#pragma once
#include <type_traits>

#include "mlusim_cudart_types.h"
#include "mlusim_cuda_vectors.h"

namespace mlusim {

// What C++ may pass to a function of C: the address of a pointer of any type, a variable of the device, a kernel. Each
// is one address, so that both sides see the same.
struct PointerTo {
  void** at;
  PointerTo(decltype(nullptr)) : at(nullptr) {}
  template <class T>
  PointerTo(T** pointer) : at((void**)pointer) {}
};
struct Symbol {
  const void* at;
  template <class T>
  Symbol(const T& variable) : at((const void*)__builtin_addressof(variable)) {}
};
struct Function {
  const void* at;
  template <class T>
  Function(T* kernel) : at((const void*)kernel) {}
};

}  // namespace mlusim

extern "C" {

// --- errors and devices ----------------------------------------------------------------------------------------------
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char* cudaGetErrorName(cudaError_t error);
const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaChooseDevice(int* device, const cudaDeviceProp* properties);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaThreadSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadExit(void);
cudaError_t cudaSetDeviceFlags(unsigned flags);
cudaError_t cudaGetDeviceFlags(unsigned* flags);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache* config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);
cudaError_t cudaDeviceGetSharedMemConfig(cudaSharedMemConfig* config);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

// --- memory ----------------------------------------------------------------------------------------------------------
cudaError_t cudaMalloc(mlusim::PointerTo pointer, size_t bytes);
cudaError_t cudaMallocAsync(mlusim::PointerTo pointer, size_t bytes, cudaStream_t stream);
cudaError_t cudaMallocManaged(mlusim::PointerTo pointer, size_t bytes, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaMallocHost(mlusim::PointerTo pointer, size_t bytes, unsigned flags = cudaHostAllocDefault);
cudaError_t cudaHostAlloc(mlusim::PointerTo pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostGetDevicePointer(mlusim::PointerTo device, void* host, unsigned flags);
cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* pointer);
cudaError_t cudaMallocPitch(mlusim::PointerTo pointer, size_t* pitch, size_t width, size_t height);
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent);
cudaError_t cudaFree(void* pointer);
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream);
cudaError_t cudaFreeHost(void* pointer);
cudaError_t cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer);
cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int device, cudaStream_t stream = nullptr);
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int device);
cudaError_t cudaMemset(void* pointer, int value, size_t bytes);
cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream = nullptr);
cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, size_t bytes,
                                cudaStream_t stream = nullptr);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyToSymbol(mlusim::Symbol symbol, const void* from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice);
cudaError_t cudaMemcpyToSymbolAsync(mlusim::Symbol symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaMemcpyFromSymbol(void* to, mlusim::Symbol symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
cudaError_t cudaMemcpyFromSymbolAsync(void* to, mlusim::Symbol symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream = nullptr);
cudaError_t cudaGetSymbolAddress(mlusim::PointerTo pointer, mlusim::Symbol symbol);
cudaError_t cudaGetSymbolSize(size_t* bytes, mlusim::Symbol symbol);

// --- streams and events ----------------------------------------------------------------------------------------------
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, const cudaStreamAttrValue* value);
cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute, cudaStreamAttrValue* value);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t bytes = 0,
                                     unsigned flags = cudaMemAttachSingle);
cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned flags = cudaEventDefault);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

// --- graphs that a capture makes --------------------------------------------------------------------------------------
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* state);
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* instance, cudaGraph_t graph, unsigned long long flags = 0);
cudaError_t cudaGraphLaunch(cudaGraphExec_t instance, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t instance);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);

// --- kernels ---------------------------------------------------------------------------------------------------------
cudaError_t cudaLaunchKernel(mlusim::Function kernel, dim3 grid, dim3 block, void** arguments, size_t shared = 0,
                             cudaStream_t stream = nullptr);
// As another launch: what a grid cannot do here is said of the kernel that does it.
cudaError_t cudaLaunchCooperativeKernel(mlusim::Function kernel, dim3 grid, dim3 block, void** arguments,
                                        size_t shared = 0, cudaStream_t stream = nullptr);
cudaError_t cudaFuncSetAttribute(mlusim::Function kernel, cudaFuncAttribute attribute, int value);
cudaError_t cudaFuncSetCacheConfig(mlusim::Function kernel, cudaFuncCache config);
cudaError_t cudaFuncSetSharedMemConfig(mlusim::Function kernel, cudaSharedMemConfig config);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, mlusim::Function kernel);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, mlusim::Function kernel, int threads,
                                                          size_t shared);
cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, mlusim::Function kernel,
                                               size_t shared = 0, int most_threads = 0);
cudaError_t mlusim_cuda_not_modelled(const char* function);

}  // extern "C"

// As CUDA 11 has it.
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* instance, cudaGraph_t graph, cudaGraphNode_t*, char*, size_t) {
  return cudaGraphInstantiate(instance, graph);
}
// As CUDA 13 has them.
inline cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned,
                                        cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(pointer, bytes, location.id, stream);
}
inline cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, cudaMemLocation location) {
  return cudaMemAdvise(pointer, bytes, advice, location.id);
}
inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) { return {width, height, depth}; }
inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return {x, y, z}; }
inline cudaPitchedPtr make_cudaPitchedPtr(void* pointer, size_t pitch, size_t width, size_t height) {
  return {pointer, pitch, width, height};
}

#include "mlusim_cudart_unmodelled.h"
