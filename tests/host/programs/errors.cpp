// What calls of the runtime return that are wrong: a line for each, with the status that it has to return.
#include <cnrt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "cn_api.h"
#include "cndev.h"
#include "cnnl.h"
#include "errors.h"
#include "kernels.h"

extern "C" void mlusim_configure(cnrtDim3_t dim, int type, cnrtQueue_t queue);
extern "C" void mlusim_enter_kernel(const void* arguments, uint64_t count);

int asked = 0;
void check(int line, long got, long wanted, const char* call) {
  asked++;
  if (got != wanted) printf("line %d: %ld, not %ld, from %s\n", line, got, wanted, call);
}

static const size_t huge = ~(size_t)0;
static const cnrtDim3_t one = {1, 1, 1};
static int number;
static float real;
static char text[64];
static size_t bytes, others;
static void* pointer;

static void devices() {
  GIVES(cnrtErrorDeviceInvalid, cnrtSetDevice(1));
  GIVES(cnrtErrorDeviceInvalid, cnrtSetDevice(-1));
  GIVES(cnrtErrorDeviceInvalid, cnrtSetCurrentDevice(7));
  INVALID(cnrtGetDevice(nullptr));
  INVALID(cnrtGetCurrentDevice(nullptr));
  INVALID(cnrtGetDeviceCount(nullptr));
  INVALID(cnrtGetDeviceHandle(nullptr, 0));
  GIVES(cnrtErrorDeviceInvalid, cnrtGetDeviceHandle(&number, 1));
  INVALID(cnrtDeviceGetAttribute(nullptr, cnrtAttrClusterCount, 0));
  GIVES(cnrtErrorDeviceInvalid, cnrtDeviceGetAttribute(&number, cnrtAttrClusterCount, 3));
  GIVES(cnrtErrorNoAttribute, cnrtDeviceGetAttribute(&number, (cnrtDeviceAttr_t)0x777, 0));
  INVALID(cnrtGetDeviceProperties(nullptr, 0));
  INVALID(cnrtGetDeviceInfo(nullptr, 0));
  INVALID(cnrtDeviceGetPCIBusId(nullptr, 20, 0));
  INVALID(cnrtDeviceGetPCIBusId(text, 4, 0));
  INVALID(cnrtDeviceGetPCIBusId(text, 0, 0));
  INVALID(cnrtDeviceGetPCIBusId(text, -1, 0));
  INVALID(cnrtDeviceGetByPCIBusId(&number, "0000:00:09.0"));
  INVALID(cnrtDeviceGetByPCIBusId(&number, "somewhere"));
  INVALID(cnrtDeviceGetByPCIBusId(&number, nullptr));
  INVALID(cnrtDeviceGetByPCIBusId(nullptr, "0000:00:00.0"));
  INVALID(cnrtGetDeviceFlag(nullptr));
  INVALID(cnrtDeviceCanAccessPeer(nullptr, 0, 0));
  GIVES(cnrtErrorDeviceInvalid, cnrtDeviceCanAccessPeer(&number, 0, 1));
  GIVES(cnrtErrorDeviceInvalid, cnrtDeviceCanAccessPeer(&number, 1, 0));
  INVALID(cnrtGetLibVersion(nullptr, &number, &number));
  INVALID(cnrtGetVersion(nullptr));
  INVALID(cnrtGetCurrentChannel(nullptr));
  INVALID(cnrtSetCurrentChannel((cnrtChannelType_t)99));
  INVALID(cnrtFreeArray(nullptr, 1));
  INVALID(cnrtDriverGetVersion(&number, &number, nullptr));
  GIVES(cnrtErrorNotSupport, cnrtPeekAtLastError() == cnrtErrorArgsInvalid ? cnrtErrorNotSupport : cnrtSuccess);
  INVALID(cnrtGetLastError());
  GIVES(cnrtSuccess, cnrtGetLastError());
  GIVES(0, strcmp(cnrtGetErrorStr((cnrtRet_t)77), "unknown error"));
  GIVES(0, strcmp(cnrtGetErrorName((cnrtRet_t)77), "cnrtErrorUnknown"));
}

