// Memory: allocations, copies, fills, and variables of the device.
#include <string.h>

#include "cudart_status.h"

using mlusim::PointerTo;
using mlusim::Symbol;

namespace {

bool is_pinned(const void* pointer) {
  cnrtPointerAttributes_t found;
  return pointer && cnrtPointerGetAttributes(&found, pointer) == cnrtSuccess && found.type == cnrtMemTypeHost;
}

// Managed memory is of both sides, whatever a program says.
cnrtMemTransDir_t direction(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyDefault || mlusim_is_managed(to) || mlusim_is_managed(from)) return cnrtMemcpyNoDirection;
  switch (kind) {
    case cudaMemcpyHostToHost:
      return cnrtMemcpyHostToHost;
    case cudaMemcpyHostToDevice:
      return cnrtMemcpyHostToDev;
    case cudaMemcpyDeviceToHost:
      return cnrtMemcpyDevToHost;
    case cudaMemcpyDeviceToDevice:
      return cnrtMemcpyDevToDev;
    default:
      return (cnrtMemTransDir_t)99;
  }
}

// Memory of the host that is not pinned makes a copy wait for its stream, and the host for the copy.
bool waits(const void* to, const void* from, cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice) return !is_pinned(from);
  if (kind == cudaMemcpyDeviceToHost) return !is_pinned(to);
  return kind == cudaMemcpyHostToHost;
}

struct Rows {
  void* to;
  size_t to_pitch;
  const void* from;
  size_t from_pitch, width, height;
};

// A copy of the host's own, behind the default stream.
cudaError_t copy_now(const Rows& rows, cudaMemcpyKind kind, const void* caller) {
  mlusim_called_from(caller);
  if (cudaError_t failure = wait_for_default()) return failure;
  cnrtMemTransDir_t way = direction(rows.to, rows.from, kind);
  mlusim_called_from(caller);
  if (rows.height == 1) return status(cnrtMemcpy(rows.to, const_cast<void*>(rows.from), rows.width, way));
  return status(cnrtMemcpy2D(rows.to, rows.to_pitch, const_cast<void*>(rows.from), rows.from_pitch, rows.width,
                             rows.height, way));
}

cudaError_t copy_queued(const Rows& rows, cudaMemcpyKind kind, cudaStream_t stream, const void* caller) {
  cnrtQueue_t queue = queue_of(stream);
  cnrtMemTransDir_t way = direction(rows.to, rows.from, kind);
  void* from = const_cast<void*>(rows.from);
  if (!is_captured(queue) && waits(rows.to, rows.from, kind)) {
    mlusim_called_from(caller);
    if (cnrtRet_t failure = cnrtQueueSync(queue)) return status(failure);
    mlusim_called_from(caller);
    if (rows.height == 1) return status(cnrtMemcpy(rows.to, from, rows.width, way));
    return status(cnrtMemcpy2D(rows.to, rows.to_pitch, from, rows.from_pitch, rows.width, rows.height, way));
  }
  mlusim_called_from(caller);
  if (rows.height == 1) return status(cnrtMemcpyAsync(rows.to, from, rows.width, queue, way));
  return status(cnrtMemcpy2DAsync(rows.to, rows.to_pitch, from, rows.from_pitch, rows.width, rows.height, way, queue));
}

// Bytes of a variable of the device, from an offset on; null if it has not so many.
char* part_of(Symbol symbol, size_t bytes, size_t offset) {
  size_t whole = 0;
  char* place = (char*)mlusim_variable_place(symbol.at, &whole);
  if (!place || (offset <= whole && bytes <= whole - offset)) return place ? place + offset : nullptr;
  failed(cudaErrorInvalidValue, "the copy passes the end of the variable");
  return nullptr;
}

cudaError_t last() { return cudaPeekAtLastError(); }

}  // namespace

#define CALLER __builtin_return_address(0)

