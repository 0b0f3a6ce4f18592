// The closed operator library: its types, the functions that libcnnl.so has, and names of others, which say that they are
// not modelled and fail. Numbers of names are those that mlu-ops gives the same things (it casts its own to them).
#ifndef MLUSIM_CNNL_H
#define MLUSIM_CNNL_H
#include "cnrt.h"

#define CNNL_MAJOR 1
#define CNNL_MINOR 20
#define CNNL_PATCHLEVEL 0
#define CNNL_DIM_MAX 8

typedef enum {
  CNNL_STATUS_SUCCESS = 0,
  CNNL_STATUS_NOT_INITIALIZED = 1,
  CNNL_STATUS_ALLOC_FAILED = 2,
  CNNL_STATUS_BAD_PARAM = 3,
  CNNL_STATUS_INTERNAL_ERROR = 4,
  CNNL_STATUS_ARCH_MISMATCH = 5,
  CNNL_STATUS_EXECUTION_FAILED = 6,
  CNNL_STATUS_NOT_SUPPORTED = 7,
  CNNL_STATUS_NUMERICAL_OVERFLOW = 8,
} cnnlStatus_t;

typedef enum {
  CNNL_DTYPE_INVALID = 0,
  CNNL_DTYPE_HALF = 1,
  CNNL_DTYPE_FLOAT = 2,
  CNNL_DTYPE_INT8 = 3,
  CNNL_DTYPE_INT16 = 4,
  CNNL_DTYPE_INT31 = 5,
  CNNL_DTYPE_INT32 = 6,
  CNNL_DTYPE_UINT8 = 7,
  CNNL_DTYPE_BOOL = 8,
  CNNL_DTYPE_INT64 = 9,
  CNNL_DTYPE_UINT32 = 11,
  CNNL_DTYPE_UINT64 = 12,
  CNNL_DTYPE_UINT16 = 13,
  CNNL_DTYPE_DOUBLE = 14,
  CNNL_DTYPE_COMPLEX_HALF = 15,
  CNNL_DTYPE_COMPLEX_FLOAT = 16,
  CNNL_DTYPE_BFLOAT16 = 17,
} cnnlDataType_t;

typedef enum {
  CNNL_LAYOUT_NCHW = 0,
  CNNL_LAYOUT_NHWC = 1,
  CNNL_LAYOUT_HWCN = 2,
  CNNL_LAYOUT_NDHWC = 3,
  CNNL_LAYOUT_ARRAY = 4,
  CNNL_LAYOUT_NCDHW = 5,
  CNNL_LAYOUT_TNC = 6,
  CNNL_LAYOUT_NTC = 7,
  CNNL_LAYOUT_NC = 8,
  CNNL_LAYOUT_NLC = 9,
  CNNL_LAYOUT_NCL = 10,
} cnnlTensorLayout_t;

