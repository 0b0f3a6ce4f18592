// The runtime that host code calls, in the spellings of CNRT 5 and later and in the older ones. Numbers of names are those
// of the public headers. libcnrt.so has the functions; those that are declared and not modelled say so and fail.
#ifndef MLUSIM_CNRT_H
#define MLUSIM_CNRT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "cn_api.h"

#define CNRT_MAJOR_VERSION 6
#define CNRT_MINOR_VERSION 10
#define CNRT_PATCH_VERSION 0
#define CNRT_VERSION (CNRT_MAJOR_VERSION * 10000 + CNRT_MINOR_VERSION * 100 + CNRT_PATCH_VERSION)

typedef enum {
  cnrtSuccess = 0,
  cnrtErrorNotReady = 1,
  cnrtErrorInit = 100002,
  cnrtErrorNoDevice = 100004,
  cnrtErrorDeviceInvalid = 100005,
  cnrtErrorArgsInvalid = 100006,
  cnrtErrorSys = 100007,
  cnrtErrorSysNoMem = 100010,
  cnrtErrorInvalidResourceHandle = 100014,
  cnrtErrorIllegalState = 100015,
  cnrtErrorNotSupport = 100050,
  cnrtErrorOpsNotPermitted = 100051,
  cnrtErrorQueue = 100060,
  cnrtErrorNoMem = 100100,
  cnrtErrorAssert = 100128,
  cnrtErrorKernelTrap = 100132,
  cnrtErrorKernelUserTrap = 100133,
  cnrtErrorNotFound = 100301,
  cnrtErrorInvalidKernel = 100302,
  cnrtErrorUnsupportedKernelVersion = 100303,
  cnrtErrorQueueCaptureUnsupported = 100360,
  cnrtErrorQueueCaptureInvalidated = 100361,
  cnrtErrorQueueCaptureWrongThread = 100362,
  cnrtErrorQueueCaptureMerged = 100363,
  cnrtErrorQueueCaptureUnjoined = 100364,
  cnrtErrorQueueCaptureIsolation = 100365,
  cnrtErrorQueueCaptureUnmatched = 100366,
  cnrtErrorTaskTopoEntityUpdateFailure = 100400,
  cnrtErrorNoKernel = 101312,
  cnrtErrorNoModule = 101315,
  cnrtErrorSetOnActiveProcess = 632002,
  cnrtErrorDevice = 632006,
  cnrtErrorNoAttribute = 632009,
  cnrtErrorMemcpyDirectionInvalid = 632013,
  cnrtErrorBusy = 632014,
  cnrtErrorCndrvFuncCall = 632015,
  cnrtErrorCndevFuncCall = 632017,
  cnrtErrorNoCnrtContext = 632019,
  cnrtErrorCndrvFuncNotFound = 632020,
  cnrtErrorInvalidSymbol = 632100,
  cnrtErrorUnknown = 999991,
  cnrtErrorMax
} cnrtRet_t;
#define CNRT_RET_SUCCESS cnrtSuccess
#define CNRT_RET_ERR_NOT_READY cnrtErrorNotReady
#define CNRT_RET_ERR_INVALID cnrtErrorArgsInvalid
#define CNRT_RET_ERR_NOMEM cnrtErrorNoMem
#define CNRT_RET_ERR_NODEV cnrtErrorNoDevice
#define CNRT_RET_ERR_SYS cnrtErrorSys
#define CNRT_RET_ERR_BUSY cnrtErrorBusy
#define CNRT_RET_ERR_UNSUPPORTED cnrtErrorNotSupport
#define CNRT_RET_ERR_INIT cnrtErrorInit
#define CNRT_RET_ERR_QUEUE cnrtErrorQueue
#define CNRT_RET_ERR_MLU cnrtErrorCndrvFuncCall
#define CNRT_RET_ERR_UNKNOWN cnrtErrorUnknown

