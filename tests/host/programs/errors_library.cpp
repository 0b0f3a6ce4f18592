// What calls of the operator library return that are wrong.
#include <cnrt.h>
#include <string.h>

#include "cnnl.h"
#include "errors.h"

static char text[64];
static int number;
static size_t bytes;

static void descriptors(cnnlTensorDescriptor_t desc) {
  const int dims[] = {2, 3}, negative[] = {2, -3};
  const int64_t wide[] = {2, -3};
  BAD(cnnlCreate(nullptr));
  BAD(cnnlDestroy(nullptr));
  BAD(cnnlSetQueue(nullptr, nullptr));
  BAD(cnnlGetQueue(nullptr, nullptr));
  BAD(cnnlUpdateContextInformation(nullptr));
  BAD(cnnlCreateTensorDescriptor(nullptr));
  BAD(cnnlDestroyTensorDescriptor(nullptr));
  BAD(cnnlSetTensorDescriptor(nullptr, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 2, dims));
  BAD(cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, (cnnlDataType_t)77, 2, dims));
  BAD(cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 9, dims));
  BAD(cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, -1, dims));
  BAD(cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 2, nullptr));
  BAD(cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 2, negative));
  BAD(cnnlSetTensorDescriptor_v2(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 2, wide));
  BAD(cnnlSetTensorDescriptorEx(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 2, dims, negative));
  BAD(cnnlSetTensorDescriptorEx_v2(nullptr, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 2, wide, wide));
  BAD(cnnlResetTensorDescriptor(nullptr));
  BAD(cnnlGetTensorDescriptor(nullptr, nullptr, nullptr, &number, nullptr));
  BAD(cnnlGetSizeOfDataType((cnnlDataType_t)77, &bytes));
  BAD(cnnlGetSizeOfDataType(CNNL_DTYPE_HALF, nullptr));
  GIVES(0, cnnlGetTensorElementNum(nullptr));
  cnnlGetLibVersion(nullptr, &number, nullptr);
  GIVES(0, strcmp(cnnlGetErrorString((cnnlStatus_t)77), "CNNL_STATUS_UNKNOWN"));
  int axes[] = {0};
  BAD(cnnlSetTransposeDescriptor(nullptr, 2, dims));
  BAD(cnnlSetOpTensorDescriptor(nullptr, CNNL_OP_TENSOR_ADD, CNNL_DTYPE_FLOAT, CNNL_NOT_PROPAGATE_NAN));
  BAD(cnnlSetMatMulDescAttr(nullptr, CNNL_MATMUL_DESC_TRANSA, &number, sizeof number));
  BAD(cnnlSetReduceDescriptor_v2(nullptr, axes, 1, CNNL_REDUCE_ADD, CNNL_DTYPE_FLOAT, CNNL_NOT_PROPAGATE_NAN,
                                 CNNL_REDUCE_NO_INDICES, CNNL_32BIT_INDICES, 0));
  BAD(cnnlSetUniqueDescriptor(nullptr, CNNL_SORT_ASCEND, 0, false, false));
}

static void strided(cnnlHandle_t handle, cnnlTensorDescriptor_t desc, float* data) {
  const int batch[] = {1}, many = 7;
  const int64_t apart[] = {4};
  const float one = 1;
  cnnlStrideBatchMatMulDescriptor_t product;
  BAD(cnnlStrideBatchMatMulDescCreate(nullptr));
  cnnlStrideBatchMatMulDescCreate(&product);
  auto multiply = [&](cnnlStrideBatchMatMulDescriptor_t of, int rows, const int* sizes, cnnlTensorDescriptor_t left) {
    return cnnlStrideBatchMatMul_v3(handle, of, nullptr, false, false, rows, 2, 2, sizes, &one, left, data, 2, apart,
                                    desc, data, 2, apart, &one, desc, data, 2, apart, nullptr, 0, desc, data + 4, 2,
                                    apart);
  };
  BAD(cnnlSetStrideBatchMatMulDescAttr(product, CNNL_STRIDE_BMM_MAX_BATCH_DIM, &many, 1));
  BAD(cnnlSetStrideBatchMatMulDescAttr(product, CNNL_STRIDE_BMM_MAX_BATCH_DIM, &many, sizeof many));
  BAD(cnnlGetStrideBatchMatMulAlgoHeuristic_v2(handle, product, desc, desc, desc, desc, false, false, &one, &one, 2, 2,
                                               2, 2, 2, 2, 2, batch, apart, apart, apart, apart, nullptr, 1, nullptr,
                                               nullptr));
  BAD(cnnlGetStrideBatchMatMulHeuristicResult(nullptr, nullptr, nullptr));
  BAD(multiply(nullptr, 2, batch, desc));
  BAD(multiply(product, 2, nullptr, desc));
  BAD(multiply(product, -2, batch, desc));
  BAD(multiply(product, 2, batch, nullptr));
  GIVES(CNNL_STATUS_SUCCESS, multiply(product, 2, batch, desc));
  BAD(cnnlConj(handle, desc, data, nullptr, data));
  BAD(cnnlSetTensorDescriptorOnchipDataType(nullptr, CNNL_DTYPE_FLOAT));
  BAD(cnnlSetTensorDescriptorPositionScaleAndOffset(nullptr, 0, 1, 0));
  GIVES(CNNL_STATUS_SUCCESS, cnnlSetTensorDescriptorPositionScaleAndOffset(desc, 0, 1, 0));
  GIVES(CNNL_STATUS_NOT_SUPPORTED, cnnlSetTensorDescriptorPositionScaleAndOffset(desc, -3, 1, 0));
  cnnlStrideBatchMatMulDescDestroy(product);
}

