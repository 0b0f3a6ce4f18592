// Calls for nodes of topologies: what they do, by the parameters of a call that would put it into a queue.
#include "host_link.h"
#include "host_memory.h"
#include "host_notifiers.h"
#include "host_status.h"
#include "host_topology.h"

using namespace mlusim;

namespace {

// The parameters of nodes, and the part of a task that is made of each.
template <class T>
struct Made {
  using Node = T;
};
template <>
struct Made<cnrtKernelNodeParams_t> {
  using Node = KernelNode;
};

cnrtRet_t put(const cnrtHostNodeParams_t& given) { return cnrtInvokeHostFunc(nullptr, given.fn, given.userData); }
cnrtRet_t put(const cnrtKernelNodeParams_t& given) {
  return cnrtInvokeKernel(given.func, given.dim, given.type, given.kernelParams, 0, nullptr);
}
cnrtRet_t put(const cnrtMemcpy3dParam_t& given) {
  if (given.extent.height > 1 || given.extent.depth > 1) return failed(cnrtErrorNotSupport, "a node copies one row");
  return cnrtMemcpy3DAsync(&given, nullptr);
}
cnrtRet_t put(const cnrtMemsetParams_t& given) {
  size_t size = given.elementSize;
  if (given.height > 1 || (size != 1 && size != 2 && size != 4))
    return failed(cnrtErrorNotSupport, "a node sets one row, of elements of 1, 2 or 4 bytes");
  Queue queue;
  if (!queue_of(nullptr, queue)) return last_status(false);
  return fill(given.dst, given.value, given.width, size, queue.number, called().where);
}

template <class T>
cnrtRet_t task_of(const T* params, Task& task) {
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  cnrtRet_t status = cnrtSuccess;
  Task found = collected([=] { return put(*params); }, status);
  if (status == cnrtSuccess) task = std::move(found);
  return status;
}

cnrtRet_t add(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology, const cnrtTaskTopoNode_t* before, size_t count,
              Task task) {
  if (!node || (count && !before)) return failed(cnrtErrorArgsInvalid, "a pointer to nodes is null");
  if (!exists(topology)) return last_status(false);
  *node = add_node(topology, std::move(task), {before, before + count});
  return cnrtSuccess;
}

template <class T>
cnrtRet_t add(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology, const cnrtTaskTopoNode_t* before, size_t count,
              const T* params) {
  Task task;
  cnrtRet_t status = task_of(params, task);
  return status == cnrtSuccess ? add(node, topology, before, count, std::move(task)) : status;
}

// What a node has of a type; null (and the status is set) for another one.
template <class T>
T* part_of(cnrtTaskTopoNode_t node) {
  T* found = node ? std::get_if<T>(&node->task.node) : nullptr;
  if (!found) failed(cnrtErrorArgsInvalid, "the node is null, or of another type");
  return found;
}

// The step that an instance has of a node, in topologies that are nodes too.
CNtaskTopoStep_st* find(std::vector<CNtaskTopoStep_st>& steps, cnrtTaskTopoNode_t node) {
  for (auto& step : steps) {
    if (step.node == node) return &step;
    if (auto* found = find(step.steps, node)) return found;
  }
  return nullptr;
}
template <class T>
CNtaskTopoStep_st* step_of(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node) {
  if (!exists(entity)) return nullptr;
  CNtaskTopoStep_st* step = find(entity->steps, node);
  if (step && std::holds_alternative<T>(step->task.node)) return step;
  failed(cnrtErrorArgsInvalid, "the instance was made of no such node, or of one of another type");
  return nullptr;
}

// Give a node of a topology, or the step that an instance has of it, other parameters.
template <class T>
cnrtRet_t change(cnrtTaskTopoNode_t node, const T* params) {
  return part_of<typename Made<T>::Node>(node) ? task_of(params, node->task) : last_status(false);
}
template <class T>
cnrtRet_t change(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node, const T* params) {
  CNtaskTopoStep_st* step = step_of<typename Made<T>::Node>(entity, node);
  return step ? task_of(params, step->task) : last_status(false);
}

template <class T>
cnrtRet_t give(cnrtTaskTopoNode_t node, T* params) {
  T* found = part_of<T>(node);
  if (!found) return last_status(false);
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  *params = *found;
  return cnrtSuccess;
}
cnrtRet_t give(cnrtTaskTopoNode_t node, cnrtKernelNodeParams_t* params) {
  auto* found = part_of<KernelNode>(node);
  if (!found) return last_status(false);
  if (!params) return failed(cnrtErrorArgsInvalid, "the parameters of a node are null");
  if (!found->function)
    return failed(cnrtErrorNotSupport, "the node is a library's operation, which has no parameters");
  found->pointers.clear();
  for (auto& value : found->values) found->pointers.push_back(value.data());
  *params = {const_cast<void*>(found->function),
             found->dim,
             (cnrtFunctionType_t)found->type,
             0,
             found->pointers.data(),
             nullptr};
  return cnrtSuccess;
}

// Of a node that places a notifier, or waits for one.
template <class T>
cnrtRet_t give_notifier(cnrtTaskTopoNode_t node, cnrtNotifier_t* notifier) {
  T* found = part_of<T>(node);
  if (!found) return last_status(false);
  if (!notifier) return failed(cnrtErrorArgsInvalid, "the pointer to the notifier is null");
  *notifier = found->notifier;
  return cnrtSuccess;
}
template <class T>
cnrtRet_t set_notifier(cnrtTaskTopoNode_t node, cnrtNotifier_t notifier) {
  T* found = part_of<T>(node);
  if (!found || !exists(notifier)) return last_status(false);
  found->notifier = notifier;
  return cnrtSuccess;
}
template <class T>
cnrtRet_t set_notifier(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node, cnrtNotifier_t notifier) {
  CNtaskTopoStep_st* step = step_of<T>(entity, node);
  if (!step || !exists(notifier)) return last_status(false);
  step->task.node = T{notifier};
  return cnrtSuccess;
}

}  // namespace

