// The driver functions that operator libraries call; see cnrt.h. libcndrv.so has them.
#ifndef MLUSIM_CN_API_H
#define MLUSIM_CN_API_H
#include <stddef.h>
#include <stdint.h>

typedef enum {
  CN_SUCCESS = 0,
  CN_ERROR_NOT_READY = 1,
  CN_ERROR_INVALID_VALUE = 100001,
  CN_ERROR_NOT_INITIALIZED = 100002,
  CN_ERROR_NO_DEVICE = 100004,
  CN_ERROR_INVALID_DEVICE = 100005,
  CN_ERROR_UNKNOWN = 999991,
  CN_MEMORY_ERROR_OUT_OF_MEMORY = 100100,
  CN_MEMORY_ERROR_INVALID_ADDRESS = 100102,
  CN_OPS_ERROR_NOT_SUPPORTED = 100050,
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
  CN_KERNEL_CLASS_NONE = 0,
  CN_KERNEL_CLASS_BLOCK = 1,
  CN_KERNEL_CLASS_UNION = 4,
  CN_KERNEL_CLASS_UNION2 = 8,
  CN_KERNEL_CLASS_UNION4 = 16,
  CN_KERNEL_CLASS_UNION8 = 32,
  CN_KERNEL_CLASS_UNION16 = 64,
} KernelClass;
#define CN_KERNEL_CLASS_UNION1 CN_KERNEL_CLASS_UNION
typedef enum { CN_CTX_CONFIG_UNION_LIMIT = 1, CN_CTX_CONFIG_VISIBLE_CLUSTER, CN_CTX_CONFIG_VISIBLE_CLUSTER_NUM } CNctxConfigParamType;
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
  CN_DEVICE_ATTRIBUTE_LINEAR_MAPPING_SUPPORTED = 0x30b,
  CN_DEVICE_ATTRIBUTE_LINEAR_RECOMMEND_GRANULARITY = 0x30c,
  CN_DEVICE_ATTRIBUTE_ECC_ENABLED = 0x401,
  CN_DEVICE_ATTRIBUTE_CLUSTER_CLOCK_RATE,
  CN_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE,
  CN_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH,
  CN_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_TOTAL_SIZE,
} CNdevice_attribute;
#define CN_DEVICE_ATTRIBUTE_NEURAL_RAM_SIZE_PER_CORE CN_DEVICE_ATTRIBUTE_NRAM_SIZE_PER_CORE
typedef enum { CN_MEM_ATTRIBUTE_CONTEXT, CN_MEM_ATTRIBUTE_TYPE, CN_MEM_ATTRIBUTE_ISLINEAR } CNmemAttribute;

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
CNresult cnQueueGetContext(CNqueue queue, CNcontext* context);
CNresult cnQueueSync(CNqueue queue);
CNresult cnQueueQuery(CNqueue queue);
#ifdef __cplusplus
}
#endif
#endif