// From here on the numbers are ours (inferred): nothing but libcnnl reads them.
typedef enum { CNNL_OP_TENSOR_ADD, CNNL_OP_TENSOR_SUB, CNNL_OP_TENSOR_MUL } cnnlOpTensorDesc_t;
typedef enum { CNNL_POINTER_MODE_HOST, CNNL_POINTER_MODE_DEVICE } cnnlPointerMode_t;
typedef enum { CNNL_NOT_PROPAGATE_NAN, CNNL_PROPAGATE_NAN } cnnlNanPropagation_t;
typedef enum { CNNL_REDUCE_ADD, CNNL_REDUCE_AVG, CNNL_REDUCE_MUL, CNNL_REDUCE_MAX, CNNL_REDUCE_MIN } cnnlReduceOp_t;
typedef enum { CNNL_REDUCE_NO_INDICES, CNNL_REDUCE_FLATTENED_INDICES, CNNL_REDUCE_ONLY_INDICES } cnnlReduceIndices_t;
typedef enum { CNNL_8BIT_INDICES, CNNL_16BIT_INDICES, CNNL_32BIT_INDICES } cnnlIndicesType_t;
typedef enum { CNNL_POOLING_MAX, CNNL_POOLING_AVERAGE_COUNT_INCLUDE_PADDING } cnnlPoolingMode_t;
typedef enum { CNNL_SCATTERND_ADD, CNNL_SCATTERND_SUB, CNNL_SCATTERND_MUL, CNNL_SCATTERND_UPDATE } cnnlScatterNdMode_t;
typedef enum { CNNL_SORT_ASCEND, CNNL_SORT_REVERSE, CNNL_UNSORT_FORWARD, CNNL_UNSORT_REVERSE } cnnlUniqueSort_t;
typedef enum {
  CNNL_MATMUL_DESC_COMPUTE_TYPE,
  CNNL_MATMUL_DESC_SCALE_TYPE,
  CNNL_MATMUL_DESC_POINTER_MODE,
  CNNL_MATMUL_DESC_TRANSA,
  CNNL_MATMUL_DESC_TRANSB,
  CNNL_MATMUL_USE_BETA,
  CNNL_MATMUL_ALLOW_TF32,
} cnnlMatMulDescAttribute_t;
typedef enum { CNNL_STRIDE_BMM_ALLOW_TF32, CNNL_STRIDE_BMM_MAX_BATCH_DIM } cnnlStrideBatchMatMulDescAttribute_t;
typedef enum {
  CNNL_CAST_FLOAT_TO_HALF,
  CNNL_CAST_HALF_TO_FLOAT,
  CNNL_CAST_FLOAT_TO_INT32,
  CNNL_CAST_INT32_TO_FLOAT,
  CNNL_CAST_HALF_TO_INT32,
  CNNL_CAST_INT32_TO_HALF,
  CNNL_CAST_INT32_TO_INT64,
  CNNL_CAST_INT64_TO_INT32,
  CNNL_CAST_FLOAT_TO_BFLOAT16,
  CNNL_CAST_BFLOAT16_TO_FLOAT,
} cnnlCastDataType_t;
typedef enum { CNNL_NMS_OUTPUT_TARGET_INDICES } cnnlNmsOutputMode_t;
typedef enum { CNNL_NMS_BOX_DIAGONAL } cnnlNmsBoxPointMode_t;
typedef enum {
  CNNL_NMS_DESC_OUTPUT_MODE,
  CNNL_NMS_DESC_IOU_THRESHOLD,
  CNNL_NMS_DESC_MAX_OUTPUT_SIZE,
  CNNL_NMS_DESC_CONFIDENCE_THRESHOLD,
  CNNL_NMS_DESC_OFFSET,
  CNNL_NMS_DESC_BOX_MODE,
  CNNL_NMS_DESC_INPUT_LAYOUT,
  CNNL_NMS_DESC_PAD_TO_MAX_OUTPUT_SIZE,
} cnnlNmsDescAttribute_t;

typedef struct cnnlContext* cnnlHandle_t;
typedef struct cnnlTensorStruct* cnnlTensorDescriptor_t;
typedef struct cnnlRandGeneratorStruct* cnnlRandGenerator_t;
typedef struct cnnlTransposeStruct* cnnlTransposeDescriptor_t;
typedef struct cnnlReduceStruct* cnnlReduceDescriptor_t;
typedef struct cnnlOpTensorStruct* cnnlOpTensorDescriptor_t;
typedef struct cnnlUniqueStruct* cnnlUniqueDescriptor_t;
typedef struct cnnlMatMulStruct* cnnlMatMulDescriptor_t;
typedef struct cnnlMatMulAlgoStruct* cnnlMatMulAlgo_t;
typedef struct cnnlMatMulHeuristicResultStruct* cnnlMatMulHeuristicResult_t;
typedef struct cnnlMatMulPreferStruct* cnnlMatMulPrefer_t;
typedef struct cnnlStrideBatchMatMulStruct* cnnlStrideBatchMatMulDescriptor_t;
typedef cnnlMatMulAlgo_t cnnlStrideBatchMatMulAlgo_t;
typedef cnnlMatMulHeuristicResult_t cnnlStrideBatchMatMulHeuristicResult_t;
typedef cnnlMatMulPrefer_t cnnlStrideBatchMatMulPrefer_t;
typedef struct cnnlActivationStruct* cnnlActivationDescriptor_t;
typedef struct cnnlConvolutionStruct* cnnlConvolutionDescriptor_t;
typedef struct cnnlDCNStruct* cnnlDCNDescriptor_t;
typedef struct cnnlNmsStruct* cnnlNmsDescriptor_t;
typedef struct cnnlRoiAlignStruct* cnnlRoiAlignDescriptor_t;

