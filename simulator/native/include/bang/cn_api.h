// The driver functions that operator libraries call; see cnrt.h. libcndrv.so has them.
#ifndef MLUSIM_CN_API_H
#define MLUSIM_CN_API_H
#include <stddef.h>
#include <stdint.h>

typedef enum {
  CN_SUCCESS = 0,
  CN_ERROR_NOT_READY = 1,
  CN_ERROR_NOT_INITIALIZED = 100002,
  CN_ERROR_NO_DEVICE = 100004,
  CN_ERROR_INVALID_DEVICE = 100005,
  CN_ERROR_INVALID_VALUE = 100006,
  CN_ERROR_INVALID_HANDLE = 100014,
  CN_ERROR_ILLEGAL_STATE = 100015,
  CN_OPS_ERROR_NOT_SUPPORTED = 100050,
  CN_OPS_ERROR_NOT_PERMITTED = 100051,
  CN_QUEUE_ERROR_INVALID = 100060,
  CN_NOTIFIER_ERROR_INVALID = 100080,
  CN_MEMORY_ERROR_OUT_OF_MEMORY = 100100,
  CN_MEMORY_ERROR_INVALID_ADDRESS = 100102,
  CN_INVOKE_ERROR_ASSERT = 100128,
  CN_INVOKE_ERROR = 100200,
  CN_CONTEXT_ERROR_INVALID = 100201,
  CN_ERROR_NOT_FOUND = 100301,
  CN_ERROR_INVALID_KERNEL = 100302,
  CN_ERROR_QUEUE_CAPTURE_UNSUPPORTED = 100360,
  CN_ERROR_UNKNOWN = 200000,
} CNresult;

typedef int CNdev;
typedef struct cn_context* CNcontext;
typedef struct cn_module* CNmodule;
typedef struct cn_kernel* CNkernel;
typedef struct CNqueue_st* CNqueue;
typedef struct CNnotifier_st* CNnotifier;
typedef uint64_t CNaddr;
typedef CNaddr CNmemory;
typedef uint64_t cn_uint64_t;
typedef int64_t cn_int64_t;

typedef enum {
  CN_KERNEL_CLASS_NONE = 0xFF,
  CN_KERNEL_CLASS_BLOCK = 1,
  CN_KERNEL_CLASS_UNION = 4,
  CN_KERNEL_CLASS_UNION2 = 8,
  CN_KERNEL_CLASS_UNION4 = 16,
  CN_KERNEL_CLASS_UNION8 = 32,
  CN_KERNEL_CLASS_UNION16 = 64,
} KernelClass;
#define CN_KERNEL_CLASS_UNION1 CN_KERNEL_CLASS_UNION
typedef enum {
  CN_CTX_CONFIG_VISIBLE_CLUSTER,
  CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM,
  CN_CTX_CONFIG_UNION_LIMIT,
} CNctxConfigParamType;
typedef union {
  KernelClass unionLimit;
  uint64_t visibleCluster;
  int visibleClusterNumber;
} CNctxConfigParam;

