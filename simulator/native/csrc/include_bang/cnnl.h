// The closed operator library, as far as kernel files mention it: its types and status codes. Its functions are names that
// nobody knows: they compile, and calling one is a `not-modelled` finding. Numbers of the names are ours (inferred).
#pragma once
#include "cnrt.h"

typedef enum {
  CNNL_STATUS_SUCCESS,
  CNNL_STATUS_NOT_INITIALIZED,
  CNNL_STATUS_ALLOC_FAILED,
  CNNL_STATUS_BAD_PARAM,
  CNNL_STATUS_INTERNAL_ERROR,
  CNNL_STATUS_ARCH_MISMATCH,
  CNNL_STATUS_EXECUTION_FAILED,
  CNNL_STATUS_NOT_SUPPORTED,
  CNNL_STATUS_NUMERICAL_OVERFLOW,
} cnnlStatus_t;

typedef enum {
  CNNL_DTYPE_INVALID,
  CNNL_DTYPE_HALF,
  CNNL_DTYPE_FLOAT,
  CNNL_DTYPE_INT8,
  CNNL_DTYPE_INT16,
  CNNL_DTYPE_INT31,
  CNNL_DTYPE_INT32,
  CNNL_DTYPE_BOOL,
  CNNL_DTYPE_UINT8,
  CNNL_DTYPE_INT64,
  CNNL_DTYPE_UINT32,
  CNNL_DTYPE_UINT64,
  CNNL_DTYPE_UINT16,
  CNNL_DTYPE_DOUBLE,
  CNNL_DTYPE_COMPLEX_HALF,
  CNNL_DTYPE_COMPLEX_FLOAT,
  CNNL_DTYPE_BFLOAT16,
} cnnlDataType_t;

typedef enum {
  CNNL_LAYOUT_NCHW,
  CNNL_LAYOUT_NHWC,
  CNNL_LAYOUT_HWCN,
  CNNL_LAYOUT_NDHWC,
  CNNL_LAYOUT_ARRAY,
  CNNL_LAYOUT_TNC,
  CNNL_LAYOUT_NTC,
  CNNL_LAYOUT_NC,
  CNNL_LAYOUT_NLC,
  CNNL_LAYOUT_NCDHW,
} cnnlTensorLayout_t;

typedef enum { CNNL_OP_TENSOR_ADD, CNNL_OP_TENSOR_SUB, CNNL_OP_TENSOR_MUL } cnnlOpTensorDesc_t;
typedef enum { CNNL_POINTER_MODE_HOST, CNNL_POINTER_MODE_DEVICE } cnnlPointerMode_t;
typedef enum { CNNL_NOT_PROPAGATE_NAN, CNNL_PROPAGATE_NAN } cnnlNanPropagation_t;
typedef enum { CNNL_REDUCE_ADD, CNNL_REDUCE_AVG, CNNL_REDUCE_MUL, CNNL_REDUCE_MAX, CNNL_REDUCE_MIN } cnnlReduceOp_t;
typedef enum { CNNL_POOLING_MAX, CNNL_POOLING_AVERAGE_COUNT_INCLUDE_PADDING } cnnlPoolingMode_t;

typedef struct cnnlContext* cnnlHandle_t;
typedef struct cnnlTensorStruct* cnnlTensorDescriptor_t;
typedef struct cnnlTransposeStruct* cnnlTransposeDescriptor_t;
typedef struct cnnlReduceStruct* cnnlReduceDescriptor_t;
typedef struct cnnlOpTensorStruct* cnnlOpTensorDescriptor_t;
typedef struct cnnlActivationStruct* cnnlActivationDescriptor_t;
typedef struct cnnlConvolutionStruct* cnnlConvolutionDescriptor_t;
typedef struct cnnlMatMulStruct* cnnlMatMulDescriptor_t;
