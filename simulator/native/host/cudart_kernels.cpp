// Kernels: launches by address, and what a multiprocessor takes of them.
#include <algorithm>

#include "cudart_status.h"
#include "host_kernels.h"

using mlusim::Function;

namespace {

cnrtDim3_t dim(const dim3& given) { return {given.x, given.y, given.z}; }

cudaError_t launch(Function kernel, dim3 grid, dim3 block, void** arguments, size_t shared, cudaStream_t stream,
                   const void* caller) {
  cnrtQueue_t queue = queue_of(stream);
  mlusim_called_from(caller);
  return status(mlusim_launch_blocks(kernel.at, dim(grid), dim(block), arguments, shared, queue));
}

// Blocks of so many threads and bytes of dynamic shared memory on a multiprocessor. What a kernel declares itself, and
// its registers, are not known before it runs.
int resident(int threads, size_t shared) {
  int device = 0;
  cudaDeviceProp of = {};
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&of, device);
  if (threads < 1 || threads > of.maxThreadsPerBlock || shared > of.sharedMemPerBlockOptin) return 0;
  int whole_warps = (threads + of.warpSize - 1) / of.warpSize * of.warpSize;
  int blocks = std::min(of.maxBlocksPerMultiProcessor, of.maxThreadsPerMultiProcessor / whole_warps);
  return shared ? std::min(blocks, (int)(of.sharedMemPerMultiprocessor / (shared + of.reservedSharedMemPerBlock)))
                : blocks;
}

}  // namespace

CUDA_API cudaError_t cudaLaunchKernel(Function kernel, dim3 grid, dim3 block, void** arguments, size_t shared,
                                      cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, __builtin_return_address(0));
}
CUDA_API cudaError_t cudaLaunchCooperativeKernel(Function kernel, dim3 grid, dim3 block, void** arguments,
                                                 size_t shared, cudaStream_t stream) {
  return launch(kernel, grid, block, arguments, shared, stream, __builtin_return_address(0));
}
CUDA_API cudaError_t cudaFuncSetAttribute(Function kernel, cudaFuncAttribute attribute, int value) {
  FROM_CALLER;
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize)
    return status(mlusim_allow_shared(kernel.at, (uint64_t)std::max(value, 0)));
  return status(cnrtSuccess);  // how much of the cache shared memory takes has no effect
}
CUDA_API cudaError_t cudaFuncSetCacheConfig(Function, cudaFuncCache) { return status(cnrtSuccess); }
CUDA_API cudaError_t cudaFuncSetSharedMemConfig(Function, cudaSharedMemConfig) { return status(cnrtSuccess); }
CUDA_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, Function) {
  if (!attributes) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  int device = 0;
  cudaDeviceProp of = {};
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&of, device);
  *attributes = {};
  attributes->maxThreadsPerBlock = of.maxThreadsPerBlock;
  attributes->maxDynamicSharedSizeBytes = (int)of.sharedMemPerBlock;
  attributes->ptxVersion = attributes->binaryVersion = 10 * of.major + of.minor;
  return status(cnrtSuccess);
}
CUDA_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, Function, int threads, size_t shared) {
  if (!blocks) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  *blocks = resident(threads, shared);
  return status(cnrtSuccess);
}
CUDA_API cudaError_t cudaOccupancyMaxPotentialBlockSize(int* least_grid, int* threads, Function, size_t shared,
                                                        int most_threads) {
  if (!least_grid || !threads) return failed(cudaErrorInvalidValue, "a pointer to a result is null");
  int device = 0;
  cudaDeviceProp of = {};
  cudaGetDevice(&device);
  cudaGetDeviceProperties(&of, device);
  int most = most_threads > 0 ? std::min(most_threads, of.maxThreadsPerBlock) : of.maxThreadsPerBlock, best = 0;
  for (int count = most; count > 0; count -= of.warpSize)
    if (resident(count, shared) * count > resident(best, shared) * best) best = count;
  *threads = best;
  *least_grid = resident(best, shared) * of.multiProcessorCount;
  return status(cnrtSuccess);
}
