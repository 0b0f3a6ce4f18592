// Memory of the driver, copies and pools: those of the runtime by other names.
#include "cndrv_status.h"

CNDRV_API CNresult cnMalloc(CNaddr* address, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMalloc((void**)address, bytes));
}
CNDRV_API CNresult cnMallocConstant(CNaddr* address, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMallocConstant((void**)address, bytes));
}
CNDRV_API CNresult cnFree(CNaddr address) {
  FROM_CALLER;
  return status(cnrtFree((void*)address));
}
CNDRV_API CNresult cnIpcGetMemHandle(CNIpcMemHandle* handle, CNaddr address) {
  FROM_CALLER;
  return status(cnrtAcquireMemHandle((cnrtIpcMemHandle*)handle, (void*)address));
}
CNDRV_API CNresult cnIpcOpenMemHandle(CNaddr* address, CNIpcMemHandle handle, unsigned int flags) {
  FROM_CALLER;
  return status(cnrtMapMemHandle((void**)address, handle, (int)flags));
}
CNDRV_API CNresult cnIpcCloseMemHandle(CNaddr address) {
  FROM_CALLER;
  return status(cnrtUnMapMemHandle((void*)address));
}
CNDRV_API CNresult cnMemcpyHtoD(CNaddr to, const void* from, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy((void*)to, from, bytes, cnrtMemcpyHostToDev));
}
CNDRV_API CNresult cnMemcpyDtoH(void* to, CNaddr from, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy(to, (void*)from, bytes, cnrtMemcpyDevToHost));
}
CNDRV_API CNresult cnGetMemAttribute(void* value, CNmem_attribute attribute, CNaddr address) {
  cnrtPointerAttributes_t found;
  if (!value || attribute != CN_MEM_ATTRIBUTE_ISLINEAR) return CN_OPS_ERROR_NOT_SUPPORTED;
  if (cnrtPointerGetAttributes(&found, (void*)address) || found.type != cnrtMemTypeDevice)
    return CN_MEMORY_ERROR_INVALID_ADDRESS;
  *(int*)value = 0;  // no device file says that its memory is mapped linearly
  return CN_SUCCESS;
}
CNDRV_API CNresult cnMemGetInfo(cn_uint64_t* free, cn_uint64_t* total) {
  return status(cnrtMemGetInfo((size_t*)free, (size_t*)total));
}

