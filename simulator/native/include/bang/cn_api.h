// The driver, see cnrt.h. Numbers of names are those of the public headers. libcndrv.so has the functions; those that are
// declared and not modelled say so and fail.
#ifndef MLUSIM_CN_API_H
#define MLUSIM_CN_API_H
#include "mlusim_cn_types.h"

#define CN_MAJOR_VERSION 2
#define CN_MINOR_VERSION 15
#define CN_PATCH_VERSION 5
#define CN_VERSION (CN_MAJOR_VERSION * 100000 + CN_MINOR_VERSION * 1000 + CN_PATCH_VERSION)

#ifdef __cplusplus
extern "C" {
#endif
CNresult cnInit(unsigned int flags);
CNresult cnGetLibVersion(int* major, int* minor, int* patch);
CNresult cnDriverGetVersion(int* major, int* minor, int* patch);
CNresult cnGetDriverVersion(int* major, int* minor, int* patch);
CNresult cnGetErrorString(CNresult error, const char** text);
CNresult cnGetErrorName(CNresult error, const char** text);
CNresult cnDeviceGet(CNdev* device, int ordinal);
CNresult cnDeviceGetCount(int* count);
CNresult cnDeviceGetName(char* name, unsigned int length, CNdev device);
CNresult cnDeviceGetAttribute(int* value, CNdevice_attribute attribute, CNdev device);
CNresult cnDeviceTotalMem(cn_uint64_t* bytes, CNdev device);
CNresult cnDeviceGetByPCIBusId(CNdev* device, const char* id);
CNresult cnDeviceGetPCIBusId(char* id, int length, CNdev device);
CNresult cnDeviceCanPeerAble(int* can, CNdev source, CNdev target);
CNresult cnProfilerStart(void);
CNresult cnProfilerStop(void);

// Contexts.
CNresult cnCtxCreate(CNcontext* context, unsigned int flags, CNdev device);
CNresult cnCtxDestroy(CNcontext context);
CNresult cnCtxGetCurrent(CNcontext* context);
CNresult cnCtxSetCurrent(CNcontext context);
CNresult cnCtxGetDevice(CNdev* device);
CNresult cnCtxSync(void);
CNresult cnCtxGetQueuePriorityRange(int* lowest, int* highest);
CNresult cnCtxResetPersistingL2Cache(void);
CNresult cnSharedContextAcquire(CNcontext* context, CNdev device);
CNresult cnSharedContextRelease(CNdev device);
CNresult cnGetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param);
CNresult cnSetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param);
CNresult cnGetCtxMaxParallelUnionTasks(CNcontext context, KernelClass type, int* count);