static void memory(float* data) {
  INVALID(cnrtMalloc(nullptr, 4));
  GIVES(cnrtErrorNoMem, cnrtMalloc(&pointer, (size_t)1 << 50));
  GIVES(cnrtErrorNoMem, cnrtMalloc(&pointer, huge));
  GIVES(0, pointer);
  INVALID(cnrtFree(data + 1));
  INVALID(cnrtFree(text));
  GIVES(cnrtSuccess, cnrtMalloc(&pointer, 16));
  GIVES(cnrtSuccess, cnrtFree(pointer));
  INVALID(cnrtFree(pointer));
  INVALID(cnrtMemset(pointer, 0, 4));
  GIVES(cnrtSuccess, cnrtHostMalloc(&pointer, 16));
  GIVES(cnrtSuccess, cnrtFreeHost(pointer));
  INVALID(cnrtFreeHost(pointer));
  INVALID(cnrtHostMalloc(nullptr, 4));
  GIVES(cnrtErrorSysNoMem, cnrtHostMalloc(&pointer, huge / 2));
  INVALID(cnrtFreeHost(nullptr));
  INVALID(cnrtFreeHost(text));
  INVALID(cnrtFreeHost(data));
  INVALID(cnrtPointerGetAttributes(nullptr, data));
  cnrtPointerAttributes_t attributes;
  INVALID(cnrtPointerGetAttributes(&attributes, nullptr));
  GIVES(cnrtErrorMemcpyDirectionInvalid, cnrtMemcpy(data, text, 4, (cnrtMemTransDir_t)9));
  GIVES(cnrtErrorMemcpyDirectionInvalid, cnrtMemcpy(data, text, 4, (cnrtMemTransDir_t)-1));
  INVALID(cnrtMemcpy(data, text, huge, cnrtMemcpyHostToDev));
  INVALID(cnrtMemcpy(data + 1, text, huge - 100, cnrtMemcpyHostToDev));
  INVALID(cnrtMemcpy(text, data, 8193, cnrtMemcpyDevToHost));
  INVALID(cnrtMemcpy(data, nullptr, 4, cnrtMemcpyHostToDev));
  INVALID(cnrtMemcpy(nullptr, text, 4, cnrtMemcpyHostToDev));
  INVALID(cnrtMemcpy(text, nullptr, 4, cnrtMemcpyHostToHost));
  INVALID(cnrtMemcpy(nullptr, nullptr, 4, cnrtMemcpyNoDirection));
  INVALID(cnrtMemcpyAsync(text, text, 4, nullptr, cnrtMemcpyDevToHost));
  NOTHING(cnrtMemcpyAsync(data, text, 4, (cnrtQueue_t)text, cnrtMemcpyHostToDev));
  INVALID(cnrtMemcpy2D(data, 4, text, 8, 8, 2, cnrtMemcpyHostToDev));
  INVALID(cnrtMemcpy2D(data, 4096, text, 8, 8, 4, cnrtMemcpyHostToDev));
  GIVES(cnrtErrorDeviceInvalid, cnrtMemcpyPeer(data, 1, data + 4, 0, 4));
  GIVES(cnrtErrorDeviceInvalid, cnrtMemcpyPeerAsync(data, 0, data + 4, 1, 4, nullptr));
  INVALID(cnrtMemcpyPeer(data, 0, text, 0, 4));
  INVALID(cnrtMemset(text, 0, 4));
  INVALID(cnrtMemset(data, 0, 8193));
  INVALID(cnrtMemsetD32(data, 0, huge / 4 + 2));
  NOTHING(cnrtMemsetAsync(data, 0, 4, (cnrtQueue_t)text));
}

