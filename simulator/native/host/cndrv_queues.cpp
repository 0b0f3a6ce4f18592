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

CNDRV_API CNresult cnQueueBeginCapture(CNqueue queue, CNqueueCaptureMode mode) {
  return status(cnrtQueueBeginCapture(queue, (cnrtQueueCaptureMode)mode));
}
CNDRV_API CNresult cnQueueEndCapture(CNqueue queue, CNtaskTopo* topology) {
  return status(cnrtQueueEndCapture(queue, topology));
}
CNDRV_API CNresult cnQueueIsCapturing(CNqueue queue, CNqueueCaptureStatus* found) {
  return status(cnrtQueueIsCapturing(queue, (cnrtQueueCaptureStatus*)found));
}
CNDRV_API CNresult cnThreadExchangeQueueCaptureMode(CNqueueCaptureMode* mode) {
  return status(cnrtThreadExchangeQueueCaptureMode((cnrtQueueCaptureMode_t*)mode));
}
CNDRV_API CNresult cnTaskTopoCreate(CNtaskTopo* topology, unsigned int flags) {
  return status(cnrtTaskTopoCreate(topology, flags));
}
CNDRV_API CNresult cnTaskTopoDestroy(CNtaskTopo topology) { return status(cnrtTaskTopoDestroy(topology)); }
CNDRV_API CNresult cnTaskTopoAddEmptyNode(CNtaskTopoNode* node, CNtaskTopo topology, const CNtaskTopoNode* before,
                                          size_t count) {
  return status(cnrtTaskTopoAddEmptyNode(node, topology, before, count));
}
CNDRV_API CNresult cnTaskTopoAddDependencies(CNtaskTopo topology, const CNtaskTopoNode* from, const CNtaskTopoNode* to,
                                             size_t count) {
  return status(cnrtTaskTopoAddDependencies(topology, from, to, count));
}
CNDRV_API CNresult cnTaskTopoGetNodes(CNtaskTopo topology, CNtaskTopoNode* nodes, size_t* count) {
  return status(cnrtTaskTopoGetNodes(topology, nodes, count));
}
CNDRV_API CNresult cnTaskTopoGetRootNodes(CNtaskTopo topology, CNtaskTopoNode* nodes, size_t* count) {
  return status(cnrtTaskTopoGetRootNodes(topology, nodes, count));
}
CNDRV_API CNresult cnTaskTopoNodeGetDependencies(CNtaskTopoNode node, CNtaskTopoNode* before, size_t* count) {
  return status(cnrtTaskTopoNodeGetDependencies(node, before, count));
}
CNDRV_API CNresult cnTaskTopoNodeGetType(CNtaskTopoNode node, CNtaskTopoNodeType* type) {
  return status(cnrtTaskTopoNodeGetType(node, (cnrtTaskTopoNodeType_t*)type));
}
CNDRV_API CNresult cnTaskTopoInstantiate(CNtaskTopoEntity* entity, CNtaskTopo topology, CNtaskTopoNode* wrong,
                                         char* log, size_t size) {
  return status(cnrtTaskTopoInstantiate(entity, topology, wrong, log, size));
}
CNDRV_API CNresult cnTaskTopoEntityInvoke(CNtaskTopoEntity entity, CNqueue queue) {
  return status(cnrtTaskTopoEntityInvoke(entity, queue));
}
CNDRV_API CNresult cnTaskTopoEntityDestroy(CNtaskTopoEntity entity) {
  return status(cnrtTaskTopoEntityDestroy(entity));
}
CNDRV_API CNresult cnTaskTopoUpload(CNtaskTopoEntity entity, CNqueue queue) {
  return status(cnrtTaskTopoUpload(entity, queue));
}
CNDRV_API CNresult cnTaskTopoClone(CNtaskTopo* copy, CNtaskTopo original) {
  return status(cnrtTaskTopoClone(copy, original));
}
CNDRV_API CNresult cnTaskTopoNodeFindInClone(CNtaskTopoNode* node, CNtaskTopoNode original, CNtaskTopo copy) {
  return status(cnrtTaskTopoNodeFindInClone(node, original, copy));
}
CNDRV_API CNresult cnTaskTopoDestroyNode(CNtaskTopoNode node) { return status(cnrtTaskTopoDestroyNode(node)); }
CNDRV_API CNresult cnTaskTopoGetEdges(CNtaskTopo topology, CNtaskTopoNode* from, CNtaskTopoNode* to, size_t* count) {
  return status(cnrtTaskTopoGetEdges(topology, from, to, count));
}
CNDRV_API CNresult cnTaskTopoRemoveDependencies(CNtaskTopo topology, const CNtaskTopoNode* from,
                                                const CNtaskTopoNode* to, size_t count) {
  return status(cnrtTaskTopoRemoveDependencies(topology, from, to, count));
}
CNDRV_API CNresult cnTaskTopoNodeGetDependentNodes(CNtaskTopoNode node, CNtaskTopoNode* after, size_t* count) {
  return status(cnrtTaskTopoNodeGetDependentNodes(node, after, count));
}
CNDRV_API CNresult cnTaskTopoEntityUpdate(CNtaskTopoEntity entity, CNtaskTopo topology, CNtaskTopoNode* wrong,
                                          CNtaskTopoEntityUpdateResult* result) {
  return status(cnrtTaskTopoEntityUpdate(entity, topology, wrong, (cnrtTaskTopoEntityUpdateResult_t*)result));
}