CUDA_API cudaError_t cudaMalloc(PointerTo pointer, size_t bytes) {
  FROM_CALLER;
  return status(cnrtMalloc(pointer.at, bytes));
}
CUDA_API cudaError_t cudaMallocAsync(PointerTo pointer, size_t bytes, cudaStream_t stream) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtMemAllocAsync(pointer.at, bytes, queue));
}
CUDA_API cudaError_t cudaMallocManaged(PointerTo pointer, size_t bytes, unsigned) {
  FROM_CALLER;
  return status(mlusim_malloc_managed(pointer.at, bytes));
}
CUDA_API cudaError_t cudaMallocHost(PointerTo pointer, size_t bytes, unsigned) {
  FROM_CALLER;
  return status(cnrtHostMalloc(pointer.at, bytes));
}
// What is mapped for the device is memory of both sides.
CUDA_API cudaError_t cudaHostAlloc(PointerTo pointer, size_t bytes, unsigned flags) {
  FROM_CALLER;
  if (flags & cudaHostAllocMapped) return status(mlusim_malloc_managed(pointer.at, bytes));
  return status(cnrtHostMalloc(pointer.at, bytes));
}
CUDA_API cudaError_t cudaHostGetDevicePointer(PointerTo device, void* host, unsigned) {
  if (!device.at) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  *device.at = nullptr;
  if (!mlusim_is_managed(host))
    return failed(cudaErrorInvalidValue, "the memory was not allocated with cudaHostAllocMapped");
  *device.at = host;
  return status(cnrtSuccess);
}
CUDA_API cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  if (flags & cudaHostRegisterMapped)
    return failed(cudaErrorNotSupported, "registered memory is not mapped for the device here");
  FROM_CALLER;
  return status(cnrtHostRegister(pointer, bytes, 0));
}
CUDA_API cudaError_t cudaHostUnregister(void* pointer) {
  FROM_CALLER;
  return status(cnrtHostUnregister(pointer));
}
CUDA_API cudaError_t cudaMallocPitch(PointerTo pointer, size_t* pitch, size_t width, size_t height) {
  constexpr size_t ALIGNED = 512;  // bytes, as on devices of recent generations
  if (!pitch) return failed(cudaErrorInvalidValue, "the pointer to the pitch is null");
  *pitch = (width + ALIGNED - 1) / ALIGNED * ALIGNED;
  FROM_CALLER;
  return status(cnrtMalloc(pointer.at, *pitch * height));
}
CUDA_API cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (!pointer) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  pointer->xsize = extent.width, pointer->ysize = extent.height;
  FROM_CALLER;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width, extent.height * extent.depth);
}
// It waits for the work of the device.
CUDA_API cudaError_t cudaFree(void* pointer) {
  FROM_CALLER;
  if (cnrtRet_t failure = pointer ? cnrtSyncDevice() : cnrtSuccess) return status(failure);
  FROM_CALLER;
  return status(cnrtFree(pointer));
}
CUDA_API cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtMemFreeAsync(pointer, queue));
}
CUDA_API cudaError_t cudaFreeHost(void* pointer) {
  if (!pointer) return status(cnrtSuccess);
  FROM_CALLER;
  return status(mlusim_is_managed(pointer) ? cnrtFree(pointer) : cnrtFreeHost(pointer));
}
CUDA_API cudaError_t cudaMemGetInfo(size_t* free, size_t* total) { return status(cnrtMemGetInfo(free, total)); }
CUDA_API cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  cnrtPointerAttributes_t found;
  if (!attributes) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  cnrtRet_t asked = cnrtPointerGetAttributes(&found, pointer);
  bool managed = mlusim_is_managed(pointer), device = found.type == cnrtMemTypeDevice;
  attributes->type = managed                         ? cudaMemoryTypeManaged
                     : device                        ? cudaMemoryTypeDevice
                     : found.type == cnrtMemTypeHost ? cudaMemoryTypeHost
                                                     : cudaMemoryTypeUnregistered;
  attributes->device = found.device < 0 ? 0 : found.device;
  attributes->devicePointer = device ? const_cast<void*>(pointer) : nullptr;
  attributes->hostPointer = device && !managed ? nullptr : const_cast<void*>(pointer);
  return status(asked);
}
// Where managed memory lies has no effect here.
CUDA_API cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t, int, cudaStream_t) {
  if (mlusim_is_managed(pointer)) return status(cnrtSuccess);
  return failed(cudaErrorInvalidValue, "the memory is not managed");
}
CUDA_API cudaError_t cudaMemAdvise(const void* pointer, size_t, cudaMemoryAdvise, int) {
  if (mlusim_is_managed(pointer)) return status(cnrtSuccess);
  return failed(cudaErrorInvalidValue, "the memory is not managed");
}

