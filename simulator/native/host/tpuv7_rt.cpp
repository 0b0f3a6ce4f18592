// The runtime of the BM1690: that of mlusim by other names. Streams are its queues, events its notifiers, modules what
// `dlopen` gives.
#include "tpuv7_rt.h"

#include <dlfcn.h>

#include <memory>

#include "cnrt.h"
#include "host_kernels.h"
#include "host_modules.h"
#include "host_operation.h"

#define TPU_API extern "C" __attribute__((visibility("default")))

namespace {

tpuRtStatus_t status(cnrtRet_t found) {
  switch (found) {
    case cnrtSuccess:
      return tpuRtSuccess;
    case cnrtErrorNotReady:
      return tpuRtErrBusy;
    case cnrtErrorNoMem:
    case cnrtErrorSysNoMem:
      return tpuRtErrNomem;
    case cnrtErrorArgsInvalid:
    case cnrtErrorNoKernel:
      return tpuRtErrParam;
    case cnrtErrorNoDevice:
    case cnrtErrorDeviceInvalid:
      return tpuRtErrorNoDevice;
    case cnrtErrorInvalidResourceHandle:
      return tpuRtErrorInvalidResourceHandle;
    case cnrtErrorNotSupport:
      return tpuRtErrNotSupported;
    default:
      return tpuRtErrFailure;
  }
}

cnrtQueue_t queue(tpuRtStream_t stream) { return (cnrtQueue_t)stream; }
cnrtNotifier_t notifier(tpuRtEvent_t event) { return (cnrtNotifier_t)event; }

tpuRtKernelModule_t loaded(mlusim_module_problem problem, void* library) {
  if (problem == MLUSIM_LOADED) return (tpuRtKernelModule_t)library;
  mlusim_call_failed(cnrtErrorArgsInvalid, mlusim_why_not_loaded(problem));
  return nullptr;
}

struct Callback {
  pTpuRtStreamCallback function;
  void* data;
};

void call_back(void* given) {
  std::unique_ptr<Callback> callback((Callback*)given);
  callback->function(callback->data);
}

}  // namespace

TPU_API tpuRtStatus_t tpuRtInit(void) {
  FROM_CALLER;
  return status(cnrtSetDevice(0));
}
TPU_API tpuRtStatus_t tpuRtGetDeviceCount(int* count) {
  FROM_CALLER;
  return status(cnrtGetDeviceCount((unsigned int*)count));
}
TPU_API tpuRtStatus_t tpuRtGetDevice(int* device) {
  FROM_CALLER;
  return status(cnrtGetDevice(device));
}
TPU_API tpuRtStatus_t tpuRtSetDevice(int device) {
  FROM_CALLER;
  return status(cnrtSetDevice(device));
}
TPU_API tpuRtStatus_t tpuRtDeviceSynchronize(void) {
  FROM_CALLER;
  return status(cnrtSyncDevice());
}

TPU_API tpuRtStatus_t tpuRtMalloc(void** memory, unsigned long long bytes, int) {
  FROM_CALLER;
  return status(cnrtMalloc(memory, bytes));
}
TPU_API tpuRtStatus_t tpuRtFree(void** memory, int count) {
  if (!memory) return status(mlusim_call_failed(cnrtErrorArgsInvalid, "the list of memories is null"));
  for (int i = 0; i < (count > 1 ? count : 1); i++) {
    FROM_CALLER;
    if (cnrtRet_t found = cnrtFree(memory[i])) return status(found);
  }
  return tpuRtSuccess;
}
TPU_API tpuRtStatus_t tpuRtMallocHost(void** memory, unsigned long long bytes) {
  FROM_CALLER;
  return status(cnrtHostMalloc(memory, bytes));
}
TPU_API tpuRtStatus_t tpuRtFreeHost(void* memory) {
  FROM_CALLER;
  return status(cnrtFreeHost(memory));
}
TPU_API tpuRtStatus_t tpuRtMemset(void* memory, int value, unsigned long long bytes) {
  FROM_CALLER;
  return status(cnrtMemset(memory, value, bytes));
}
TPU_API tpuRtStatus_t tpuRtMemsetAsync(void* memory, int value, unsigned long long bytes, tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtMemsetAsync(memory, value, bytes, queue(stream)));
}
TPU_API tpuRtStatus_t tpuRtMemcpyS2D(void* to, const void* from, unsigned long long bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy(to, const_cast<void*>(from), bytes, cnrtMemcpyHostToDev));
}
TPU_API tpuRtStatus_t tpuRtMemcpyD2S(void* to, const void* from, unsigned long long bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy(to, const_cast<void*>(from), bytes, cnrtMemcpyDevToHost));
}
TPU_API tpuRtStatus_t tpuRtMemcpyD2D(void* to, const void* from, unsigned long long bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy(to, const_cast<void*>(from), bytes, cnrtMemcpyDevToDev));
}
TPU_API tpuRtStatus_t tpuRtMemcpyP2P(void* to, int, const void* from, int, unsigned long long bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy(to, const_cast<void*>(from), bytes, cnrtMemcpyPeerToPeer));
}
TPU_API tpuRtStatus_t tpuRtMemcpyS2DAsync(void* to, const void* from, unsigned long long bytes, tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtMemcpyAsync(to, const_cast<void*>(from), bytes, queue(stream), cnrtMemcpyHostToDev));
}
TPU_API tpuRtStatus_t tpuRtMemcpyD2SAsync(void* to, const void* from, unsigned long long bytes, tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtMemcpyAsync(to, const_cast<void*>(from), bytes, queue(stream), cnrtMemcpyDevToHost));
}
TPU_API tpuRtStatus_t tpuRtMemcpyD2DAsync(void* to, const void* from, unsigned long long bytes, tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtMemcpyAsync(to, const_cast<void*>(from), bytes, queue(stream), cnrtMemcpyDevToDev));
}

