// Memory in the order of queues, from pools that share the memory of their device.
#include <map>
#include <set>

#include "host_lock.h"
#include "host_memory.h"
#include "host_order.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_topology.h"

struct CNmemoryPool_st {
  int device = 0;
  bool is_default = false;
  uint64_t most = 0, used = 0, high = 0;  // bytes
  std::map<int, uint64_t> attributes = {};
};

using namespace mlusim;

namespace {

struct Pools {
  Lock mutex;
  std::set<cnrtMemPool_t> all;
  std::map<int, cnrtMemPool_t> standard, current;                // of devices
  std::map<uint64_t, std::pair<cnrtMemPool_t, uint64_t>> taken;  // arrays of pools, and their bytes
};

Pools& pools() {
  static Pools& made = *new Pools;
  return made;
}

cnrtRet_t make(int ordinal, uint64_t most, bool is_default, cnrtMemPool_t* pool) {
  Device* own = device(ordinal);
  if (!own) return failed(cnrtErrorDeviceInvalid, "there is no device " + std::to_string(ordinal));
  *pool = new CNmemoryPool_st{ordinal, is_default, most ? most : own->capacity};
  for (int each = cnrtMemPoolAttrReuseFollowNotifierDependencies; each < cnrtMemPoolAttrReleaseThreshold; each++)
    (*pool)->attributes[each] = 1;
  Locked lock(pools().mutex);
  pools().all.insert(*pool);
  return cnrtSuccess;
}

// A pool that is destroyed lives as long as its arrays.
void forget(cnrtMemPool_t pool) {
  if (!pool->used && !pools().all.count(pool)) delete pool;
}

bool is_pool(cnrtMemPool_t pool) {
  Locked lock(pools().mutex);
  if (pools().all.count(pool)) return true;
  failed(cnrtErrorArgsInvalid, "the memory pool does not exist");
  return false;
}

cnrtRet_t pool_of(std::map<int, cnrtMemPool_t>& table, int ordinal, cnrtMemPool_t* pool) {
  if (!pool) return failed(cnrtErrorArgsInvalid, "the pointer to the pool is null");
  Locked lock(pools().mutex);
  cnrtMemPool_t& standard = pools().standard[ordinal];
  cnrtRet_t status = standard ? cnrtSuccess : make(ordinal, 0, true, &standard);
  if (status != cnrtSuccess) return status;
  *pool = table.count(ordinal) && table[ordinal] ? table[ordinal] : standard;
  return cnrtSuccess;
}

cnrtRet_t allocate_from(cnrtMemPool_t pool, void** pointer, size_t bytes, const Queue& queue, Place where) {
  if (refuse_captured(queue.number)) return last_status(false);
  if (!pointer || !bytes)
    return failed(cnrtErrorArgsInvalid, "the pointer to the result is null, or no bytes are wanted");
  Locked lock(pools().mutex);
  if (pool->used + bytes > pool->most)
    return failed(cnrtErrorNoMem, "the pool has " + std::to_string(pool->most - pool->used) + " bytes left");
  int before = current_device();
  set_current_device(pool->device);
  cnrtRet_t status = allocate(pointer, bytes, where);
  set_current_device(before);
  if (status != cnrtSuccess) return status;
  pool->used += bytes, pool->high = std::max(pool->high, pool->used);
  pools().taken[(uint64_t)*pointer] = {pool, bytes};
  return cnrtSuccess;
}

}  // namespace

MLUSIM_API cnrtRet_t cnrtMemAllocAsync(void** pointer, size_t bytes, cnrtQueue_t handle) {
  Queue queue;
  cnrtMemPool_t pool;
  Place where = MLUSIM_HERE;
  if (!queue_of(handle, queue) || pool_of(pools().current, queue.device, &pool)) return last_status(false);
  return allocate_from(pool, pointer, bytes, queue, where);
}

MLUSIM_API cnrtRet_t cnrtMemAllocFromPoolAsync(void** pointer, size_t bytes, cnrtMemPool_t pool, cnrtQueue_t handle) {
  Queue queue;
  Place where = MLUSIM_HERE;
  if (!queue_of(handle, queue) || !is_pool(pool)) return last_status(false);
  return allocate_from(pool, pointer, bytes, queue, where);
}

