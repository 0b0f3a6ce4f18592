// Types of the CUDA runtime: errors, handles, and what a program is told of devices, memory and kernels.
#pragma once
#include <stddef.h>

// Headers of others ask for them.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_API_H__

#define CUDART_CB
#define CUDARTAPI

// Each error: its name, number and text.
#define MLUSIM_CUDA_ERRORS(ERROR)                                                                  \
  ERROR(Success, 0, "no error")                                                                    \
  ERROR(ErrorInvalidValue, 1, "invalid argument")                                                  \
  ERROR(ErrorMemoryAllocation, 2, "out of memory")                                                 \
  ERROR(ErrorInitializationError, 3, "initialization error")                                       \
  ERROR(ErrorCudartUnloading, 4, "the runtime is being unloaded")                                  \
  ERROR(ErrorInvalidConfiguration, 9, "invalid configuration argument")                            \
  ERROR(ErrorInvalidPitchValue, 12, "invalid pitch argument")                                      \
  ERROR(ErrorInvalidSymbol, 13, "invalid device symbol")                                           \
  ERROR(ErrorInvalidHostPointer, 16, "invalid host pointer")                                       \
  ERROR(ErrorInvalidDevicePointer, 17, "invalid device pointer")                                   \
  ERROR(ErrorInvalidTexture, 18, "invalid texture")                                                \
  ERROR(ErrorInvalidMemcpyDirection, 21, "invalid direction of a copy")                            \
  ERROR(ErrorInsufficientDriver, 35, "the driver is too old for the runtime")                      \
  ERROR(ErrorDevicesUnavailable, 46, "all devices are busy or unavailable")                        \
  ERROR(ErrorMissingConfiguration, 52, "a kernel was called without a launch")                     \
  ERROR(ErrorInvalidDeviceFunction, 98, "invalid device function")                                 \
  ERROR(ErrorNoDevice, 100, "there is no device")                                                  \
  ERROR(ErrorInvalidDevice, 101, "invalid device ordinal")                                         \
  ERROR(ErrorInvalidKernelImage, 200, "the image of the kernels is invalid")                       \
  ERROR(ErrorNoKernelImageForDevice, 209, "there is no image of the kernels for the device")       \
  ERROR(ErrorUnsupportedLimit, 215, "the device does not support the limit")                       \
  ERROR(ErrorPeerAccessUnsupported, 217, "the devices cannot access each other's memory")          \
  ERROR(ErrorOperatingSystem, 304, "a call of the operating system failed")                        \
  ERROR(ErrorInvalidResourceHandle, 400, "invalid resource handle")                                \
  ERROR(ErrorIllegalState, 401, "a resource is in no state for this")                              \
  ERROR(ErrorSymbolNotFound, 500, "the named symbol was not found")                                \
  ERROR(ErrorNotReady, 600, "work is still under way")                                             \
  ERROR(ErrorIllegalAddress, 700, "an illegal memory access was encountered")                      \
  ERROR(ErrorLaunchOutOfResources, 701, "too many resources are requested for the launch")         \
  ERROR(ErrorLaunchTimeout, 702, "the launch timed out")                                           \
  ERROR(ErrorPeerAccessAlreadyEnabled, 704, "access to the peer's memory is enabled already")      \
  ERROR(ErrorPeerAccessNotEnabled, 705, "access to the peer's memory is not enabled")              \
  ERROR(ErrorSetOnActiveProcess, 708, "this cannot be set once the process uses the device")       \
  ERROR(ErrorAssert, 710, "an assertion of a kernel failed")                                       \
  ERROR(ErrorHostMemoryAlreadyRegistered, 712, "the host memory is registered already")            \
  ERROR(ErrorHostMemoryNotRegistered, 713, "the host memory is not registered")                    \
  ERROR(ErrorMisalignedAddress, 716, "misaligned address")                                         \
  ERROR(ErrorLaunchFailure, 719, "unspecified launch failure")                                     \
  ERROR(ErrorCooperativeLaunchTooLarge, 720, "too many blocks in a cooperative launch")            \
  ERROR(ErrorNotPermitted, 800, "this is not permitted")                                           \
  ERROR(ErrorNotSupported, 801, "this is not supported")                                           \
  ERROR(ErrorStreamCaptureUnsupported, 900, "a stream that is being captured does not take this")  \
  ERROR(ErrorStreamCaptureInvalidated, 901, "the capture of the stream has failed before")         \
  ERROR(ErrorStreamCaptureMerge, 902, "two captures would be joined")                              \
  ERROR(ErrorStreamCaptureUnmatched, 903, "the capture began in another stream")                   \
  ERROR(ErrorStreamCaptureUnjoined, 904, "a stream of the capture is not joined with its first")   \
  ERROR(ErrorStreamCaptureIsolation, 905, "a captured stream depends on work outside the capture") \
  ERROR(ErrorStreamCaptureWrongThread, 908, "another thread has begun the capture")                \
  ERROR(ErrorGraphExecUpdateFailure, 910, "the change does not fit the graph")                     \
  ERROR(ErrorUnknown, 999, "unknown error")

