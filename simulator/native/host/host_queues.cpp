#include "host_queues.h"

#include <map>
#include <set>

#include "host_lock.h"
#include "host_memory.h"
#include "host_notifiers.h"
#include "host_order.h"
#include "host_status.h"
#include "host_topology.h"
#include "host_transfers.h"

struct cnrtQueue {
  uint64_t number;
  int device;
  cnrtQueueAttrValue_t attribute = {};  // the window of its accesses to a cache that there is not
};
namespace mlusim {
namespace {

struct Handles {
  Lock mutex;
  std::set<cnrtQueue_t> queues;
  std::map<int, uint64_t> shared;  // the queue of each device that all threads share
  uint64_t next = 1;               // numbers of queues
};

Handles& handles() {
  static Handles& made = *new Handles;
  return made;
}

thread_local std::map<int, uint64_t> own_queues;  // the default queue of each device

}  // namespace

cnrtRet_t status_of(bool lost, uint64_t status, const std::string& problem) {
  if (lost) return no_device();
  if (status == cnrtErrorNotReady) return cnrtErrorNotReady;
  return status ? say((cnrtRet_t)status, problem) : cnrtSuccess;
}

uint64_t default_queue() {
  auto own = own_queues.find(current_device());
  return own == own_queues.end() ? 0 : own->second;
}

bool queue_of(cnrtQueue_t handle, Queue& found) {
  if (!connected()) return no_device(), false;
  Handles& all = handles();
  Locked lock(all.mutex);
  if (!handle || handle == cnrtQueuePerThread || handle == cnrtQueueLegacy) {
    uint64_t& own = (handle == cnrtQueueLegacy ? all.shared : own_queues)[current_device()];
    if (!own) {
      own = all.next++;
      post(MakeQueue{own, (uint64_t)current_device(), true});
    }
    found = {own, current_device()};
    return true;
  }
  if (!all.queues.count(handle)) return failed(cnrtErrorInvalidResourceHandle, "the queue does not exist"), false;
  found = {handle->number, handle->device};
  return true;
}

cnrtRet_t make_queue(cnrtQueue_t* handle) {
  if (!handle) return failed(cnrtErrorArgsInvalid, "the pointer to the queue is null");
  *handle = nullptr;
  Device* own = device(current_device());
  if (!own) return no_device();
  Handles& all = handles();
  Locked lock(all.mutex);
  *handle = new cnrtQueue{all.next++, own->ordinal};
  all.queues.insert(*handle);
  post(MakeQueue{(*handle)->number, (uint64_t)own->ordinal, false});
  return cnrtSuccess;
}

cnrtRet_t drop_queue(cnrtQueue_t handle) {
  if (!connected()) return no_device();
  Handles& all = handles();
  Locked lock(all.mutex);
  if (!all.queues.erase(handle)) return failed(cnrtErrorInvalidResourceHandle, "the queue does not exist");
  delete handle;
  return cnrtSuccess;
}

cnrtRet_t sync_queue(cnrtQueue_t handle, Place where) {
  Queue queue;
  if (!queue_of(handle, queue) || refuse_captured(queue.number)) return last_status(false);
  drain(queue.number);
  auto waited = call(WaitForQueue{queue.number, where});
  if (waited.status) set_failed(queue.number, true);
  arrive(queue.number, queue.device, where);
  return status_of(waited);
}

cnrtRet_t sync_device(Place where) {
  Device* own = device(current_device());
  if (!own) return no_device();
  drain(0);
  auto waited = call(WaitForDevice{(uint64_t)own->ordinal, where});
  arrive(0, own->ordinal, where);
  return status_of(waited);
}

void reset_queues(int device) {
  Handles& all = handles();
  Locked lock(all.mutex);
  for (auto entry = all.queues.begin(); entry != all.queues.end();) {
    auto now = entry++;
    if ((*now)->device != device) continue;
    set_failed((*now)->number, false);
    delete *now, all.queues.erase(now);
  }
  reset_notifiers(device);
  for (uint64_t number : {default_queue(), all.shared.count(device) ? all.shared[device] : 0})
    if (number) set_failed(number, false);
  call(ResetDevice{(uint64_t)device});
}

}  // namespace mlusim

