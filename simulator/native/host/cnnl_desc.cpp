#include "cnnl_desc.h"

#include <stdio.h>

using namespace cnnl;

namespace cnnl {

size_t size_of(cnnlDataType_t dtype) {
  switch (dtype) {
    case CNNL_DTYPE_INT8:
    case CNNL_DTYPE_UINT8:
    case CNNL_DTYPE_BOOL:
      return 1;
    case CNNL_DTYPE_HALF:
    case CNNL_DTYPE_BFLOAT16:
    case CNNL_DTYPE_INT16:
    case CNNL_DTYPE_UINT16:
      return 2;
    case CNNL_DTYPE_FLOAT:
    case CNNL_DTYPE_INT31:
    case CNNL_DTYPE_INT32:
    case CNNL_DTYPE_UINT32:
    case CNNL_DTYPE_COMPLEX_HALF:
      return 4;
    case CNNL_DTYPE_DOUBLE:
    case CNNL_DTYPE_INT64:
    case CNNL_DTYPE_UINT64:
    case CNNL_DTYPE_COMPLEX_FLOAT:
      return 8;
    default:
      return 0;
  }
}

uint64_t extent(const cnnlTensorStruct& desc) {
  int64_t last = 0;
  for (size_t i = 0; i < desc.dims.size(); i++) {
    if (!desc.dims[i]) return 0;
    last += (desc.dims[i] - 1) * desc.strides[i];
  }
  return (uint64_t)(last + 1) * size_of(desc.dtype);
}

cnnlStatus_t refused(const char* function, const std::string& why) {
  fprintf(stderr, "mlusim: %s: %s\n", function, why.c_str());
  return CNNL_STATUS_BAD_PARAM;
}

static std::string list(const std::vector<int64_t>& values) {
  std::string text = "[";
  for (int64_t value : values) text += (text.size() > 1 ? "," : "") + std::to_string(value);
  return text + "]";
}

Call& Call::tensor(const char* name, cnnlTensorDescriptor_t desc, const void* pointer) {
  if (!desc || desc->dtype == CNNL_DTYPE_INVALID) {
    problem_ = std::string("the descriptor of ") + name + (desc ? " was never set" : " is null");
    return *this;
  }
  tensors_ += (tensors_.empty() ? "\"" : ",\"") + std::string(name) + "\":[" + std::to_string((uint64_t)pointer) + "," +
              std::to_string(desc->dtype) + "," + list(desc->dims) + "," + list(desc->strides) + "]";
  operands_.push_back({name, pointer, extent(*desc)});
  return *this;
}

Call& Call::put(const char* name, int64_t value) {
  values_ += ",\"" + std::string(name) + "\":" + std::to_string(value);
  return *this;
}

Call& Call::put(const char* name, const std::vector<int64_t>& values) {
  values_ += ",\"" + std::string(name) + "\":" + list(values);
  return *this;
}

Call& Call::number(const char* name, cnnlDataType_t dtype, const void* value) {
  if (!value) {
    problem_ = std::string("the pointer to ") + name + " is null";
    return *this;
  }
  std::vector<int64_t> bytes((const uint8_t*)value, (const uint8_t*)value + size_of(dtype));
  values_ += ",\"" + std::string(name) + "\":[" + std::to_string(dtype) + "," + list(bytes) + "]";
  return *this;
}

cnnlStatus_t Call::run(cnnlHandle_t handle) {
  if (!handle) problem_ = "the handle is null";
  if (!problem_.empty()) return refused(function_, problem_);
  std::string text = "{\"function\":\"" + std::string(function_) + "\",\"tensors\":{" + tensors_ + "}" + values_ + "}";
  std::vector<mlusim_range> ranges;
  for (const Operand& operand : operands_) ranges.push_back({operand.pointer, operand.bytes, operand.name.c_str()});
  cnrtRet_t status = mlusim_operation(handle->queue, text.data(), text.size(), ranges.data(), ranges.size(), caller_);
  if (status == cnrtSuccess) return CNNL_STATUS_SUCCESS;
  if (status == cnrtErrorNotSupport) return CNNL_STATUS_NOT_SUPPORTED;
  return status == cnrtErrorArgsInvalid ? CNNL_STATUS_BAD_PARAM : CNNL_STATUS_EXECUTION_FAILED;
}

}  // namespace cnnl

