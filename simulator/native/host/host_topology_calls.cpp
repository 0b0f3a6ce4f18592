// Calls for captures and task topologies. A topology is carried out in one queue, in an order that its dependencies
// have.
#include <algorithm>
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

// Add a node that does what a call would put into a queue.
cnrtRet_t add(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology, cnrtTaskTopoNodeType_t type,
              const cnrtTaskTopoNode_t* before, size_t count, const std::function<cnrtRet_t()>& call) {
  if (!node || (count && !before)) return failed(cnrtErrorArgsInvalid, "a pointer to nodes is null");
  if (!exists(topology)) return last_status(false);
  cnrtRet_t status = cnrtSuccess;
  Work work = call ? collected(call, status) : nullptr;
  if (status == cnrtSuccess) *node = add_node(topology, type, std::move(work), {before, before + count});
  return status;
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
  return add(node, topology, cnrtTaskTopoNodeTypeEmpty, before, count, nullptr);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddHostNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                             const cnrtTaskTopoNode_t* before, size_t count,
                                             const cnrtHostNodeParams_t* params) {
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  auto call = [=] { return cnrtInvokeHostFunc(nullptr, params->fn, params->userData); };
  return add(node, topology, cnrtTaskTopoNodeTypeHost, before, count, call);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddKernelNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                               const cnrtTaskTopoNode_t* before, size_t count,
                                               const cnrtKernelNodeParams_t* params) {
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  auto call = [=] {
    return cnrtInvokeKernel(params->func, params->dim, params->type, params->kernelParams, 0, nullptr);
  };
  return add(node, topology, cnrtTaskTopoNodeTypeKernel, before, count, call);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddMemcpyNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                               const cnrtTaskTopoNode_t* before, size_t count,
                                               const cnrtMemcpy3dParam_t* params) {
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  if (params->extent.height > 1 || params->extent.depth > 1)
    return failed(cnrtErrorNotSupport, "a node copies one row");
  auto call = [=] { return cnrtMemcpy3DAsync(params, nullptr); };
  return add(node, topology, cnrtTaskTopoNodeTypeMemcpy, before, count, call);
}

MLUSIM_API cnrtRet_t cnrtTaskTopoAddMemsetNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                               const cnrtTaskTopoNode_t* before, size_t count,
                                               const cnrtMemsetParams_t* params) {
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  if (params->height > 1 || (params->elementSize != 1 && params->elementSize != 4))
    return failed(cnrtErrorNotSupport, "a node sets one row, of elements of 1 or 4 bytes");
  auto call = [=] {
    return params->elementSize == 1 ? cnrtMemsetAsync(params->dst, (int)params->value, params->width, nullptr)
                                    : cnrtMemsetD32Async(params->dst, params->value, params->width, nullptr);
  };
  return add(node, topology, cnrtTaskTopoNodeTypeMemset, before, count, call);
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
  auto order = ordered(*topology);
  if (order.size() < topology->nodes.size()) return failed(cnrtErrorArgsInvalid, "nodes depend on each other");
  *entity = new CNtaskTopoEntity_st;
  for (cnrtTaskTopoNode_t node : order) (*entity)->steps.emplace_back(node->type, node->work);
  Locked lock(made().mutex);
  made().entities.insert(*entity);
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityInvoke(cnrtTaskTopoEntity_t entity, cnrtQueue_t handle) {
  Queue queue;
  if (!exists(entity) || !queue_of(handle, queue)) return last_status(false);
  for (auto& [type, work] : entity->steps) take_step(queue.number, type, work);
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