using namespace mlusim;

MLUSIM_API cnrtRet_t cnrtQueueCreate(cnrtQueue_t* queue) { return make_queue(queue); }
MLUSIM_API cnrtRet_t cnrtCreateQueue(cnrtQueue_t* queue) { return make_queue(queue); }
MLUSIM_API cnrtRet_t cnrtQueueCreateWithPriority(cnrtQueue_t* queue, unsigned int, int) { return make_queue(queue); }
MLUSIM_API cnrtRet_t cnrtQueueDestroy(cnrtQueue_t queue) { return drop_queue(queue); }
MLUSIM_API cnrtRet_t cnrtDestroyQueue(cnrtQueue_t queue) { return drop_queue(queue); }
MLUSIM_API cnrtRet_t cnrtQueueSync(cnrtQueue_t queue) { return sync_queue(queue, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtSyncQueue(cnrtQueue_t queue) { return sync_queue(queue, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtSyncDevice(void) { return sync_device(MLUSIM_HERE); }

MLUSIM_API cnrtRet_t cnrtQueueGetPriority(cnrtQueue_t handle, int* priority) {
  Queue queue;
  if (!priority) return failed(cnrtErrorArgsInvalid, "the pointer to the priority is null");
  if (!queue_of(handle, queue)) return last_status(false);
  *priority = 0;
  return cnrtSuccess;
}

// The queue of a handle that has attributes; the default ones have none.
static bool has_attributes(cnrtQueue_t handle) {
  Queue queue;
  if (!queue_of(handle, queue)) return false;
  Locked lock(handles().mutex);
  if (handles().queues.count(handle)) return true;
  failed(cnrtErrorArgsInvalid, "a default queue has no attributes");
  return false;
}
MLUSIM_API cnrtRet_t cnrtQueueSetAttribute(cnrtQueue_t queue, cnrtQueueAttrID_t, const cnrtQueueAttrValue_t* value) {
  if (!value) return failed(cnrtErrorArgsInvalid, "the pointer to the value is null");
  if (!has_attributes(queue)) return last_status(false);
  queue->attribute = *value;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtQueueGetAttribute(cnrtQueue_t queue, cnrtQueueAttrID_t, cnrtQueueAttrValue_t* value) {
  if (!value) return failed(cnrtErrorArgsInvalid, "the pointer to the value is null");
  if (!has_attributes(queue)) return last_status(false);
  *value = queue->attribute;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtQueueCopyAttributes(cnrtQueue_t to, cnrtQueue_t from) {
  if (!has_attributes(to) || !has_attributes(from)) return last_status(false);
  to->attribute = from->attribute;
  return cnrtSuccess;
}

static cnrtRet_t query_queue(cnrtQueue_t handle, Place where) {
  Queue queue;
  if (!queue_of(handle, queue) || refuse_captured(queue.number)) return last_status(false);
  if (is_left(queue.number)) return cnrtErrorNotReady;
  cnrtRet_t status = status_of(call(AskQueue{queue.number}));
  if (status == cnrtSuccess) arrive(queue.number, queue.device, where);
  return status;
}
MLUSIM_API cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue) { return query_queue(queue, MLUSIM_HERE); }
MLUSIM_API cnrtRet_t cnrtQueryQueue(cnrtQueue_t queue) { return query_queue(queue, MLUSIM_HERE); }

MLUSIM_API cnrtRet_t cnrtInvokeHostFunc(cnrtQueue_t handle, cnrtHostFn_t function, void* data) {
  Queue queue;
  Place where = MLUSIM_HERE;
  if (!function) return failed(cnrtErrorArgsInvalid, "the function is null");
  if (!queue_of(handle, queue)) return last_status(false);
  Work work = [=, device = queue.device](uint64_t queue) {
    settle();  // all that came before it in the queue has been carried out
    if (has_failed(queue)) return;
    post(CallHost{queue, where});
    arrive(queue, device, where);
    call_host_function(function, data);
  };
  return take_step(queue, {cnrtHostNodeParams_t{function, data}, work});
}