// The same attributes, with the same numbers, as cnrtDeviceAttr_t.
typedef enum {
  CN_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 0x01,
  CN_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
  CN_DEVICE_ATTRIBUTE_MAX_QUEUE_COUNT = 0x101,
  CN_DEVICE_ATTRIBUTE_MAX_NOTIFIER_COUNT,
  CN_DEVICE_ATTRIBUTE_MAX_BLOCK_TASK_DIM_X = 0x201,
  CN_DEVICE_ATTRIBUTE_MAX_BLOCK_TASK_DIM_Y,
  CN_DEVICE_ATTRIBUTE_MAX_BLOCK_TASK_DIM_Z,
  CN_DEVICE_ATTRIBUTE_MAX_CLUSTER_COUNT_PER_UNION_TASK,
  CN_DEVICE_ATTRIBUTE_MAX_CLUSTER_COUNT,
  CN_DEVICE_ATTRIBUTE_MAX_CORE_COUNT_PER_CLUSTER,
  CN_DEVICE_ATTRIBUTE_MAX_QUADRANT_COUNT,
  CN_DEVICE_ATTRIBUTE_MAX_UNION_TYPE_PER_QUADRANT,
  CN_DEVICE_ATTRIBUTE_MAX_CLUSTERS_PER_UNION_LIMIT_TASK,
  CN_DEVICE_ATTRIBUTE_MLU_ISA_VERSION,
  CN_DEVICE_ATTRIBUTE_IS_MULTIPLE_TENSOR_PROCESSOR,
  CN_DEVICE_ATTRIBUTE_MAX_L2_CACHE_SIZE = 0x301,
  CN_DEVICE_ATTRIBUTE_NRAM_SIZE_PER_CORE,
  CN_DEVICE_ATTRIBUTE_WEIGHT_RAM_SIZE_PER_CORE,
  CN_DEVICE_ATTRIBUTE_TOTAL_CONST_MEMORY_SIZE,
  CN_DEVICE_ATTRIBUTE_LOCAL_MEMORY_SIZE_PER_CORE,
  CN_DEVICE_ATTRIBUTE_MAX_SHARED_RAM_SIZE_PER_CLUSTER,
  CN_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_NODE_COUNT,
  CN_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE = 0x309,
  CN_DEVICE_ATTRIBUTE_LINEAR_MAPPING_SUPPORTED = 0x310,
  CN_DEVICE_ATTRIBUTE_LINEAR_RECOMMEND_GRANULARITY = 0x311,
  CN_DEVICE_ATTRIBUTE_ECC_ENABLED = 0x401,
  CN_DEVICE_ATTRIBUTE_CLUSTER_CLOCK_RATE,
  CN_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
  CN_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
  CN_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_TOTAL_SIZE,
} CNdevice_attribute;
#define CN_DEVICE_ATTRIBUTE_NEURAL_RAM_SIZE_PER_CORE CN_DEVICE_ATTRIBUTE_NRAM_SIZE_PER_CORE
typedef enum {
  CN_MEM_ATTRIBUTE_TYPE = 0x1,
  CN_MEM_ATTRIBUTE_CONTEXT = 0x6,
  CN_MEM_ATTRIBUTE_ISLINEAR = 0x18,
} CNmemAttribute, CNmem_attribute;
typedef enum {
  CN_NOTIFIER_DEFAULT = 0,
  CN_NOTIFIER_DISABLE_TIMING_SW = 2,
  CN_NOTIFIER_DISABLE_TIMING = CN_NOTIFIER_DISABLE_TIMING_SW,
  CN_NOTIFIER_DISABLE_TIMING_ALL = 4,
  CN_NOTIFIER_INTERPROCESS = 8,
} CNNotifierFlags_t;
typedef void (*CNhostFn)(void* data);

#ifdef __cplusplus
extern "C" {
#endif
CNresult cnInit(unsigned int flags);
CNresult cnGetLibVersion(int* major, int* minor, int* patch);
CNresult cnGetDriverVersion(int* major, int* minor, int* patch);
CNresult cnGetErrorString(CNresult error, const char** text);
CNresult cnGetErrorName(CNresult error, const char** text);
CNresult cnDeviceGet(CNdev* device, int ordinal);
CNresult cnDeviceGetCount(int* count);
CNresult cnDeviceGetName(char* name, int length, CNdev device);
CNresult cnDeviceGetAttribute(int* value, CNdevice_attribute attribute, CNdev device);
CNresult cnDeviceTotalMem(size_t* bytes, CNdev device);
CNresult cnCtxCreate(CNcontext* context, unsigned int flags, CNdev device);
CNresult cnCtxDestroy(CNcontext context);
CNresult cnCtxGetCurrent(CNcontext* context);
CNresult cnCtxSetCurrent(CNcontext context);
CNresult cnCtxGetDevice(CNdev* device);
CNresult cnCtxSync(void);
CNresult cnSharedContextAcquire(CNcontext* context, CNdev device);
CNresult cnSharedContextRelease(CNdev device);
CNresult cnGetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param);
CNresult cnSetCtxConfigParam(CNcontext context, CNctxConfigParamType type, CNctxConfigParam* param);
CNresult cnGetCtxMaxParallelUnionTasks(CNcontext context, KernelClass type, int* count);
CNresult cnMalloc(CNaddr* address, size_t bytes);
CNresult cnMallocConstant(CNaddr* address, size_t bytes);
CNresult cnFree(CNaddr address);
CNresult cnMemcpyHtoD(CNaddr to, const void* from, size_t bytes);
CNresult cnMemcpyDtoH(void* to, CNaddr from, size_t bytes);
CNresult cnGetMemAttribute(void* value, CNmemAttribute attribute, CNaddr address);
CNresult cnMemGetInfo(size_t* free, size_t* total);
CNresult cnMemcpy(CNaddr to, CNaddr from, cn_uint64_t bytes);
CNresult cnMemcpyDtoD(CNaddr to, CNaddr from, cn_uint64_t bytes);
CNresult cnMemcpyAsync(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyAsync_V2(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyAsync_V3(CNaddr to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyHtoDAsync(CNaddr to, const void* from, cn_uint64_t bytes, CNqueue queue);
CNresult cnMemcpyDtoHAsync(void* to, CNaddr from, cn_uint64_t bytes, CNqueue queue);
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
CNresult cnQueueGetContext(CNqueue queue, CNcontext* context);
CNresult cnQueueSync(CNqueue queue);
CNresult cnQueueQuery(CNqueue queue);
#ifdef __cplusplus
}
#endif
#endif