MLUSIM_API cnrtRet_t cnrtTaskTopoAddEmptyNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                              const cnrtTaskTopoNode_t* before, size_t count) {
  return add(node, topology, before, count, Task());
}

#define NODE(Kind, T)                                                                                                 \
  MLUSIM_API cnrtRet_t cnrtTaskTopoAdd##Kind##Node(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,                 \
                                                   const cnrtTaskTopoNode_t* before, size_t count, const T* params) { \
    return add(node, topology, before, count, params);                                                                \
  }                                                                                                                   \
  MLUSIM_API cnrtRet_t cnrtTaskTopo##Kind##NodeGetParams(cnrtTaskTopoNode_t node, T* params) {                        \
    return give(node, params);                                                                                        \
  }                                                                                                                   \
  MLUSIM_API cnrtRet_t cnrtTaskTopo##Kind##NodeSetParams(cnrtTaskTopoNode_t node, const T* params) {                  \
    return change(node, params);                                                                                      \
  }                                                                                                                   \
  MLUSIM_API cnrtRet_t cnrtTaskTopoEntity##Kind##NodeSetParams(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node,  \
                                                               const T* params) {                                     \
    return change(entity, node, params);                                                                              \
  }
NODE(Host, cnrtHostNodeParams_t)
NODE(Kernel, cnrtKernelNodeParams_t)
NODE(Memcpy, cnrtMemcpy3dParam_t)
NODE(Memset, cnrtMemsetParams_t)

