// The host names that kernel files mention. Host code compiles; mlusim launches kernels from Python.
#pragma once
#include <stddef.h>
#include <stdint.h>

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

typedef enum { cnrtSuccess = 0, cnrtErrorNotReady = 1 } cnrtRet_t;
#define CNRT_RET_SUCCESS cnrtSuccess
typedef struct cnrtQueue* cnrtQueue_t;
typedef struct cnrtNotifier* cnrtNotifier_t;
typedef int cnrtDev_t;
typedef enum { cnrtMemcpyHostToDev, cnrtMemcpyDevToHost, cnrtMemcpyDevToDev, cnrtMemcpyHostToHost } cnrtMemTransDir_t;
#define CNRT_MEM_TRANS_DIR_HOST2DEV cnrtMemcpyHostToDev
#define CNRT_MEM_TRANS_DIR_DEV2HOST cnrtMemcpyDevToHost
#define CNRT_CHECK(call) ((void)(call))

#ifdef __cplusplus
extern "C" {
#endif
cnrtRet_t cnrtGetLastError(void);
cnrtRet_t cnrtPeekAtLastError(void);
const char* cnrtGetErrorStr(cnrtRet_t);
cnrtRet_t cnrtGetDevice(int*);
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