CNDRV_API CNresult cnMemcpy(CNaddr to, CNaddr from, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy((void*)to, (void*)from, bytes, cnrtMemcpyNoDirection));
}
CNDRV_API CNresult cnMemcpyDtoD(CNaddr to, CNaddr from, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMemcpy((void*)to, (void*)from, bytes, cnrtMemcpyDevToDev));
}
// Copies in a queue; what the versions of a name differ in has no effect here.
#define QUEUED_COPY(name, To, From, direction)                                                   \
  CNDRV_API CNresult name(To to, From from, cn_uint64_t bytes, CNqueue queue) {                  \
    FROM_CALLER;                                                                                 \
    return status(cnrtMemcpyAsync((void*)to, (void*)from, bytes, queue, cnrtMemcpy##direction)); \
  }
QUEUED_COPY(cnMemcpyAsync, CNaddr, CNaddr, NoDirection)
QUEUED_COPY(cnMemcpyAsync_V2, CNaddr, CNaddr, NoDirection)
QUEUED_COPY(cnMemcpyAsync_V3, CNaddr, CNaddr, NoDirection)
QUEUED_COPY(cnMemcpyHtoDAsync, CNaddr, const void*, HostToDev)
QUEUED_COPY(cnMemcpyHtoDAsync_V2, CNaddr, const void*, HostToDev)
QUEUED_COPY(cnMemcpyDtoHAsync, void*, CNaddr, DevToHost)
QUEUED_COPY(cnMemcpyDtoHAsync_V2, void*, CNaddr, DevToHost)
QUEUED_COPY(cnMemcpyDtoDAsync, CNaddr, CNaddr, DevToDev)

CNDRV_API CNresult cnMemcpy2D(CNaddr to, cn_uint64_t to_pitch, CNaddr from, cn_uint64_t from_pitch, cn_uint64_t width,
                              cn_uint64_t height) {
  FROM_CALLER;
  return status(cnrtMemcpy2D((void*)to, to_pitch, (void*)from, from_pitch, width, height, cnrtMemcpyNoDirection));
}
CNDRV_API CNresult cnMemcpyDtoD2D(CNaddr to, cn_uint64_t to_pitch, CNaddr from, cn_uint64_t from_pitch,
                                  cn_uint64_t width, cn_uint64_t height) {
  FROM_CALLER;
  return status(cnrtMemcpy2D((void*)to, to_pitch, (void*)from, from_pitch, width, height, cnrtMemcpyDevToDev));
}
CNDRV_API CNresult cnMemcpy2DAsync(CNaddr to, cn_uint64_t to_pitch, CNaddr from, cn_uint64_t from_pitch,
                                   cn_uint64_t width, cn_uint64_t height, CNqueue queue) {
  FROM_CALLER;
  return status(
      cnrtMemcpy2DAsync((void*)to, to_pitch, (void*)from, from_pitch, width, height, cnrtMemcpyNoDirection, queue));
}
CNDRV_API CNresult cnMemsetD8(CNaddr address, unsigned char value, cn_uint64_t count) {
  FROM_CALLER;
  return status(cnrtMemsetD8((void*)address, value, count));
}
CNDRV_API CNresult cnMemsetD8Async(CNaddr address, unsigned char value, cn_uint64_t count, CNqueue queue) {
  FROM_CALLER;
  return status(cnrtMemsetD8Async((void*)address, value, count, queue));
}
CNDRV_API CNresult cnMemsetD32(CNaddr address, unsigned int value, cn_uint64_t count) {
  FROM_CALLER;
  return status(cnrtMemsetD32((void*)address, value, count));
}
CNDRV_API CNresult cnMemsetD32Async(CNaddr address, unsigned int value, cn_uint64_t count, CNqueue queue) {
  FROM_CALLER;
  return status(cnrtMemsetD32Async((void*)address, value, count, queue));
}

CNDRV_API CNresult cnMallocPeerAble(CNaddr* address, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMalloc((void**)address, bytes));
}
CNDRV_API CNresult cnZmalloc(CNaddr* address, cn_uint64_t bytes) {
  FROM_CALLER;
  CNresult found = status(cnrtMalloc((void**)address, bytes));
  if (found) return found;
  FROM_CALLER;
  return status(cnrtMemset((void*)*address, 0, bytes));
}
CNDRV_API CNresult cnMallocHost(void** pointer, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtHostMalloc(pointer, bytes));
}
CNDRV_API CNresult cnFreeHost(void* pointer) {
  FROM_CALLER;
  return status(cnrtFreeHost(pointer));
}
CNDRV_API CNresult cnMmap(CNaddr address, void** host, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMmap((void*)address, host, bytes));
}
CNDRV_API CNresult cnMmapCached(CNaddr address, void** host, cn_uint64_t bytes) {
  FROM_CALLER;
  return status(cnrtMmapCached((void*)address, host, bytes));
}
CNDRV_API CNresult cnMunmap(void* host, cn_uint64_t bytes) { return status(cnrtMunmap(host, bytes)); }

CNDRV_API CNresult cnMemAllocAsync(CNaddr* address, size_t bytes, CNqueue queue) {
  FROM_CALLER;
  return status(cnrtMemAllocAsync((void**)address, bytes, queue));
}
CNDRV_API CNresult cnMemAllocFromPoolAsync(CNaddr* address, size_t bytes, CNmemoryPool pool, CNqueue queue) {
  FROM_CALLER;
  return status(cnrtMemAllocFromPoolAsync((void**)address, bytes, pool, queue));
}
CNDRV_API CNresult cnMemFreeAsync(CNaddr address, CNqueue queue) {
  FROM_CALLER;
  return status(cnrtMemFreeAsync((void*)address, queue));
}
// Structures of pools are the runtime's too.
static_assert(sizeof(CNmemPoolProps) == sizeof(cnrtMemPoolProps_t), "pools");
CNDRV_API CNresult cnMemPoolCreate(CNmemoryPool* pool, CNmemPoolProps* properties) {
  return status(cnrtMemPoolCreate(pool, (cnrtMemPoolProps_t*)properties));
}
CNDRV_API CNresult cnMemPoolDestroy(CNmemoryPool pool) { return status(cnrtMemPoolDestroy(pool)); }
CNDRV_API CNresult cnMemPoolGetAccess(CNMemoryAccessFlags* flags, CNmemoryPool pool, CNmemLocation* location) {
  return status(cnrtMemPoolGetAccess((cnrtMemoryAccessFlags_t*)flags, pool, (cnrtMemLocation_t*)location));
}
CNDRV_API CNresult cnMemPoolGetAttribute(CNmemoryPool pool, CNmemPoolAttribute attribute, void* value) {
  return status(cnrtMemPoolGetAttribute(pool, (cnrtMemPoolAttr_t)attribute, value));
}
CNDRV_API CNresult cnMemPoolSetAttribute(CNmemoryPool pool, CNmemPoolAttribute attribute, void* value) {
  return status(cnrtMemPoolSetAttribute(pool, (cnrtMemPoolAttr_t)attribute, value));
}
CNDRV_API CNresult cnMemPoolTrimTo(CNmemoryPool pool, size_t kept) { return status(cnrtMemPoolTrimTo(pool, kept)); }