#define NOTIFIER_NODE(Kind, T)                                                                                    \
  MLUSIM_API cnrtRet_t cnrtTaskTopoAddNotifier##Kind##Node(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,     \
                                                           const cnrtTaskTopoNode_t* before, size_t count,        \
                                                           cnrtNotifier_t notifier) {                             \
    return exists(notifier) ? add(node, topology, before, count, Task{T{notifier}, {}}) : last_status(false);     \
  }                                                                                                               \
  MLUSIM_API cnrtRet_t cnrtTaskTopoNotifier##Kind##NodeGetNotifier(cnrtTaskTopoNode_t node, cnrtNotifier_t* to) { \
    return give_notifier<T>(node, to);                                                                            \
  }                                                                                                               \
  MLUSIM_API cnrtRet_t cnrtTaskTopoNotifier##Kind##NodeSetNotifier(cnrtTaskTopoNode_t node, cnrtNotifier_t to) {  \
    return set_notifier<T>(node, to);                                                                             \
  }                                                                                                               \
  MLUSIM_API cnrtRet_t cnrtTaskTopoEntityNotifier##Kind##NodeSetNotifier(                                         \
      cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node, cnrtNotifier_t notifier) {                            \
    return set_notifier<T>(entity, node, notifier);                                                               \
  }
NOTIFIER_NODE(Place, PlaceNode)
NOTIFIER_NODE(Wait, WaitNode)

MLUSIM_API cnrtRet_t cnrtTaskTopoAddChildTopoNode(cnrtTaskTopoNode_t* node, cnrtTaskTopo_t topology,
                                                  const cnrtTaskTopoNode_t* before, size_t count,
                                                  cnrtTaskTopo_t child) {
  if (!exists(child)) return last_status(false);
  return add(node, topology, before, count, Task{ChildNode{owned(clone(*child))}, {}});
}

MLUSIM_API cnrtRet_t cnrtTaskTopoChildTopoNodeGetTopo(cnrtTaskTopoNode_t node, cnrtTaskTopo_t* child) {
  auto* found = part_of<ChildNode>(node);
  if (!found) return last_status(false);
  if (!child) return failed(cnrtErrorArgsInvalid, "the pointer to the topology is null");
  *child = found->topology.get();
  return cnrtSuccess;
}

MLUSIM_API cnrtRet_t cnrtTaskTopoEntityChildTopoNodeSetParams(cnrtTaskTopoEntity_t entity, cnrtTaskTopoNode_t node,
                                                              cnrtTaskTopo_t child) {
  CNtaskTopoStep_st* step = step_of<ChildNode>(entity, node);
  std::vector<CNtaskTopoStep_st> steps;
  cnrtTaskTopoNode_t wrong = nullptr;
  if (!step || !exists(child)) return last_status(false);
  if (steps_of(*child, steps) && replace(step->steps, steps, wrong) == cnrtTaskTopoEntityUpdateSuccess)
    return cnrtSuccess;
  return failed(cnrtErrorArgsInvalid, "the topology has other nodes or dependencies than that of the node");
}

// The window of its accesses to a cache that there is not.
MLUSIM_API cnrtRet_t cnrtTaskTopoKernelNodeGetAttribute(cnrtTaskTopoNode_t node, cnrtKernelNodeAttr_t,
                                                        cnrtKernelNodeAttrValue_t* value) {
  auto* kernel = part_of<KernelNode>(node);
  if (!kernel) return last_status(false);
  if (!value) return failed(cnrtErrorArgsInvalid, "the pointer to the value is null");
  *value = kernel->attribute;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtTaskTopoKernelNodeSetAttribute(cnrtTaskTopoNode_t node, cnrtKernelNodeAttr_t,
                                                        const cnrtKernelNodeAttrValue_t* value) {
  auto* kernel = part_of<KernelNode>(node);
  if (!kernel) return last_status(false);
  if (!value) return failed(cnrtErrorArgsInvalid, "the pointer to the value is null");
  kernel->attribute = *value;
  return cnrtSuccess;
}
MLUSIM_API cnrtRet_t cnrtTaskTopoKernelNodeCopyAttributes(cnrtTaskTopoNode_t to, cnrtTaskTopoNode_t from) {
  auto *target = part_of<KernelNode>(to), *source = part_of<KernelNode>(from);
  if (!target || !source) return last_status(false);
  target->attribute = source->attribute;
  return cnrtSuccess;
}