TPU_API tpuRtStatus_t tpuRtStreamCreate(tpuRtStream_t* stream) {
  FROM_CALLER;
  return status(cnrtQueueCreate((cnrtQueue_t*)stream));
}
TPU_API tpuRtStatus_t tpuRtStreamDestroy(tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtQueueDestroy(queue(stream)));
}
TPU_API tpuRtStatus_t tpuRtStreamSynchronize(tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtQueueSync(queue(stream)));
}
TPU_API tpuRtStatus_t tpuRtStreamAddCallback(tpuRtStream_t stream, pTpuRtStreamCallback callback, void* data) {
  if (!callback) return status(mlusim_call_failed(cnrtErrorArgsInvalid, "the function is null"));
  FROM_CALLER;
  return status(cnrtInvokeHostFunc(queue(stream), call_back, new Callback{callback, data}));
}
TPU_API tpuRtStatus_t tpuRtStreamWaitEvent(tpuRtStream_t stream, tpuRtEvent_t event) {
  FROM_CALLER;
  return status(cnrtQueueWaitNotifier(notifier(event), queue(stream), 0));
}
TPU_API tpuRtStatus_t tpuRtEventCreate(tpuRtEvent_t* event) {
  FROM_CALLER;
  return status(cnrtNotifierCreate((cnrtNotifier_t*)event));
}
TPU_API tpuRtStatus_t tpuRtEventFree(tpuRtEvent_t event, tpuRtStream_t) {
  FROM_CALLER;
  return status(cnrtNotifierDestroy(notifier(event)));
}
TPU_API tpuRtStatus_t tpuRtEventRecord(tpuRtEvent_t event, tpuRtStream_t stream) {
  FROM_CALLER;
  return status(cnrtPlaceNotifier(notifier(event), queue(stream)));
}
TPU_API tpuRtStatus_t tpuRtEventQuery(tpuRtEvent_t event) {
  FROM_CALLER;
  return status(cnrtQueryNotifier(notifier(event)));
}
TPU_API tpuRtStatus_t tpuRtEventSynchronize(tpuRtEvent_t event) {
  FROM_CALLER;
  return status(cnrtWaitNotifier(notifier(event)));
}
TPU_API tpuRtStatus_t tpuRtEventElapsedTime(float* milliseconds, tpuRtEvent_t start, tpuRtEvent_t end) {
  FROM_CALLER;
  float microseconds = 0;
  cnrtRet_t found = cnrtNotifierDuration(notifier(start), notifier(end), &microseconds);
  if (!found && milliseconds) *milliseconds = microseconds / 1000;
  return status(found);
}

TPU_API tpuRtKernelModule_t tpuRtKernelLoadModuleFile(const char* path, tpuRtStream_t) {
  void* library = nullptr;
  mlusim_module_problem problem = path ? mlusim_load_file_or_program(path, &library) : MLUSIM_NO_FILE;
  return loaded(problem, library);
}
TPU_API tpuRtKernelModule_t tpuRtKernelLoadModule(const char* content, size_t bytes, tpuRtStream_t) {
  void* library = nullptr;
  mlusim_module_problem problem = content ? mlusim_load_bytes(content, bytes, &library) : MLUSIM_NO_MODULE;
  return loaded(problem, library);
}
TPU_API tpuRtStatus_t tpuRtKernelUnloadModule(tpuRtKernelModule_t module, tpuRtStream_t) {
  if (!module) return status(mlusim_call_failed(cnrtErrorArgsInvalid, "the module is null"));
  dlclose(module);
  return tpuRtSuccess;
}
TPU_API tpuRtStatus_t tpuRtKernelLaunchAsync(tpuRtKernelModule_t module, const char* kernel, void* arguments,
                                             uint32_t bytes, uint64_t groups, uint64_t blocks, tpuRtStream_t stream) {
  if (!module) return status(mlusim_call_failed(cnrtErrorArgsInvalid, "the module is null"));
  FROM_CALLER;
  return status(mlusim_launch_named(module, kernel, groups * blocks, arguments, bytes, queue(stream)));
}
TPU_API tpuRtStatus_t tpuRtKernelLaunch(tpuRtKernelModule_t module, const char* kernel, void* arguments, uint32_t bytes,
                                        uint64_t groups, uint64_t blocks, tpuRtStream_t stream) {
  if (!module) return status(mlusim_call_failed(cnrtErrorArgsInvalid, "the module is null"));
  FROM_CALLER;
  cnrtRet_t found = mlusim_launch_named(module, kernel, groups * blocks, arguments, bytes, queue(stream));
  FROM_CALLER;
  return status(found ? found : cnrtQueueSync(queue(stream)));
}
