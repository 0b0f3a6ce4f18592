// libcndrv.so: the driver's functions, by means of the runtime's. A context is the current device.
#include <string.h>

#include <map>
#include <mutex>

#include "cndrv_status.h"

CNresult status(cnrtRet_t found) {
  switch (found) {
    case cnrtSuccess:
      return CN_SUCCESS;
    case cnrtErrorNotReady:
      return CN_ERROR_NOT_READY;
    case cnrtErrorNoMem:
      return CN_MEMORY_ERROR_OUT_OF_MEMORY;
    case cnrtErrorArgsInvalid:
      return CN_ERROR_INVALID_VALUE;
    case cnrtErrorNoDevice:
      return CN_ERROR_NO_DEVICE;
    case cnrtErrorDeviceInvalid:
      return CN_ERROR_INVALID_DEVICE;
    case cnrtErrorNoAttribute:
    case cnrtErrorNotSupport:
      return CN_OPS_ERROR_NOT_SUPPORTED;
    case cnrtErrorInvalidResourceHandle:
      return CN_ERROR_INVALID_HANDLE;
    case cnrtErrorAssert:
      return CN_INVOKE_ERROR_ASSERT;
    case cnrtErrorCndrvFuncCall:
      return CN_INVOKE_ERROR;
    case cnrtErrorQueueCaptureUnsupported:
      return CN_ERROR_QUEUE_CAPTURE_UNSUPPORTED;
    default:
      return CN_ERROR_UNKNOWN;
  }
}

struct cn_context {
  int device;
  int clusters, visible;  // of the device, and those that kernels may use
  KernelClass limit;
};

namespace {

// The contexts of devices; never destroyed.
cn_context* context_of(int device) {
  static std::mutex& mutex = *new std::mutex;
  static std::map<int, cn_context*>& made = *new std::map<int, cn_context*>;
  std::lock_guard<std::mutex> lock(mutex);
  cn_context*& entry = made[device];
  int clusters, largest;
  if (!entry && !cnrtDeviceGetAttribute(&clusters, cnrtAttrClusterCount, device) &&
      !cnrtDeviceGetAttribute(&largest, cnrtAttrMaxClusterCountPerUnionTask, device))
    entry = new cn_context{device, clusters, clusters, (KernelClass)(4 * largest)};
  return entry;
}

CNresult give(CNcontext* context, int device) {
  if (!context) return CN_ERROR_INVALID_VALUE;
  *context = context_of(device);
  return *context ? CN_SUCCESS : CN_ERROR_INVALID_DEVICE;
}

CNresult current(CNcontext* context) {
  int device;
  CNresult found = status(cnrtGetDevice(&device));
  return found ? found : give(context, device);
}

CNresult version(int* major, int* minor, int* patch) { return status(cnrtGetLibVersion(major, minor, patch)); }

}  // namespace

CNDRV_API CNresult cnInit(unsigned int flags) { return status(cnrtInit(flags)); }
CNDRV_API CNresult cnGetLibVersion(int* major, int* minor, int* patch) { return version(major, minor, patch); }
CNDRV_API CNresult cnGetDriverVersion(int* major, int* minor, int* patch) { return version(major, minor, patch); }