static void queues(float* data) {
  cnrtQueue_t queue, gone;
  cnrtNotifier_t notifier, fresh, old;
  INVALID(cnrtQueueCreate(nullptr));
  cnrtQueueCreate(&queue), cnrtQueueCreate(&gone), cnrtQueueDestroy(gone);
  NOTHING(cnrtQueueDestroy(gone));
  NOTHING(cnrtQueueDestroy(nullptr));
  NOTHING(cnrtQueueSync(gone));
  NOTHING(cnrtQueueQuery(gone));
  INVALID(cnrtNotifierCreate(nullptr));
  cnrtNotifierCreate(&notifier), cnrtNotifierCreate(&fresh), cnrtNotifierCreate(&old), cnrtNotifierDestroy(old);
  NOTHING(cnrtNotifierDestroy(old));
  INVALID(cnrtDestroyNotifier(nullptr));
  NOTHING(cnrtDestroyNotifier(&old));
  NOTHING(cnrtPlaceNotifier(old, queue));
  NOTHING(cnrtPlaceNotifier(notifier, gone));
  NOTHING(cnrtQueryNotifier(old));
  NOTHING(cnrtWaitNotifier(nullptr));
  NOTHING(cnrtQueueWaitNotifier(old, queue, 0));
  NOTHING(cnrtQueueWaitNotifier(notifier, gone, 0));
  INVALID(cnrtNotifierDuration(notifier, fresh, nullptr));
  NOTHING(cnrtNotifierDuration(old, fresh, &real));
  NOTHING(cnrtNotifierElapsedTime(notifier, old, &real));
  cnrtPlaceNotifier(notifier, queue);
  GIVES(cnrtErrorCndrvFuncCall, cnrtNotifierDuration(notifier, fresh, &real));
  cnrtNotifier_t untimed;
  cnrtNotifierCreateWithFlags(&untimed, CNRT_NOTIFIER_DISABLE_TIMING_ALL);
  cnrtMemsetAsync(data, 0, 4, queue), cnrtPlaceNotifier(fresh, queue), cnrtPlaceNotifier(untimed, queue);
  GIVES(cnrtErrorNotReady, cnrtNotifierDuration(notifier, fresh, &real));
  INVALID(cnrtNotifierDuration(notifier, untimed, &real));
  cnrtNotifierDestroy(untimed);
  INVALID(cnrtInvokeHostFunc(queue, nullptr, nullptr));
  NOTHING(cnrtInvokeHostFunc(gone, [](void*) {}, nullptr));
  cnrtQueueSync(queue), cnrtQueueDestroy(queue), cnrtNotifierDestroy(notifier), cnrtNotifierDestroy(fresh);
}

// A launch that fails leaves its queue failed: each has one of its own.
static void launches(float* data) {
  float value = 1;
  int count = 4;
  char narrow = 1;
  void* arguments[] = {&data, &value, &count};
  cnrtKernelParamsBuffer_t buffer, wrong;
  INVALID(cnrtGetKernelParamsBuffer(nullptr));
  cnrtGetKernelParamsBuffer(&buffer), cnrtGetKernelParamsBuffer(&wrong);
  INVALID(cnrtKernelParamsBufferAddParam(nullptr, &value, 4));
  INVALID(cnrtKernelParamsBufferAddParam(buffer, nullptr, 4));
  INVALID(cnrtCopyKernelParamsBuffer(nullptr, buffer));
  INVALID(cnrtCopyKernelParamsBuffer(buffer, nullptr));
  INVALID(cnrtDestroyKernelParamsBuffer(nullptr));
  INVALID(cnrtCreateKernelInitParam(nullptr));
  GIVES(cnrtErrorNoKernel, cnrtInitKernelMemory(text, nullptr));
  GIVES(cnrtErrorNoKernel, cnrtInvokeKernel(text, one, cnrtFuncTypeBlock, arguments, 0, nullptr));
  GIVES(cnrtErrorNoKernel, cnrtInvokeKernel_V2(nullptr, one, buffer, cnrtFuncTypeBlock, nullptr));
  INVALID(cnrtInvokeKernel((void*)AddScalar, one, cnrtFuncTypeBlock, nullptr, 0, nullptr));
  INVALID(cnrtInvokeKernel_V2((void*)AddScalar, one, nullptr, cnrtFuncTypeBlock, nullptr));
  NOTHING(cnrtInvokeKernel((void*)AddScalar, one, cnrtFuncTypeBlock, arguments, 0, (cnrtQueue_t)text));
  cnrtKernelParamsBufferAddParam(wrong, &data, sizeof data);
  cnrtKernelParamsBufferAddParam(wrong, &value, sizeof value);
  cnrtKernelParamsBufferAddParam(wrong, &narrow, sizeof narrow);
  for (int kind = 0; kind < 5; kind++) {
    cnrtQueue_t queue;
    cnrtQueueCreate(&queue);
    if (kind == 0) GIVES(cnrtSuccess, cnrtInvokeKernel_V2((void*)AddScalar, one, buffer, cnrtFuncTypeBlock, queue));
    if (kind == 1) GIVES(cnrtSuccess, cnrtInvokeKernel_V2((void*)AddScalar, one, wrong, cnrtFuncTypeBlock, queue));
    if (kind == 2) cnrtInvokeKernel((void*)AddScalar, one, (cnrtFunctionType_t)99, arguments, 0, queue);
    if (kind == 3) cnrtInvokeKernel((void*)AddScalar, {0, 1, 1}, cnrtFuncTypeBlock, arguments, 0, queue);
    if (kind == 4) cnrtInvokeKernel((void*)AddScalar, {3, 1, 1}, cnrtFuncTypeUnion1, arguments, 0, queue);
    cnrtInvokeKernel((void*)AddScalar, one, cnrtFuncTypeBlock, arguments, 0, queue);  // never runs
    GIVES(cnrtErrorCndrvFuncCall, cnrtQueueQuery(queue));
    GIVES(cnrtErrorCndrvFuncCall, cnrtQueueSync(queue));
    cnrtQueueDestroy(queue);
  }
  GIVES(cnrtErrorCndrvFuncCall, cnrtSyncDevice());
  cnrtGetLastError();
  mlusim_enter_kernel(nullptr, 0);
  INVALID(cnrtGetLastError());
  mlusim_configure(one, cnrtFuncTypeBlock, nullptr);
  mlusim_enter_kernel(nullptr, 0);
  GIVES(cnrtErrorNoKernel, cnrtGetLastError());
  cnrtDestroyKernelParamsBuffer(buffer), cnrtDestroyKernelParamsBuffer(wrong);
}

