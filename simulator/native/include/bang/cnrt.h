// The runtime that host code calls, in the spellings of CNRT 5 and later and in the older ones. Numbers of names are those
// of the public headers. libcnrt.so has the functions; those that are declared and not modelled say so and fail.
#ifndef MLUSIM_CNRT_H
#define MLUSIM_CNRT_H
#define __CNRT_H  // the vendor's guard: some projects have a copy of its header, which would declare all of it again
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cn_api.h"
#include "mlusim_cnrt_handles.h"

#define CNRT_MAJOR_VERSION 6
#define CNRT_MINOR_VERSION 14
#define CNRT_PATCH_VERSION 1
#define CNRT_VERSION (CNRT_MAJOR_VERSION * 10000 + CNRT_MINOR_VERSION * 100 + CNRT_PATCH_VERSION)

#ifdef __cplusplus
extern "C" {
#endif
// Begin and end; contexts are the process's own and need no call.
cnrtRet_t cnrtInit(unsigned int flags);
void cnrtDestroy(void);

// Errors.
cnrtRet_t cnrtGetLastError(void);
cnrtRet_t cnrtPeekAtLastError(void);
cnrtRet_t cnrtGetLastErr(void);
const char* cnrtGetErrorStr(cnrtRet_t error);
const char* cnrtGetErrorName(cnrtRet_t error);

// Devices.
cnrtRet_t cnrtGetDevice(int* ordinal);
cnrtRet_t cnrtSetDevice(int ordinal);
cnrtRet_t cnrtGetDeviceCount(unsigned int* count);
cnrtRet_t cnrtGetDeviceHandle(cnrtDev_t* device, int ordinal);
cnrtRet_t cnrtSetCurrentDevice(cnrtDev_t device);
cnrtRet_t cnrtGetCurrentDevice(cnrtDev_t* device);
cnrtRet_t cnrtGetDeviceInfo(cnrtDeviceInfo_t* info, int ordinal);
cnrtRet_t cnrtGetDeviceProperties(cnrtDeviceProp_t* properties, int ordinal);
cnrtRet_t cnrtDeviceGetAttribute(int* value, cnrtDeviceAttr_t attribute, int ordinal);
cnrtRet_t cnrtDeviceGetPCIBusId(char* id, int length, int ordinal);
cnrtRet_t cnrtDeviceGetByPCIBusId(int* ordinal, const char* id);
cnrtRet_t cnrtDeviceReset(void);
cnrtRet_t cnrtSyncDevice(void);
cnrtRet_t cnrtSetDeviceFlag(unsigned int flags);
cnrtRet_t cnrtGetDeviceFlag(unsigned int* flags);
cnrtRet_t cnrtDeviceGetQueuePriorityRange(int* lowest, int* highest);
cnrtRet_t cnrtDeviceGetConfig(int64_t* value, cnrtDeviceConfig_t config);
cnrtRet_t cnrtDeviceSetConfig(cnrtDeviceConfig_t config, int64_t value);
cnrtRet_t cnrtDeviceGetLimit(size_t* value, cnrtDeviceLimit_t limit);
cnrtRet_t cnrtDeviceSetLimit(cnrtDeviceLimit_t limit, size_t value);
cnrtRet_t cnrtDeviceResetPersistingL2Cache(void);
cnrtRet_t cnrtSetCurrentChannel(cnrtChannelType_t channel);
cnrtRet_t cnrtGetCurrentChannel(cnrtChannelType_t* channel);
cnrtRet_t cnrtSetLocalMem(unsigned int megabytes);
cnrtRet_t cnrtGetLocalMem(unsigned int* megabytes);
cnrtRet_t cnrtSetStackMem(unsigned int megabytes);
cnrtRet_t cnrtGetStackMem(unsigned int* megabytes);
cnrtRet_t cnrtProfilerStart(void);
cnrtRet_t cnrtProfilerStop(void);
cnrtRet_t cnrtDeviceCanAccessPeer(int* can, int device, int peer);
cnrtRet_t cnrtGetPeerAccessibility(unsigned int* can, int device, int peer);
cnrtRet_t cnrtGetLibVersion(int* major, int* minor, int* patch);
cnrtRet_t cnrtDriverGetVersion(int* major, int* minor, int* patch);
cnrtRet_t cnrtGetVersion(unsigned int* version);

// Memory.
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocConstant(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocFrameBuffer(void** pointer, size_t bytes);
cnrtRet_t cnrtFree(void* pointer);
cnrtRet_t cnrtFreeArray(void** pointers, int length);
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocHost(void** pointer, size_t bytes, ...);  // older toolkits pass a cnrtMemType_t as well
cnrtRet_t cnrtFreeHost(void* pointer);
cnrtRet_t cnrtAcquireMemHandle(cnrtIpcMemHandle* handle, void* pointer);
cnrtRet_t cnrtMapMemHandle(void** pointer, cnrtIpcMemHandle handle, int flags);
cnrtRet_t cnrtUnMapMemHandle(void* pointer);
cnrtRet_t cnrtMemGetInfo(size_t* free, size_t* total);
cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t* attributes, const void* pointer);
cnrtRet_t cnrtMemcpy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync_V2(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync_V3(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyPeer(void* to, int device, const void* from, int source, size_t bytes);
cnrtRet_t cnrtMemcpyPeerAsync(void* to, int device, const void* from, int source, size_t bytes, cnrtQueue_t queue);
cnrtRet_t cnrtMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                       cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                            cnrtMemTransDir_t direction, cnrtQueue_t queue);
cnrtRet_t cnrtMemcpy3D(const cnrtMemcpy3dParam_t* copy);
cnrtRet_t cnrtMemcpy3DAsync(const cnrtMemcpy3dParam_t* copy, cnrtQueue_t queue);
// Memory of the host that is pinned where it is; device memory that the host may touch.
cnrtRet_t cnrtHostRegister(void* pointer, size_t bytes, unsigned int flags);
cnrtRet_t cnrtHostUnregister(void* pointer);
cnrtRet_t cnrtMmap(void* pointer, void** host, size_t bytes);
cnrtRet_t cnrtMmapCached(void* pointer, void** host, size_t bytes);
cnrtRet_t cnrtMunmap(void* host, size_t bytes);
cnrtRet_t cnrtMcacheOperation(void* pointer, void* host, size_t bytes, cnrtCacheOps_t operation);
// Memory in the order of a queue. Pools share the memory of their device, up to their size.
cnrtRet_t cnrtMemAllocAsync(void** pointer, size_t bytes, cnrtQueue_t queue);
cnrtRet_t cnrtMemAllocFromPoolAsync(void** pointer, size_t bytes, cnrtMemPool_t pool, cnrtQueue_t queue);
cnrtRet_t cnrtMemFreeAsync(void* pointer, cnrtQueue_t queue);
cnrtRet_t cnrtMemPoolCreate(cnrtMemPool_t* pool, const cnrtMemPoolProps_t* properties);
cnrtRet_t cnrtMemPoolDestroy(cnrtMemPool_t pool);
cnrtRet_t cnrtMemPoolGetAccess(cnrtMemoryAccessFlags_t* flags, cnrtMemPool_t pool, cnrtMemLocation_t* location);
cnrtRet_t cnrtMemPoolGetAttribute(cnrtMemPool_t pool, cnrtMemPoolAttr_t attribute, void* value);
cnrtRet_t cnrtMemPoolSetAttribute(cnrtMemPool_t pool, cnrtMemPoolAttr_t attribute, void* value);
cnrtRet_t cnrtMemPoolTrimTo(cnrtMemPool_t pool, size_t kept);
cnrtRet_t cnrtDeviceGetDefaultMemPool(cnrtMemPool_t* pool, int ordinal);
cnrtRet_t cnrtDeviceGetMemPool(cnrtMemPool_t* pool, int ordinal);
cnrtRet_t cnrtDeviceSetMemPool(int ordinal, cnrtMemPool_t pool);
cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes);
cnrtRet_t cnrtMemsetAsync(void* pointer, int value, size_t bytes, cnrtQueue_t queue);
cnrtRet_t cnrtMemsetD8(void* pointer, unsigned char value, size_t count);
cnrtRet_t cnrtMemsetD32(void* pointer, unsigned int value, size_t count);
cnrtRet_t cnrtMemsetD8Async(void* pointer, unsigned char value, size_t count, cnrtQueue_t queue);
cnrtRet_t cnrtMemsetD32Async(void* pointer, unsigned int value, size_t count, cnrtQueue_t queue);

// Queues and notifiers. Durations are those of the simulated device: in microseconds, the elapsed time in milliseconds.
cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue);
cnrtRet_t cnrtQueueCreateWithPriority(cnrtQueue_t* queue, unsigned int flags, int priority);
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue);
cnrtRet_t cnrtQueueSync(cnrtQueue_t queue);
cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue);
cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags);
cnrtRet_t cnrtQueueGetPriority(cnrtQueue_t queue, int* priority);
cnrtRet_t cnrtQueueSetAttribute(cnrtQueue_t queue, cnrtQueueAttrID_t attribute, const cnrtQueueAttrValue_t* value);
cnrtRet_t cnrtQueueGetAttribute(cnrtQueue_t queue, cnrtQueueAttrID_t attribute, cnrtQueueAttrValue_t* value);
cnrtRet_t cnrtQueueCopyAttributes(cnrtQueue_t to, cnrtQueue_t from);
cnrtRet_t cnrtCreateQueue(cnrtQueue_t* queue);
cnrtRet_t cnrtDestroyQueue(cnrtQueue_t queue);
cnrtRet_t cnrtSyncQueue(cnrtQueue_t queue);
cnrtRet_t cnrtQueryQueue(cnrtQueue_t queue);
cnrtRet_t cnrtInvokeHostFunc(cnrtQueue_t queue, cnrtHostFn_t function, void* data);
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier);
cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* notifier, unsigned int flags);
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier);
cnrtRet_t cnrtCreateNotifier(cnrtNotifier_t* notifier);
cnrtRet_t cnrtDestroyNotifier(cnrtNotifier_t* notifier);
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue);
cnrtRet_t cnrtPlaceNotifierWithFlags(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags);
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtIpcGetNotifierHandle(cnrtIpcNotifierHandle* handle, cnrtNotifier_t notifier);
cnrtRet_t cnrtIpcOpenNotifierHandle(cnrtNotifier_t* notifier, cnrtIpcNotifierHandle handle);
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds);
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* milliseconds);