#ifdef __cplusplus
extern "C" {
#endif
const char* cnnlGetErrorString(cnnlStatus_t status);
void cnnlGetLibVersion(int* major, int* minor, int* patch);
cnnlStatus_t cnnlGetSizeOfDataType(cnnlDataType_t dtype, size_t* bytes);

cnnlStatus_t cnnlCreate(cnnlHandle_t* handle);
cnnlStatus_t cnnlDestroy(cnnlHandle_t handle);
cnnlStatus_t cnnlSetQueue(cnnlHandle_t handle, cnrtQueue_t queue);
cnnlStatus_t cnnlGetQueue(cnnlHandle_t handle, cnrtQueue_t* queue);
cnnlStatus_t cnnlUpdateContextInformation(cnnlHandle_t handle);

cnnlStatus_t cnnlCreateTensorDescriptor(cnnlTensorDescriptor_t* desc);
cnnlStatus_t cnnlDestroyTensorDescriptor(cnnlTensorDescriptor_t desc);
cnnlStatus_t cnnlResetTensorDescriptor(cnnlTensorDescriptor_t desc);
cnnlStatus_t cnnlSetTensorDescriptor(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout, cnnlDataType_t dtype, int rank,
                                     const int dims[]);
cnnlStatus_t cnnlSetTensorDescriptor_v2(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout, cnnlDataType_t dtype,
                                        int rank, const int64_t dims[]);
cnnlStatus_t cnnlSetTensorDescriptorEx(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout, cnnlDataType_t dtype,
                                       int rank, const int dims[], const int strides[]);
cnnlStatus_t cnnlSetTensorDescriptorEx_v2(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout, cnnlDataType_t dtype,
                                          int rank, const int64_t dims[], const int64_t strides[]);
cnnlStatus_t cnnlSetTensorDescriptorOnchipDataType(cnnlTensorDescriptor_t desc, cnnlDataType_t dtype);
cnnlStatus_t cnnlSetTensorDescriptorPositionScaleAndOffset(cnnlTensorDescriptor_t desc, int position, float scale,
                                                           int offset);
cnnlStatus_t cnnlGetTensorDescriptor(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t* layout, cnnlDataType_t* dtype,
                                     int* rank, int dims[]);
size_t cnnlGetTensorElementNum(cnnlTensorDescriptor_t desc);

cnnlStatus_t cnnlFill_v3(cnnlHandle_t handle, cnnlPointerMode_t mode, const void* value, cnnlTensorDescriptor_t desc,
                         void* output);
cnnlStatus_t cnnlCopy_v2(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                         cnnlTensorDescriptor_t output_desc, void* output, void* workspace, size_t workspace_size);
cnnlStatus_t cnnlCopy(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                      cnnlTensorDescriptor_t output_desc, void* output);
cnnlStatus_t cnnlCastDataType(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                              cnnlCastDataType_t type, cnnlTensorDescriptor_t output_desc, void* output);
cnnlStatus_t cnnlTransform_v2(cnnlHandle_t handle, cnnlPointerMode_t mode, const void* alpha,
                              cnnlTensorDescriptor_t input_desc, const void* input, const void* beta,
                              cnnlTensorDescriptor_t output_desc, void* output);

cnnlStatus_t cnnlCreateTransposeDescriptor(cnnlTransposeDescriptor_t* desc);
cnnlStatus_t cnnlDestroyTransposeDescriptor(cnnlTransposeDescriptor_t desc);
cnnlStatus_t cnnlSetTransposeDescriptor(cnnlTransposeDescriptor_t desc, int rank, const int permute[]);
cnnlStatus_t cnnlGetTransposeWorkspaceSize(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc,
                                           cnnlTransposeDescriptor_t desc, size_t* bytes);
cnnlStatus_t cnnlTranspose_v2(cnnlHandle_t handle, cnnlTransposeDescriptor_t desc, cnnlTensorDescriptor_t input_desc,
                              const void* input, cnnlTensorDescriptor_t output_desc, void* output, void* workspace,
                              size_t workspace_size);

cnnlStatus_t cnnlCreateOpTensorDescriptor(cnnlOpTensorDescriptor_t* desc);
cnnlStatus_t cnnlDestroyOpTensorDescriptor(cnnlOpTensorDescriptor_t desc);
cnnlStatus_t cnnlSetOpTensorDescriptor(cnnlOpTensorDescriptor_t desc, cnnlOpTensorDesc_t op, cnnlDataType_t type,
                                       cnnlNanPropagation_t nan);
cnnlStatus_t cnnlGetOpTensorWorkspaceSize(cnnlHandle_t handle, cnnlTensorDescriptor_t a_desc,
                                          cnnlTensorDescriptor_t b_desc, cnnlTensorDescriptor_t c_desc, size_t* bytes);
cnnlStatus_t cnnlOpTensor(cnnlHandle_t handle, cnnlOpTensorDescriptor_t desc, const void* alpha1,
                          cnnlTensorDescriptor_t a_desc, const void* a, const void* alpha2, cnnlTensorDescriptor_t b_desc,
                          const void* b, void* workspace, size_t workspace_size, const void* beta,
                          cnnlTensorDescriptor_t c_desc, void* c);
cnnlStatus_t cnnlGetAddNWorkspaceSize(cnnlHandle_t handle, const cnnlTensorDescriptor_t descs[], uint32_t count,
                                      cnnlTensorDescriptor_t output_desc, size_t* bytes);
cnnlStatus_t cnnlAddN_v2(cnnlHandle_t handle, const cnnlTensorDescriptor_t descs[], const void* const inputs[],
                         uint32_t count, cnnlTensorDescriptor_t output_desc, void* output, void* workspace,
                         size_t workspace_size);

cnnlStatus_t cnnlCreateMatMulDescriptor(cnnlMatMulDescriptor_t* desc);
cnnlStatus_t cnnlDestroyMatMulDescriptor(cnnlMatMulDescriptor_t desc);
cnnlStatus_t cnnlSetMatMulDescAttr(cnnlMatMulDescriptor_t desc, cnnlMatMulDescAttribute_t attribute, const void* value,
                                   size_t bytes);
cnnlStatus_t cnnlCreateMatMulAlgo(cnnlMatMulAlgo_t* algo);
cnnlStatus_t cnnlDestroyMatMulAlgo(cnnlMatMulAlgo_t algo);
cnnlStatus_t cnnlMatMulDescCreate(cnnlMatMulDescriptor_t* desc);  // the same by their older names
cnnlStatus_t cnnlMatMulDescDestroy(cnnlMatMulDescriptor_t desc);
cnnlStatus_t cnnlMatMulAlgoCreate(cnnlMatMulAlgo_t* algo);
cnnlStatus_t cnnlMatMulAlgoDestroy(cnnlMatMulAlgo_t algo);
cnnlStatus_t cnnlCreateMatMulHeuristicResult(cnnlMatMulHeuristicResult_t* result);
cnnlStatus_t cnnlDestroyMatMulHeuristicResult(cnnlMatMulHeuristicResult_t result);
cnnlStatus_t cnnlGetMatMulAlgoHeuristic(cnnlHandle_t handle, cnnlMatMulDescriptor_t desc, cnnlTensorDescriptor_t a_desc,
                                        cnnlTensorDescriptor_t b_desc, cnnlTensorDescriptor_t c_desc,
                                        cnnlTensorDescriptor_t d_desc, cnnlMatMulPrefer_t prefer, int requested,
                                        cnnlMatMulHeuristicResult_t results[], int* found);
cnnlStatus_t cnnlGetMatMulHeuristicResult(cnnlMatMulHeuristicResult_t result, cnnlMatMulAlgo_t algo, size_t* bytes);
cnnlStatus_t cnnlMatMul_v2(cnnlHandle_t handle, cnnlMatMulDescriptor_t desc, cnnlMatMulAlgo_t algo, const void* alpha,
                           cnnlTensorDescriptor_t a_desc, const void* a, cnnlTensorDescriptor_t b_desc, const void* b,
                           const void* beta, cnnlTensorDescriptor_t c_desc, const void* c, void* workspace,
                           size_t workspace_size, cnnlTensorDescriptor_t d_desc, void* d);
cnnlStatus_t cnnlGetBatchMatMulExAlgoHeuristic(cnnlHandle_t handle, cnnlMatMulDescriptor_t desc,
                                               cnnlTensorDescriptor_t a_desc, cnnlTensorDescriptor_t b_desc,
                                               cnnlTensorDescriptor_t c_desc, cnnlMatMulPrefer_t prefer, int requested,
                                               cnnlMatMulHeuristicResult_t results[], int* found);
cnnlStatus_t cnnlGetBatchMatMulExHeuristicResult(cnnlMatMulHeuristicResult_t result, cnnlMatMulAlgo_t algo,
                                                 size_t* bytes);
cnnlStatus_t cnnlBatchMatMulEx(cnnlHandle_t handle, cnnlMatMulDescriptor_t desc, cnnlMatMulAlgo_t algo,
                               const void* alpha, cnnlTensorDescriptor_t a_desc, const void* a,
                               cnnlTensorDescriptor_t b_desc, const void* b, const void* beta,
                               cnnlTensorDescriptor_t c_desc, void* c, void* workspace, size_t workspace_size);

// Products of m * n * k elements, row by row: `lda` elements from a row of `a` to the next, `stride_a` from a matrix to
// the next, for each of the batch's dimensions. Descriptors tell the dtypes.
cnnlStatus_t cnnlStrideBatchMatMulDescCreate(cnnlStrideBatchMatMulDescriptor_t* desc);
cnnlStatus_t cnnlStrideBatchMatMulDescDestroy(cnnlStrideBatchMatMulDescriptor_t desc);
cnnlStatus_t cnnlSetStrideBatchMatMulDescAttr(cnnlStrideBatchMatMulDescriptor_t desc,
                                              cnnlStrideBatchMatMulDescAttribute_t attribute, const void* value,
                                              size_t bytes);
cnnlStatus_t cnnlStrideBatchMatMulAlgoCreate(cnnlStrideBatchMatMulAlgo_t* algo);
cnnlStatus_t cnnlStrideBatchMatMulAlgoDestroy(cnnlStrideBatchMatMulAlgo_t algo);
cnnlStatus_t cnnlCreateStrideBatchMatMulHeuristicResult(cnnlStrideBatchMatMulHeuristicResult_t* result);
cnnlStatus_t cnnlDestroyStrideBatchMatMulHeuristicResult(cnnlStrideBatchMatMulHeuristicResult_t result);
cnnlStatus_t cnnlGetStrideBatchMatMulAlgoHeuristic_v2(
    cnnlHandle_t handle, cnnlStrideBatchMatMulDescriptor_t desc, cnnlTensorDescriptor_t a_desc,
    cnnlTensorDescriptor_t b_desc, cnnlTensorDescriptor_t c_desc, cnnlTensorDescriptor_t d_desc, bool is_trans_a,
    bool is_trans_b, const void* alpha, const void* beta, int m, int n, int k, int64_t lda, int64_t ldb, int64_t ldc,
    int64_t ldd, const int batch_size[], const int64_t stride_a[], const int64_t stride_b[], const int64_t stride_c[],
    const int64_t stride_d[], cnnlStrideBatchMatMulPrefer_t prefer, int requested,
    cnnlStrideBatchMatMulHeuristicResult_t results[], int* found);
cnnlStatus_t cnnlGetStrideBatchMatMulHeuristicResult(cnnlStrideBatchMatMulHeuristicResult_t result,
                                                     cnnlStrideBatchMatMulAlgo_t* algo, size_t* bytes);
cnnlStatus_t cnnlStrideBatchMatMul_v3(
    cnnlHandle_t handle, cnnlStrideBatchMatMulDescriptor_t desc, cnnlStrideBatchMatMulAlgo_t algo, bool is_trans_a,
    bool is_trans_b, int m, int n, int k, const int batch_size[], const void* alpha, cnnlTensorDescriptor_t a_desc,
    const void* a, int64_t lda, const int64_t stride_a[], cnnlTensorDescriptor_t b_desc, const void* b, int64_t ldb,
    const int64_t stride_b[], const void* beta, cnnlTensorDescriptor_t c_desc, const void* c, int64_t ldc,
    const int64_t stride_c[], void* workspace, size_t workspace_size, cnnlTensorDescriptor_t d_desc, void* d,
    int64_t ldd, const int64_t stride_d[]);

cnnlStatus_t cnnlConj(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                      cnnlTensorDescriptor_t output_desc, void* output);
cnnlStatus_t cnnlGatherNd_v2(cnnlHandle_t handle, int batch_dims, cnnlTensorDescriptor_t params_desc, const void* params,
                             cnnlTensorDescriptor_t indices_desc, const void* indices, cnnlTensorDescriptor_t output_desc,
                             void* output);
cnnlStatus_t cnnlScatterNd_v2(cnnlHandle_t handle, cnnlScatterNdMode_t mode, cnnlTensorDescriptor_t indices_desc,
                              const void* indices, cnnlTensorDescriptor_t updates_desc, const void* updates,
                              cnnlTensorDescriptor_t input_desc, const void* input, cnnlTensorDescriptor_t output_desc,
                              void* output);
cnnlStatus_t cnnlCreateReduceDescriptor(cnnlReduceDescriptor_t* desc);
cnnlStatus_t cnnlDestroyReduceDescriptor(cnnlReduceDescriptor_t desc);
cnnlStatus_t cnnlSetReduceDescriptor_v2(cnnlReduceDescriptor_t desc, int axes[], int count, cnnlReduceOp_t op,
                                        cnnlDataType_t type, cnnlNanPropagation_t nan, cnnlReduceIndices_t indices,
                                        cnnlIndicesType_t index_type, float p);
cnnlStatus_t cnnlGetReduceOpWorkspaceSize_v2(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc,
                                             cnnlTensorDescriptor_t output_desc, cnnlTensorDescriptor_t indices_desc,
                                             cnnlReduceDescriptor_t desc, size_t* bytes);
cnnlStatus_t cnnlReduce_v2(cnnlHandle_t handle, cnnlReduceDescriptor_t desc, cnnlTensorDescriptor_t input_desc,
                           const void* input, const void* alpha, const void* beta, void* workspace,
                           size_t workspace_size, cnnlTensorDescriptor_t output_desc, void* output,
                           cnnlTensorDescriptor_t indices_desc, void* indices);
cnnlStatus_t cnnlCreateUniqueDescriptor(cnnlUniqueDescriptor_t* desc);
cnnlStatus_t cnnlDestroyUniqueDescriptor(cnnlUniqueDescriptor_t desc);
cnnlStatus_t cnnlSetUniqueDescriptor(cnnlUniqueDescriptor_t desc, cnnlUniqueSort_t mode, int dim, bool return_inverse,
                                     bool return_counts);
cnnlStatus_t cnnlGetUniqueWorkspaceSize(cnnlHandle_t handle, cnnlUniqueDescriptor_t desc,
                                        cnnlTensorDescriptor_t input_desc, size_t* bytes);
cnnlStatus_t cnnlUnique_v2(cnnlHandle_t handle, cnnlUniqueDescriptor_t desc, cnnlTensorDescriptor_t input_desc,
                           const void* input, void* workspace, size_t workspace_size, int* count,
                           cnnlTensorDescriptor_t output_desc, void* output, cnnlTensorDescriptor_t inverse_desc,
                           void* inverse, cnnlTensorDescriptor_t counts_desc, void* counts);
cnnlStatus_t cnnlPad(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input, const void* paddings,
                     const void* value, cnnlTensorDescriptor_t output_desc, void* output);
cnnlStatus_t cnnlStridedSlice_v2(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                                 const int64_t begin[], const int64_t end[], const int64_t stride[],
                                 cnnlTensorDescriptor_t output_desc, void* output);
cnnlStatus_t cnnlConcat(cnnlHandle_t handle, int count, int axis, const cnnlTensorDescriptor_t descs[],
                        const void* const inputs[], void* workspace, size_t workspace_size,
                        cnnlTensorDescriptor_t output_desc, void* output);
#ifdef __cplusplus
}