static void conversions() {
  uint16_t half;
  INVALID(cnrtConvertFloatToHalf(nullptr, 1));
  INVALID(cnrtConvertHalfToFloat(nullptr, 1));
  INVALID(cnrtCreateQuantizedParam(nullptr, 0, 1, 0));
  INVALID(cnrtDestroyQuantizedParam(nullptr));
  INVALID(cnrtCastDataType(nullptr, CNRT_FLOAT32, &half, CNRT_FLOAT16, 1, nullptr));
  INVALID(cnrtCastDataType(&real, CNRT_FLOAT32, &half, CNRT_FLOAT16, -1, nullptr));
  GIVES(cnrtErrorNotSupport, cnrtCastDataType(&real, CNRT_FLOAT32, &half, CNRT_INT4, 1, nullptr));
  GIVES(cnrtErrorNotSupport,
        cnrtCastDataType_V2(&real, cnrtFloat, &half, cnrtUnknown, 1, nullptr, cnrtRounding_rn));
  GIVES(cnrtErrorNotSupport, cnrtFilterReshape(text, text, 1, 1, 1, 1, CNRT_INT8));
}

static void driver(float* data) {
  CNcontext context, other;
  CNctxConfigParam param;
  const char* said;
  CNaddr address;
  CNdev card;
  GIVES(CN_ERROR_INVALID_VALUE, cnGetErrorString(CN_SUCCESS, nullptr));
  cnGetErrorName((CNresult)77, &said);
  GIVES(0, strcmp(said, "CN_ERROR_UNKNOWN"));
  GIVES(CN_ERROR_INVALID_DEVICE, cnDeviceGet(&card, 4));
  GIVES(CN_ERROR_INVALID_VALUE, cnDeviceGetCount(nullptr));
  GIVES(CN_ERROR_INVALID_VALUE, cnDeviceGetName(nullptr, 4, 0));
  GIVES(CN_ERROR_INVALID_VALUE, cnDeviceGetName(text, 0, 0));
  GIVES(CN_ERROR_INVALID_DEVICE, cnDeviceGetName(text, 4, 1));
  GIVES(CN_ERROR_INVALID_DEVICE, cnDeviceGetName(text, 4, 1ull << 32));
  GIVES(CN_OPS_ERROR_NOT_SUPPORTED, cnDeviceGetAttribute(&number, (CNdevice_attribute)0x777, 0));
  GIVES(CN_ERROR_INVALID_VALUE, cnDeviceTotalMem(nullptr, 0));
  GIVES(CN_ERROR_INVALID_DEVICE, cnDeviceTotalMem(&bytes, 1));
  GIVES(CN_ERROR_INVALID_DEVICE, cnCtxCreate(&context, 0, 1));
  GIVES(CN_ERROR_INVALID_VALUE, cnCtxCreate(nullptr, 0, 0));
  GIVES(CN_ERROR_INVALID_VALUE, cnCtxDestroy(nullptr));
  GIVES(CN_ERROR_INVALID_VALUE, cnCtxGetCurrent(nullptr));
  GIVES(CN_ERROR_INVALID_VALUE, cnCtxSetCurrent(nullptr));
  GIVES(CN_ERROR_INVALID_VALUE, cnCtxGetDevice(nullptr));
  GIVES(CN_ERROR_INVALID_DEVICE, cnSharedContextAcquire(&other, 1));
  GIVES(CN_ERROR_INVALID_DEVICE, cnSharedContextRelease(1));
  GIVES(CN_SUCCESS, cnCtxGetCurrent(&context));
  GIVES(CN_ERROR_INVALID_VALUE, cnGetCtxConfigParam(nullptr, CN_CTX_CONFIG_UNION_LIMIT, &param));
  GIVES(CN_ERROR_INVALID_VALUE, cnGetCtxConfigParam(context, (CNctxConfigParamType)9, &param));
  GIVES(CN_ERROR_INVALID_VALUE, cnSetCtxConfigParam(context, CN_CTX_CONFIG_UNION_LIMIT, nullptr));
  param.visibleClusterNumber = 99;
  GIVES(CN_ERROR_INVALID_VALUE, cnSetCtxConfigParam(context, CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM, &param));
  GIVES(CN_ERROR_INVALID_VALUE, cnGetCtxMaxParallelUnionTasks(context, CN_KERNEL_CLASS_UNION, nullptr));
  GIVES(CN_MEMORY_ERROR_OUT_OF_MEMORY, cnMalloc(&address, huge));
  GIVES(CN_ERROR_INVALID_VALUE, cnMallocConstant(nullptr, 4));
  GIVES(CN_ERROR_INVALID_VALUE, cnFree((CNaddr)text));
  GIVES(CN_ERROR_INVALID_VALUE, cnMemcpyHtoD((CNaddr)data, text, 8193));
  GIVES(CN_ERROR_INVALID_VALUE, cnMemcpyDtoH(text, 0, 4));
  GIVES(CN_OPS_ERROR_NOT_SUPPORTED, cnGetMemAttribute(&number, CN_MEM_ATTRIBUTE_TYPE, (CNaddr)data));
  GIVES(CN_MEMORY_ERROR_INVALID_ADDRESS, cnGetMemAttribute(&number, CN_MEM_ATTRIBUTE_ISLINEAR, (CNaddr)text));
  GIVES(CN_ERROR_INVALID_VALUE, cnQueueGetContext(nullptr, nullptr));
  GIVES(CN_ERROR_INVALID_HANDLE, cnQueueSync((CNqueue)text));
  GIVES(CN_ERROR_INVALID_HANDLE, cnQueueQuery((CNqueue)text));
}