// Kernels by their address.
cnrtRet_t cnrtInvokeKernel(const void* kernel, cnrtDim3_t dim, cnrtFunctionType_t type, void** arguments, size_t reserved,
                           cnrtQueue_t queue);
cnrtRet_t cnrtInvokeKernel_V2(const void* kernel, cnrtDim3_t dim, cnrtKernelParamsBuffer_t arguments,
                              cnrtFunctionType_t type, cnrtQueue_t queue);
cnrtRet_t cnrtInvokeKernel_V3(const void* kernel, cnrtKernelInitParam_t init, cnrtDim3_t dim,
                              cnrtKernelParamsBuffer_t arguments, cnrtFunctionType_t type, cnrtQueue_t queue, void* extra);
cnrtRet_t cnrtGetKernelParamsBuffer(cnrtKernelParamsBuffer_t* buffer);
cnrtRet_t cnrtKernelParamsBufferAddParam(cnrtKernelParamsBuffer_t buffer, void* value, size_t bytes);
cnrtRet_t cnrtCopyKernelParamsBuffer(cnrtKernelParamsBuffer_t to, cnrtKernelParamsBuffer_t from);
cnrtRet_t cnrtDestroyKernelParamsBuffer(cnrtKernelParamsBuffer_t buffer);
cnrtRet_t cnrtCreateKernelInitParam(cnrtKernelInitParam_t* param);
cnrtRet_t cnrtInitKernelMemory(const void* kernel, cnrtKernelInitParam_t param);
cnrtRet_t cnrtDestroyKernelInitParamAndMemory(cnrtKernelInitParam_t param);

