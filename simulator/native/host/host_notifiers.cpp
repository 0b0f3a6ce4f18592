#include "host_notifiers.h"

#include <set>

#include "host_lock.h"
#include "host_marks.h"
#include "host_memory.h"
#include "host_order.h"
#include "host_status.h"
#include "host_topology.h"
#include "host_transfers.h"

struct cnrtNotifier {
  uint64_t number;
  unsigned int flags;
  int device;
  std::shared_ptr<mlusim::SharedMark> mark;  // of one that several processes use
  // Where it was placed last here: in which queue, at which place of its order, after which copy.
  uint64_t queue = 0;
  mlusim::Ticket ticket = 0;
  uint64_t transfer = 0;
  uint32_t place = 0;  // of its mark

  // Whether another process, or another handle of it, has placed it last.
  bool is_elsewhere() const { return mark && mark->placed() != place; }
};

namespace mlusim {
namespace {

struct Notifiers {
  Lock mutex;
  std::set<cnrtNotifier_t> all;
  uint64_t next = 1;  // numbers of notifiers
};

Notifiers& notifiers() {
  static Notifiers& made = *new Notifiers;
  return made;
}

constexpr unsigned int SHARED = CNRT_NOTIFIER_INTERPROCESS | CNRT_NOTIFIER_DISABLE_TIMING_ALL;

cnrtRet_t make_notifier(cnrtNotifier_t* handle, unsigned int flags, std::shared_ptr<SharedMark> mark = nullptr) {
  if (!handle) return failed(cnrtErrorArgsInvalid, "the pointer to the notifier is null");
  *handle = nullptr;
  if (!connected()) return no_device();
  if ((flags & SHARED) == SHARED && !(mark = SharedMark::make()))
    return failed(cnrtErrorSysNoMem, "the system has no memory for a notifier of several processes");
  Notifiers& made = notifiers();
  Locked lock(made.mutex);
  *handle = new cnrtNotifier{made.next++, flags, current_device(), std::move(mark)};
  made.all.insert(*handle);
  return cnrtSuccess;
}

cnrtRet_t drop_notifier(cnrtNotifier_t handle) {
  if (!connected()) return no_device();
  Notifiers& made = notifiers();
  Locked lock(made.mutex);
  if (!exists(handle)) return last_status(false);
  made.all.erase(handle);
  post(DropNotifier{handle->number});
  delete handle;
  return cnrtSuccess;
}

// After which copy a notifier has been placed; all are for one that is gone.
uint64_t transfer_of(cnrtNotifier_t handle, uint64_t number) {
  Locked lock(notifiers().mutex);
  return notifiers().all.count(handle) && handle->number == number ? handle->transfer : UINT64_MAX;
}

// Both notifiers have been placed, and record times (`without`: flags of those that do not).
cnrtRet_t elapsed(cnrtNotifier_t start, cnrtNotifier_t end, unsigned int without, double unit_ns, float* time) {
  if (!time) return failed(cnrtErrorArgsInvalid, "the pointer to the time is null");
  if (!exists(start) || !exists(end)) return last_status(false);
  for (cnrtNotifier_t each : {start, end}) {
    if (each->flags & without) return failed(cnrtErrorArgsInvalid, "a notifier was made to record no time");
    if (!each->queue) return failed(cnrtErrorCndrvFuncCall, "a notifier was never placed in a queue");
    if (is_left(each->queue, each->ticket)) return cnrtErrorNotReady;
  }
  auto found = call(AskElapsed{start->number, end->number});
  if (found.status == cnrtErrorNotReady)
    return failed(cnrtErrorNotReady, "the host has not waited for a notifier; call cnrtWaitNotifier before");
  cnrtRet_t status = status_of(found);
  if (status == cnrtSuccess) *time = (float)((double)found.nanoseconds / unit_ns);
  return status;
}

// Wait until a notifier that another process has placed comes to its place.
cnrtRet_t wait_elsewhere(const SharedMark& mark, uint32_t place) {
  if (mark.wait(place)) return cnrtSuccess;
  return failed(cnrtErrorCndrvFuncCall, "the program that has placed the notifier ended before it came there");
}

cnrtRet_t place_in(cnrtNotifier_t notifier, cnrtQueue_t handle, unsigned int flags) {
  Queue queue;
  if (!queue_of(handle, queue) || !exists(notifier)) return last_status(false);
  if (flags == CNRT_NOTIFIER_PLACE_EXTERNAL && is_captured(queue.number))
    return take_step(queue, {PlaceNode{notifier}, {}});
  return capture_notifier(queue.number, notifier) ? cnrtSuccess : place(notifier, queue);
}

}  // namespace

bool exists(cnrtNotifier_t handle) {
  Locked lock(notifiers().mutex);
  if (!notifiers().all.count(handle))
    return failed(cnrtErrorInvalidResourceHandle, "the notifier does not exist"), false;
  return true;
}

void reset_notifiers(int device) {
  Notifiers& made = notifiers();
  Locked lock(made.mutex);
  for (auto entry = made.all.begin(); entry != made.all.end();) {
    auto now = entry++;
    if ((*now)->device == device) delete *now, made.all.erase(now);
  }
}

cnrtRet_t place(cnrtNotifier_t notifier, const Queue& queue) {
  if (!exists(notifier)) return last_status(false);
  uint64_t number = notifier->number, placed = queue.number;
  {
    Locked lock(notifiers().mutex);
    notifier->queue = placed, notifier->device = queue.device;
    notifier->ticket = in_order(placed, {{}, [=](uint64_t) {
                                           Locked lock(notifiers().mutex);
                                           if (notifiers().all.count(notifier) && notifier->number == number)
                                             notifier->transfer = last_transfer();
                                           post(PlaceNotifier{placed, number});
                                         }});
  }
  if (!notifier->mark) return cnrtSuccess;
  // What came before it has been carried out when others hear of it.
  on_thread(placed, [mark = notifier->mark, place = notifier->place = notifier->mark->place()](uint64_t) {
    settle();
    mark->reach(place);
  });
  return cnrtSuccess;
}

cnrtRet_t wait_for(cnrtNotifier_t notifier, const Queue& queue) {
  if (!exists(notifier)) return last_status(false);
  uint64_t placed = notifier->queue, number = notifier->number, other = queue.number;
  if (notifier->is_elsewhere()) {
    Called call = called();
    on_thread(other, [call, mark = notifier->mark, place = notifier->mark->placed()](uint64_t) {
      PartOf waiting(call.function.c_str(), call.where);
      wait_elsewhere(*mark, place);
    });
    return cnrtSuccess;
  }
  if (!placed) return cnrtSuccess;
  Ticket ticket = notifier->ticket;
  // What it waits for may be behind a host function: its place among the copies is known then.
  auto wait = [=](uint64_t) {
    if (placed != other) drain(placed, ticket);
    order(placed, transfer_of(notifier, number), other);
    post(OrderQueue{other, number});
  };
  if (placed != other && is_left(placed, ticket))
    on_thread(other, wait);
  else
    in_order(other, {{}, wait});
  return cnrtSuccess;
}

}  // namespace mlusim

