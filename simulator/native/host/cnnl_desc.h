// Descriptors of the operator library, and how its functions tell the device process what to do.
#pragma once
#include <stdint.h>
#include <string.h>

#include <string>
#include <vector>

#include "cnnl.h"
#include "host_operation.h"

struct cnnlContext {
  cnrtQueue_t queue = nullptr;
};
struct cnnlTensorStruct {
  cnnlTensorLayout_t layout = CNNL_LAYOUT_ARRAY;
  cnnlDataType_t dtype = CNNL_DTYPE_INVALID;
  std::vector<int64_t> dims, strides;  // strides in elements
};
struct cnnlTransposeStruct {
  std::vector<int64_t> permute;
};
struct cnnlReduceStruct {
  std::vector<int64_t> axes;
  cnnlReduceOp_t op = CNNL_REDUCE_ADD;
  cnnlReduceIndices_t indices = CNNL_REDUCE_NO_INDICES;
};
struct cnnlOpTensorStruct {
  cnnlOpTensorDesc_t op = CNNL_OP_TENSOR_ADD;
};
struct cnnlUniqueStruct {
  cnnlUniqueSort_t mode = CNNL_SORT_ASCEND;
  int dim = 0;
  bool inverse = false, counts = false;
};
struct cnnlMatMulStruct {
  int32_t transposed[2] = {0, 0};
};
struct cnnlStrideBatchMatMulStruct {
  int32_t batch_dims = 1;
};
struct cnnlMatMulAlgoStruct {};
struct cnnlMatMulHeuristicResultStruct {};

#define CNNL_API extern "C" __attribute__((visibility("default")))
// The caller of a function of the library.
#define CNNL_HERE __builtin_return_address(0)

namespace cnnl {

// Bytes of an element, 0 for a dtype that is none.
size_t size_of(cnnlDataType_t dtype);
// From the first byte of a tensor to the one after its last.
uint64_t extent(const cnnlTensorStruct& desc);
// A sentence on stderr, and the status.
cnnlStatus_t refused(const char* function, const std::string& why);

// A function of the library as JSON: simulator/host/cnnl reads it.
class Call {
 public:
  Call(const char* function, const void* caller) : function_(function), caller_(caller) {}
  Call& in(const char* name, cnnlTensorDescriptor_t desc, const void* pointer) { return tensor(name, desc, pointer); }
  Call& out(const char* name, cnnlTensorDescriptor_t desc, void* pointer) { return tensor(name, desc, pointer); }
  Call& put(const char* name, int64_t value);
  Call& put(const char* name, const std::vector<int64_t>& values);
  // A number in host memory of a tensor's dtype, as its bytes.
  Call& number(const char* name, cnnlDataType_t dtype, const void* value);
  cnnlStatus_t run(cnnlHandle_t handle);

 private:
  Call& tensor(const char* name, cnnlTensorDescriptor_t desc, const void* pointer);

  const char* function_;
  const void* caller_;
  struct Operand {
    std::string name;
    const void* pointer;
    uint64_t bytes;
  };
  std::string tensors_, values_, problem_;
  std::vector<Operand> operands_;
};

}  // namespace cnnl