// Conversions in host memory.
cnrtRet_t cnrtConvertFloatToHalf(uint16_t* to, float from);
cnrtRet_t cnrtConvertHalfToFloat(float* to, uint16_t from);
cnrtRet_t cnrtConvertDoubleToHalf(uint16_t* to, double from);
cnrtRet_t cnrtConvertHalfToDouble(double* to, uint16_t from);
int cnrtDataTypeSize(cnrtDataType_t type);
cnrtRet_t cnrtCreateQuantizedParam(cnrtQuantizedParam_t* param, int position, float scale, int offset);
cnrtRet_t cnrtDestroyQuantizedParam(cnrtQuantizedParam_t param);
cnrtRet_t cnrtCastDataType(const void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type, int count,
                           cnrtQuantizedParam_t param);
cnrtRet_t cnrtCastDataType_V2(const void* from, cnrtDataType_V2_t from_type, void* to, cnrtDataType_V2_t to_type,
                              int count, cnrtQuantizedParam_t param, cnrtRoundingMode_t mode);
// Axis i of the result is axis order[i] of the source.
cnrtRet_t cnrtTransDataOrder(void* from, cnrtDataType_t type, void* to, int axes, int sizes[], int order[]);
cnrtRet_t cnrtTransOrderAndCast(void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type,
                                cnrtQuantizedParam_t param, int axes, int sizes[], int order[]);