static const struct {
  CNresult error;
  const char *name, *text;
} errors[] = {
    {CN_SUCCESS, "CN_SUCCESS", "no error"},
    {CN_ERROR_NOT_READY, "CN_ERROR_NOT_READY", "work is still under way"},
    {CN_ERROR_INVALID_VALUE, "CN_ERROR_INVALID_VALUE", "an argument is invalid"},
    {CN_ERROR_NOT_INITIALIZED, "CN_ERROR_NOT_INITIALIZED", "the driver could not begin"},
    {CN_ERROR_NO_DEVICE, "CN_ERROR_NO_DEVICE", "there is no device"},
    {CN_ERROR_INVALID_DEVICE, "CN_ERROR_INVALID_DEVICE", "there is no device of this number"},
    {CN_MEMORY_ERROR_OUT_OF_MEMORY, "CN_MEMORY_ERROR_OUT_OF_MEMORY", "the device has no memory left"},
    {CN_MEMORY_ERROR_INVALID_ADDRESS, "CN_MEMORY_ERROR_INVALID_ADDRESS", "the address is no device memory"},
    {CN_ERROR_INVALID_HANDLE, "CN_ERROR_INVALID_HANDLE", "a queue or notifier is invalid"},
    {CN_INVOKE_ERROR, "CN_INVOKE_ERROR", "a kernel failed"},
    {CN_INVOKE_ERROR_ASSERT, "CN_INVOKE_ERROR_ASSERT", "an assertion of a kernel failed"},
    {CN_OPS_ERROR_NOT_SUPPORTED, "CN_OPS_ERROR_NOT_SUPPORTED", "this is not supported"},
};
static CNresult describe(CNresult error, const char** text, bool name) {
  if (!text) return CN_ERROR_INVALID_VALUE;
  *text = name ? "CN_ERROR_UNKNOWN" : "unknown error";
  for (auto& entry : errors)
    if (entry.error == error) *text = name ? entry.name : entry.text;
  return CN_SUCCESS;
}
CNDRV_API CNresult cnGetErrorString(CNresult error, const char** text) { return describe(error, text, false); }
CNDRV_API CNresult cnGetErrorName(CNresult error, const char** text) { return describe(error, text, true); }

CNDRV_API CNresult cnDeviceGet(CNdev* device, int ordinal) { return status(cnrtGetDeviceHandle(device, ordinal)); }
CNDRV_API CNresult cnDeviceGetCount(int* count) { return status(cnrtGetDeviceCount((unsigned*)count)); }
CNDRV_API CNresult cnDeviceGetName(char* name, int length, CNdev device) {
  cnrtDeviceProp_t properties;
  CNresult found = status(cnrtGetDeviceProperties(&properties, device));
  if (found || !name || length < 1) return found ? found : CN_ERROR_INVALID_VALUE;
  strncpy(name, properties.name, (size_t)length - 1);
  name[length - 1] = 0;
  return CN_SUCCESS;
}
CNDRV_API CNresult cnDeviceGetAttribute(int* value, CNdevice_attribute attribute, CNdev device) {
  return status(cnrtDeviceGetAttribute(value, (cnrtDeviceAttr_t)attribute, device));
}
CNDRV_API CNresult cnDeviceTotalMem(size_t* bytes, CNdev device) {
  int megabytes;
  if (!bytes) return CN_ERROR_INVALID_VALUE;
  CNresult found = status(cnrtDeviceGetAttribute(&megabytes, cnrtAttrTotalMemSize, device));
  if (!found) *bytes = (size_t)megabytes << 20;
  return found;
}

CNDRV_API CNresult cnCtxCreate(CNcontext* context, unsigned int, CNdev device) {
  CNresult found = status(cnrtSetDevice(device));
  return found ? found : give(context, device);
}
CNDRV_API CNresult cnCtxDestroy(CNcontext context) { return context ? CN_SUCCESS : CN_ERROR_INVALID_VALUE; }
CNDRV_API CNresult cnCtxGetCurrent(CNcontext* context) { return current(context); }
CNDRV_API CNresult cnCtxSetCurrent(CNcontext context) {
  return context ? status(cnrtSetDevice(context->device)) : CN_ERROR_INVALID_VALUE;
}
CNDRV_API CNresult cnCtxGetDevice(CNdev* device) { return status(cnrtGetDevice(device)); }
CNDRV_API CNresult cnCtxSync(void) {
  FROM_CALLER;
  return status(cnrtSyncDevice());
}
CNDRV_API CNresult cnSharedContextAcquire(CNcontext* context, CNdev device) { return give(context, device); }
CNDRV_API CNresult cnSharedContextRelease(CNdev device) {
  return context_of(device) ? CN_SUCCESS : CN_ERROR_INVALID_DEVICE;
}