typedef enum {
  cnrtFuncTypeBlock = 1,
  cnrtFuncTypeBlock0 = 1,
  cnrtFuncTypeBlock1 = 2,
  cnrtFuncTypeUnion1 = 4,
  cnrtFuncTypeUnion2 = 8,
  cnrtFuncTypeUnion4 = 16,
  cnrtFuncTypeUnion8 = 32,
  cnrtFuncTypeUnion16 = 64,
  cnrtFuncTypeMutable = -1,
  cnrtJobTypeBlock = 1,
  cnrtJobTypeUnion1 = 4,
  cnrtJobTypeUnion2 = 8,
  cnrtJobTypeUnion4 = 16,
} cnrtFunctionType_t;
typedef cnrtFunctionType_t cnrtJobType_t;
#define CNRT_FUNC_TYPE_BLOCK cnrtFuncTypeBlock
#define CNRT_FUNC_TYPE_BLOCK0 cnrtFuncTypeBlock0
#define CNRT_FUNC_TYPE_BLOCK1 cnrtFuncTypeBlock1
#define CNRT_FUNC_TYPE_UNION1 cnrtFuncTypeUnion1
#define CNRT_FUNC_TYPE_UNION2 cnrtFuncTypeUnion2
#define CNRT_FUNC_TYPE_UNION4 cnrtFuncTypeUnion4
#define CNRT_FUNC_TYPE_UNION8 cnrtFuncTypeUnion8
#define CNRT_FUNC_TYPE_UNION16 cnrtFuncTypeUnion16
#define CNRT_FUNC_TYPE_MUTABLE cnrtFuncTypeMutable
#define CNRT_JOB_TYPE_BLOCK cnrtJobTypeBlock
#define CNRT_JOB_TYPE_UNION1 cnrtJobTypeUnion1
#define CNRT_JOB_TYPE_UNION2 cnrtJobTypeUnion2
#define CNRT_JOB_TYPE_UNION4 cnrtJobTypeUnion4

typedef enum {
  cnrtAttrComputeCapabilityMajor = 0x01,
  cnrtAttrComputeCapabilityMinor,
  cnrtAttrSparseComputingSupported,
  cnrtAttrFP16ComputingSupported,
  cnrtAttrINT4ComputingSupported,
  cnrtAttrINT8ComputingSupported,
  cnrtAttrBF16ComputingSupported,
  cnrtAttrTF32ComputingSupported,
  cnrtAttrQueueSize = 0x101,
  cnrtAttrNotifierSize,
  cnrtAttrSupportQueuePriorities,
  cnrtAttrTinyCoreSupported,
  cnrtAttrMaxDimX = 0x201,
  cnrtAttrMaxDimY,
  cnrtAttrMaxDimZ,
  cnrtAttrMaxClusterCountPerUnionTask,
  cnrtAttrClusterCount,
  cnrtAttrMcorePerCluster,
  cnrtAttrMaxQuadrantCount,
  cnrtAttrMaxUnionTypePerQuadrant,
  cnrtAttrMaxClusterPerUnionLimitTask,
  cnrtAttrISAVersion,
  cnrtAttrIsMultipleTensorProcessor,
  cnrtAttrMaxL2CacheSize = 0x301,
  cnrtAttrNramSizePerMcore,
  cnrtAttrWramSizePerMcore,
  cnrtAttrTotalConstMemorySize,
  cnrtAttrLmemSizePerMcore,
  cnrtAttrSramSizePerMcore,
  cnrtAttrGlobalMemoryNodeCount,
  cnrtAttrMaxPersistingL2CacheSize = 0x309,
  cnrtAttrEccEnable = 0x401,
  cnrtAttrIpuClockRate,
  cnrtAttrMemClockRate,
  cnrtAttrGmemBusWidth,
  cnrtAttrTotalMemSize,
  cnrtAttrPciBusID,
  cnrtAttrPciDeviceID,
  cnrtAttrPciDomainID,
} cnrtDeviceAttr_t;