static void cards() {
  cndevFrequencyInfo_t frequency;
  cndevDDRInfo_t memory;
  cndevProcessInfo_t process;
  unsigned int count = 1;
  GIVES(CNDEV_ERROR_INVALID_ARGUMENT, cndevGetDeviceCount(nullptr));
  GIVES(CNDEV_ERROR_INVALID_ARGUMENT, cndevGetDeviceHandleByIndex(0, nullptr));
  GIVES(CNDEV_ERROR_INVALID_DEVICE_ID, cndevGetDeviceHandleByIndex(1, &number));
  GIVES(CNDEV_ERROR_INVALID_ARGUMENT, cndevGetFrequencyInfo(nullptr, 0));
  GIVES(CNDEV_ERROR_INVALID_DEVICE_ID, cndevGetFrequencyInfo(&frequency, -1));
  GIVES(CNDEV_ERROR_INVALID_ARGUMENT, cndevGetDDRInfo(nullptr, 0));
  GIVES(CNDEV_ERROR_INVALID_DEVICE_ID, cndevGetDDRInfo(&memory, 1));
  cndevDeviceMaxPerformance_t most;
  most.version = CNDEV_VERSION_6;
  GIVES(CNDEV_ERROR_INVALID_ARGUMENT, cndevGetDeviceMaxPerformance(nullptr, 0));
  GIVES(CNDEV_ERROR_INVALID_DEVICE_ID, cndevGetDeviceMaxPerformance(&most, 1));
  GIVES(CNDEV_SUCCESS, cndevGetDeviceMaxPerformance(&most, 0));
  GIVES(64 + CNDEV_VERSION_6, (int)most.fp32Vector + (int)most.version);
  GIVES(CNDEV_ERROR_INVALID_ARGUMENT, cndevGetProcessInfo(nullptr, &process, 0));
  GIVES(CNDEV_ERROR_INVALID_DEVICE_ID, cndevGetProcessInfo(&count, &process, 5));
  GIVES(0, strcmp(cndevGetErrorString((cndevRet_t)77), "unknown error"));
}

