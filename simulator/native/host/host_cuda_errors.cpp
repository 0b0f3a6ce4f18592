// Errors of CUDA: their names, and those that the statuses of the runtime are.
#include "host_cuda_errors.h"

#include "host_link.h"

namespace {

const struct {
  cudaError_t error;
  const char *name, *text;
} cuda_errors[] = {
#define MLUSIM_ERROR(name, number, text) {cuda##name, "cuda" #name, text},
    MLUSIM_CUDA_ERRORS(MLUSIM_ERROR)
#undef MLUSIM_ERROR
};

}  // namespace

MLUSIM_API cudaError_t mlusim_cuda_error(cnrtRet_t found) {
  if (is_of_cuda(found)) return (cudaError_t)(found - CUDA_ERRORS);
  switch (found) {
    case cnrtSuccess:
      return cudaSuccess;
    case cnrtErrorNotReady:
      return cudaErrorNotReady;
    case cnrtErrorNoMem:
    case cnrtErrorSysNoMem:
      return cudaErrorMemoryAllocation;
    case cnrtErrorArgsInvalid:
      return cudaErrorInvalidValue;
    case cnrtErrorMemcpyDirectionInvalid:
      return cudaErrorInvalidMemcpyDirection;
    case cnrtErrorNoDevice:
      return cudaErrorNoDevice;
    case cnrtErrorDeviceInvalid:
      return cudaErrorInvalidDevice;
    case cnrtErrorInvalidResourceHandle:
      return cudaErrorInvalidResourceHandle;
    case cnrtErrorNoKernel:
    case cnrtErrorInvalidKernel:
      return cudaErrorInvalidDeviceFunction;
    case cnrtErrorInvalidSymbol:
      return cudaErrorInvalidSymbol;
    case cnrtErrorNotSupport:
      return cudaErrorNotSupported;
    case cnrtErrorOpsNotPermitted:
      return cudaErrorNotPermitted;
    case cnrtErrorNoAttribute:
      return cudaErrorInvalidValue;
    case cnrtErrorQueueCaptureUnsupported:
      return cudaErrorStreamCaptureUnsupported;
    case cnrtErrorQueueCaptureInvalidated:
      return cudaErrorStreamCaptureInvalidated;
    case cnrtErrorQueueCaptureMerged:
      return cudaErrorStreamCaptureMerge;
    case cnrtErrorQueueCaptureUnmatched:
      return cudaErrorStreamCaptureUnmatched;
    case cnrtErrorQueueCaptureUnjoined:
      return cudaErrorStreamCaptureUnjoined;
    case cnrtErrorQueueCaptureIsolation:
      return cudaErrorStreamCaptureIsolation;
    case cnrtErrorQueueCaptureWrongThread:
      return cudaErrorStreamCaptureWrongThread;
    case cnrtErrorCndrvFuncCall:
      return cudaErrorLaunchFailure;
    default:
      return cudaErrorUnknown;
  }
}

MLUSIM_API const char* cudaGetErrorName(cudaError_t error) {
  for (auto& each : cuda_errors)
    if (each.error == error) return each.name;
  return "unrecognized error code";
}
MLUSIM_API const char* cudaGetErrorString(cudaError_t error) {
  for (auto& each : cuda_errors)
    if (each.error == error) return each.text;
  return "unrecognized error code";
}
