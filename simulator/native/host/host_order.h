// Work of queues that comes behind host functions, which run on threads of the runtime: carried out in the queue's
// order.
#pragma once
#include <stdint.h>

#include "host_task.h"

namespace mlusim {

// A place in the order of a queue's work; 0 is one that has been reached.
using Ticket = uint64_t;

// Carry out work of a queue: now, or on its thread behind the host functions that are still to run. A queue that is
// being captured keeps it instead.
Ticket in_order(uint64_t queue, Task task);
// Carry out work of a queue on its thread.
void on_thread(uint64_t queue, Work work);
// Wait until the work of a queue has been carried out, up to a ticket; of all queues for queue 0.
void drain(uint64_t queue, Ticket until = UINT64_MAX);
// Whether work of a queue is left to be carried out, up to a ticket.
bool is_left(uint64_t queue, Ticket until = UINT64_MAX);
// Call a function of the program; meanwhile this thread may not use the runtime.
void call_host_function(cnrtHostFn_t function, void* data);
bool in_host_function();
// Whether this thread carries out work of a queue.
bool on_lane();

}  // namespace mlusim