CUDA_API cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  cnrtQueue_t queue = queue_of(nullptr);
  FROM_CALLER;
  return status(cnrtMemsetAsync(pointer, value, bytes, queue));
}
CUDA_API cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  cnrtQueue_t queue = queue_of(stream);
  FROM_CALLER;
  return status(cnrtMemsetAsync(pointer, value, bytes, queue));
}
CUDA_API cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  cnrtQueue_t queue = queue_of(nullptr);
  for (size_t row = 0; row < height; row++) {
    FROM_CALLER;
    if (cnrtRet_t failure = cnrtMemsetAsync((char*)pointer + row * pitch, value, width, queue)) return status(failure);
  }
  return status(cnrtSuccess);
}

CUDA_API cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return copy_now({to, bytes, from, bytes, bytes, 1}, kind, CALLER);
}
CUDA_API cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                                     cudaStream_t stream) {
  return copy_queued({to, bytes, from, bytes, bytes, 1}, kind, stream, CALLER);
}
CUDA_API cudaError_t cudaMemcpyPeer(void* to, int, const void* from, int, size_t bytes) {
  return copy_now({to, bytes, from, bytes, bytes, 1}, cudaMemcpyDefault, CALLER);
}
CUDA_API cudaError_t cudaMemcpyPeerAsync(void* to, int, const void* from, int, size_t bytes, cudaStream_t stream) {
  return copy_queued({to, bytes, from, bytes, bytes, 1}, cudaMemcpyDefault, stream, CALLER);
}
CUDA_API cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                  size_t height, cudaMemcpyKind kind) {
  return copy_now({to, to_pitch, from, from_pitch, width, height}, kind, CALLER);
}
CUDA_API cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                       size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_queued({to, to_pitch, from, from_pitch, width, height}, kind, stream, CALLER);
}

CUDA_API cudaError_t cudaMemcpyToSymbol(Symbol symbol, const void* from, size_t bytes, size_t offset,
                                        cudaMemcpyKind kind) {
  char* to = part_of(symbol, bytes, offset);
  return to ? copy_now({to, bytes, from, bytes, bytes, 1}, kind, CALLER) : last();
}
CUDA_API cudaError_t cudaMemcpyToSymbolAsync(Symbol symbol, const void* from, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind, cudaStream_t stream) {
  char* to = part_of(symbol, bytes, offset);
  return to ? copy_queued({to, bytes, from, bytes, bytes, 1}, kind, stream, CALLER) : last();
}
CUDA_API cudaError_t cudaMemcpyFromSymbol(void* to, Symbol symbol, size_t bytes, size_t offset, cudaMemcpyKind kind) {
  const char* from = part_of(symbol, bytes, offset);
  return from ? copy_now({to, bytes, from, bytes, bytes, 1}, kind, CALLER) : last();
}
CUDA_API cudaError_t cudaMemcpyFromSymbolAsync(void* to, Symbol symbol, size_t bytes, size_t offset,
                                               cudaMemcpyKind kind, cudaStream_t stream) {
  const char* from = part_of(symbol, bytes, offset);
  return from ? copy_queued({to, bytes, from, bytes, bytes, 1}, kind, stream, CALLER) : last();
}
CUDA_API cudaError_t cudaGetSymbolAddress(PointerTo pointer, Symbol symbol) {
  if (!pointer.at) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  *pointer.at = part_of(symbol, 0, 0);
  return *pointer.at ? status(cnrtSuccess) : last();
}
CUDA_API cudaError_t cudaGetSymbolSize(size_t* bytes, Symbol symbol) {
  if (!bytes) return failed(cudaErrorInvalidValue, "the pointer to the result is null");
  return mlusim_variable_place(symbol.at, bytes) ? status(cnrtSuccess) : last();
}
