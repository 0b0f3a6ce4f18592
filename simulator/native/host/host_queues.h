// Queues and notifiers: handles of the program, and their numbers at the device process.
#pragma once
#include <stdint.h>

#include <string>

#include "cnrt.h"
#include "host_places.h"

namespace mlusim {

struct Queue {
  uint64_t number;
  int device;
};

// The queue of a handle, the default one of this thread and device for null; false (and the status is set) for one that
// is none.
bool queue_of(cnrtQueue_t handle, Queue& found);
cnrtRet_t make_queue(cnrtQueue_t* handle);
cnrtRet_t drop_queue(cnrtQueue_t handle);
cnrtRet_t sync_queue(cnrtQueue_t handle, Place where);
cnrtRet_t sync_device(Place where);
cnrtRet_t make_notifier(cnrtNotifier_t* handle);
cnrtRet_t drop_notifier(cnrtNotifier_t handle);
bool notifier_of(cnrtNotifier_t handle, uint64_t& number);
cnrtRet_t elapsed(cnrtNotifier_t start, cnrtNotifier_t end, double unit_ns, float* time);
// The status that a reply of the device process has.
cnrtRet_t status_of(bool lost, uint64_t status, const std::string& problem);
template <class Answer>
cnrtRet_t status_of(const Answered<Answer>& answer) {
  return status_of(answer.lost, answer.status, answer.problem);
}

}  // namespace mlusim
