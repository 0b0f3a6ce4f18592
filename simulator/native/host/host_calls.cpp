// Calls for memory, and conversions in host memory.
#include <string.h>

#include "host_memory.h"
#include "host_queues.h"
#include "host_status.h"

using namespace mlusim;

MLUSIM_API cnrtRet_t cnrtMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtMallocConstant(void** pointer, size_t bytes) { return allocate(pointer, bytes, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t mlusim_malloc_managed(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MLUSIM_HERE, true);
}
MLUSIM_API cnrtRet_t cnrtMallocFrameBuffer(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MLUSIM_HERE);
}
MLUSIM_API bool mlusim_is_managed(const void* pointer) { return is_managed(pointer); }
MLUSIM_API cnrtRet_t cnrtFree(void* pointer) { return release(pointer, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtFreeArray(void** pointers, int length) {
  if (!pointers || length < 0)
    return failed(cnrtErrorArgsInvalid, "the array of pointers is null, or its length negative");
  cnrtRet_t status = cnrtSuccess;
  for (int at = 0; at < length; at++)
    if (cnrtRet_t freed = release(pointers[at], MLUSIM_HERE)) status = freed;
  return status;
}
MLUSIM_API cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes) { return allocate_host(pointer, bytes, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtMallocHost(void** pointer, size_t bytes, ...) {
  return allocate_host(pointer, bytes, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtAcquireMemHandle(cnrtIpcMemHandle* handle, void* pointer) {
  uint64_t number = 0;
  if (!handle) return failed(cnrtErrorArgsInvalid, "the pointer to the handle is null");
  cnrtRet_t status = share(pointer, number);
  *handle = (cnrtIpcMemHandle)number;
  return status;
}
MLUSIM_API cnrtRet_t cnrtMapMemHandle(void** pointer, cnrtIpcMemHandle handle, int flags) {
  if (flags & ~2) return failed(cnrtErrorArgsInvalid, "the flags are neither 0 nor 2");
  return borrow(pointer, (uint64_t)handle, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtUnMapMemHandle(void* pointer) { return return_borrowed(pointer, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtFreeHost(void* pointer) { return release_host(pointer, MLUSIM_HERE); }

MLUSIM_API cnrtRet_t cnrtMemGetInfo(size_t* free, size_t* total) {
  Device* own = device(current_device());
  if (!own) return no_device();
  auto left = call(AskMemory{(uint64_t)own->ordinal});
  if (left.lost) return no_device();
  if (free) *free = left.free;
  if (total) *total = left.total;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtPointerGetAttributes(cnrtPointerAttributes_t* attributes, const void* pointer) {
  if (!attributes || !pointer) return failed(cnrtErrorArgsInvalid, "a pointer is null");
  memset(attributes, 0, sizeof *attributes);
  uint64_t start;
  Allocation found;
  attributes->device = -1;
  attributes->hostPointer = const_cast<void*>(pointer);
  if (!known(pointer, start, found)) return cnrtSuccess;
  attributes->size = found.bytes;
  if (found.device < 0) {
    attributes->type = cnrtMemTypeHost;
    return cnrtSuccess;
  }
  attributes->type = cnrtMemTypeDevice;
  attributes->device = found.device;
  attributes->hostPointer = nullptr;
  attributes->devicePointer = const_cast<void*>(pointer);
  attributes->deviceBasePointer = (void*)start;
  return cnrtSuccess;
}

static cnrtRet_t queued(void* to, const void* from, size_t bytes, cnrtQueue_t handle, cnrtMemTransDir_t direction,
                        Place where) {
  Queue queue;
  return queue_of(handle, queue) ? copy(to, from, bytes, direction, queue.number, where) : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtMemcpy(void* to, const void* from, size_t bytes, cnrtMemTransDir_t direction) {
  return copy(to, from, bytes, direction, 0, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemcpyAsync(void* to, const void* from, size_t bytes, cnrtQueue_t queue,
                                     cnrtMemTransDir_t direction) {
  return queued(to, from, bytes, queue, direction, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemcpyAsync_V2(void* to, const void* from, size_t bytes, cnrtQueue_t queue,
                                        cnrtMemTransDir_t direction) {
  return queued(to, from, bytes, queue, direction, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemcpyAsync_V3(void* to, const void* from, size_t bytes, cnrtQueue_t queue,
                                        cnrtMemTransDir_t direction) {
  return queued(to, from, bytes, queue, direction, MLUSIM_HERE);
}
// Whether memory belongs to the device that the caller says; what is no device memory is said by the copy.
static bool belongs(const void* pointer, int ordinal) {
  uint64_t start;
  Allocation found;
  if (!known(pointer, start, found) || found.device < 0 || found.device == ordinal) return true;
  failed(cnrtErrorDeviceInvalid, "the memory of a copy between devices belongs to another device than is said");
  return false;
}
MLUSIM_API cnrtRet_t cnrtMemcpyPeer(void* to, int device, const void* from, int source, size_t bytes) {
  if (!belongs(to, device) || !belongs(from, source)) return last_status(false);
  return copy(to, from, bytes, cnrtMemcpyPeerToPeer, 0, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemcpyPeerAsync(void* to, int device, const void* from, int source, size_t bytes,
                                         cnrtQueue_t queue) {
  if (!belongs(to, device) || !belongs(from, source)) return last_status(false);
  return queued(to, from, bytes, queue, cnrtMemcpyPeerToPeer, MLUSIM_HERE);
}

// Rows in slices: `to` and `from` with their pitches, and rows between slices.
struct Block {
  char* to;
  const char* from;
  cnrtExtent_t extent;
  size_t to_pitch, from_pitch, to_rows, from_rows;
};

static cnrtRet_t copy_block(const Block& block, cnrtMemTransDir_t direction, uint64_t queue, Place where) {
  const cnrtExtent_t& extent = block.extent;
  if (extent.width > block.to_pitch || extent.width > block.from_pitch)
    return failed(cnrtErrorArgsInvalid, "a row is wider than its pitch");
  if (extent.height > block.to_rows || extent.height > block.from_rows)
    return failed(cnrtErrorArgsInvalid, "a slice has more rows than lie between slices");
  for (size_t slice = 0; slice < extent.depth; slice++)
    for (size_t row = 0; row < extent.height; row++) {
      char* to = block.to + (slice * block.to_rows + row) * block.to_pitch;
      const char* from = block.from + (slice * block.from_rows + row) * block.from_pitch;
      cnrtRet_t status = copy(to, from, extent.width, direction, queue, where);
      if (status != cnrtSuccess) return status;
    }
  return cnrtSuccess;
}

static cnrtRet_t copy_3d(const cnrtMemcpy3dParam_t* p, uint64_t queue, Place where) {
  if (!p) return failed(cnrtErrorArgsInvalid, "the parameters of the copy are null");
  auto start = [](void* plain, const cnrtPitchedPtr_t& pitched, const cnrtPos_t& at) {
    return (char*)(plain ? plain : pitched.ptr) + (at.z * pitched.ysize + at.y) * pitched.pitch + at.x;
  };
  Block block = {start(p->dst, p->dstPtr, p->dstPos),
                 start(p->src, p->srcPtr, p->srcPos),
                 p->extent,
                 p->dstPtr.pitch,
                 p->srcPtr.pitch,
                 p->dstPtr.ysize,
                 p->srcPtr.ysize};
  return copy_block(block, p->dir, queue, where);
}

MLUSIM_API cnrtRet_t cnrtMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                  size_t height, cnrtMemTransDir_t direction) {
  return copy_block({(char*)to, (const char*)from, {1, height, width}, to_pitch, from_pitch, height, height}, direction,
                    0, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                       size_t height, cnrtMemTransDir_t direction, cnrtQueue_t handle) {
  Queue queue;
  Place where = MLUSIM_HERE;
  if (!queue_of(handle, queue)) return last_status(false);
  return copy_block({(char*)to, (const char*)from, {1, height, width}, to_pitch, from_pitch, height, height}, direction,
                    queue.number, where);
}
MLUSIM_API cnrtRet_t cnrtMemcpy3D(const cnrtMemcpy3dParam_t* p) { return copy_3d(p, 0, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtMemcpy3DAsync(const cnrtMemcpy3dParam_t* p, cnrtQueue_t handle) {
  Queue queue;
  Place where = MLUSIM_HERE;
  return queue_of(handle, queue) ? copy_3d(p, queue.number, where) : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtHostRegister(void* pointer, size_t bytes, unsigned int) {
  return register_host(pointer, bytes, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtHostUnregister(void* pointer) { return unregister_host(pointer); }

// Device memory where the host may touch it; what the host writes there counts as written from the beginning.
static cnrtRet_t expose(void* pointer, void** host, size_t bytes, Place where) {
  if (!host) return failed(cnrtErrorArgsInvalid, "the pointer to the host's address is null");
  if (!connected()) return no_device();
  Found found;
  if (!look_up(pointer, bytes, "the memory to map", where, found)) return refused(cnrtErrorArgsInvalid);
  settle();
  post(FillBytes{0, (uint64_t)pointer, bytes, where});
  *host = found.alias;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtMmap(void* pointer, void** host, size_t bytes) {
  return expose(pointer, host, bytes, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMmapCached(void* pointer, void** host, size_t bytes) {
  return expose(pointer, host, bytes, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMunmap(void* host, size_t) {
  return host ? cnrtSuccess : failed(cnrtErrorArgsInvalid, "the address to unmap is null");
}
MLUSIM_API cnrtRet_t cnrtMcacheOperation(void*, void* host, size_t, cnrtCacheOps_t) {
  return host ? cnrtSuccess : failed(cnrtErrorArgsInvalid, "the address of the host is null");
}

static cnrtRet_t filled(void* to, uint64_t value, size_t count, size_t width, cnrtQueue_t handle, Place where) {
  Queue queue;
  return queue_of(handle, queue) ? fill(to, value, count, width, queue.number, where) : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtMemset(void* pointer, int value, size_t bytes) {
  return fill(pointer, (uint64_t)value, bytes, 1, 0, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemsetD8(void* pointer, unsigned char value, size_t count) {
  return fill(pointer, value, count, 1, 0, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemsetD32(void* pointer, unsigned int value, size_t count) {
  return fill(pointer, value, count, 4, 0, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemsetAsync(void* pointer, int value, size_t bytes, cnrtQueue_t queue) {
  return filled(pointer, (uint64_t)value, bytes, 1, queue, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemsetD8Async(void* pointer, unsigned char value, size_t count, cnrtQueue_t queue) {
  return filled(pointer, value, count, 1, queue, MLUSIM_HERE);
}
MLUSIM_API cnrtRet_t cnrtMemsetD32Async(void* pointer, unsigned int value, size_t count, cnrtQueue_t queue) {
  return filled(pointer, value, count, 4, queue, MLUSIM_HERE);
}
