// The functions of the operator library: each says what it is called with, and simulator/host/cnnl carries it out.
#include "cnnl_desc.h"

using namespace cnnl;

// The dtype that a factor in host memory has: float for everything but double and integers (as the documents say).
static cnnlDataType_t factor(cnnlTensorDescriptor_t desc) {
  if (!desc) return CNNL_DTYPE_FLOAT;
  switch (desc->dtype) {
    case CNNL_DTYPE_INT32:
    case CNNL_DTYPE_INT64:
    case CNNL_DTYPE_DOUBLE:
    case CNNL_DTYPE_COMPLEX_FLOAT:
      return desc->dtype;
    default:
      return CNNL_DTYPE_FLOAT;
  }
}

// Nothing here needs a workspace.
static cnnlStatus_t no_workspace(size_t* bytes, const char* function) {
  if (!bytes) return refused(function, "the pointer to the result is null");
  *bytes = 0;
  return CNNL_STATUS_SUCCESS;
}

static cnnlStatus_t in_device_memory(const char* function) {
  refused(function, "CNNL_POINTER_MODE_DEVICE is not modelled; pass the number in host memory");
  return CNNL_STATUS_NOT_SUPPORTED;
}

CNNL_API cnnlStatus_t cnnlFill_v3(cnnlHandle_t handle, cnnlPointerMode_t mode, const void* value,
                                  cnnlTensorDescriptor_t desc, void* output) {
  if (mode != CNNL_POINTER_MODE_HOST) return in_device_memory("cnnlFill_v3");
  Call call("cnnlFill_v3", CNNL_HERE);
  call.out("output", desc, output);
  if (desc) call.number("value", desc->dtype, value);
  return call.run(handle);
}

CNNL_API cnnlStatus_t cnnlCopy_v2(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                                  cnnlTensorDescriptor_t output_desc, void* output, void*, size_t) {
  return Call("cnnlCopy_v2", CNNL_HERE).in("input", input_desc, input).out("output", output_desc, output).run(handle);
}

CNNL_API cnnlStatus_t cnnlCopy(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                               cnnlTensorDescriptor_t output_desc, void* output) {
  return Call("cnnlCopy", CNNL_HERE).in("input", input_desc, input).out("output", output_desc, output).run(handle);
}