MLUSIM_API cnrtRet_t cnrtMemFreeAsync(void* pointer, cnrtQueue_t handle) {
  Queue queue;
  Place where = MLUSIM_HERE;
  if (!queue_of(handle, queue) || refuse_captured(queue.number)) return last_status(false);
  drain(queue.number);
  cnrtRet_t status = release(pointer, where, queue.number);
  Locked lock(pools().mutex);
  auto entry = pools().taken.find((uint64_t)pointer);
  if (status == cnrtSuccess && entry != pools().taken.end()) {
    auto [pool, bytes] = entry->second;
    pools().taken.erase(entry);
    pool->used -= bytes;
    forget(pool);
  }
  return status;
}

MLUSIM_API cnrtRet_t cnrtMemPoolCreate(cnrtMemPool_t* pool, const cnrtMemPoolProps_t* properties) {
  if (!pool || !properties) return failed(cnrtErrorArgsInvalid, "the pointer to the pool, or its properties, are null");
  if (properties->requestedHandleTypes != cnrtMemHandleTypeNone)
    return failed(cnrtErrorNotSupport, "memory of pools cannot be exported");
  return make((int)properties->location.id, properties->maxSize, false, pool);
}

MLUSIM_API cnrtRet_t cnrtMemPoolDestroy(cnrtMemPool_t pool) {
  if (!is_pool(pool)) return last_status(false);
  if (pool->is_default) return failed(cnrtErrorArgsInvalid, "the default pool of a device stays");
  Locked lock(pools().mutex);
  pools().all.erase(pool);
  if (pools().current[pool->device] == pool) pools().current.erase(pool->device);
  forget(pool);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtMemPoolGetAccess(cnrtMemoryAccessFlags_t* flags, cnrtMemPool_t pool, cnrtMemLocation_t*) {
  if (!flags) return failed(cnrtErrorArgsInvalid, "the pointer to the flags is null");
  if (!is_pool(pool)) return last_status(false);
  *flags = cnrtMemAccessFlagsProtReadWrite;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtMemPoolGetAttribute(cnrtMemPool_t pool, cnrtMemPoolAttr_t attribute, void* value) {
  if (!is_pool(pool)) return last_status(false);
  if (!value) return failed(cnrtErrorArgsInvalid, "the pointer to the value is null");
  if (attribute < cnrtMemPoolAttrReleaseThreshold)
    *(int*)value = (int)pool->attributes[attribute];
  else if (attribute == cnrtMemPoolAttrReleaseThreshold)
    *(uint64_t*)value = pool->attributes[attribute];
  else if (attribute == cnrtMemPoolAttrReservedMemCurrent || attribute == cnrtMemPoolAttrUsedMemCurrent)
    *(uint64_t*)value = pool->used;  // nothing is held back
  else
    *(uint64_t*)value = pool->high;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtMemPoolSetAttribute(cnrtMemPool_t pool, cnrtMemPoolAttr_t attribute, void* value) {
  if (!is_pool(pool)) return last_status(false);
  if (!value) return failed(cnrtErrorArgsInvalid, "the pointer to the value is null");
  if (attribute < cnrtMemPoolAttrReleaseThreshold)
    pool->attributes[attribute] = *(int*)value != 0;
  else if (attribute == cnrtMemPoolAttrReleaseThreshold)
    pool->attributes[attribute] = *(uint64_t*)value;
  else if (attribute == cnMemPoolAttrReservedMemHigh || attribute == cnrtMemPoolAttrUsedMemHigh)
    pool->high = pool->used;
  else
    return failed(cnrtErrorArgsInvalid, "the attribute of the pool cannot be set");
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtMemPoolTrimTo(cnrtMemPool_t pool, size_t) {
  return is_pool(pool) ? cnrtSuccess : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtDeviceGetDefaultMemPool(cnrtMemPool_t* pool, int ordinal) {
  return pool_of(pools().standard, ordinal, pool);
}
MLUSIM_API cnrtRet_t cnrtDeviceGetMemPool(cnrtMemPool_t* pool, int ordinal) {
  return pool_of(pools().current, ordinal, pool);
}
MLUSIM_API cnrtRet_t cnrtDeviceSetMemPool(int ordinal, cnrtMemPool_t pool) {
  if (!is_pool(pool)) return last_status(false);
  if (pool->device != ordinal) return failed(cnrtErrorArgsInvalid, "the pool belongs to another device");
  Locked lock(pools().mutex);
  pools().current[ordinal] = pool;
  return cnrtSuccess;
}
