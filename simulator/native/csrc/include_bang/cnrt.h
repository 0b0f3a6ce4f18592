// The host names that kernel files mention. Host code compiles; mlusim launches kernels from Python.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "cn_api.h"

typedef struct {
  unsigned int x, y, z;
} cnrtDim3_t;

typedef enum {
  cnrtFuncTypeBlock = 1,
  cnrtFuncTypeUnion1 = 4,
  cnrtFuncTypeUnion2 = 8,
  cnrtFuncTypeUnion4 = 16,
  cnrtFuncTypeUnion8 = 32,
  cnrtFuncTypeUnion16 = 64,
  cnrtFuncTypeMutable = -1,
} cnrtFunctionType_t;
#define CNRT_FUNC_TYPE_BLOCK cnrtFuncTypeBlock
#define CNRT_FUNC_TYPE_UNION1 cnrtFuncTypeUnion1
#define CNRT_FUNC_TYPE_UNION2 cnrtFuncTypeUnion2
#define CNRT_FUNC_TYPE_UNION4 cnrtFuncTypeUnion4
#define CNRT_FUNC_TYPE_UNION8 cnrtFuncTypeUnion8
#define CNRT_FUNC_TYPE_UNION16 cnrtFuncTypeUnion16
#define CNRT_FUNC_TYPE_MUTABLE cnrtFuncTypeMutable

typedef enum { cnrtSuccess = 0, cnrtErrorNotReady = 1 } cnrtRet_t;
#define CNRT_RET_SUCCESS cnrtSuccess
#define CNRT_RET_ERR_INVALID ((cnrtRet_t)632007)

// Element types, by their first names and by those of newer toolkits.
typedef enum {
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
typedef enum {
  cnrtHalf = 0x11,
  cnrtFloat,
  cnrtDouble,
  cnrtBfloat,
  cnrtUchar = 0x1a,
  cnrtInt = 0x22,
  cnrtShort,
  cnrtChar,
  cnrtBoolean = 0x31,
} cnrtDataType_V2_t;
typedef enum {
  cnrtRounding_rn,
  cnrtRounding_rz,
  cnrtRounding_rd,
  cnrtRounding_ru,
  cnrtRounding_ro,
  cnrtRounding_rm,
} cnrtRoundingMode_t;
typedef struct cnrtQuantizedParam* cnrtQuantizedParam_t;
typedef enum {
  CNRT_CHANNEL_TYPE_NONE = -1,
  CNRT_CHANNEL_TYPE_0,
  CNRT_CHANNEL_TYPE_1,
  CNRT_CHANNEL_TYPE_2,
  CNRT_CHANNEL_TYPE_3,
  CNRT_CHANNEL_TYPE_DUPLICATE,
} cnrtChannelType_t;

typedef enum { cnrtMemTypeUnregistered, cnrtMemTypeHost, cnrtMemTypeDevice } cnrtMemType_t;
typedef struct {
  cnrtMemType_t type;
  int device;
  void* devicePointer;
  void* hostPointer;
} cnrtPointerAttributes_t;
typedef enum {
  cnrtAttrClusterCount = 0x101,
  cnrtAttrMcorePerCluster,
  cnrtAttrMaxClusterCountPerUnionTask,
} cnrtDeviceAttr_t;
typedef struct cnrtQueue* cnrtQueue_t;
typedef struct cnrtNotifier* cnrtNotifier_t;
typedef int cnrtDev_t;
typedef enum { cnrtMemcpyHostToDev, cnrtMemcpyDevToHost, cnrtMemcpyDevToDev, cnrtMemcpyHostToHost } cnrtMemTransDir_t;
#define CNRT_MEM_TRANS_DIR_HOST2DEV cnrtMemcpyHostToDev
#define CNRT_MEM_TRANS_DIR_DEV2HOST cnrtMemcpyDevToHost
#define CNRT_MEM_TRANS_DIR_DEV2DEV cnrtMemcpyDevToDev
#define CNRT_MEM_TRANS_DIR_HOST2HOST cnrtMemcpyHostToHost
#define CNRT_CHECK(call) ((void)(call))

#ifdef __cplusplus
extern "C" {
#endif
cnrtRet_t cnrtGetLastError(void);
cnrtRet_t cnrtPeekAtLastError(void);
const char* cnrtGetErrorStr(cnrtRet_t);
cnrtRet_t cnrtGetDevice(int*);
cnrtRet_t cnrtGetDeviceCount(unsigned int*);
cnrtRet_t cnrtDeviceGetAttribute(int*, cnrtDeviceAttr_t, int);
cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t*, const void*);
cnrtRet_t cnrtCastDataType_V2(const void*, cnrtDataType_V2_t, void*, cnrtDataType_V2_t, int, cnrtQuantizedParam_t,
                              cnrtRoundingMode_t);
cnrtRet_t cnrtSetDevice(int);
cnrtRet_t cnrtMalloc(void**, size_t);
cnrtRet_t cnrtFree(void*);
cnrtRet_t cnrtHostMalloc(void**, size_t);
cnrtRet_t cnrtFreeHost(void*);
cnrtRet_t cnrtMemcpy(void*, void*, size_t, cnrtMemTransDir_t);
cnrtRet_t cnrtMemcpyAsync(void*, void*, size_t, cnrtQueue_t, cnrtMemTransDir_t);
cnrtRet_t cnrtMemset(void*, int, size_t);
cnrtRet_t cnrtMemsetAsync(void*, int, size_t, cnrtQueue_t);
cnrtRet_t cnrtQueueCreate(cnrtQueue_t*);
cnrtRet_t cnrtQueueDestroy(cnrtQueue_t);
cnrtRet_t cnrtQueueSync(cnrtQueue_t);
cnrtRet_t cnrtSyncDevice(void);
cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t*);
cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t);
cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t, cnrtQueue_t);
cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t, cnrtNotifier_t, float*);
cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t, cnrtNotifier_t, float*);
#ifdef __cplusplus
}
#endif