CNDRV_API CNresult cnGetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param) {
  if (!context || !param) return CN_ERROR_INVALID_VALUE;
  switch (type) {
    case CN_CTX_CONFIG_UNION_LIMIT:
      return param->unionLimit = context->limit, CN_SUCCESS;
    case CN_CTX_CONFIG_VISIBLE_CLUSTER:
      return param->visibleCluster = (1ull << context->visible) - 1, CN_SUCCESS;
    case CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM:
      return param->visibleClusterNumber = context->visible, CN_SUCCESS;
  }
  return CN_ERROR_INVALID_VALUE;
}
// By this name libraries that were built with newer headers call it.
CNDRV_API CNresult cnGetCtxConfigParam_pt(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param) {
  return cnGetCtxConfigParam(context, type, param);
}
CNDRV_API CNresult cnSetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param) {
  if (!context || !param) return CN_ERROR_INVALID_VALUE;
  int visible = context->visible;
  if (type == CN_CTX_CONFIG_UNION_LIMIT)
    context->limit = param->unionLimit;
  else if (type == CN_CTX_CONFIG_VISIBLE_CLUSTER)
    visible = __builtin_popcountll(param->visibleCluster);
  else if (type == CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM)
    visible = param->visibleClusterNumber;
  if (visible < 1 || visible > context->clusters) return CN_ERROR_INVALID_VALUE;
  context->visible = visible;
  return CN_SUCCESS;
}
CNDRV_API CNresult cnGetCtxMaxParallelUnionTasks(CNcontext context, KernelClass type, int* count) {
  if (!context || !count) return CN_ERROR_INVALID_VALUE;
  int cores = 0;
  CNresult found = status(cnrtDeviceGetAttribute(&cores, cnrtAttrMcorePerCluster, context->device));
  if (found) return found;
  if (type == CN_KERNEL_CLASS_BLOCK)
    *count = context->visible * cores;
  else
    *count = type < 4 ? 0 : context->visible / (type / 4);
  return CN_SUCCESS;
}

CNDRV_API CNresult cnMalloc(CNaddr* address, size_t bytes) {
  FROM_CALLER;
  return status(cnrtMalloc((void**)address, bytes));
}
CNDRV_API CNresult cnMallocConstant(CNaddr* address, size_t bytes) {
  FROM_CALLER;
  return status(cnrtMallocConstant((void**)address, bytes));
}
CNDRV_API CNresult cnFree(CNaddr address) {
  FROM_CALLER;
  return status(cnrtFree((void*)address));
}
CNDRV_API CNresult cnMemcpyHtoD(CNaddr to, const void* from, size_t bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy((void*)to, from, bytes, cnrtMemcpyHostToDev));
}
CNDRV_API CNresult cnMemcpyDtoH(void* to, CNaddr from, size_t bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy(to, (void*)from, bytes, cnrtMemcpyDevToHost));
}
CNDRV_API CNresult cnGetMemAttribute(void* value, CNmemAttribute attribute, CNaddr address) {
  cnrtPointerAttributes_t found;
  if (!value || attribute != CN_MEM_ATTRIBUTE_ISLINEAR) return CN_OPS_ERROR_NOT_SUPPORTED;
  if (cnrtPointerGetAttributes(&found, (void*)address) || found.type != cnrtMemTypeDevice)
    return CN_MEMORY_ERROR_INVALID_ADDRESS;
  *(int*)value = 0;  // no device file says that its memory is mapped linearly
  return CN_SUCCESS;
}
CNDRV_API CNresult cnMemGetInfo(size_t* free, size_t* total) { return status(cnrtMemGetInfo(free, total)); }
CNDRV_API CNresult cnQueueGetContext(CNqueue, CNcontext* context) { return current(context); }
CNDRV_API CNresult cnQueueSync(CNqueue queue) {
  FROM_CALLER;
  return status(cnrtQueueSync(queue));
}
CNDRV_API CNresult cnQueueQuery(CNqueue queue) { return status(cnrtQueueQuery(queue)); }