typedef enum {
  cnrtMemcpyHostToDev,
  cnrtMemcpyDevToDev,
  cnrtMemcpyDevToHost,
  cnrtMemcpyHostToHost,
  cnrtMemcpyPeerToPeer,
  cnrtMemcpyNoDirection,
} cnrtMemTransDir_t;
#define CNRT_MEM_TRANS_DIR_HOST2DEV cnrtMemcpyHostToDev
#define CNRT_MEM_TRANS_DIR_DEV2DEV cnrtMemcpyDevToDev
#define CNRT_MEM_TRANS_DIR_DEV2HOST cnrtMemcpyDevToHost
#define CNRT_MEM_TRANS_DIR_HOST2HOST cnrtMemcpyHostToHost
#define CNRT_MEM_TRANS_DIR_PEER2PEER cnrtMemcpyPeerToPeer
#define CNRT_MEM_TRANS_DIR_NODIR cnrtMemcpyNoDirection

typedef enum { cnrtMemTypeUnregistered, cnrtMemTypeHost, cnrtMemTypeDevice } cnrtMemType_t;
#define CNRT_MEMTYPE_DEFAULT cnrtMemTypeUnregistered
#define CNRT_MEMTYPE_LOCKED cnrtMemTypeHost
#define CNRT_MEMTYPE_DEV cnrtMemTypeDevice
typedef enum { cnrtUvaNotSupport = -1, cnrtUvaUnknown, cnrtUvaUnCached, cnrtUvaCached } cnrtUvaCacheMode_t;
typedef struct {
  cnrtMemType_t type;
  int device;
  size_t size;
  void* devicePointer;
  void* hostPointer;
  cnrtUvaCacheMode_t cacheMode;
  void* deviceBasePointer;
} cnrtPointerAttributes_t;

typedef struct {
  char name[256];
} cnrtDeviceProp_t;
typedef enum { CNRT_MLU220 = 6, CNRT_MLU270 = 5, CNRT_MLU290 = 7, CNRT_MLU370 = 8, CNRT_MLU590 = 9 } cnrtCoreVersion_t;
typedef struct {
  char device_name[64];
  cnrtCoreVersion_t core_version;
  int core_num;
} cnrtDeviceInfo_t;
typedef struct {
  unsigned int x, y, z;
} cnrtDim3_t;

// Element types, by their first names and by those of newer toolkits.
typedef enum cnrtDataType {
  CNRT_INVALID = 0x00,
  CNRT_FLOAT16 = 0x12,
  CNRT_FLOAT32 = 0x13,
  CNRT_FLOAT64 = 0x14,
  CNRT_INT4 = 0x20,
  CNRT_INT8 = 0x21,
  CNRT_INT16 = 0x22,
  CNRT_INT32 = 0x23,
  CNRT_INT64 = 0x24,
  CNRT_UINT8 = 0x31,
  CNRT_UINT16 = 0x32,
  CNRT_UINT32 = 0x33,
  CNRT_FIX8 = 0x41,
  CNRT_QUANT8 = 0x51,
  CNRT_BOOL = 0x61,
} cnrtDataType_t;
typedef enum cnrtDataType_V2 {
  cnrtUnknown = 0,
  cnrtDouble = 0x1,
  cnrtFloat = 0x2,
  cnrtHalf = 0x3,
  cnrtBfloat = 0x4,
  cnrtUlonglong = 0x11,
  cnrtUint = 0x12,
  cnrtUshort = 0x13,
  cnrtUchar = 0x14,
  cnrtLonglong = 0x21,
  cnrtInt = 0x22,
  cnrtShort = 0x23,
  cnrtChar = 0x24,
  cnrtBoolean = 0x31,
} cnrtDataType_V2_t;
typedef enum cnrtRoundingMode {
  cnrtRounding_rn,
  cnrtRounding_rz,
  cnrtRounding_rd,
  cnrtRounding_ru,
  cnrtRounding_ro,
  cnrtRounding_rm,
  cnrtRounding_max,
} cnrtRoundingMode_t;
typedef struct cnrtQuantizedParam* cnrtQuantizedParam_t;
typedef enum {
  CNRT_CHANNEL_TYPE_DUPLICATE = -2,
  CNRT_CHANNEL_TYPE_NONE = -1,
  CNRT_CHANNEL_TYPE_0,
  CNRT_CHANNEL_TYPE_1,
  CNRT_CHANNEL_TYPE_2,
  CNRT_CHANNEL_TYPE_3,
} cnrtChannelType_t;
typedef enum {
  CNRT_NOTIFIER_DEFAULT = 0,
  CNRT_NOTIFIER_DISABLE_TIMING_SW = 2,
  CNRT_NOTIFIER_DISABLE_TIMING = CNRT_NOTIFIER_DISABLE_TIMING_SW,
  CNRT_NOTIFIER_DISABLE_TIMING_ALL = 4,
  CNRT_NOTIFIER_INTERPROCESS = 8,
} cnrtNotifierFlags_t;
typedef enum {
  cnrtDeviceScheduleSpin,
  cnrtDeviceScheduleBlock,
  cnrtDeviceScheduleYield,
  cnrtDeviceScheduleAuto,
} cnrtDeviceFlags_t;