#define MLUSIM_ERROR(name, number, text) cuda##name = number,
typedef enum cudaError { MLUSIM_CUDA_ERRORS(MLUSIM_ERROR) } cudaError_t;
#undef MLUSIM_ERROR

typedef struct CUstream_st* cudaStream_t;
typedef struct CUevent_st* cudaEvent_t;
typedef struct CUgraph_st* cudaGraph_t;
typedef struct CUgraphNode_st* cudaGraphNode_t;
typedef struct CUgraphExec_st* cudaGraphExec_t;
typedef void (*cudaHostFn_t)(void* data);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* data);
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

enum cudaMemcpyKind {
  cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice, cudaMemcpyDefault
};
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2, cudaEventInterprocess = 4 };
enum { cudaEventRecordDefault = 0, cudaEventWaitDefault = 0 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2, cudaHostAllocWriteCombined = 4 };
enum { cudaHostRegisterDefault = 0, cudaHostRegisterPortable = 1, cudaHostRegisterMapped = 2 };
enum { cudaMemAttachGlobal = 1, cudaMemAttachHost = 2, cudaMemAttachSingle = 4 };
enum {
  cudaDeviceScheduleAuto = 0, cudaDeviceScheduleSpin = 1, cudaDeviceScheduleYield = 2,
  cudaDeviceScheduleBlockingSync = 4, cudaDeviceBlockingSync = 4, cudaDeviceMapHost = 8, cudaDeviceLmemResizeToMax = 16
};
enum { cudaOccupancyDefault = 0, cudaOccupancyDisableCachingOverride = 1 };
enum { cudaCpuDeviceId = -1, cudaInvalidDeviceId = -2 };
enum cudaComputeMode {
  cudaComputeModeDefault, cudaComputeModeExclusive, cudaComputeModeProhibited, cudaComputeModeExclusiveProcess
};
enum cudaMemoryType { cudaMemoryTypeUnregistered, cudaMemoryTypeHost, cudaMemoryTypeDevice, cudaMemoryTypeManaged };
enum cudaMemoryAdvise {
  cudaMemAdviseSetReadMostly = 1, cudaMemAdviseUnsetReadMostly, cudaMemAdviseSetPreferredLocation,
  cudaMemAdviseUnsetPreferredLocation, cudaMemAdviseSetAccessedBy, cudaMemAdviseUnsetAccessedBy
};
enum cudaMemLocationType {
  cudaMemLocationTypeInvalid, cudaMemLocationTypeDevice, cudaMemLocationTypeHost, cudaMemLocationTypeHostNuma
};
struct cudaMemLocation {
  cudaMemLocationType type;
  int id;
};
enum cudaLimit {
  cudaLimitStackSize, cudaLimitPrintfFifoSize, cudaLimitMallocHeapSize, cudaLimitDevRuntimeSyncDepth,
  cudaLimitDevRuntimePendingLaunchCount, cudaLimitMaxL2FetchGranularity, cudaLimitPersistingL2CacheSize
};
enum cudaFuncCache { cudaFuncCachePreferNone, cudaFuncCachePreferShared, cudaFuncCachePreferL1, cudaFuncCachePreferEqual };
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault, cudaSharedMemBankSizeFourByte, cudaSharedMemBankSizeEightByte
};
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8, cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaSharedCarveout {
  cudaSharedmemCarveoutDefault = -1, cudaSharedmemCarveoutMaxL1 = 0, cudaSharedmemCarveoutMaxShared = 100
};
enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal, cudaStreamCaptureModeRelaxed
};
// How streams use the cache: kept, without effect.
enum cudaAccessProperty { cudaAccessPropertyNormal, cudaAccessPropertyStreaming, cudaAccessPropertyPersisting };
struct cudaAccessPolicyWindow {
  void* base_ptr;
  size_t num_bytes;
  float hitRatio;
  cudaAccessProperty hitProp, missProp;
};
enum cudaStreamAttrID { cudaStreamAttributeAccessPolicyWindow = 1 };
union cudaStreamAttrValue {
  char pad[64];
  cudaAccessPolicyWindow accessPolicyWindow;
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone, cudaStreamCaptureStatusActive, cudaStreamCaptureStatusInvalidated
};
enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1, cudaDevAttrMaxBlockDimX, cudaDevAttrMaxBlockDimY, cudaDevAttrMaxBlockDimZ,
  cudaDevAttrMaxGridDimX, cudaDevAttrMaxGridDimY, cudaDevAttrMaxGridDimZ, cudaDevAttrMaxSharedMemoryPerBlock,
  cudaDevAttrTotalConstantMemory, cudaDevAttrWarpSize, cudaDevAttrMaxPitch, cudaDevAttrMaxRegistersPerBlock,
  cudaDevAttrClockRate, cudaDevAttrTextureAlignment, cudaDevAttrGpuOverlap, cudaDevAttrMultiProcessorCount,
  cudaDevAttrKernelExecTimeout, cudaDevAttrIntegrated, cudaDevAttrCanMapHostMemory, cudaDevAttrComputeMode,
  cudaDevAttrConcurrentKernels = 31, cudaDevAttrEccEnabled, cudaDevAttrPciBusId, cudaDevAttrPciDeviceId,
  cudaDevAttrTccDriver, cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrL2CacheSize,
  cudaDevAttrMaxThreadsPerMultiProcessor, cudaDevAttrAsyncEngineCount, cudaDevAttrUnifiedAddressing,
  cudaDevAttrComputeCapabilityMajor = 75, cudaDevAttrComputeCapabilityMinor,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81, cudaDevAttrMaxRegistersPerMultiprocessor,
  cudaDevAttrManagedMemory, cudaDevAttrConcurrentManagedAccess = 89, cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97, cudaDevAttrMaxBlocksPerMultiprocessor = 106
};
struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock, totalConstMem, sharedMemPerMultiprocessor, sharedMemPerBlockOptin, memPitch;
  size_t textureAlignment, texturePitchAlignment, reservedSharedMemPerBlock;
  int major, minor, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], regsPerBlock, regsPerMultiprocessor;
  int clockRate, multiProcessorCount, maxThreadsPerMultiProcessor, maxBlocksPerMultiProcessor, memoryClockRate;
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, managedMemory, concurrentManagedAccess, cooperativeLaunch;
  int concurrentKernels, unifiedAddressing, canMapHostMemory, integrated, ECCEnabled, asyncEngineCount, deviceOverlap;
  int kernelExecTimeoutEnabled, computeMode, pciBusID, pciDeviceID, pciDomainID, tccDriver, isMultiGpuBoard;
  int pageableMemoryAccess, streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
  int singleToDoublePrecisionPerfRatio, hostNativeAtomicSupported, computePreemptionSupported;
  // These are 0.
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2], maxTexture2DMipmap[2];
  int maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
  int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, multiGpuBoardGroupID;
  int accessPolicyMaxWindowSize, directManagedMemAccessFromHost, canUseHostPointerForRegisteredMem;
  int cooperativeMultiDeviceLaunch, pageableMemoryAccessUsesHostPageTables, hostRegisterSupported, memoryPoolsSupported;
  size_t surfaceAlignment;
  struct { char bytes[16]; } uuid;
};
struct cudaFuncAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, maxDynamicSharedSizeBytes;
};
struct cudaPointerAttributes {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};
struct cudaExtent {
  size_t width, height, depth;
};
struct cudaPos {
  size_t x, y, z;
};
struct cudaPitchedPtr {
  void* ptr;
  size_t pitch, xsize, ysize;
};

// The version of CUDA that this is like; CUDA sources have the macro from the compiler.
#ifndef CUDART_VERSION
#define CUDART_VERSION 12040
#endif
