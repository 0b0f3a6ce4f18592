#include "host_queues.h"

#include <map>
#include <set>

#include "host_faults.h"
#include "host_lock.h"
#include "host_memory.h"
#include "host_status.h"

struct cnrtQueue {
  uint64_t number;
  int device;
};
struct cnrtNotifier {
  uint64_t number;
  uint64_t queue, guard;  // where it was placed last, after which guarded copy
  int device;
};

namespace mlusim {
namespace {

struct Handles {
  Lock mutex;
  std::set<const void*> queues, notifiers;
  uint64_t next = 1;  // numbers of queues and notifiers
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
  return status ? failed((cnrtRet_t)status, problem) : cnrtSuccess;
}

bool queue_of(cnrtQueue_t handle, Queue& found) {
  if (!connected()) return no_device(), false;
  Handles& all = handles();
  Locked lock(all.mutex);
  if (!handle) {
    uint64_t& own = own_queues[current_device()];
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
  Handles& all = handles();
  Locked lock(all.mutex);
  if (!all.queues.erase(handle)) return failed(cnrtErrorInvalidResourceHandle, "the queue does not exist");
  delete handle;
  return cnrtSuccess;
}

cnrtRet_t sync_queue(cnrtQueue_t handle, Place where) {
  Queue queue;
  if (!queue_of(handle, queue)) return last_status(false);
  unguard(queue.number, queue.device);
  return status_of(call(WaitForQueue{queue.number, where}));
}

cnrtRet_t sync_device(Place where) {
  Device* own = device(current_device());
  if (!own) return no_device();
  unguard(0, own->ordinal);
  return status_of(call(WaitForDevice{(uint64_t)own->ordinal, where}));
}

cnrtRet_t make_notifier(cnrtNotifier_t* handle) {
  if (!handle) return failed(cnrtErrorArgsInvalid, "the pointer to the notifier is null");
  *handle = nullptr;
  if (!connected()) return no_device();
  Handles& all = handles();
  Locked lock(all.mutex);
  *handle = new cnrtNotifier{all.next++, 0, 0, 0};
  all.notifiers.insert(*handle);
  return cnrtSuccess;
}

cnrtRet_t drop_notifier(cnrtNotifier_t handle) {
  Handles& all = handles();
  Locked lock(all.mutex);
  if (!all.notifiers.erase(handle)) return failed(cnrtErrorInvalidResourceHandle, "the notifier does not exist");
  post(DropNotifier{handle->number});
  delete handle;
  return cnrtSuccess;
}

bool notifier_of(cnrtNotifier_t handle, uint64_t& number) {
  Handles& all = handles();
  Locked lock(all.mutex);
  if (!all.notifiers.count(handle)) return failed(cnrtErrorInvalidResourceHandle, "the notifier does not exist"), false;
  number = handle->number;
  return true;
}

cnrtRet_t elapsed(cnrtNotifier_t start, cnrtNotifier_t end, double unit_ns, float* time) {
  uint64_t first, last;
  if (!time) return failed(cnrtErrorArgsInvalid, "the pointer to the time is null");
  if (!notifier_of(start, first) || !notifier_of(end, last)) return last_status(false);
  auto elapsed = call(AskElapsed{first, last});
  cnrtRet_t status = status_of(elapsed);
  if (status == cnrtSuccess) *time = (float)((double)elapsed.nanoseconds / unit_ns);
  return status;
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

static cnrtRet_t query_queue(cnrtQueue_t handle) {
  Queue queue;
  if (!queue_of(handle, queue)) return last_status(false);
  cnrtRet_t status = status_of(call(AskQueue{queue.number}));
  if (status == cnrtSuccess) unguard(queue.number, queue.device);
  return status;
}
MLUSIM_API cnrtRet_t cnrtQueueQuery(cnrtQueue_t queue) { return query_queue(queue); }
MLUSIM_API cnrtRet_t cnrtQueryQueue(cnrtQueue_t queue) { return query_queue(queue); }

MLUSIM_API cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t handle, unsigned int) {
  Queue queue;
  uint64_t number;
  if (!queue_of(handle, queue) || !notifier_of(notifier, number)) return last_status(false);
  if (notifier->queue) order(notifier->queue, notifier->guard, queue.number);
  post(OrderQueue{queue.number, number});
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtInvokeHostFunc(cnrtQueue_t handle, cnrtHostFn_t function, void* data) {
  Queue queue;
  if (!function) return failed(cnrtErrorArgsInvalid, "the function is null");
  if (!queue_of(handle, queue)) return last_status(false);
  settle();  // all that came before it in the queue has been carried out
  Lifted own(nullptr, SIZE_MAX, queue.number);
  function(data);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) { return make_notifier(notifier); }
MLUSIM_API cnrtRet_t cnrtCreateNotifier(cnrtNotifier_t* notifier) { return make_notifier(notifier); }
MLUSIM_API cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* notifier, unsigned int) {
  return make_notifier(notifier);
}
MLUSIM_API cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) { return drop_notifier(notifier); }
MLUSIM_API cnrtRet_t cnrtDestroyNotifier(cnrtNotifier_t* notifier) {
  if (!notifier) return failed(cnrtErrorArgsInvalid, "the pointer to the notifier is null");
  cnrtRet_t status = drop_notifier(*notifier);
  if (status == cnrtSuccess) *notifier = nullptr;
  return status;
}

MLUSIM_API cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t handle) {
  Queue queue;
  uint64_t number;
  if (!notifier_of(notifier, number) || !queue_of(handle, queue)) return last_status(false);
  notifier->queue = queue.number, notifier->device = queue.device, notifier->guard = last_guard();
  post(PlaceNotifier{queue.number, number});
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) {
  uint64_t number;
  if (!notifier_of(notifier, number)) return last_status(false);
  cnrtRet_t status = status_of(call(AskNotifier{number}));
  if (status == cnrtSuccess && notifier->queue) unguard(notifier->queue, notifier->device, notifier->guard);
  return status;
}

MLUSIM_API cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier) {
  uint64_t number;
  Place where = MLUSIM_HERE;
  if (!notifier_of(notifier, number)) return last_status(false);
  if (notifier->queue) unguard(notifier->queue, notifier->device, notifier->guard);
  return status_of(call(WaitForNotifier{number, where}));
}

MLUSIM_API cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds) {
  return elapsed(start, end, 1e3, microseconds);
}
MLUSIM_API cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* milliseconds) {
  return elapsed(start, end, 1e6, milliseconds);
}
