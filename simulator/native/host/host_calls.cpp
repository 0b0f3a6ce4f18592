// Calls for memory, and conversions in host memory.
#include <string.h>

#include "host_memory.h"
#include "host_queues.h"
#include "host_status.h"

using namespace mlusim;

MLUSIM_API cnrtRet_t cnrtMalloc(void** pointer, size_t bytes) { return allocate(pointer, bytes, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtMallocConstant(void** pointer, size_t bytes) { return allocate(pointer, bytes, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtFree(void* pointer) { return release(pointer, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtHostMalloc(void** pointer, size_t bytes) { return allocate_host(pointer, bytes, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtMallocHost(void** pointer, size_t bytes, ...) {
  return allocate_host(pointer, bytes, MLUSIM_HERE);
}
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

MLUSIM_API cnrtRet_t cnrtMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                                  size_t height, cnrtMemTransDir_t direction) {
  if (width > to_pitch || width > from_pitch) return failed(cnrtErrorArgsInvalid, "a row is wider than its pitch");
  for (size_t row = 0; row < height; row++) {
    cnrtRet_t status =
        copy((char*)to + row * to_pitch, (const char*)from + row * from_pitch, width, direction, 0, MLUSIM_HERE);
    if (status != cnrtSuccess) return status;
  }
  return cnrtSuccess;
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