// Not modelled: whatever they are called with. Kernel files may name them too: there they are unknown names.
#if defined(MLUSIM_HOST) || !defined(__BANG__)
extern "C" void mlusim_not_modelled(const char* function);
#define MLUSIM_NOT_MODELLED(NAME)               \
  template <class... Arguments>                 \
  inline cnnlStatus_t NAME(const Arguments&...) { \
    mlusim_not_modelled(#NAME);                 \
    return CNNL_STATUS_NOT_SUPPORTED;           \
  }
MLUSIM_NOT_MODELLED(cnnlCreateDCNDescriptor)
MLUSIM_NOT_MODELLED(cnnlDestroyDCNDescriptor)
MLUSIM_NOT_MODELLED(cnnlSetDCNDescriptor)
MLUSIM_NOT_MODELLED(cnnlDCNForward)
MLUSIM_NOT_MODELLED(cnnlDCNBackwardData)
MLUSIM_NOT_MODELLED(cnnlDCNBackwardWeight)
MLUSIM_NOT_MODELLED(cnnlGetDCNForwardWorkspaceSize)
MLUSIM_NOT_MODELLED(cnnlGetDCNBakcwardDataWorkspaceSize)
MLUSIM_NOT_MODELLED(cnnlGetDCNBackwardWeightWorkspaceSize)
MLUSIM_NOT_MODELLED(cnnlCreateNmsDescriptor)
MLUSIM_NOT_MODELLED(cnnlDestroyNmsDescriptor)
MLUSIM_NOT_MODELLED(cnnlSetNmsDescAttr)
MLUSIM_NOT_MODELLED(cnnlGetNmsWorkspaceSize_v4)
MLUSIM_NOT_MODELLED(cnnlNms_v2)
MLUSIM_NOT_MODELLED(cnnlCreateRoiAlignDescriptor)
MLUSIM_NOT_MODELLED(cnnlDestroyRoiAlignDescriptor)
MLUSIM_NOT_MODELLED(cnnlSetRoiAlignDescriptor_v2)
MLUSIM_NOT_MODELLED(cnnlRoiAlign_v2)
MLUSIM_NOT_MODELLED(cnnlRoiAlignBackward_v2)
MLUSIM_NOT_MODELLED(cnnlRoiPoolingForward)
MLUSIM_NOT_MODELLED(cnnlRoiPoolingBackward)
MLUSIM_NOT_MODELLED(cnnlGetSyncBatchNormStatsWorkspaceSize)
MLUSIM_NOT_MODELLED(cnnlSyncBatchNormStats_v2)
MLUSIM_NOT_MODELLED(cnnlSyncBatchNormGatherStatsWithCounts)
MLUSIM_NOT_MODELLED(cnnlSyncBatchNormElemt)
MLUSIM_NOT_MODELLED(cnnlGetSyncBatchnormBackwardReduceWorkspaceSize)
MLUSIM_NOT_MODELLED(cnnlSyncBatchnormBackwardReduce_v2)
MLUSIM_NOT_MODELLED(cnnlSyncBatchNormBackwardElemt)
MLUSIM_NOT_MODELLED(cnnlSyncBatchNormBackwardElemtV2)
MLUSIM_NOT_MODELLED(cnnlGetTopKTensorWorkspaceSize)
MLUSIM_NOT_MODELLED(cnnlTopKTensor_v3)
MLUSIM_NOT_MODELLED(cnnlAbs)
MLUSIM_NOT_MODELLED(cnnlDiv)
MLUSIM_NOT_MODELLED(cnnlLog)
MLUSIM_NOT_MODELLED(cnnlSqrt)
MLUSIM_NOT_MODELLED(cnnlSqrtBackward)
#undef MLUSIM_NOT_MODELLED
#endif
#endif
#endif
