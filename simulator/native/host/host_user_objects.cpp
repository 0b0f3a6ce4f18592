// Objects of the program that topologies keep: each is destroyed with the last reference to it.
#include <set>

#include "host_lock.h"
#include "host_order.h"
#include "host_status.h"
#include "host_topology.h"

namespace mlusim {
namespace {

struct Objects {
  Lock mutex;
  std::set<cnrtUserObject_t> all;
};

// Never destroyed: threads may call while the process ends.
Objects& objects() {
  static Objects& made = *new Objects;
  return made;
}

bool refers(cnrtUserObject_t object, unsigned int count) {
  Locked lock(objects().mutex);
  if (count && objects().all.count(object)) return true;
  failed(cnrtErrorArgsInvalid, "the object does not exist, or the number of references is 0");
  return false;
}

// Give references back; with the last one the object goes.
void drop(cnrtUserObject_t object, uint64_t count) {
  {
    Locked lock(objects().mutex);
    if (object->references > count) {
      object->references -= count;
      return;
    }
    objects().all.erase(object);
  }
  call_host_function(object->destroy, object->data);
  delete object;
}

}  // namespace

References::~References() {
  for (auto& [object, count] : all_) drop(object, count);
}

void References::add(const References& other) {
  for (auto& [object, count] : other.all_) object->references += count, all_[object] += count;
}

bool References::remove(cnrtUserObject_t object, unsigned int count) {
  auto entry = all_.find(object);
  if (entry == all_.end() || entry->second < count) return false;
  if (!(entry->second -= count)) all_.erase(entry);
  drop(object, count);
  return true;
}

}  // namespace mlusim

using namespace mlusim;

MLUSIM_API cnrtRet_t cnrtUserObjectCreate(cnrtUserObject_t* object, void* data, cnrtHostFn_t destroy,
                                          unsigned int references, unsigned int) {
  if (!object || !destroy || !references)
    return failed(cnrtErrorArgsInvalid, "a pointer is null, or the number of references is 0");
  Locked lock(objects().mutex);
  objects().all.insert(*object = new CNuserObject_st{data, destroy, {references}});
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtUserObjectAcquire(cnrtUserObject_t object, unsigned int count) {
  if (!refers(object, count)) return last_status(false);
  object->references += count;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtUserObjectRelease(cnrtUserObject_t object, unsigned int count) {
  if (!refers(object, count)) return last_status(false);
  drop(object, count);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAcquireUserObject(cnrtTaskTopo_t topology, cnrtUserObject_t object, unsigned int count,
                                                   unsigned int flags) {
  if (!exists(topology) || !refers(object, count)) return last_status(false);
  if (flags != cnrtTaskTopoUserObjectMove) object->references += count;
  topology->references.add(object, count);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoReleaseUserObject(cnrtTaskTopo_t topology, cnrtUserObject_t object,
                                                   unsigned int count) {
  if (!exists(topology) || !refers(object, count)) return last_status(false);
  if (topology->references.remove(object, count)) return cnrtSuccess;
  return failed(cnrtErrorArgsInvalid, "the topology has not so many references to the object");
}
