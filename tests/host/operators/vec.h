// A small library of operators, for tests: what host code of operators looks like.
#pragma once
#include "cnrt.h"

typedef enum { VEC_STATUS_SUCCESS = 0, VEC_STATUS_BAD_PARAM = 3, VEC_STATUS_EXECUTION_FAILED = 6 } vecStatus_t;
typedef enum { VEC_DTYPE_HALF = 1, VEC_DTYPE_FLOAT = 2, VEC_DTYPE_INT32 = 6 } vecDataType_t;
typedef enum { VEC_LAYOUT_NCHW = 0, VEC_LAYOUT_ARRAY = 4 } vecTensorLayout_t;
typedef enum { VEC_KEEP_LOW, VEC_KEEP_HIGH } vecClampMode_t;
typedef struct vecContext* vecHandle_t;
typedef struct vecTensorStruct* vecTensorDescriptor_t;
typedef struct vecClampStruct* vecClampDescriptor_t;

#ifdef __cplusplus
extern "C" {
#endif
vecStatus_t vecCreate(vecHandle_t* handle);
vecStatus_t vecDestroy(vecHandle_t handle);
vecStatus_t vecSetQueue(vecHandle_t handle, cnrtQueue_t queue);
vecStatus_t vecCreateTensorDescriptor(vecTensorDescriptor_t* desc);
vecStatus_t vecDestroyTensorDescriptor(vecTensorDescriptor_t desc);
vecStatus_t vecSetTensorDescriptorEx(vecTensorDescriptor_t desc, vecTensorLayout_t layout, vecDataType_t dtype, int rank,
                                     const int dims[], const int strides[]);
vecStatus_t vecCreateClampDescriptor(vecClampDescriptor_t* desc);
vecStatus_t vecDestroyClampDescriptor(vecClampDescriptor_t desc);
vecStatus_t vecSetClampDescriptor(vecClampDescriptor_t desc, vecClampMode_t mode, float bound);

vecStatus_t vecScale(vecHandle_t handle, float factor, const vecTensorDescriptor_t x_desc, const void* x,
                     const vecTensorDescriptor_t y_desc, void* y);
vecStatus_t vecClamp(vecHandle_t handle, const vecClampDescriptor_t clamp_desc, const vecTensorDescriptor_t x_desc,
                     const void* x, const vecTensorDescriptor_t y_desc, void* y);
vecStatus_t vecGetSumWorkspaceSize(vecHandle_t handle, const vecTensorDescriptor_t x_desc, size_t* size);
vecStatus_t vecSum(vecHandle_t handle, const vecTensorDescriptor_t x_desc, const void* x, void* workspace,
                   size_t workspace_size, const vecTensorDescriptor_t y_desc, void* y);
vecStatus_t vecTranspose(vecHandle_t handle, const int permute[], const vecTensorDescriptor_t x_desc, const void* x,
                         const vecTensorDescriptor_t y_desc, void* y);
vecStatus_t vecBest(vecHandle_t handle, const vecTensorDescriptor_t x_desc, const void* x, int* best);
vecStatus_t vecPeek(vecHandle_t handle, const vecTensorDescriptor_t x_desc, const void* x, float* first);
vecStatus_t vecGetRank(const vecTensorDescriptor_t x_desc, int* rank, vecDataType_t* dtype);
vecStatus_t vecGiveUp(int code);
vecStatus_t vecUnsupported(vecHandle_t handle, const vecTensorDescriptor_t x_desc, void* x);
size_t vecBytes(uint8_t count, bool wide);
#ifdef __cplusplus
}
#endif

void launchScale(cnrtDim3_t dim, cnrtQueue_t queue, const float* x, float* y, float factor, int count);
void launchClamp(cnrtQueue_t queue, const float* x, float* y, float bound, int high, int count);
void launchSum(cnrtQueue_t queue, const float* x, float* scratch, float* y, int count);