void library(float* data) {
  const int dims[] = {4}, permute[] = {0};
  int axes[] = {0};
  float value = 1;
  cnnlHandle_t handle;
  cnnlTensorDescriptor_t desc, unset;
  cnnlTransposeDescriptor_t transpose;
  cnnlReduceDescriptor_t reduce;
  cnnlUniqueDescriptor_t unique;
  cnnlMatMulDescriptor_t product;
  cnnlCreate(&handle), cnnlCreateTensorDescriptor(&desc), cnnlCreateTensorDescriptor(&unset);
  descriptors(desc);
  cnnlSetTensorDescriptor(desc, CNNL_LAYOUT_ARRAY, CNNL_DTYPE_FLOAT, 1, dims);
  BAD(cnnlCopy(nullptr, desc, data, desc, data));
  BAD(cnnlCopy(handle, nullptr, data, desc, data));
  BAD(cnnlCopy(handle, desc, data, unset, data));
  BAD(cnnlCopy(handle, desc, text, desc, data));
  BAD(cnnlFill_v3(handle, CNNL_POINTER_MODE_HOST, nullptr, desc, data));
  GIVES(CNNL_STATUS_NOT_SUPPORTED, cnnlFill_v3(handle, CNNL_POINTER_MODE_DEVICE, data, desc, data));
  GIVES(CNNL_STATUS_NOT_SUPPORTED,
        cnnlTransform_v2(handle, CNNL_POINTER_MODE_DEVICE, data, desc, data, data, desc, data));
  cnnlCreateTransposeDescriptor(&transpose);
  BAD(cnnlSetTransposeDescriptor(transpose, 9, permute));
  BAD(cnnlSetTransposeDescriptor(transpose, 1, nullptr));
  BAD(cnnlGetTransposeWorkspaceSize(handle, desc, transpose, nullptr));
  BAD(cnnlTranspose_v2(handle, nullptr, desc, data, desc, data, nullptr, 0));
  BAD(cnnlTranspose_v2(handle, transpose, desc, data, desc, data, nullptr, 0));
  BAD(cnnlGetOpTensorWorkspaceSize(handle, desc, desc, desc, nullptr));
  BAD(cnnlOpTensor(handle, nullptr, &value, desc, data, &value, desc, data, nullptr, 0, &value, desc, data));
  BAD(cnnlGetAddNWorkspaceSize(handle, &desc, 1, desc, nullptr));
  BAD(cnnlAddN_v2(handle, nullptr, nullptr, 0, desc, data, nullptr, 0));
  BAD(cnnlConcat(handle, 0, 0, nullptr, nullptr, nullptr, 0, desc, data));
  cnnlCreateMatMulDescriptor(&product);
  BAD(cnnlSetMatMulDescAttr(product, CNNL_MATMUL_DESC_TRANSA, &number, 1));
  BAD(cnnlGetMatMulAlgoHeuristic(handle, product, desc, desc, desc, desc, nullptr, 1, nullptr, nullptr));
  BAD(cnnlGetMatMulHeuristicResult(nullptr, nullptr, nullptr));
  BAD(cnnlGetBatchMatMulExAlgoHeuristic(handle, product, desc, desc, desc, nullptr, 1, nullptr, nullptr));
  BAD(cnnlGetBatchMatMulExHeuristicResult(nullptr, nullptr, nullptr));
  BAD(cnnlMatMul_v2(handle, nullptr, nullptr, &value, desc, data, desc, data, &value, desc, data, nullptr, 0, desc,
                    data));
  BAD(cnnlMatMul_v2(handle, product, nullptr, nullptr, desc, data, desc, data, &value, desc, data, nullptr, 0, desc,
                    data));
  strided(handle, desc, data);
  cnnlCreateReduceDescriptor(&reduce);
  BAD(cnnlReduce_v2(handle, nullptr, desc, data, &value, &value, nullptr, 0, desc, data, nullptr, nullptr));
  BAD(cnnlGetReduceOpWorkspaceSize_v2(handle, desc, desc, nullptr, reduce, nullptr));
  cnnlSetReduceDescriptor_v2(reduce, axes, 1, CNNL_REDUCE_ADD, CNNL_DTYPE_FLOAT, CNNL_NOT_PROPAGATE_NAN,
                             CNNL_REDUCE_ONLY_INDICES, CNNL_32BIT_INDICES, 0);
  GIVES(CNNL_STATUS_NOT_SUPPORTED,
        cnnlReduce_v2(handle, reduce, desc, data, &value, &value, nullptr, 0, desc, data, nullptr, nullptr));
  cnnlCreateUniqueDescriptor(&unique);
  BAD(cnnlGetUniqueWorkspaceSize(handle, unique, desc, nullptr));
  BAD(cnnlUnique_v2(handle, nullptr, desc, data, nullptr, 0, nullptr, desc, data, nullptr, nullptr, nullptr, nullptr));
  cnnlSetUniqueDescriptor(unique, CNNL_SORT_REVERSE, 0, false, false);
  GIVES(CNNL_STATUS_NOT_SUPPORTED,
        cnnlUnique_v2(handle, unique, desc, data, nullptr, 0, nullptr, desc, data, nullptr, nullptr, nullptr, nullptr));
  BAD(cnnlPad(handle, desc, data, nullptr, &value, desc, data));
  BAD(cnnlStridedSlice_v2(handle, desc, data, nullptr, nullptr, nullptr, desc, data));
  cnnlDestroyTransposeDescriptor(transpose), cnnlDestroyReduceDescriptor(reduce), cnnlDestroyUniqueDescriptor(unique);
  cnnlDestroyMatMulDescriptor(product), cnnlDestroyTensorDescriptor(desc), cnnlDestroyTensorDescriptor(unset);
  cnnlDestroy(handle);
}
