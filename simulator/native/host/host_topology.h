// Task topologies: work of queues that is kept in place of being carried out, by a capture or by hand.
#pragma once
#include <memory>
#include <vector>

#include "cnrt.h"
#include "host_order.h"

struct CNtaskTopoNode_st {
  cnrtTaskTopo_t topology;
  cnrtTaskTopoNodeType_t type;
  mlusim::Work work;
  std::vector<cnrtTaskTopoNode_t> before;
  cnrtTaskTopoNode_t original = nullptr;  // that it is a copy of
};
struct CNtaskTopo_st {
  std::vector<std::unique_ptr<CNtaskTopoNode_st>> nodes;  // each comes after those that it depends on, as a rule
};
// What an instance does: `node` is that of the topology it was made from, `before` are numbers of steps.
struct CNtaskTopoStep_st {
  cnrtTaskTopoNodeType_t type;
  mlusim::Work work;
  cnrtTaskTopoNode_t node;
  std::vector<size_t> before;
};
struct CNtaskTopoEntity_st {
  std::vector<CNtaskTopoStep_st> steps;
};

namespace mlusim {

// Whether work of a queue, or of this thread, is kept.
bool is_captured(uint64_t queue);
void capture(uint64_t queue, cnrtTaskTopoNodeType_t type, Work work);
// A notifier is placed in a captured queue; a queue waits for it, and is captured from then on.
bool capture_notifier(uint64_t queue, cnrtNotifier_t notifier);
bool capture_wait(uint64_t queue, cnrtNotifier_t notifier);
// A captured queue is asked for what it cannot do; false if it is not captured.
bool refuse_captured(uint64_t queue);

// Add a node to a topology.
cnrtTaskTopoNode_t add_node(cnrtTaskTopo_t topology, cnrtTaskTopoNodeType_t type, Work work,
                            std::vector<cnrtTaskTopoNode_t> before);
// What a call that puts work into a queue would have put there.
Work collected(const std::function<cnrtRet_t()>& call, cnrtRet_t& status);
// Carry out a step of a topology in a queue.
void take_step(uint64_t queue, cnrtTaskTopoNodeType_t type, const Work& work);

cnrtRet_t begin_capture(uint64_t queue);
cnrtRet_t end_capture(uint64_t queue, cnrtTaskTopo_t* topology);
cnrtQueueCaptureStatus_t capture_status(uint64_t queue);

}  // namespace mlusim
