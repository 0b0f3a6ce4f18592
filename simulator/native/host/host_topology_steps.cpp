// What instances of topologies do: steps, each of a node; copies of topologies.
#include <algorithm>
#include <set>

#include "host_topology.h"

namespace mlusim {
namespace {

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

std::unique_ptr<CNtaskTopo_st> clone(const CNtaskTopo_st& original) {
  std::map<cnrtTaskTopoNode_t, cnrtTaskTopoNode_t> twin;
  std::unique_ptr<CNtaskTopo_st> copy(new CNtaskTopo_st);
  copy->references.add(original.references);
  for (auto& node : original.nodes) {
    Task task = node->task;
    if (auto* child = std::get_if<ChildNode>(&task.node)) child->topology = owned(clone(*child->topology));
    twin[node.get()] = add_node(copy.get(), std::move(task), {});
    twin[node.get()]->original = node.get();
  }
  for (auto& node : original.nodes)
    for (cnrtTaskTopoNode_t each : node->before) twin[node.get()]->before.push_back(twin[each]);
  return copy;
}

std::shared_ptr<CNtaskTopo_st> owned(std::unique_ptr<CNtaskTopo_st> child) {
  child->is_child = true;
  enroll(child.get());
  return {child.release(), [](cnrtTaskTopo_t topology) {
            strike(topology);
            delete topology;
          }};
}

bool steps_of(const CNtaskTopo_st& topology, std::vector<CNtaskTopoStep_st>& steps) {
  std::map<cnrtTaskTopoNode_t, size_t> number;
  bool whole = true;
  for (cnrtTaskTopoNode_t node : ordered(topology)) {
    CNtaskTopoStep_st step = {node->task, node, {}, {}};
    for (cnrtTaskTopoNode_t each : node->before) step.before.push_back(number[each]);
    std::sort(step.before.begin(), step.before.end());
    if (auto* child = std::get_if<ChildNode>(&node->task.node)) whole &= steps_of(*child->topology, step.steps);
    number[node] = steps.size();
    steps.push_back(std::move(step));
  }
  return whole && steps.size() == topology.nodes.size();
}

cnrtTaskTopoEntityUpdateResult_t replace(std::vector<CNtaskTopoStep_st>& steps,
                                         const std::vector<CNtaskTopoStep_st>& others, cnrtTaskTopoNode_t& wrong) {
  if (steps.size() != others.size()) return cnrtTaskTopoEntityUpdateErrorTopologyChanged;
  std::vector<CNtaskTopoStep_st> made = steps;
  for (size_t i = 0; i < steps.size(); i++) {
    auto found = cnrtTaskTopoEntityUpdateSuccess;
    if (made[i].before != others[i].before) found = cnrtTaskTopoEntityUpdateErrorTopologyChanged;
    if (made[i].task.type() != others[i].task.type()) found = cnrtTaskTopoEntityUpdateErrorNodeTypeChanged;
    if (found == cnrtTaskTopoEntityUpdateSuccess) found = replace(made[i].steps, others[i].steps, wrong);
    if (found != cnrtTaskTopoEntityUpdateSuccess) return wrong = others[i].node, found;
    made[i].task = others[i].task;  // it keeps its own node
  }
  steps = std::move(made);
  return cnrtTaskTopoEntityUpdateSuccess;
}

}  // namespace mlusim