cnrtRet_t cnrtReshapeNCHWToNHWC(void* to, void* from, int n, int h, int w, int c, cnrtDataType_t type);
cnrtRet_t cnrtReshapeNHWCToNCHW(void* to, void* from, int n, int h, int w, int c, cnrtDataType_t type);

// Captures and task topologies.
#define OF(runtime, driver) runtime
#define MLUSIM_TWIN(name, parameters, arguments) cnrtRet_t cnrt##name parameters;
#include "mlusim_topologies.h"
#undef MLUSIM_TWIN
#undef OF
cnrtRet_t cnrtTaskTopoAddKernelNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology, const cnrtTaskTopoNode_t* before,
                                    size_t count, const cnrtKernelNodeParams_t* params);
cnrtRet_t cnrtTaskTopoKernelNodeGetParams(cnrtTaskTopoNode_t node, cnrtKernelNodeParams_t* params);
cnrtRet_t cnrtTaskTopoKernelNodeSetParams(cnrtTaskTopoNode_t node, const cnrtKernelNodeParams_t* params);
cnrtRet_t cnrtTaskTopoEntityKernelNodeSetParams(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node,
                                                const cnrtKernelNodeParams_t* params);

// All others, which say so and fail.
#define MLUSIM_UNMODELLED(name, ...) cnrtRet_t name(__VA_ARGS__);
#include "mlusim_cnrt_unmodelled.h"
#undef MLUSIM_UNMODELLED
#ifdef __cplusplus
}
#endif

// Ends the program where a call fails.
#define CNRT_CHECK(call)                                                                                        \
  do {                                                                                                          \
    cnrtRet_t mlusim_status_ = (cnrtRet_t)(call);                                                               \
    if (mlusim_status_ != cnrtSuccess) {                                                                        \
      fprintf(stderr, "%s:%d: %s (%d) from %s\n", __FILE__, __LINE__, cnrtGetErrorStr(mlusim_status_),          \
              (int)mlusim_status_, #call);                                                                      \
      exit(EXIT_FAILURE);                                                                                       \
    }                                                                                                           \
  } while (0)
#endif
