// Calls for captures and task topologies. A topology is carried out in one queue, in an order that its dependencies
// have.
#include <algorithm>
#include <map>
#include <set>

#include "host_link.h"
#include "host_lock.h"
#include "host_queues.h"
#include "host_status.h"
#include "host_topology.h"

using namespace mlusim;

namespace {

struct Made {
  Lock mutex;
  std::set<cnrtTaskTopo_t> topologies;
  std::set<cnrtTaskTopoEntity_t> entities;
};

Made& made() {
  static Made& all = *new Made;
  return all;
}

bool exists(cnrtTaskTopo_t topology) {
  Locked lock(made().mutex);
  if (made().topologies.count(topology)) return true;
  failed(cnrtErrorArgsInvalid, "the topology does not exist");
  return false;
}

bool exists(cnrtTaskTopoEntity_t entity) {
  Locked lock(made().mutex);
  if (made().entities.count(entity)) return true;
  failed(cnrtErrorArgsInvalid, "the instance of a topology does not exist");
  return false;
}

// What nodes of each type do, from their parameters: what a call would put into a queue.
constexpr cnrtTaskTopoNodeType_t type_of(const cnrtHostNodeParams_t*) { return cnrtTaskTopoNodeTypeHost; }
constexpr cnrtTaskTopoNodeType_t type_of(const cnrtKernelNodeParams_t*) { return cnrtTaskTopoNodeTypeKernel; }
constexpr cnrtTaskTopoNodeType_t type_of(const cnrtMemcpy3dParam_t*) { return cnrtTaskTopoNodeTypeMemcpy; }
constexpr cnrtTaskTopoNodeType_t type_of(const cnrtMemsetParams_t*) { return cnrtTaskTopoNodeTypeMemset; }

cnrtRet_t put(const cnrtHostNodeParams_t& given) { return cnrtInvokeHostFunc(nullptr, given.fn, given.userData); }
cnrtRet_t put(const cnrtKernelNodeParams_t& given) {
  return cnrtInvokeKernel(given.func, given.dim, given.type, given.kernelParams, 0, nullptr);
}
cnrtRet_t put(const cnrtMemcpy3dParam_t& given) {
  if (given.extent.height > 1 || given.extent.depth > 1) return failed(cnrtErrorNotSupport, "a node copies one row");
  return cnrtMemcpy3DAsync(&given, nullptr);
}
cnrtRet_t put(const cnrtMemsetParams_t& given) {
  if (given.height > 1 || (given.elementSize != 1 && given.elementSize != 4))
    return failed(cnrtErrorNotSupport, "a node sets one row, of elements of 1 or 4 bytes");
  return given.elementSize == 1 ? cnrtMemsetAsync(given.dst, (int)given.value, given.width, nullptr)
                                : cnrtMemsetD32Async(given.dst, given.value, given.width, nullptr);
}

template <class T>
cnrtRet_t work_of(const T* params, Work& work) {
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  cnrtRet_t status = cnrtSuccess;
  Work found = collected([=] { return put(*params); }, status);
  if (status == cnrtSuccess) work = std::move(found);
  return status;
}

cnrtRet_t add(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology, cnrtTaskTopoNodeType_t type,
              const cnrtTaskTopoNode_t* before, size_t count, Work work) {
  if (!node || (count && !before)) return failed(cnrtErrorArgsInvalid, "a pointer to nodes is null");
  if (!exists(topology)) return last_status(false);
  *node = add_node(topology, type, std::move(work), {before, before + count});
  return cnrtSuccess;
}

template <class T>
cnrtRet_t add(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology, const cnrtTaskTopoNode_t* before, size_t count,
              const T* params) {
  Work work;
  cnrtRet_t status = work_of(params, work);
  return status == cnrtSuccess ? add(node, topology, type_of(params), before, count, std::move(work)) : status;
}

// Give a node of a topology, or the step that an instance has of it, other parameters.
template <class T>
cnrtRet_t change(cnrtTaskTopoNode_t node, const T* params) {
  if (!node || node->type != type_of(params))
    return failed(cnrtErrorArgsInvalid, "the node is null, or of another type");
  return work_of(params, node->work);
}

template <class T>
cnrtRet_t change(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node, const T* params) {
  if (!exists(entity)) return last_status(false);
  for (auto& step : entity->steps)
    if (step.node == node && step.type == type_of(params)) return work_of(params, step.work);
  return failed(cnrtErrorArgsInvalid, "the instance was made of no such node, or of one of another type");
}

// Copy out what there is of a list, and how much; null asks for the number alone.
cnrtRet_t give(const std::vector<cnrtTaskTopoNode_t>& list, cnrtTaskTopoNode_t* to, size_t* count) {
  if (!count) return failed(cnrtErrorArgsInvalid, "the pointer to the number of nodes is null");
  if (!to) return *count = list.size(), cnrtSuccess;
  size_t many = std::min(*count, list.size());
  std::fill(std::copy(list.begin(), list.begin() + (ptrdiff_t)many, to), to + *count, nullptr);
  *count = many;
  return cnrtSuccess;
}

// The nodes of a topology, each after those that it depends on; fewer where they depend on each other.
std::vector<cnrtTaskTopoNode_t> ordered(const CNtaskTopo_st& topology) {
  std::vector<cnrtTaskTopoNode_t> order;
  std::set<cnrtTaskTopoNode_t> done;
  for (size_t before = 1; before;) {
    before = 0;
    for (auto& node : topology.nodes) {
      auto ready = [&](cnrtTaskTopoNode_t each) { return done.count(each) > 0; };
      if (done.count(node.get()) || !std::all_of(node->before.begin(), node->before.end(), ready)) continue;
      done.insert(node.get()), order.push_back(node.get()), before++;
    }
  }
  return order;
}

std::vector<CNtaskTopoStep_st> steps_of(const CNtaskTopo_st& topology) {
  std::vector<CNtaskTopoStep_st> steps;
  std::map<cnrtTaskTopoNode_t, size_t> number;
  for (cnrtTaskTopoNode_t node : ordered(topology)) {
    std::vector<size_t> before;
    for (cnrtTaskTopoNode_t each : node->before) before.push_back(number[each]);
    std::sort(before.begin(), before.end());
    number[node] = steps.size();
    steps.push_back({node->type, node->work, node, std::move(before)});
  }
  return steps;
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
  if (!queue_of(handle, queue)) return last_status(false);
  cnrtRet_t status = end_capture(queue.number, topology);
  Locked lock(made().mutex);
  if (status == cnrtSuccess) made().topologies.insert(*topology);
  return status;
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
  Locked lock(made().mutex);
  made().topologies.insert(*topology = new CNtaskTopo_st);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoDestroy(cnrtTaskTopo_t topology) {
  if (!exists(topology)) return last_status(false);
  Locked lock(made().mutex);
  made().topologies.erase(topology);
  delete topology;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddEmptyNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                              const cnrtTaskTopoNode_t* before, size_t count) {
  return add(node, topology, cnrtTaskTopoNodeTypeEmpty, before, count, Work());
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddHostNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                             const cnrtTaskTopoNode_t* before, size_t count,
                                             const cnrtHostNodeParams_t* params) {
  return add(node, topology, before, count, params);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddKernelNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                               const cnrtTaskTopoNode_t* before, size_t count,
                                               const cnrtKernelNodeParams_t* params) {
  return add(node, topology, before, count, params);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddMemcpyNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                               const cnrtTaskTopoNode_t* before, size_t count,
                                               const cnrtMemcpy3dParam_t* params) {
  return add(node, topology, before, count, params);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddMemsetNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                               const cnrtTaskTopoNode_t* before, size_t count,
                                               const cnrtMemsetParams_t* params) {
  return add(node, topology, before, count, params);
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
  *type = node->type;
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoInstantiate(cnrtTaskTopoEntity_t* entity, cnrtTaskTopo_t topology,
                                             cnrtTaskTopoNode_t* wrong, char* log, size_t size) {
  if (!entity) return failed(cnrtErrorArgsInvalid, "the pointer to the instance is null");
  if (!exists(topology)) return last_status(false);
  if (wrong) *wrong = nullptr;
  if (log && size) *log = 0;
  auto steps = steps_of(*topology);
  if (steps.size() < topology->nodes.size()) return failed(cnrtErrorArgsInvalid, "nodes depend on each other");
  *entity = new CNtaskTopoEntity_st{std::move(steps)};
  Locked lock(made().mutex);
  made().entities.insert(*entity);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityInvoke(cnrtTaskTopoEntity_t entity, cnrtQueue_t handle) {
  Queue queue;
  if (!exists(entity) || !queue_of(handle, queue)) return last_status(false);
  for (auto& step : entity->steps) take_step(queue.number, step.type, step.work);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoUpload(cnrtTaskTopoEntity_t entity, cnrtQueue_t handle) {
  Queue queue;
  return exists(entity) && queue_of(handle, queue) ? cnrtSuccess : last_status(false);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityDestroy(cnrtTaskTopoEntity_t entity) {
  if (!exists(entity)) return last_status(false);
  Locked lock(made().mutex);
  made().entities.erase(entity);
  delete entity;
  return cnrtSuccess;
}

// Changes of topologies and of their instances.
#define CHANGES(of_node, of_instance, T)                                                                    \
  MLUSIM_API cnrtRet_t of_node(cnrtTaskTopoNode_t node, const T* params) { return change(node, params); }   \
  MLUSIM_API cnrtRet_t of_instance(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node, const T* params) { \
    return change(entity, node, params);                                                                    \
  }
CHANGES(cnrtTaskTopoHostNodeSetParams, cnrtTaskTopoEntityHostNodeSetParams, cnrtHostNodeParams_t)
CHANGES(cnrtTaskTopoKernelNodeSetParams, cnrtTaskTopoEntityKernelNodeSetParams, cnrtKernelNodeParams_t)
CHANGES(cnrtTaskTopoMemcpyNodeSetParams, cnrtTaskTopoEntityMemcpyNodeSetParams, cnrtMemcpy3dParam_t)
CHANGES(cnrtTaskTopoMemsetNodeSetParams, cnrtTaskTopoEntityMemsetNodeSetParams, cnrtMemsetParams_t)

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
  std::map<cnrtTaskTopoNode_t, cnrtTaskTopoNode_t> twin;
  auto cloned = new CNtaskTopo_st;
  for (auto& node : original->nodes) {
    twin[node.get()] = add_node(cloned, node->type, node->work, {});
    twin[node.get()]->original = node.get();
  }
  for (auto& node : original->nodes)
    for (cnrtTaskTopoNode_t each : node->before) twin[node.get()]->before.push_back(twin[each]);
  Locked lock(made().mutex);
  made().topologies.insert(*copy = cloned);
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
  auto steps = steps_of(*topology);
  auto found = cnrtTaskTopoEntityUpdateSuccess;
  cnrtTaskTopoNode_t where = nullptr;
  if (steps.size() != entity->steps.size() || steps.size() != topology->nodes.size())
    found = cnrtTaskTopoEntityUpdateErrorTopologyChanged;
  for (size_t i = 0; i < steps.size() && found == cnrtTaskTopoEntityUpdateSuccess; i++) {
    if (steps[i].type != entity->steps[i].type) found = cnrtTaskTopoEntityUpdateErrorNodeTypeChanged;
    if (steps[i].before != entity->steps[i].before) found = cnrtTaskTopoEntityUpdateErrorTopologyChanged;
    where = steps[i].node;
  }
  if (result) *result = found;
  if (wrong) *wrong = found == cnrtTaskTopoEntityUpdateSuccess ? nullptr : where;
  if (found != cnrtTaskTopoEntityUpdateSuccess)
    return failed(cnrtErrorTaskTopoEntityUpdateFailure,
                  "the topology has other nodes or dependencies than the instance");
  for (size_t i = 0; i < steps.size(); i++) entity->steps[i].work = steps[i].work;  // it keeps its own nodes
  return cnrtSuccess;
}