using namespace mlusim;

MLUSIM_API cnrtRet_t cnrtQueueWaitNotifier(cnrtNotifier_t notifier, cnrtQueue_t handle, unsigned int flags) {
  Queue queue;
  if (!queue_of(handle, queue) || !exists(notifier)) return last_status(false);
  if (flags == CNRT_NOTIFIER_WAIT_EXTERNAL && is_captured(queue.number))
    return take_step(queue, {WaitNode{notifier}, {}});
  return capture_wait(queue.number, notifier) ? cnrtSuccess : wait_for(notifier, queue);
}

MLUSIM_API cnrtRet_t cnrtNotifierCreate(cnrtNotifier_t* notifier) { return make_notifier(notifier, 0); }
MLUSIM_API cnrtRet_t cnrtCreateNotifier(cnrtNotifier_t* notifier) { return make_notifier(notifier, 0); }
MLUSIM_API cnrtRet_t cnrtNotifierCreateWithFlags(cnrtNotifier_t* notifier, unsigned int flags) {
  return make_notifier(notifier, flags);
}
MLUSIM_API cnrtRet_t cnrtNotifierDestroy(cnrtNotifier_t notifier) { return drop_notifier(notifier); }
MLUSIM_API cnrtRet_t cnrtDestroyNotifier(cnrtNotifier_t* notifier) {
  if (!notifier) return failed(cnrtErrorArgsInvalid, "the pointer to the notifier is null");
  cnrtRet_t status = drop_notifier(*notifier);
  if (status == cnrtSuccess) *notifier = nullptr;
  return status;
}