CNNL_API cnnlStatus_t cnnlCastDataType(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                                       cnnlCastDataType_t, cnnlTensorDescriptor_t output_desc, void* output) {
  return Call("cnnlCastDataType", CNNL_HERE)
      .in("input", input_desc, input)
      .out("output", output_desc, output)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlTransform_v2(cnnlHandle_t handle, cnnlPointerMode_t mode, const void* alpha,
                                       cnnlTensorDescriptor_t input_desc, const void* input, const void* beta,
                                       cnnlTensorDescriptor_t output_desc, void* output) {
  if (mode != CNNL_POINTER_MODE_HOST) return in_device_memory("cnnlTransform_v2");
  return Call("cnnlTransform_v2", CNNL_HERE)
      .in("input", input_desc, input)
      .out("output", output_desc, output)
      .number("alpha", factor(input_desc), alpha)
      .number("beta", factor(input_desc), beta)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlSetTransposeDescriptor(cnnlTransposeDescriptor_t desc, int rank, const int permute[]) {
  if (!desc || !permute) return refused("cnnlSetTransposeDescriptor", "an argument is null");
  if (rank < 1 || rank > CNNL_DIM_MAX) return refused("cnnlSetTransposeDescriptor", "a tensor has 1 to 8 dimensions");
  desc->permute.assign(permute, permute + rank);
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetTransposeWorkspaceSize(cnnlHandle_t, cnnlTensorDescriptor_t, cnnlTransposeDescriptor_t,
                                                    size_t* bytes) {
  return no_workspace(bytes, "cnnlGetTransposeWorkspaceSize");
}

CNNL_API cnnlStatus_t cnnlTranspose_v2(cnnlHandle_t handle, cnnlTransposeDescriptor_t desc,
                                       cnnlTensorDescriptor_t input_desc, const void* input,
                                       cnnlTensorDescriptor_t output_desc, void* output, void*, size_t) {
  if (!desc) return refused("cnnlTranspose_v2", "the descriptor of the transpose is null");
  return Call("cnnlTranspose_v2", CNNL_HERE)
      .in("input", input_desc, input)
      .out("output", output_desc, output)
      .put("permute", desc->permute)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlSetOpTensorDescriptor(cnnlOpTensorDescriptor_t desc, cnnlOpTensorDesc_t op, cnnlDataType_t,
                                                cnnlNanPropagation_t) {
  if (!desc) return refused("cnnlSetOpTensorDescriptor", "the descriptor is null");
  desc->op = op;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetOpTensorWorkspaceSize(cnnlHandle_t, cnnlTensorDescriptor_t, cnnlTensorDescriptor_t,
                                                   cnnlTensorDescriptor_t, size_t* bytes) {
  return no_workspace(bytes, "cnnlGetOpTensorWorkspaceSize");
}

CNNL_API cnnlStatus_t cnnlOpTensor(cnnlHandle_t handle, cnnlOpTensorDescriptor_t desc, const void* alpha1,
                                   cnnlTensorDescriptor_t a_desc, const void* a, const void* alpha2,
                                   cnnlTensorDescriptor_t b_desc, const void* b, void*, size_t, const void* beta,
                                   cnnlTensorDescriptor_t c_desc, void* c) {
  if (!desc) return refused("cnnlOpTensor", "the descriptor of the operation is null");
  return Call("cnnlOpTensor", CNNL_HERE)
      .in("a", a_desc, a)
      .in("b", b_desc, b)
      .out("output", c_desc, c)
      .put("op", desc->op)
      .number("alpha1", factor(a_desc), alpha1)
      .number("alpha2", factor(b_desc), alpha2)
      .number("beta", factor(c_desc), beta)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlGetAddNWorkspaceSize(cnnlHandle_t, const cnnlTensorDescriptor_t[], uint32_t,
                                               cnnlTensorDescriptor_t, size_t* bytes) {
  return no_workspace(bytes, "cnnlGetAddNWorkspaceSize");
}

// Tensors of a list, named by their number.
static void add_list(Call& call, const cnnlTensorDescriptor_t descs[], const void* const inputs[], uint32_t count) {
  for (uint32_t i = 0; i < count; i++) call.in(std::to_string(i).c_str(), descs[i], inputs[i]);
}

CNNL_API cnnlStatus_t cnnlAddN_v2(cnnlHandle_t handle, const cnnlTensorDescriptor_t descs[], const void* const inputs[],
                                  uint32_t count, cnnlTensorDescriptor_t output_desc, void* output, void*, size_t) {
  if (!descs || !inputs || !count) return refused("cnnlAddN_v2", "there are no inputs");
  Call call("cnnlAddN_v2", CNNL_HERE);
  add_list(call, descs, inputs, count);
  return call.out("output", output_desc, output).put("count", count).run(handle);
}

CNNL_API cnnlStatus_t cnnlConcat(cnnlHandle_t handle, int count, int axis, const cnnlTensorDescriptor_t descs[],
                                 const void* const inputs[], void*, size_t, cnnlTensorDescriptor_t output_desc,
                                 void* output) {
  if (!descs || !inputs || count < 1) return refused("cnnlConcat", "there are no inputs");
  Call call("cnnlConcat", CNNL_HERE);
  add_list(call, descs, inputs, (uint32_t)count);
  return call.out("output", output_desc, output).put("count", count).put("axis", axis).run(handle);
}

CNNL_API cnnlStatus_t cnnlSetMatMulDescAttr(cnnlMatMulDescriptor_t desc, cnnlMatMulDescAttribute_t attribute,
                                            const void* value, size_t bytes) {
  if (!desc || !value || bytes < sizeof(int32_t))
    return refused("cnnlSetMatMulDescAttr", "an argument is null or short");
  if (attribute == CNNL_MATMUL_DESC_TRANSA) memcpy(&desc->transposed[0], value, sizeof(int32_t));
  if (attribute == CNNL_MATMUL_DESC_TRANSB) memcpy(&desc->transposed[1], value, sizeof(int32_t));
  return CNNL_STATUS_SUCCESS;  // the others say how, not what
}

static cnnlStatus_t one_way(int* found, const char* function) {
  if (!found) return refused(function, "the pointer to the result is null");
  *found = 1;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetMatMulAlgoHeuristic(cnnlHandle_t, cnnlMatMulDescriptor_t, cnnlTensorDescriptor_t,
                                                 cnnlTensorDescriptor_t, cnnlTensorDescriptor_t, cnnlTensorDescriptor_t,
                                                 cnnlMatMulPrefer_t, int, cnnlMatMulHeuristicResult_t[], int* found) {
  return one_way(found, "cnnlGetMatMulAlgoHeuristic");
}
CNNL_API cnnlStatus_t cnnlGetMatMulHeuristicResult(cnnlMatMulHeuristicResult_t, cnnlMatMulAlgo_t, size_t* bytes) {
  return no_workspace(bytes, "cnnlGetMatMulHeuristicResult");
}
CNNL_API cnnlStatus_t cnnlGetBatchMatMulExAlgoHeuristic(cnnlHandle_t, cnnlMatMulDescriptor_t, cnnlTensorDescriptor_t,
                                                        cnnlTensorDescriptor_t, cnnlTensorDescriptor_t,
                                                        cnnlMatMulPrefer_t, int, cnnlMatMulHeuristicResult_t[],
                                                        int* found) {
  return one_way(found, "cnnlGetBatchMatMulExAlgoHeuristic");
}
CNNL_API cnnlStatus_t cnnlGetBatchMatMulExHeuristicResult(cnnlMatMulHeuristicResult_t, cnnlMatMulAlgo_t,
                                                          size_t* bytes) {
  return no_workspace(bytes, "cnnlGetBatchMatMulExHeuristicResult");
}

static cnnlStatus_t product(Call call, cnnlHandle_t handle, cnnlMatMulDescriptor_t desc, const void* alpha,
                            cnnlTensorDescriptor_t a_desc, const void* a, cnnlTensorDescriptor_t b_desc, const void* b,
                            const void* beta, cnnlTensorDescriptor_t c_desc, const void* c,
                            cnnlTensorDescriptor_t d_desc, void* d) {
  if (!desc) return refused("cnnlMatMul", "the descriptor of the product is null");
  call.in("a", a_desc, a).in("b", b_desc, b).out("output", d_desc, d);
  if (c && c_desc) call.in("c", c_desc, c);
  return call.put("transposed", {desc->transposed[0], desc->transposed[1]})
      .number("alpha", factor(d_desc), alpha)
      .number("beta", factor(d_desc), beta)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlMatMul_v2(cnnlHandle_t handle, cnnlMatMulDescriptor_t desc, cnnlMatMulAlgo_t,
                                    const void* alpha, cnnlTensorDescriptor_t a_desc, const void* a,
                                    cnnlTensorDescriptor_t b_desc, const void* b, const void* beta,
                                    cnnlTensorDescriptor_t c_desc, const void* c, void*, size_t,
                                    cnnlTensorDescriptor_t d_desc, void* d) {
  return product(Call("cnnlMatMul_v2", CNNL_HERE), handle, desc, alpha, a_desc, a, b_desc, b, beta, c_desc, c, d_desc,
                 d);
}

CNNL_API cnnlStatus_t cnnlBatchMatMulEx(cnnlHandle_t handle, cnnlMatMulDescriptor_t desc, cnnlMatMulAlgo_t,
                                        const void* alpha, cnnlTensorDescriptor_t a_desc, const void* a,
                                        cnnlTensorDescriptor_t b_desc, const void* b, const void* beta,
                                        cnnlTensorDescriptor_t c_desc, void* c, void*, size_t) {
  return product(Call("cnnlBatchMatMulEx", CNNL_HERE), handle, desc, alpha, a_desc, a, b_desc, b, beta, c_desc, c,
                 c_desc, c);
}

CNNL_API cnnlStatus_t cnnlSetStrideBatchMatMulDescAttr(cnnlStrideBatchMatMulDescriptor_t desc,
                                                       cnnlStrideBatchMatMulDescAttribute_t attribute,
                                                       const void* value, size_t bytes) {
  if (!desc || !value || bytes < sizeof(int32_t))
    return refused("cnnlSetStrideBatchMatMulDescAttr", "an argument is null or short");
  if (attribute != CNNL_STRIDE_BMM_MAX_BATCH_DIM) return CNNL_STATUS_SUCCESS;  // it says how, not what
  int32_t dims;
  memcpy(&dims, value, sizeof dims);
  if (dims < 1 || dims > CNNL_DIM_MAX - 2)
    return refused("cnnlSetStrideBatchMatMulDescAttr", "a batch has 1 to 6 dimensions");
  desc->batch_dims = dims;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetStrideBatchMatMulAlgoHeuristic_v2(
    cnnlHandle_t, cnnlStrideBatchMatMulDescriptor_t, cnnlTensorDescriptor_t, cnnlTensorDescriptor_t,
    cnnlTensorDescriptor_t, cnnlTensorDescriptor_t, bool, bool, const void*, const void*, int, int, int, int64_t,
    int64_t, int64_t, int64_t, const int[], const int64_t[], const int64_t[], const int64_t[], const int64_t[],
    cnnlStrideBatchMatMulPrefer_t, int, cnnlStrideBatchMatMulHeuristicResult_t[], int* found) {
  return one_way(found, "cnnlGetStrideBatchMatMulAlgoHeuristic_v2");
}
CNNL_API cnnlStatus_t cnnlGetStrideBatchMatMulHeuristicResult(cnnlStrideBatchMatMulHeuristicResult_t,
                                                              cnnlStrideBatchMatMulAlgo_t*, size_t* bytes) {
  return no_workspace(bytes, "cnnlGetStrideBatchMatMulHeuristicResult");
}

// A batch of matrices as a tensor.
static cnnlTensorStruct matrices(cnnlTensorDescriptor_t desc, int batch_dims, const int batch[], const int64_t apart[],
                                 int rows, int columns, int64_t row_apart) {
  cnnlTensorStruct made;
  if (desc) made.dtype = desc->dtype;
  made.dims.assign(batch, batch + batch_dims), made.strides.assign(apart, apart + batch_dims);
  made.dims.insert(made.dims.end(), {rows, columns}), made.strides.insert(made.strides.end(), {row_apart, 1});
  return made;
}

CNNL_API cnnlStatus_t cnnlStrideBatchMatMul_v3(cnnlHandle_t handle, cnnlStrideBatchMatMulDescriptor_t desc,
                                               cnnlStrideBatchMatMulAlgo_t, bool is_trans_a, bool is_trans_b, int m,
                                               int n, int k, const int batch_size[], const void* alpha,
                                               cnnlTensorDescriptor_t a_desc, const void* a, int64_t lda,
                                               const int64_t stride_a[], cnnlTensorDescriptor_t b_desc, const void* b,
                                               int64_t ldb, const int64_t stride_b[], const void* beta,
                                               cnnlTensorDescriptor_t c_desc, const void* c, int64_t ldc,
                                               const int64_t stride_c[], void*, size_t, cnnlTensorDescriptor_t d_desc,
                                               void* d, int64_t ldd, const int64_t stride_d[]) {
  const char* function = "cnnlStrideBatchMatMul_v3";
  if (!desc || !batch_size || !stride_a || !stride_b || !stride_c || !stride_d)
    return refused(function, "an argument is null");
  if (m < 0 || n < 0 || k < 0) return refused(function, "a size is negative");
  auto batch = [&](cnnlTensorDescriptor_t one, const int64_t apart[], int rows, int columns, int64_t row_apart) {
    return matrices(one, desc->batch_dims, batch_size, apart, rows, columns, row_apart);
  };
  cnnlMatMulStruct flips = {{is_trans_a, is_trans_b}};
  auto left = is_trans_a ? batch(a_desc, stride_a, k, m, lda) : batch(a_desc, stride_a, m, k, lda);
  auto right = is_trans_b ? batch(b_desc, stride_b, n, k, ldb) : batch(b_desc, stride_b, k, n, ldb);
  auto summand = batch(c_desc, stride_c, m, n, ldc), made = batch(d_desc, stride_d, m, n, ldd);
  return product(Call(function, CNNL_HERE), handle, &flips, alpha, &left, a, &right, b, beta, &summand, c, &made, d);
}

CNNL_API cnnlStatus_t cnnlConj(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                               cnnlTensorDescriptor_t output_desc, void* output) {
  return Call("cnnlConj", CNNL_HERE).in("input", input_desc, input).out("output", output_desc, output).run(handle);
}

CNNL_API cnnlStatus_t cnnlGatherNd_v2(cnnlHandle_t handle, int batch_dims, cnnlTensorDescriptor_t params_desc,
                                      const void* params, cnnlTensorDescriptor_t indices_desc, const void* indices,
                                      cnnlTensorDescriptor_t output_desc, void* output) {
  return Call("cnnlGatherNd_v2", CNNL_HERE)
      .in("params", params_desc, params)
      .in("indices", indices_desc, indices)
      .out("output", output_desc, output)
      .put("batch_dims", batch_dims)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlScatterNd_v2(cnnlHandle_t handle, cnnlScatterNdMode_t mode,
                                       cnnlTensorDescriptor_t indices_desc, const void* indices,
                                       cnnlTensorDescriptor_t updates_desc, const void* updates,
                                       cnnlTensorDescriptor_t input_desc, const void* input,
                                       cnnlTensorDescriptor_t output_desc, void* output) {
  Call call("cnnlScatterNd_v2", CNNL_HERE);
  call.in("indices", indices_desc, indices).in("updates", updates_desc, updates).out("output", output_desc, output);
  if (input_desc && input) call.in("input", input_desc, input);
  return call.put("mode", mode).run(handle);
}

CNNL_API cnnlStatus_t cnnlSetReduceDescriptor_v2(cnnlReduceDescriptor_t desc, int axes[], int count, cnnlReduceOp_t op,
                                                 cnnlDataType_t, cnnlNanPropagation_t, cnnlReduceIndices_t indices,
                                                 cnnlIndicesType_t, float) {
  if (!desc || !axes || count < 1) return refused("cnnlSetReduceDescriptor_v2", "an argument is null");
  desc->axes.assign(axes, axes + count);
  desc->op = op, desc->indices = indices;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetReduceOpWorkspaceSize_v2(cnnlHandle_t, cnnlTensorDescriptor_t, cnnlTensorDescriptor_t,
                                                      cnnlTensorDescriptor_t, cnnlReduceDescriptor_t, size_t* bytes) {
  return no_workspace(bytes, "cnnlGetReduceOpWorkspaceSize_v2");
}

CNNL_API cnnlStatus_t cnnlReduce_v2(cnnlHandle_t handle, cnnlReduceDescriptor_t desc, cnnlTensorDescriptor_t input_desc,
                                    const void* input, const void*, const void*, void*, size_t,
                                    cnnlTensorDescriptor_t output_desc, void* output, cnnlTensorDescriptor_t, void*) {
  if (!desc) return refused("cnnlReduce_v2", "the descriptor of the reduction is null");
  if (desc->indices != CNNL_REDUCE_NO_INDICES) {
    refused("cnnlReduce_v2", "indices of a reduction are not modelled");
    return CNNL_STATUS_NOT_SUPPORTED;
  }
  return Call("cnnlReduce_v2", CNNL_HERE)
      .in("input", input_desc, input)
      .out("output", output_desc, output)
      .put("axes", desc->axes)
      .put("op", desc->op)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlSetUniqueDescriptor(cnnlUniqueDescriptor_t desc, cnnlUniqueSort_t mode, int dim,
                                              bool return_inverse, bool return_counts) {
  if (!desc) return refused("cnnlSetUniqueDescriptor", "the descriptor is null");
  desc->mode = mode, desc->dim = dim, desc->inverse = return_inverse, desc->counts = return_counts;
  return CNNL_STATUS_SUCCESS;
}

CNNL_API cnnlStatus_t cnnlGetUniqueWorkspaceSize(cnnlHandle_t, cnnlUniqueDescriptor_t, cnnlTensorDescriptor_t,
                                                 size_t* bytes) {
  return no_workspace(bytes, "cnnlGetUniqueWorkspaceSize");
}

CNNL_API cnnlStatus_t cnnlUnique_v2(cnnlHandle_t handle, cnnlUniqueDescriptor_t desc, cnnlTensorDescriptor_t input_desc,
                                    const void* input, void*, size_t, int* count, cnnlTensorDescriptor_t output_desc,
                                    void* output, cnnlTensorDescriptor_t inverse_desc, void* inverse,
                                    cnnlTensorDescriptor_t counts_desc, void* counts) {
  if (!desc) return refused("cnnlUnique_v2", "the descriptor is null");
  if (desc->mode != CNNL_SORT_ASCEND) {
    refused("cnnlUnique_v2", "only CNNL_SORT_ASCEND is modelled");
    return CNNL_STATUS_NOT_SUPPORTED;
  }
  cnnlTensorStruct single;  // the number of values found, in device memory
  single.dtype = CNNL_DTYPE_INT32, single.dims = {1}, single.strides = {1};
  Call call("cnnlUnique_v2", CNNL_HERE);
  call.in("input", input_desc, input).out("output", output_desc, output).out("count", &single, count);
  if (desc->inverse) call.out("inverse", inverse_desc, inverse);
  if (desc->counts) call.out("counts", counts_desc, counts);
  return call.put("dim", desc->dim).run(handle);
}

CNNL_API cnnlStatus_t cnnlPad(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                              const void* paddings, const void* value, cnnlTensorDescriptor_t output_desc,
                              void* output) {
  if (!input_desc || !paddings) return refused("cnnlPad", "an argument is null");
  const int* each = (const int*)paddings;
  return Call("cnnlPad", CNNL_HERE)
      .in("input", input_desc, input)
      .out("output", output_desc, output)
      .put("paddings", std::vector<int64_t>(each, each + 2 * input_desc->dims.size()))
      .number("value", input_desc->dtype, value)
      .run(handle);
}

CNNL_API cnnlStatus_t cnnlStridedSlice_v2(cnnlHandle_t handle, cnnlTensorDescriptor_t input_desc, const void* input,
                                          const int64_t begin[], const int64_t end[], const int64_t stride[],
                                          cnnlTensorDescriptor_t output_desc, void* output) {
  if (!input_desc || !begin || !end || !stride) return refused("cnnlStridedSlice_v2", "an argument is null");
  size_t rank = input_desc->dims.size();
  return Call("cnnlStridedSlice_v2", CNNL_HERE)
      .in("input", input_desc, input)
      .out("output", output_desc, output)
      .put("begin", std::vector<int64_t>(begin, begin + rank))
      .put("end", std::vector<int64_t>(end, end + rank))
      .put("stride", std::vector<int64_t>(stride, stride + rank))
      .run(handle);
}
