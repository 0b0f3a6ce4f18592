// Queues, notifiers, captures and topologies of the driver: those of the runtime by other names.
#include "cndrv_status.h"

CNDRV_API CNresult cnInvokeHostFunc(CNqueue queue, CNhostFn function, void* data) {
  FROM_CALLER;
  return status(cnrtInvokeHostFunc(queue, function, data));
}
CNDRV_API CNresult cnWaitNotifier(CNnotifier notifier) {
  FROM_CALLER;
  return status(cnrtWaitNotifier(notifier));
}
CNDRV_API CNresult cnCreateQueue(CNqueue* queue, unsigned int) { return status(cnrtQueueCreate(queue)); }
CNDRV_API CNresult cnCreateQueueWithPriority(CNqueue* queue, unsigned int flags, int priority) {
  return status(cnrtQueueCreateWithPriority(queue, flags, priority));
}
CNDRV_API CNresult cnQueueGetPriority(CNqueue queue, int* priority) {
  return status(cnrtQueueGetPriority(queue, priority));
}
CNDRV_API CNresult cnDestroyQueue(CNqueue queue) { return status(cnrtQueueDestroy(queue)); }
CNDRV_API CNresult cnQueueWaitNotifier(CNqueue queue, CNnotifier notifier) {
  return status(cnrtQueueWaitNotifier(notifier, queue, 0));
}
CNDRV_API CNresult cnQueueWaitNotifierWithFlags(CNqueue queue, CNnotifier notifier, unsigned int flags) {
  return status(cnrtQueueWaitNotifier(notifier, queue, flags));
}
CNDRV_API CNresult cnCreateNotifier(CNnotifier* notifier, unsigned int flags) {
  return status(cnrtNotifierCreateWithFlags(notifier, flags));
}
CNDRV_API CNresult cnDestroyNotifier(CNnotifier notifier) { return status(cnrtNotifierDestroy(notifier)); }
CNDRV_API CNresult cnPlaceNotifier(CNnotifier notifier, CNqueue queue) {
  return status(cnrtPlaceNotifier(notifier, queue));
}
CNDRV_API CNresult cnPlaceNotifierWithFlags(CNnotifier notifier, CNqueue queue, unsigned int flags) {
  return status(cnrtPlaceNotifierWithFlags(notifier, queue, flags));
}
CNDRV_API CNresult cnQueryQueue(CNqueue queue) {
  FROM_CALLER;
  return status(cnrtQueueQuery(queue));
}
CNDRV_API CNresult cnQueryNotifier(CNnotifier notifier) {
  FROM_CALLER;
  return status(cnrtQueryNotifier(notifier));
}
CNDRV_API CNresult cnNotifierElapsedTime(float* milliseconds, CNnotifier start, CNnotifier end) {
  return status(cnrtNotifierElapsedTime(start, end, milliseconds));
}
CNDRV_API CNresult cnQueueSync(CNqueue queue) {
  FROM_CALLER;
  return status(cnrtQueueSync(queue));
}
CNDRV_API CNresult cnQueueQuery(CNqueue queue) { return status(cnrtQueueQuery(queue)); }
CNDRV_API CNresult cnIpcGetNotifierHandle(CNIpcNotifierHandle* handle, CNnotifier notifier) {
  return status(cnrtIpcGetNotifierHandle((cnrtIpcNotifierHandle*)handle, notifier));
}
CNDRV_API CNresult cnIpcOpenNotifierHandle(CNnotifier* notifier, CNIpcNotifierHandle handle) {
  return status(cnrtIpcOpenNotifierHandle(notifier, *(cnrtIpcNotifierHandle*)&handle));
}

// Captures and topologies, but for nodes of kernels.
#define OF(runtime, driver) driver
#define MLUSIM_TWIN(name, parameters, arguments) \
  CNDRV_API CNresult cn##name parameters {       \
    FROM_CALLER;                                 \
    return status(cnrt##name arguments);         \
  }
#include "mlusim_topologies.h"
