// Errors of CUDA as statuses of the runtime.
#pragma once
#include "cnrt.h"
#include "mlusim_cudart_types.h"

// An error that no status of the runtime says is a status above this; host/programs/sdk.py says so, too.
constexpr int CUDA_ERRORS = 900000;
inline bool is_of_cuda(cnrtRet_t status) { return status > CUDA_ERRORS && status <= CUDA_ERRORS + cudaErrorUnknown; }

extern "C" {
cudaError_t mlusim_cuda_error(cnrtRet_t status);
const char* cudaGetErrorName(cudaError_t error);
}
