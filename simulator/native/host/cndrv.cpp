// libcndrv.so: the driver's functions, by means of the runtime's. A context is the current device.
#include <limits.h>
#include <string.h>

#include <algorithm>
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
    default:  // what captures say has the same numbers
      return found >= 100360 && found <= 100366 ? (CNresult)found : CN_ERROR_UNKNOWN;
  }
}

struct CNcontext_st {
  int device;
  int clusters, visible;  // of the device, and those that kernels may use
  KernelClass limit;
};

namespace {

// The ordinal of a device; that of none where the number is none.
int ordinal(CNdev device) { return device > INT_MAX ? -1 : (int)device; }

// Give the device whose ordinal the runtime finds.
template <class Find>
CNresult give_device(CNdev* device, Find find) {
  int found = -1;
  CNresult code = status(find(device ? &found : nullptr));
  if (!code) *device = (CNdev)found;
  return code;
}

// The contexts of devices; never destroyed.
CNcontext_st* context_of(int device) {
  static std::mutex& mutex = *new std::mutex;
  static std::map<int, CNcontext_st*>& made = *new std::map<int, CNcontext_st*>;
  std::lock_guard<std::mutex> lock(mutex);
  CNcontext_st*& entry = made[device];
  int clusters, largest;
  if (!entry && !cnrtDeviceGetAttribute(&clusters, cnrtAttrClusterCount, device) &&
      !cnrtDeviceGetAttribute(&largest, cnrtAttrMaxClusterCountPerUnionTask, device))
    entry = new CNcontext_st{device, clusters, clusters, (KernelClass)(4 * largest)};
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

}  // namespace

CNDRV_API CNresult cnInit(unsigned int flags) { return status(cnrtInit(flags)); }
CNDRV_API CNresult cnGetLibVersion(int* major, int* minor, int* patch) {
  if (!major || !minor || !patch) return CN_ERROR_INVALID_VALUE;
  *major = CN_MAJOR_VERSION, *minor = CN_MINOR_VERSION, *patch = CN_PATCH_VERSION;
  return CN_SUCCESS;
}
CNDRV_API CNresult cnDriverGetVersion(int* major, int* minor, int* patch) {
  return cnGetLibVersion(major, minor, patch);
}
CNDRV_API CNresult cnGetDriverVersion(int* major, int* minor, int* patch) {
  return status(cnrtGetLibVersion(major, minor, patch));
}
CNDRV_API CNresult cnProfilerStart(void) { return status(cnrtProfilerStart()); }
CNDRV_API CNresult cnProfilerStop(void) { return status(cnrtProfilerStop()); }

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

CNDRV_API CNresult cnDeviceGet(CNdev* device, int ordinal) {
  return give_device(device, [=](int* found) { return cnrtGetDeviceHandle(found, ordinal); });
}
CNDRV_API CNresult cnDeviceGetCount(int* count) { return status(cnrtGetDeviceCount((unsigned*)count)); }
CNDRV_API CNresult cnDeviceGetName(char* name, unsigned int length, CNdev device) {
  cnrtDeviceProp_t properties;
  CNresult found = status(cnrtGetDeviceProperties(&properties, ordinal(device)));
  if (found || !name || length < 1) return found ? found : CN_ERROR_INVALID_VALUE;
  strncpy(name, properties.name, (size_t)length - 1);
  name[length - 1] = 0;
  return CN_SUCCESS;
}
CNDRV_API CNresult cnDeviceGetAttribute(int* value, CNdevice_attribute attribute, CNdev device) {
  return status(cnrtDeviceGetAttribute(value, (cnrtDeviceAttr_t)attribute, ordinal(device)));
}
CNDRV_API CNresult cnDeviceTotalMem(cn_uint64_t* bytes, CNdev device) {
  int megabytes;
  if (!bytes) return CN_ERROR_INVALID_VALUE;
  CNresult found = status(cnrtDeviceGetAttribute(&megabytes, cnrtAttrTotalMemSize, ordinal(device)));
  if (!found) *bytes = (cn_uint64_t)megabytes << 20;
  return found;
}
CNDRV_API CNresult cnDeviceGetPCIBusId(char* id, int length, CNdev device) {
  return status(cnrtDeviceGetPCIBusId(id, length, ordinal(device)));
}
CNDRV_API CNresult cnDeviceGetByPCIBusId(CNdev* device, const char* id) {
  return give_device(device, [=](int* found) { return cnrtDeviceGetByPCIBusId(found, id); });
}
CNDRV_API CNresult cnDeviceCanPeerAble(int* can, CNdev source, CNdev target) {
  return status(cnrtDeviceCanAccessPeer(can, ordinal(source), ordinal(target)));
}
CNDRV_API CNresult cnDeviceGetDefaultMemPool(CNmemoryPool* pool, CNdev device) {
  return status(cnrtDeviceGetDefaultMemPool(pool, ordinal(device)));
}
CNDRV_API CNresult cnDeviceGetMemPool(CNmemoryPool* pool, CNdev device) {
  return status(cnrtDeviceGetMemPool(pool, ordinal(device)));
}
CNDRV_API CNresult cnDeviceSetMemPool(CNdev device, CNmemoryPool pool) {
  return status(cnrtDeviceSetMemPool(ordinal(device), pool));
}

CNDRV_API CNresult cnCtxCreate(CNcontext* context, unsigned int, CNdev device) {
  CNresult found = status(cnrtSetDevice(ordinal(device)));
  return found ? found : give(context, ordinal(device));
}
CNDRV_API CNresult cnCtxDestroy(CNcontext context) { return context ? CN_SUCCESS : CN_ERROR_INVALID_VALUE; }
CNDRV_API CNresult cnCtxGetCurrent(CNcontext* context) { return current(context); }
CNDRV_API CNresult cnCtxSetCurrent(CNcontext context) {
  return context ? status(cnrtSetDevice(context->device)) : CN_ERROR_INVALID_VALUE;
}
CNDRV_API CNresult cnCtxGetDevice(CNdev* device) {
  return give_device(device, [=](int* found) { return cnrtGetDevice(found); });
}
CNDRV_API CNresult cnCtxSync(void) {
  FROM_CALLER;
  return status(cnrtSyncDevice());
}
CNDRV_API CNresult cnSharedContextAcquire(CNcontext* context, CNdev device) { return give(context, ordinal(device)); }
CNDRV_API CNresult cnSharedContextRelease(CNdev device) {
  return context_of(ordinal(device)) ? CN_SUCCESS : CN_ERROR_INVALID_DEVICE;
}

CNDRV_API CNresult cnGetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param) {
  if (!context || !param) return CN_ERROR_INVALID_VALUE;
  switch (type) {
    case CN_CTX_CONFIG_UNION_LIMIT:
      return param->unionLimit = context->limit, CN_SUCCESS;
    case CN_CTX_CONFIG_VISIBLE_CLUSTER:
      return param->visibleCluster = (1ull << context->visible) - 1, CN_SUCCESS;
    case CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM:
      return param->visibleClusterNumber = (cn_uint64_t)context->visible, CN_SUCCESS;
    case CN_CTX_CONFIG_NUM:
      break;
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
    visible = (int)std::min<cn_uint64_t>(param->visibleClusterNumber, INT_MAX);
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

CNDRV_API CNresult cnQueueGetContext(CNqueue, CNcontext* context) { return current(context); }
CNDRV_API CNresult cnCtxGetQueuePriorityRange(int* lowest, int* highest) {
  return status(cnrtDeviceGetQueuePriorityRange(lowest, highest));
}
CNDRV_API CNresult cnCtxResetPersistingL2Cache(void) { return status(cnrtDeviceResetPersistingL2Cache()); }

CNDRV_API CNresult cnMemcpyPeer(CNaddr to, CNcontext context, CNaddr from, CNcontext source, cn_uint64_t bytes) {
  if (!context || !source) return CN_CONTEXT_ERROR_INVALID;
  FROM_CALLER;
  return status(cnrtMemcpyPeer((void*)to, context->device, (void*)from, source->device, bytes));
}
CNDRV_API CNresult cnMemcpyPeerAsync(CNaddr to, CNcontext context, CNaddr from, CNcontext source, cn_uint64_t bytes,
                                     CNqueue queue) {
  if (!context || !source) return CN_CONTEXT_ERROR_INVALID;
  FROM_CALLER;
  return status(cnrtMemcpyPeerAsync((void*)to, context->device, (void*)from, source->device, bytes, queue));
}
