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
// The number of the default queue of this thread and device, 0 if it has not been used.
uint64_t default_queue();
cnrtRet_t make_queue(cnrtQueue_t* handle);
cnrtRet_t drop_queue(cnrtQueue_t handle);
cnrtRet_t sync_queue(cnrtQueue_t handle, Place where);
cnrtRet_t sync_device(Place where);
// The queues and notifiers of a device go, and what has failed there is forgotten.
void reset_queues(int device);
// The status that a reply of the device process has; where it is one of work that failed, a finding has said so.
cnrtRet_t status_of(bool lost, uint64_t status, const std::string& problem);
template <class Answer>
cnrtRet_t status_of(const Answered<Answer>& answer) {
  return status_of(answer.lost, answer.status, answer.problem);
}

}  // namespace mlusim
