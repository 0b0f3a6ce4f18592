// The runtime of the BM1690, by which host programs use it.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  tpuRtSuccess = 0,
  tpuRtDevnotready = 1,
  tpuRtErrFailure = 2,
  tpuRtErrTimeout = 3,
  tpuRtErrParam = 4,
  tpuRtErrNomem = 5,
  tpuRtErrData = 6,
  tpuRtErrBusy = 7,
  tpuRtErrNoFeature = 8,
  tpuRtErrNotSupported = 9,
  tpuRtErrorInitializationError,
  tpuRtErrorNoDevice,
  tpuRtErrorNoStream,
  tpuRtErrorInvalidValue,
  tpuRtErrorInvalidResourceHandle,
  tpuRtErrorMemoryAllocation
} tpuRtStatus_t;

typedef struct tpuRtModule* tpuRtKernelModule_t;
typedef struct tpuRtStream* tpuRtStream_t;
typedef struct tpuRtEvent* tpuRtEvent_t;
typedef int (*pTpuRtStreamCallback)(void*);

tpuRtStatus_t tpuRtInit(void);
tpuRtStatus_t tpuRtGetDeviceCount(int* count);
tpuRtStatus_t tpuRtGetDevice(int* device);
tpuRtStatus_t tpuRtSetDevice(int device);
tpuRtStatus_t tpuRtDeviceSynchronize(void);

// `parallel` has no effect: an allocation is one piece of memory for all cores.
tpuRtStatus_t tpuRtMalloc(void** memory, unsigned long long bytes, int parallel);
tpuRtStatus_t tpuRtFree(void** memory, int count);
tpuRtStatus_t tpuRtMallocHost(void** memory, unsigned long long bytes);
tpuRtStatus_t tpuRtFreeHost(void* memory);
tpuRtStatus_t tpuRtMemset(void* memory, int value, unsigned long long bytes);
tpuRtStatus_t tpuRtMemsetAsync(void* memory, int value, unsigned long long bytes, tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyS2D(void* to, const void* from, unsigned long long bytes);
tpuRtStatus_t tpuRtMemcpyD2S(void* to, const void* from, unsigned long long bytes);
tpuRtStatus_t tpuRtMemcpyD2D(void* to, const void* from, unsigned long long bytes);
tpuRtStatus_t tpuRtMemcpyP2P(void* to, int to_device, const void* from, int from_device, unsigned long long bytes);
tpuRtStatus_t tpuRtMemcpyS2DAsync(void* to, const void* from, unsigned long long bytes, tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyD2SAsync(void* to, const void* from, unsigned long long bytes, tpuRtStream_t stream);
tpuRtStatus_t tpuRtMemcpyD2DAsync(void* to, const void* from, unsigned long long bytes, tpuRtStream_t stream);

tpuRtStatus_t tpuRtStreamCreate(tpuRtStream_t* stream);
tpuRtStatus_t tpuRtStreamDestroy(tpuRtStream_t stream);
tpuRtStatus_t tpuRtStreamSynchronize(tpuRtStream_t stream);
tpuRtStatus_t tpuRtStreamAddCallback(tpuRtStream_t stream, pTpuRtStreamCallback callback, void* data);
tpuRtStatus_t tpuRtStreamWaitEvent(tpuRtStream_t stream, tpuRtEvent_t event);
tpuRtStatus_t tpuRtEventCreate(tpuRtEvent_t* event);
tpuRtStatus_t tpuRtEventFree(tpuRtEvent_t event, tpuRtStream_t stream);
tpuRtStatus_t tpuRtEventRecord(tpuRtEvent_t event, tpuRtStream_t stream);
tpuRtStatus_t tpuRtEventQuery(tpuRtEvent_t event);
tpuRtStatus_t tpuRtEventSynchronize(tpuRtEvent_t event);
tpuRtStatus_t tpuRtEventElapsedTime(float* milliseconds, tpuRtEvent_t start, tpuRtEvent_t end);

// Modules are shared libraries that the toolkit's compiler has made.
tpuRtKernelModule_t tpuRtKernelLoadModuleFile(const char* path, tpuRtStream_t stream);
tpuRtKernelModule_t tpuRtKernelLoadModule(const char* content, size_t bytes, tpuRtStream_t stream);
tpuRtStatus_t tpuRtKernelUnloadModule(tpuRtKernelModule_t module, tpuRtStream_t stream);
// On `groups` x `blocks` cores at once. `arguments` is one structure for all of them, or an array with one for each.
tpuRtStatus_t tpuRtKernelLaunch(tpuRtKernelModule_t module, const char* kernel, void* arguments, uint32_t bytes,
                                uint64_t groups, uint64_t blocks, tpuRtStream_t stream);
tpuRtStatus_t tpuRtKernelLaunchAsync(tpuRtKernelModule_t module, const char* kernel, void* arguments, uint32_t bytes,
                                     uint64_t groups, uint64_t blocks, tpuRtStream_t stream);

#ifdef __cplusplus
}
#endif