template <class T>
static cnnlStatus_t create(T** made, const char* function) {
  if (!made) return refused(function, "the pointer to the result is null");
  *made = new T;
  return CNNL_STATUS_SUCCESS;
}

template <class T>
static cnnlStatus_t destroy(T* old, const char* function) {
  if (!old) return refused(function, "what is to go is null");
  delete old;
  return CNNL_STATUS_SUCCESS;
}

#define CNNL_NAMED(CREATE, DESTROY, TYPE)                                    \
  CNNL_API cnnlStatus_t CREATE(TYPE* made) { return create(made, #CREATE); } \
  CNNL_API cnnlStatus_t DESTROY(TYPE old) { return destroy(old, #DESTROY); }
#define CNNL_PAIR(NAME, TYPE) CNNL_NAMED(cnnlCreate##NAME, cnnlDestroy##NAME, TYPE)
CNNL_PAIR(, cnnlHandle_t)
CNNL_PAIR(TensorDescriptor, cnnlTensorDescriptor_t)
CNNL_PAIR(TransposeDescriptor, cnnlTransposeDescriptor_t)
CNNL_PAIR(ReduceDescriptor, cnnlReduceDescriptor_t)
CNNL_PAIR(OpTensorDescriptor, cnnlOpTensorDescriptor_t)
CNNL_PAIR(UniqueDescriptor, cnnlUniqueDescriptor_t)
CNNL_PAIR(MatMulDescriptor, cnnlMatMulDescriptor_t)
CNNL_PAIR(MatMulAlgo, cnnlMatMulAlgo_t)
CNNL_PAIR(MatMulHeuristicResult, cnnlMatMulHeuristicResult_t)
CNNL_NAMED(cnnlMatMulDescCreate, cnnlMatMulDescDestroy, cnnlMatMulDescriptor_t)
CNNL_NAMED(cnnlStrideBatchMatMulDescCreate, cnnlStrideBatchMatMulDescDestroy, cnnlStrideBatchMatMulDescriptor_t)
CNNL_NAMED(cnnlStrideBatchMatMulAlgoCreate, cnnlStrideBatchMatMulAlgoDestroy, cnnlStrideBatchMatMulAlgo_t)
CNNL_PAIR(StrideBatchMatMulHeuristicResult, cnnlStrideBatchMatMulHeuristicResult_t)
CNNL_NAMED(cnnlMatMulAlgoCreate, cnnlMatMulAlgoDestroy, cnnlMatMulAlgo_t)

CNNL_API cnnlStatus_t cnnlSetQueue(cnnlHandle_t handle, cnrtQueue_t queue) {
  if (!handle) return refused("cnnlSetQueue", "the handle is null");
  handle->queue = queue;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetQueue(cnnlHandle_t handle, cnrtQueue_t* queue) {
  if (!handle || !queue) return refused("cnnlGetQueue", "an argument is null");
  *queue = handle->queue;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlUpdateContextInformation(cnnlHandle_t handle) {
  return handle ? CNNL_STATUS_SUCCESS : refused("cnnlUpdateContextInformation", "the handle is null");
}

template <class N>
static cnnlStatus_t set(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout, cnnlDataType_t dtype, int rank,
                        const N* dims, const N* strides, const char* function) {
  if (!desc) return refused(function, "the descriptor is null");
  if (!size_of(dtype)) return refused(function, "the dtype is none of cnnlDataType_t");
  if (rank < 0 || rank > CNNL_DIM_MAX) return refused(function, "a tensor has at most 8 dimensions");
  if (rank && !dims) return refused(function, "the dimensions are null");
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0 || (strides && strides[i] < 0)) return refused(function, "a dimension or a stride is negative");
  desc->layout = layout, desc->dtype = dtype;
  desc->dims.assign(dims, dims + rank);
  desc->strides.assign((size_t)rank, 1);
  for (int i = rank - 1; i >= 0; i--)
    desc->strides[i] = strides ? strides[i] : (i + 1 < rank ? desc->strides[i + 1] * desc->dims[i + 1] : 1);
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlSetTensorDescriptor(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout,
                                              cnnlDataType_t dtype, int rank, const int dims[]) {
  return set<int>(desc, layout, dtype, rank, dims, nullptr, "cnnlSetTensorDescriptor");
}
CNNL_API cnnlStatus_t cnnlSetTensorDescriptor_v2(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout,
                                                 cnnlDataType_t dtype, int rank, const int64_t dims[]) {
  return set<int64_t>(desc, layout, dtype, rank, dims, nullptr, "cnnlSetTensorDescriptor_v2");
}
CNNL_API cnnlStatus_t cnnlSetTensorDescriptorEx(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout,
                                                cnnlDataType_t dtype, int rank, const int dims[], const int strides[]) {
  return set<int>(desc, layout, dtype, rank, dims, strides, "cnnlSetTensorDescriptorEx");
}
CNNL_API cnnlStatus_t cnnlSetTensorDescriptorEx_v2(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t layout,
                                                   cnnlDataType_t dtype, int rank, const int64_t dims[],
                                                   const int64_t strides[]) {
  return set<int64_t>(desc, layout, dtype, rank, dims, strides, "cnnlSetTensorDescriptorEx_v2");
}

CNNL_API cnnlStatus_t cnnlResetTensorDescriptor(cnnlTensorDescriptor_t desc) {
  if (!desc) return refused("cnnlResetTensorDescriptor", "the descriptor is null");
  *desc = cnnlTensorStruct();
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlSetTensorDescriptorOnchipDataType(cnnlTensorDescriptor_t desc, cnnlDataType_t) {
  if (!desc) return refused("cnnlSetTensorDescriptorOnchipDataType", "the descriptor is null");
  return CNNL_STATUS_SUCCESS;  // it says how to compute, not what
}

CNNL_API cnnlStatus_t cnnlSetTensorDescriptorPositionScaleAndOffset(cnnlTensorDescriptor_t desc, int position,
                                                                    float scale, int offset) {
  const char* function = "cnnlSetTensorDescriptorPositionScaleAndOffset";
  if (!desc) return refused(function, "the descriptor is null");
  if (!position && scale == 1 && !offset) return CNNL_STATUS_SUCCESS;
  refused(function, "quantized tensors are not modelled; the position must be 0, the scale 1 and the offset 0");
  return CNNL_STATUS_NOT_SUPPORTED;
}

CNNL_API cnnlStatus_t cnnlGetTensorDescriptor(cnnlTensorDescriptor_t desc, cnnlTensorLayout_t* layout,
                                              cnnlDataType_t* dtype, int* rank, int dims[]) {
  if (!desc) return refused("cnnlGetTensorDescriptor", "the descriptor is null");
  if (layout) *layout = desc->layout;
  if (dtype) *dtype = desc->dtype;
  if (rank) *rank = (int)desc->dims.size();
  for (size_t i = 0; dims && i < desc->dims.size(); i++) dims[i] = (int)desc->dims[i];
  return CNNL_STATUS_SUCCESS;
}

CNNL_API size_t cnnlGetTensorElementNum(cnnlTensorDescriptor_t desc) {
  size_t count = desc ? 1 : 0;
  for (size_t i = 0; desc && i < desc->dims.size(); i++) count *= (size_t)desc->dims[i];
  return count;
}

CNNL_API cnnlStatus_t cnnlGetSizeOfDataType(cnnlDataType_t dtype, size_t* bytes) {
  if (!bytes || !size_of(dtype)) return refused("cnnlGetSizeOfDataType", "the dtype is none of cnnlDataType_t");
  *bytes = size_of(dtype);
  return CNNL_STATUS_SUCCESS;
}

CNNL_API void cnnlGetLibVersion(int* major, int* minor, int* patch) {
  if (major) *major = CNNL_MAJOR;
  if (minor) *minor = CNNL_MINOR;
  if (patch) *patch = CNNL_PATCHLEVEL;
}

CNNL_API const char* cnnlGetErrorString(cnnlStatus_t status) {
  static const char* const names[] = {
      "CNNL_STATUS_SUCCESS",          "CNNL_STATUS_NOT_INITIALIZED", "CNNL_STATUS_ALLOC_FAILED",
      "CNNL_STATUS_BAD_PARAM",        "CNNL_STATUS_INTERNAL_ERROR",  "CNNL_STATUS_ARCH_MISMATCH",
      "CNNL_STATUS_EXECUTION_FAILED", "CNNL_STATUS_NOT_SUPPORTED",   "CNNL_STATUS_NUMERICAL_OVERFLOW"};
  return (unsigned)status < sizeof names / sizeof *names ? names[status] : "CNNL_STATUS_UNKNOWN";
}
