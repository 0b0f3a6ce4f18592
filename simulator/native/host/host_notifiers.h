// Notifiers: where queues have come to.
#pragma once
#include "cnrt.h"
#include "host_queues.h"

namespace mlusim {

// Whether a handle is that of a notifier; the status is set where it is none.
bool exists(cnrtNotifier_t handle);
// A notifier records where a queue has come to; a queue waits for what it has recorded.
cnrtRet_t place(cnrtNotifier_t notifier, const Queue& queue);
cnrtRet_t wait_for(cnrtNotifier_t notifier, const Queue& queue);
// The notifiers of a device go.
void reset_notifiers(int device);

}  // namespace mlusim