// Every call that needs a device, without one.
static void alone(float* data) {
  cnrtQueue_t queue = nullptr;
  cnrtNotifier_t notifier;
  cnnlHandle_t handle;
  cnnlTensorDescriptor_t desc;
  CNcontext context;
  const int dims[] = {4};
  unsigned count = 7;
#define ALONE(...) GIVES(cnrtErrorNoDevice, __VA_ARGS__)
  ALONE(cnrtInit(0));
  ALONE(cnrtGetDeviceCount(&count));
  GIVES(0, count);
  ALONE(cnrtGetDevice(&number));
  ALONE(cnrtSetDevice(0));
  ALONE(cnrtGetDeviceHandle(&number, 0));
  ALONE(cnrtDeviceGetAttribute(&number, cnrtAttrClusterCount, 0));
  INVALID(cnrtDeviceGetByPCIBusId(&number, "0000:00:00.0"));
  ALONE(cnrtSetDeviceFlag(0));
  ALONE(cnrtDeviceReset());
  ALONE(cnrtSyncDevice());
  ALONE(cnrtMalloc(&pointer, 4));
  ALONE(cnrtFree(data));
  ALONE(cnrtHostMalloc(&pointer, 4));
  ALONE(cnrtFreeHost(text));
  ALONE(cnrtMemGetInfo(&bytes, &others));
  ALONE(cnrtMemcpy(data, text, 4, cnrtMemcpyHostToDev));
  ALONE(cnrtMemcpyAsync(data, text, 4, nullptr, cnrtMemcpyHostToDev));
  ALONE(cnrtMemset(data, 0, 4));
  ALONE(cnrtQueueCreate(&queue));
  ALONE(cnrtQueueSync(nullptr));
  ALONE(cnrtQueueQuery(nullptr));
  ALONE(cnrtNotifierCreate(&notifier));
  ALONE(cnrtInvokeHostFunc(nullptr, [](void*) {}, nullptr));
  void* arguments[] = {&data, &real, &number};
  ALONE(cnrtInvokeKernel((void*)AddScalar, one, cnrtFuncTypeBlock, arguments, 0, nullptr));
  GIVES(CN_ERROR_NO_DEVICE, cnInit(0));
  GIVES(CN_ERROR_NO_DEVICE, cnCtxGetCurrent(&context));
  GIVES(CN_ERROR_INVALID_DEVICE, cnSharedContextAcquire(&context, 0));
  GIVES(CNDEV_ERROR_NO_DRIVER, cndevInit(0));
  cnnlCreate(&handle), cnnlCreateTensorDescriptor(&desc);
  cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 1, dims);
  GIVES(CNNL_STATUS_EXECUTION_FAILED, cnnlCopy(handle, desc, data, desc, data));
  cnnlDestroyTensorDescriptor(desc), cnnlDestroy(handle);
}

int main(int argc, char** argv) {
  const char* way = argc > 1 ? argv[1] : "";
  float* data = nullptr;
  cnrtQueue_t before = nullptr;
  if (!strcmp(way, "alone")) {
    setenv("MLUSIM_SOCKET", "/nowhere", 1);
    alone(data);
  } else {
    if (cnrtMalloc((void**)&data, 8192) || cnrtMemset(data, 0, 8192) || cnrtQueueCreate(&before)) return 9;
    if (!strcmp(way, "cut")) {
      cnrtSyncDevice();
      for (int i = 3; i < 64; i++) shutdown(i, SHUT_RDWR);  // as if the device process had died
      number = cnrtQueueSync(before);
      GIVES(cnrtErrorNoDevice, number);
      alone(data);
    } else {
      devices(), queues(data), memory(data), conversions(), driver(data), cards(), library(data), further(data), launches(data);
      cnrtQueueDestroy(before), cnrtFree(data);
    }
  }
  printf("%d calls\n", asked);
  return 0;
}