typedef struct cnrtQueue* cnrtQueue_t;
typedef struct cnrtNotifier* cnrtNotifier_t;
typedef struct cnrtKernelParamsBuffer* cnrtKernelParamsBuffer_t;
typedef struct cnrtKernelInitParam* cnrtKernelInitParam_t;
typedef int cnrtDev_t;
typedef void (*cnrtHostFn_t)(void* data);

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
cnrtRet_t cnrtDeviceCanAccessPeer(int* can, int device, int peer);
cnrtRet_t cnrtGetPeerAccessibility(unsigned int* can, int device, int peer);
cnrtRet_t cnrtGetLibVersion(int* major, int* minor, int* patch);
cnrtRet_t cnrtDriverGetVersion(int* major, int* minor, int* patch);

// Memory.
cnrtRet_t cnrtMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocConstant(void** pointer, size_t bytes);
cnrtRet_t cnrtFree(void* pointer);
cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes);
cnrtRet_t cnrtMallocHost(void** pointer, size_t bytes, ...);  // older toolkits pass a cnrtMemType_t as well
cnrtRet_t cnrtFreeHost(void* pointer);
cnrtRet_t cnrtMemGetInfo(size_t* free, size_t* total);
cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t* attributes, const void* pointer);
cnrtRet_t cnrtMemcpy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyAsync_V2(void* to, const void* from, size_t bytes, cnrtQueue_t queue, cnrtMemTransDir_t direction);
cnrtRet_t cnrtMemcpyPeer(void* to, int device, const void* from, int source, size_t bytes);
cnrtRet_t cnrtMemcpyPeerAsync(void* to, int device, const void* from, int source, size_t bytes, cnrtQueue_t queue);
cnrtRet_t cnrtMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                       cnrtMemTransDir_t direction);
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
cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier);
cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier);
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
cnrtRet_t cnrtCreateQuantizedParam(cnrtQuantizedParam_t* param, int position, float scale, int offset);
cnrtRet_t cnrtDestroyQuantizedParam(cnrtQuantizedParam_t param);
cnrtRet_t cnrtCastDataType(const void* from, cnrtDataType_t from_type, void* to, cnrtDataType_t to_type, int count,
                           cnrtQuantizedParam_t param);
cnrtRet_t cnrtCastDataType_V2(const void* from, cnrtDataType_V2_t from_type, void* to, cnrtDataType_V2_t to_type,
                              int count, cnrtQuantizedParam_t param, cnrtRoundingMode_t mode);
cnrtRet_t cnrtFilterReshape(void* to, const void* from, int n, int h, int w, int c, cnrtDataType_t type);
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