// Memory.
CNresult cnMalloc(CNaddr* address, cn_uint64_t bytes);
CNresult cnZmalloc(CNaddr* address, cn_uint64_t bytes);
CNresult cnMallocPeerAble(CNaddr* address, cn_uint64_t bytes);
CNresult cnMallocConstant(CNaddr* address, cn_uint64_t bytes);
CNresult cnFree(CNaddr address);
CNresult cnIpcGetMemHandle(CNIpcMemHandle* handle, CNaddr address);
CNresult cnIpcOpenMemHandle(CNaddr* address, CNIpcMemHandle handle, unsigned int flags);
CNresult cnIpcCloseMemHandle(CNaddr address);
CNresult cnMallocHost(void** pointer, cn_uint64_t bytes);
CNresult cnFreeHost(void* pointer);
CNresult cnMemcpyHtoD(CNaddr to, const void* from, cn_uint64_t bytes);
CNresult cnMemcpyDtoH(void* to, CNaddr from, cn_uint64_t bytes);
CNresult cnGetMemAttribute(void* value, CNmem_attribute attribute, CNaddr address);
CNresult cnMemGetInfo(cn_uint64_t* free, cn_uint64_t* total);
CNresult cnMemcpy(CNaddr to, CNaddr from, cn_uint64_t bytes);
CNresult cnMemcpyDtoD(CNaddr to, CNaddr from, cn_uint64_t bytes);
CNresult cnMemcpyAsync(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyAsync_V2(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyAsync_V3(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyHtoDAsync(CNaddr to, const void* from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyDtoHAsync(void* to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyHtoDAsync_V2(CNaddr to, const void* from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyDtoHAsync_V2(void* to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyDtoDAsync(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyPeer(CNaddr to, CNcontext context, CNaddr from, CNcontext source, cn_uint64_t bytes);
CNresult cnMemcpyPeerAsync(CNaddr to, CNcontext context, CNaddr from, CNcontext source, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpy2D(CNaddr to, cn_uint64_t to_pitch, CNaddr from, cn_uint64_t from_pitch, cn_uint64_t width,
                    cn_uint64_t height);
CNresult cnMemcpy2DAsync(CNaddr to, cn_uint64_t to_pitch, CNaddr from, cn_uint64_t from_pitch, cn_uint64_t width,
                         cn_uint64_t height, CNqueue queue);
CNresult cnMemcpyDtoD2D(CNaddr to, cn_uint64_t to_pitch, CNaddr from, cn_uint64_t from_pitch, cn_uint64_t width,
                        cn_uint64_t height);
CNresult cnMemsetD8(CNaddr address, unsigned char value, cn_uint64_t count);
CNresult cnMemsetD32(CNaddr address, unsigned int value, cn_uint64_t count);
CNresult cnMemsetD8Async(CNaddr address, unsigned char value, cn_uint64_t count, CNqueue queue);
CNresult cnMemsetD32Async(CNaddr address, unsigned int value, cn_uint64_t count, CNqueue queue);
CNresult cnMmap(CNaddr address, void** host, cn_uint64_t bytes);
CNresult cnMmapCached(CNaddr address, void** host, cn_uint64_t bytes);
CNresult cnMunmap(void* host, cn_uint64_t bytes);
CNresult cnMemAllocAsync(CNaddr* address, size_t bytes, CNqueue queue);
CNresult cnMemAllocFromPoolAsync(CNaddr* address, size_t bytes, CNmemoryPool pool, CNqueue queue);
CNresult cnMemFreeAsync(CNaddr address, CNqueue queue);
CNresult cnMemPoolCreate(CNmemoryPool* pool, CNmemPoolProps* properties);
CNresult cnMemPoolDestroy(CNmemoryPool pool);
CNresult cnMemPoolGetAccess(CNMemoryAccessFlags* flags, CNmemoryPool pool, CNmemLocation* location);
CNresult cnMemPoolGetAttribute(CNmemoryPool pool, CNmemPoolAttribute attribute, void* value);
CNresult cnMemPoolSetAttribute(CNmemoryPool pool, CNmemPoolAttribute attribute, void* value);
CNresult cnMemPoolTrimTo(CNmemoryPool pool, size_t kept);
CNresult cnDeviceGetDefaultMemPool(CNmemoryPool* pool, CNdev device);
CNresult cnDeviceGetMemPool(CNmemoryPool* pool, CNdev device);
CNresult cnDeviceSetMemPool(CNdev device, CNmemoryPool pool);

// Queues and notifiers.
CNresult cnCreateQueue(CNqueue* queue, unsigned int flags);
CNresult cnCreateQueueWithPriority(CNqueue* queue, unsigned int flags, int priority);
CNresult cnQueueGetPriority(CNqueue queue, int* priority);
CNresult cnDestroyQueue(CNqueue queue);
CNresult cnQueryQueue(CNqueue queue);
CNresult cnQueueWaitNotifier(CNqueue queue, CNnotifier notifier);
CNresult cnQueueWaitNotifierWithFlags(CNqueue queue, CNnotifier notifier, unsigned int flags);
CNresult cnInvokeHostFunc(CNqueue queue, CNhostFn function, void* data);
CNresult cnCreateNotifier(CNnotifier* notifier, unsigned int flags);
CNresult cnDestroyNotifier(CNnotifier notifier);
CNresult cnPlaceNotifier(CNnotifier notifier, CNqueue queue);
CNresult cnPlaceNotifierWithFlags(CNnotifier notifier, CNqueue queue, unsigned int flags);
CNresult cnQueryNotifier(CNnotifier notifier);
CNresult cnWaitNotifier(CNnotifier notifier);
CNresult cnNotifierElapsedTime(float* milliseconds, CNnotifier start, CNnotifier end);
CNresult cnIpcGetNotifierHandle(CNIpcNotifierHandle* handle, CNnotifier notifier);
CNresult cnIpcOpenNotifierHandle(CNnotifier* notifier, CNIpcNotifierHandle handle);
CNresult cnQueueGetContext(CNqueue queue, CNcontext* context);
CNresult cnQueueSync(CNqueue queue);
CNresult cnQueueQuery(CNqueue queue);

// Modules, which `cncc --bang-fatbin-only` writes, and their kernels, by their symbols.
CNresult cnModuleLoadFatBinary(const void* binary, CNmodule* module);
CNresult cnModuleLoad(const char* path, CNmodule* module);
CNresult cnModuleUnload(CNmodule module);
CNresult cnModuleGetKernel(CNmodule module, const char* name, CNkernel* kernel);
CNresult cnInvokeKernel(CNkernel kernel, unsigned int x, unsigned int y, unsigned int z, KernelClass type,
                        unsigned int reserved, CNqueue queue, void** arguments, void** extra);
CNresult cnInvokeKernelEx(const CNinvokeConfig* configuration, CNkernel kernel, void** arguments, void** extra);

// Captures and task topologies.
#define OF(runtime, driver) driver
#define MLUSIM_TWIN(name, parameters, arguments) CNresult cn##name parameters;
#include "mlusim_topologies.h"
#undef MLUSIM_TWIN
#undef OF
CNresult cnTaskTopoAddKernelNode(CNtaskTopoNode* node, CNtaskTopo topology, const CNtaskTopoNode* before, size_t count,
                                 const CN_KERNEL_NODE_PARAMS* params);
CNresult cnTaskTopoKernelNodeGetParams(CNtaskTopoNode node, CN_KERNEL_NODE_PARAMS* params);
CNresult cnTaskTopoKernelNodeSetParams(CNtaskTopoNode node, const CN_KERNEL_NODE_PARAMS* params);
CNresult cnTaskTopoEntityKernelNodeSetParams(CNtaskTopoEntity entity, CNtaskTopoNode node,
                                             const CN_KERNEL_NODE_PARAMS* params);

// All others, which say so and fail.
#define MLUSIM_UNMODELLED(name, ...) CNresult name(__VA_ARGS__);
#include "mlusim_cn_unmodelled.h"
#undef MLUSIM_UNMODELLED
#ifdef __cplusplus
}
#endif
#endif