MLUSIM_API cnrtRet_t cnrtIpcGetNotifierHandle(cnrtIpcNotifierHandle* handle, cnrtNotifier_t notifier) {
  if (!handle) return failed(cnrtErrorArgsInvalid, "the pointer to the handle is null");
  if (!exists(notifier)) return last_status(false);
  if ((notifier->flags & SHARED) != SHARED)
    return failed(cnrtErrorArgsInvalid,
                  "only a notifier made with CNRT_NOTIFIER_INTERPROCESS and CNRT_NOTIFIER_DISABLE_TIMING_ALL has one");
  *handle = {{notifier->mark->handle()}};
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtIpcOpenNotifierHandle(cnrtNotifier_t* notifier, cnrtIpcNotifierHandle handle) {
  std::string why;
  auto mark = SharedMark::open(handle.res[0], why);
  return mark ? make_notifier(notifier, CNRT_NOTIFIER_DISABLE_TIMING_ALL, std::move(mark))
              : failed(cnrtErrorArgsInvalid, why);
}

MLUSIM_API cnrtRet_t cnrtPlaceNotifier(cnrtNotifier_t notifier, cnrtQueue_t queue) {
  return place_in(notifier, queue, CNRT_NOTIFIER_PLACE_DEFAULT);
}
MLUSIM_API cnrtRet_t cnrtPlaceNotifierWithFlags(cnrtNotifier_t notifier, cnrtQueue_t queue, unsigned int flags) {
  return place_in(notifier, queue, flags);
}

MLUSIM_API cnrtRet_t cnrtQueryNotifier(cnrtNotifier_t notifier) {
  Place where = MLUSIM_HERE;
  if (!exists(notifier)) return last_status(false);
  if (notifier->is_elsewhere())
    return notifier->mark->is_reached(notifier->mark->placed()) ? cnrtSuccess : cnrtErrorNotReady;
  if (notifier->queue && is_left(notifier->queue, notifier->ticket)) return cnrtErrorNotReady;
  cnrtRet_t status = status_of(call(AskNotifier{notifier->number}));
  if (status == cnrtSuccess && notifier->queue) arrive(notifier->queue, notifier->device, where, notifier->transfer);
  return status;
}

MLUSIM_API cnrtRet_t cnrtWaitNotifier(cnrtNotifier_t notifier) {
  Place where = MLUSIM_HERE;
  if (!exists(notifier)) return last_status(false);
  if (notifier->is_elsewhere()) return wait_elsewhere(*notifier->mark, notifier->mark->placed());
  if (!notifier->queue) return cnrtSuccess;
  drain(notifier->queue, notifier->ticket);
  auto waited = call(WaitForNotifier{notifier->number, where});
  arrive(notifier->queue, notifier->device, where, notifier->transfer);
  return status_of(waited);
}

MLUSIM_API cnrtRet_t cnrtNotifierDuration(cnrtNotifier_t start, cnrtNotifier_t end, float* microseconds) {
  return elapsed(start, end, CNRT_NOTIFIER_DISABLE_TIMING_ALL, 1e3, microseconds);
}
MLUSIM_API cnrtRet_t cnrtNotifierElapsedTime(cnrtNotifier_t start, cnrtNotifier_t end, float* milliseconds) {
  return elapsed(start, end, CNRT_NOTIFIER_DISABLE_TIMING_ALL | CNRT_NOTIFIER_DISABLE_TIMING_SW, 1e6, milliseconds);
}
