// Calls for captures and task topologies. A topology is carried out in one queue, in an order that its dependencies
// have.
#include <algorithm>

#include "host_link.h"
#include "host_status.h"
#include "host_topology.h"

using namespace mlusim;

namespace {

// Copy out what there is of a list, and how much; null asks for the number alone.
cnrtRet_t give(const std::vector<cnrtTaskTopoNode_t>& list, cnrtTaskTopoNode_t* to, size_t* count) {
  if (!count) return failed(cnrtErrorArgsInvalid, "the pointer to the number of nodes is null");
  if (!to) return *count = list.size(), cnrtSuccess;
  size_t many = std::min(*count, list.size());
  std::fill(std::copy(list.begin(), list.begin() + (ptrdiff_t)many, to), to + *count, nullptr);
  *count = many;
  return cnrtSuccess;
}

// What a topology refers to, and those in it.
void refer(const CNtaskTopo_st& topology, References& references) {
  references.add(topology.references);
  for (auto& node : topology.nodes)
    if (auto* child = std::get_if<ChildNode>(&node->task.node)) refer(*child->topology, references);
}

}  // namespace

MLUSIM_API cnrtRet_t cnrtQueueBeginCapture(cnrtQueue_t handle, enum cnrtQueueCaptureMode) {
  Queue queue;
  if (!handle) return failed(cnrtErrorArgsInvalid, "the default queue cannot be captured");
  return queue_of(handle, queue) ? begin_capture(queue.number) : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtQueueEndCapture(cnrtQueue_t handle, cnrtTaskTopo_t* topology) {
  Queue queue;
  if (!topology) return failed(cnrtErrorArgsInvalid, "the pointer to the topology is null");
  return queue_of(handle, queue) ? end_capture(queue.number, topology) : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtQueueGetCaptureInfo(cnrtQueue_t handle, enum cnrtQueueCaptureStatus* status, uint64_t* id,
                                             cnrtTaskTopo_t* topology, const cnrtTaskTopoNode_t** before,
                                             size_t* count) {
  cnrtRet_t asked = cnrtQueueIsCapturing(handle, status);
  if (asked != cnrtSuccess) return asked;
  Queue queue;
  queue_of(handle, queue);
  CaptureInfo found = capture_info(queue.number);
  if (id) *id = found.number;
  if (topology) *topology = found.topology;
  if (before) *before = found.ends ? found.ends->data() : nullptr;
  if (count) *count = found.ends ? found.ends->size() : 0;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtQueueUpdateCaptureDependencies(cnrtQueue_t handle, cnrtTaskTopoNode_t* before, size_t count,
                                                        unsigned int flags) {
  Queue queue;
  if (count && !before) return failed(cnrtErrorArgsInvalid, "a pointer to nodes is null");
  if (!queue_of(handle, queue)) return last_status(false);
  CaptureInfo found = capture_info(queue.number);
  if (!found.ends) return failed(cnrtErrorIllegalState, "the queue is not being captured");
  if (flags == cnrtQueueSetCaptureDependencies) found.ends->clear();
  found.ends->insert(found.ends->end(), before, before + count);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtQueueIsCapturing(cnrtQueue_t handle, enum cnrtQueueCaptureStatus* status) {
  Queue queue;
  if (!status) return failed(cnrtErrorArgsInvalid, "the pointer to the status is null");
  if (!queue_of(handle, queue)) return last_status(false);
  *status = capture_status(queue.number);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtThreadExchangeQueueCaptureMode(cnrtQueueCaptureMode_t* mode) {
  static thread_local cnrtQueueCaptureMode_t own = cnrtQueueCaptureModeGlobal;
  if (!mode) return failed(cnrtErrorArgsInvalid, "the pointer to the mode is null");
  std::swap(own, *mode);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoCreate(cnrtTaskTopo_t* topology, unsigned int) {
  if (!topology) return failed(cnrtErrorArgsInvalid, "the pointer to the topology is null");
  enroll(*topology = new CNtaskTopo_st);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoDestroy(cnrtTaskTopo_t topology) {
  if (!exists(topology)) return last_status(false);
  if (topology->is_child) return failed(cnrtErrorArgsInvalid, "the topology belongs to a node, and goes with it");
  strike(topology);
  delete topology;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddDependencies(cnrtTaskTopo_t topology, const cnrtTaskTopoNode_t* from,
                                                 const cnrtTaskTopoNode_t* to, size_t count) {
  if (!exists(topology)) return last_status(false);
  if (count && (!from || !to)) return failed(cnrtErrorArgsInvalid, "a pointer to nodes is null");
  for (size_t i = 0; i < count; i++) to[i]->before.push_back(from[i]);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoGetNodes(cnrtTaskTopo_t topology, cnrtTaskTopoNode_t* nodes, size_t* count) {
  if (!exists(topology)) return last_status(false);
  std::vector<cnrtTaskTopoNode_t> list;
  for (auto& each : topology->nodes) list.push_back(each.get());
  return give(list, nodes, count);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoGetRootNodes(cnrtTaskTopo_t topology, cnrtTaskTopoNode_t* nodes, size_t* count) {
  if (!exists(topology)) return last_status(false);
  std::vector<cnrtTaskTopoNode_t> list;
  for (auto& each : topology->nodes)
    if (each->before.empty()) list.push_back(each.get());
  return give(list, nodes, count);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoNodeGetDependencies(cnrtTaskTopoNode_t node, cnrtTaskTopoNode_t* before,
                                                     size_t* count) {
  return node ? give(node->before, before, count) : failed(cnrtErrorArgsInvalid, "the node is null");
}

MLUSIM_API cnrtRet_t cnrtTaskTopoNodeGetType(cnrtTaskTopoNode_t node, cnrtTaskTopoNodeType_t* type) {
  if (!node || !type) return failed(cnrtErrorArgsInvalid, "the node, or the pointer to its type, is null");
  *type = node->task.type();
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoInstantiate(cnrtTaskTopoEntity_t* entity, cnrtTaskTopo_t topology,
                                             cnrtTaskTopoNode_t* wrong, char* log, size_t size) {
  if (!entity) return failed(cnrtErrorArgsInvalid, "the pointer to the instance is null");
  if (!exists(topology)) return last_status(false);
  if (wrong) *wrong = nullptr;
  if (log && size) *log = 0;
  std::vector<CNtaskTopoStep_st> steps;
  if (!steps_of(*topology, steps)) return failed(cnrtErrorArgsInvalid, "nodes depend on each other");
  auto references = std::make_shared<References>();
  refer(*topology, *references);
  enroll(*entity = new CNtaskTopoEntity_st{std::move(steps), std::move(references)});
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityInvoke(cnrtTaskTopoEntity_t entity, cnrtQueue_t handle) {
  Queue queue;
  if (!exists(entity) || !queue_of(handle, queue)) return last_status(false);
  return take_steps(queue, entity->steps, entity->references);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoUpload(cnrtTaskTopoEntity_t entity, cnrtQueue_t handle) {
  Queue queue;
  return exists(entity) && queue_of(handle, queue) ? cnrtSuccess : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityDestroy(cnrtTaskTopoEntity_t entity) {
  if (!exists(entity)) return last_status(false);
  strike(entity);
  delete entity;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoRemoveDependencies(cnrtTaskTopo_t topology, const cnrtTaskTopoNode_t* from,
                                                    const cnrtTaskTopoNode_t* to, size_t count) {
  if (!exists(topology)) return last_status(false);
  if (count && (!from || !to)) return failed(cnrtErrorArgsInvalid, "a pointer to nodes is null");
  for (size_t i = 0; i < count; i++) {
    auto& before = to[i]->before;
    auto found = std::find(before.begin(), before.end(), from[i]);
    if (found == before.end()) return failed(cnrtErrorArgsInvalid, "there is no such dependency");
    before.erase(found);
  }
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoDestroyNode(cnrtTaskTopoNode_t node) {
  if (!node || !exists(node->topology)) return failed(cnrtErrorArgsInvalid, "the node does not exist");
  auto& nodes = node->topology->nodes;
  for (auto& each : nodes)
    each->before.erase(std::remove(each->before.begin(), each->before.end(), node), each->before.end());
  nodes.erase(std::find_if(nodes.begin(), nodes.end(), [=](auto& each) { return each.get() == node; }));
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoGetEdges(cnrtTaskTopo_t topology, cnrtTaskTopoNode_t* from, cnrtTaskTopoNode_t* to,
                                          size_t* count) {
  if (!exists(topology)) return last_status(false);
  if (!count || !from != !to) return failed(cnrtErrorArgsInvalid, "one of the pointers is null, and another is not");
  std::vector<cnrtTaskTopoNode_t> begins, ends;
  for (auto& node : topology->nodes)
    for (cnrtTaskTopoNode_t each : node->before) begins.push_back(each), ends.push_back(node.get());
  size_t room = *count;
  cnrtRet_t status = give(begins, from, count);
  return to ? give(ends, to, &room) : status;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoNodeGetDependentNodes(cnrtTaskTopoNode_t node, cnrtTaskTopoNode_t* after,
                                                       size_t* count) {
  if (!node) return failed(cnrtErrorArgsInvalid, "the node is null");
  std::vector<cnrtTaskTopoNode_t> list;
  for (auto& each : node->topology->nodes)
    if (std::count(each->before.begin(), each->before.end(), node)) list.push_back(each.get());
  return give(list, after, count);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoClone(cnrtTaskTopo_t* copy, cnrtTaskTopo_t original) {
  if (!copy) return failed(cnrtErrorArgsInvalid, "the pointer to the topology is null");
  if (!exists(original)) return last_status(false);
  enroll(*copy = clone(*original).release());
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoNodeFindInClone(cnrtTaskTopoNode_t* node, cnrtTaskTopoNode_t original,
                                                 cnrtTaskTopo_t copy) {
  if (!node) return failed(cnrtErrorArgsInvalid, "the pointer to the node is null");
  if (!exists(copy)) return last_status(false);
  for (auto& each : copy->nodes)
    if (each->original == original) return *node = each.get(), cnrtSuccess;
  return failed(cnrtErrorArgsInvalid, "the topology is no copy of one with this node");
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityUpdate(cnrtTaskTopoEntity_t entity, cnrtTaskTopo_t topology,
                                              cnrtTaskTopoNode_t* wrong, cnrtTaskTopoEntityUpdateResult_t* result) {
  if (!exists(entity) || !exists(topology)) return last_status(false);
  std::vector<CNtaskTopoStep_st> steps;
  cnrtTaskTopoNode_t where = nullptr;
  auto found =
      steps_of(*topology, steps) ? replace(entity->steps, steps, where) : cnrtTaskTopoEntityUpdateErrorTopologyChanged;
  if (result) *result = found;
  if (wrong) *wrong = where;
  if (found == cnrtTaskTopoEntityUpdateSuccess) return cnrtSuccess;
  return failed(cnrtErrorTaskTopoEntityUpdateFailure, "the topology has other nodes or dependencies than the instance");
}
