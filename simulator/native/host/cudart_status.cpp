// Errors of calls, and that of a kernel, which stays.
#include "cudart_status.h"

#include <atomic>

namespace {

std::atomic<int> failure{cudaSuccess};  // of a kernel

bool is_of_kernel(cudaError_t error) {
  return error == cudaErrorIllegalAddress || error == cudaErrorAssert || error == cudaErrorLaunchFailure;
}

}  // namespace

cudaError_t status(cnrtRet_t found) {
  mlusim_called_from(nullptr);  // the call is over
  int before = failure;
  if (before) return (cudaError_t)before;
  cudaError_t error = mlusim_cuda_error(found);
  if (is_of_kernel(error)) failure = error;
  return error;
}

void forget_failure() {
  failure = cudaSuccess;
  cnrtGetLastError();
}

cudaError_t failed(cudaError_t error, const char* why) {
  return status(mlusim_call_failed((cnrtRet_t)(CUDA_ERRORS + error), why));
}

CUDA_API cudaError_t cudaGetLastError(void) { return status(cnrtGetLastError()); }
CUDA_API cudaError_t cudaPeekAtLastError(void) { return status(cnrtPeekAtLastError()); }
CUDA_API cudaError_t mlusim_cuda_not_modelled(const char* function) {
  mlusim_not_modelled(function);
  return status(cnrtErrorNotSupport);
}
