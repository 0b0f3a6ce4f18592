#include "vec.h"

#include <stdlib.h>

#include <vector>

#include "cnnl.h"

struct vecContext {
  cnrtQueue_t queue = nullptr;
  cnnlHandle_t library = nullptr;
};
struct vecTensorStruct {
  vecDataType_t dtype;
  std::vector<int> dims, strides;
  int count() const {
    int all = 1;
    for (int dim : dims) all *= dim;
    return all;
  }
};
struct vecClampStruct {
  vecClampMode_t mode = VEC_KEEP_LOW;
  float bound = 0;
};

vecStatus_t vecCreate(vecHandle_t* handle) {
  *handle = new vecContext;
  cnnlCreate(&(*handle)->library);
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecDestroy(vecHandle_t handle) {
  cnnlDestroy(handle->library);
  delete handle;
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecSetQueue(vecHandle_t handle, cnrtQueue_t queue) {
  handle->queue = queue;
  cnnlSetQueue(handle->library, queue);
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecCreateTensorDescriptor(vecTensorDescriptor_t* desc) {
  *desc = new vecTensorStruct;
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecDestroyTensorDescriptor(vecTensorDescriptor_t desc) {
  delete desc;
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecSetTensorDescriptorEx(vecTensorDescriptor_t desc, vecTensorLayout_t, vecDataType_t dtype, int rank,
                                     const int dims[], const int strides[]) {
  desc->dtype = dtype;
  desc->dims.assign(dims, dims + rank);
  desc->strides.assign(strides, strides + rank);
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecCreateClampDescriptor(vecClampDescriptor_t* desc) {
  *desc = new vecClampStruct;
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecDestroyClampDescriptor(vecClampDescriptor_t desc) {
  delete desc;
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecSetClampDescriptor(vecClampDescriptor_t desc, vecClampMode_t mode, float bound) {
  desc->mode = mode, desc->bound = bound;
  return VEC_STATUS_SUCCESS;
}

static bool fits(vecTensorDescriptor_t x, vecTensorDescriptor_t y) {
  return x->dtype == VEC_DTYPE_FLOAT && y->dtype == VEC_DTYPE_FLOAT && x->dims == y->dims;
}

vecStatus_t vecScale(vecHandle_t handle, float factor, const vecTensorDescriptor_t x_desc, const void* x,
                     const vecTensorDescriptor_t y_desc, void* y) {
  if (!fits(x_desc, y_desc)) return VEC_STATUS_BAD_PARAM;
  launchScale({2, 1, 1}, handle->queue, (const float*)x, (float*)y, factor, x_desc->count());
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecClamp(vecHandle_t handle, const vecClampDescriptor_t clamp_desc, const vecTensorDescriptor_t x_desc,
                     const void* x, const vecTensorDescriptor_t y_desc, void* y) {
  if (!fits(x_desc, y_desc)) return VEC_STATUS_BAD_PARAM;
  launchClamp(handle->queue, (const float*)x, (float*)y, clamp_desc->bound, clamp_desc->mode == VEC_KEEP_HIGH,
              x_desc->count());
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecGetSumWorkspaceSize(vecHandle_t, const vecTensorDescriptor_t x_desc, size_t* size) {
  *size = (size_t)x_desc->count() * sizeof(float);
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecSum(vecHandle_t handle, const vecTensorDescriptor_t x_desc, const void* x, void* workspace,
                   size_t workspace_size, const vecTensorDescriptor_t, void* y) {
  if (workspace_size < (size_t)x_desc->count() * sizeof(float)) return VEC_STATUS_BAD_PARAM;
  launchSum(handle->queue, (const float*)x, (float*)workspace, (float*)y, x_desc->count());
  return VEC_STATUS_SUCCESS;
}

static cnnlTensorDescriptor_t converted(vecTensorDescriptor_t desc) {
  cnnlTensorDescriptor_t made;
  cnnlCreateTensorDescriptor(&made);
  cnnlSetTensorDescriptorEx(made, CNNL_LAYOUT_ARRAY, (cnnlDataType_t)desc->dtype, (int)desc->dims.size(),
                            desc->dims.data(), desc->strides.data());
  return made;
}

vecStatus_t vecTranspose(vecHandle_t handle, const int permute[], const vecTensorDescriptor_t x_desc, const void* x,
                         const vecTensorDescriptor_t y_desc, void* y) {
  cnnlTransposeDescriptor_t desc;
  cnnlCreateTransposeDescriptor(&desc);
  cnnlSetTransposeDescriptor(desc, (int)x_desc->dims.size(), permute);
  cnnlTensorDescriptor_t from = converted(x_desc), to = converted(y_desc);
  cnnlStatus_t status = cnnlTranspose_v2(handle->library, desc, from, x, to, y, nullptr, 0);
  cnnlDestroyTensorDescriptor(from);
  cnnlDestroyTensorDescriptor(to);
  cnnlDestroyTransposeDescriptor(desc);
  return status == CNNL_STATUS_SUCCESS ? VEC_STATUS_SUCCESS : VEC_STATUS_EXECUTION_FAILED;
}
vecStatus_t vecBest(vecHandle_t handle, const vecTensorDescriptor_t x_desc, const void* x, int* best) {
  std::vector<float> values((size_t)x_desc->count());
  cnrtQueueSync(handle->queue);
  cnrtMemcpy(values.data(), const_cast<void*>(x), values.size() * sizeof(float), cnrtMemcpyDevToHost);
  *best = 0;
  for (size_t i = 1; i < values.size(); i++)
    if (values[i] > values[(size_t)*best]) *best = (int)i;
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecPeek(vecHandle_t, const vecTensorDescriptor_t, const void* x, float* first) {
  *first = *(const float*)x;  // a device pointer, which the host cannot read
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecGetRank(const vecTensorDescriptor_t x_desc, int* rank, vecDataType_t* dtype) {
  *rank = (int)x_desc->dims.size(), *dtype = x_desc->dtype;
  return VEC_STATUS_SUCCESS;
}
// The tensors are pointers to numbers.
vecStatus_t vecTyped(vecHandle_t handle, const vecTensorDescriptor_t x_desc, const float* x,
                     const vecTensorDescriptor_t y_desc, float* y, int* count) {
  launchScale({1, 1, 1}, handle->queue, x, y, 2, *count = x_desc->count());
  return fits(x_desc, y_desc) ? VEC_STATUS_SUCCESS : VEC_STATUS_BAD_PARAM;
}
vecStatus_t vecGiveUp(int code) { exit(code); }
vecStatus_t vecGiveUpAfterKernel(vecHandle_t handle, const vecTensorDescriptor_t, const void* x) {
  launchClamp(handle->queue, (const float*)x, nullptr, 0, 0, 1);
  if (cnrtQueueSync(handle->queue) != cnrtSuccess) exit(3);
  return VEC_STATUS_SUCCESS;
}
vecStatus_t vecUnsupported(vecHandle_t handle, const vecTensorDescriptor_t, void* x) {
  return cnnlAbs(handle, x) == CNNL_STATUS_NOT_SUPPORTED ? VEC_STATUS_EXECUTION_FAILED : VEC_STATUS_SUCCESS;
}
size_t vecBytes(uint8_t count, bool wide) { return count * (wide ? 8u : 4u); }
