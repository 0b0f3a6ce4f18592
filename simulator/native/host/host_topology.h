// Task topologies: work of queues that is kept in place of being carried out, by a capture or by hand.
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <vector>

#include "cnrt.h"
#include "host_queues.h"
#include "host_task.h"

struct CNuserObject_st {
  void* data;
  cnrtHostFn_t destroy;
  std::atomic<uint64_t> references;
};

namespace mlusim {

// References to objects of the program, which go with it.
class References {
 public:
  References() = default;
  References(const References&) = delete;
  References& operator=(const References&) = delete;
  ~References();
  void add(const References& other);
  void add(cnrtUserObject_t object, unsigned int count) { all_[object] += count; }
  // False if there are not so many.
  bool remove(cnrtUserObject_t object, unsigned int count);

 private:
  std::map<cnrtUserObject_t, unsigned int> all_;
};

}  // namespace mlusim

struct CNtaskTopoNode_st {
  cnrtTaskTopo_t topology;
  mlusim::Task task;
  std::vector<cnrtTaskTopoNode_t> before;
  cnrtTaskTopoNode_t original = nullptr;  // that it is a copy of
};
struct CNtaskTopo_st {
  std::vector<std::unique_ptr<CNtaskTopoNode_st>> nodes;  // each comes after those that it depends on, as a rule
  mlusim::References references;
  bool is_child = false;  // it belongs to a node
};
// What an instance does: `node` is that of the topology it was made from, `before` are numbers of steps.
struct CNtaskTopoStep_st {
  mlusim::Task task;
  cnrtTaskTopoNode_t node;
  std::vector<size_t> before;
  std::vector<CNtaskTopoStep_st> steps;  // of a topology in it
};
struct CNtaskTopoEntity_st {
  std::vector<CNtaskTopoStep_st> steps;
  std::shared_ptr<mlusim::References> references;  // of what is under way, too
};

namespace mlusim {

// Whether work of a queue, or of this thread, is kept.
bool is_captured(uint64_t queue);
void capture(uint64_t queue, Task task);
// A notifier is placed in a captured queue; a queue waits for it, and is captured from then on.
bool capture_notifier(uint64_t queue, cnrtNotifier_t notifier);
bool capture_wait(uint64_t queue, cnrtNotifier_t notifier);
// A captured queue is asked for what it cannot do; false if it is not captured.
bool refuse_captured(uint64_t queue);

// Topologies and instances that handles may name; `exists` says so (and sets the status) where one does not.
bool exists(cnrtTaskTopo_t topology);
bool exists(cnrtTaskTopoEntity_t entity);
void enroll(cnrtTaskTopo_t topology);
void enroll(cnrtTaskTopoEntity_t entity);
void strike(cnrtTaskTopo_t topology);
void strike(cnrtTaskTopoEntity_t entity);

// Add a node to a topology.
cnrtTaskTopoNode_t add_node(cnrtTaskTopo_t topology, Task task, std::vector<cnrtTaskTopoNode_t> before);
// A copy of a topology, and of those in it.
std::unique_ptr<CNtaskTopo_st> clone(const CNtaskTopo_st& original);
// A topology that belongs to a node.
std::shared_ptr<CNtaskTopo_st> owned(std::unique_ptr<CNtaskTopo_st> child);
// The nodes of a topology as steps, each after those that it depends on; false where they depend on each other.
bool steps_of(const CNtaskTopo_st& topology, std::vector<CNtaskTopoStep_st>& steps);
// Give steps what others do that were made of a topology of the same shape: whether they were, and which node is wrong.
cnrtTaskTopoEntityUpdateResult_t replace(std::vector<CNtaskTopoStep_st>& steps,
                                         const std::vector<CNtaskTopoStep_st>& others, cnrtTaskTopoNode_t& wrong);
// What a call that puts work into a queue would have put there.
Task collected(const std::function<cnrtRet_t()>& call, cnrtRet_t& status);
// Carry out a step of a topology in a queue.
cnrtRet_t take_step(const Queue& queue, const Task& task);
cnrtRet_t take_steps(const Queue& queue, const std::vector<CNtaskTopoStep_st>& steps,
                     const std::shared_ptr<References>& references);

cnrtRet_t begin_capture(uint64_t queue);
cnrtRet_t end_capture(uint64_t queue, cnrtTaskTopo_t* topology);
cnrtQueueCaptureStatus_t capture_status(uint64_t queue);
// Of a captured queue: the number of its capture, the topology, and the nodes that its next work comes after.
struct CaptureInfo {
  uint64_t number = 0;
  cnrtTaskTopo_t topology = nullptr;
  std::vector<cnrtTaskTopoNode_t>* ends = nullptr;
};
CaptureInfo capture_info(uint64_t queue);

}  // namespace mlusim
