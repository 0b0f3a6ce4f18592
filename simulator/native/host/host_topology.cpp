#include "host_topology.h"

#include <algorithm>
#include <set>

#include "host_lock.h"
#include "host_notifiers.h"
#include "host_order.h"
#include "host_status.h"

namespace mlusim {
namespace {

struct Capture {
  uint64_t number;
  std::unique_ptr<CNtaskTopo_st> topology{new CNtaskTopo_st};
  uint64_t origin = 0;  // the queue in which it began
  bool is_valid = true;
  std::map<uint64_t, std::vector<cnrtTaskTopoNode_t>> ends;  // what the next work of each queue comes after
  std::map<cnrtNotifier_t, std::vector<cnrtTaskTopoNode_t>> marks;
};

struct Captures {
  Lock mutex;
  std::map<uint64_t, std::shared_ptr<Capture>> all;  // by queue
  uint64_t begun = 0;
};

struct Made {
  Lock mutex;
  std::set<cnrtTaskTopo_t> topologies;
  std::set<cnrtTaskTopoEntity_t> entities;
};

std::atomic<int> captured{0};  // queues
thread_local Task* collecting = nullptr;

Made& made() {
  static Made& all = *new Made;
  return all;
}

Captures& captures() {
  static Captures& made = *new Captures;
  return made;
}

std::shared_ptr<Capture> capture_of(uint64_t queue) {
  if (!captured) return nullptr;
  Locked lock(captures().mutex);
  auto found = captures().all.find(queue);
  return found == captures().all.end() ? nullptr : found->second;
}

// Whether all nodes come before these, or are among them.
bool are_joined(const CNtaskTopo_st& topology, std::vector<cnrtTaskTopoNode_t> open) {
  std::set<cnrtTaskTopoNode_t> seen(open.begin(), open.end());
  while (!open.empty()) {
    cnrtTaskTopoNode_t node = open.back();
    open.pop_back();
    for (cnrtTaskTopoNode_t each : node->before)
      if (seen.insert(each).second) open.push_back(each);
  }
  return seen.size() == topology.nodes.size();
}

}  // namespace

bool is_captured(uint64_t queue) { return collecting || capture_of(queue); }

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
void enroll(cnrtTaskTopo_t topology) {
  Locked lock(made().mutex);
  made().topologies.insert(topology);
}
void enroll(cnrtTaskTopoEntity_t entity) {
  Locked lock(made().mutex);
  made().entities.insert(entity);
}
void strike(cnrtTaskTopo_t topology) {
  Locked lock(made().mutex);
  made().topologies.erase(topology);
}
void strike(cnrtTaskTopoEntity_t entity) {
  Locked lock(made().mutex);
  made().entities.erase(entity);
}

cnrtTaskTopoNode_t add_node(cnrtTaskTopo_t topology, Task task, std::vector<cnrtTaskTopoNode_t> before) {
  topology->nodes.emplace_back(new CNtaskTopoNode_st{topology, std::move(task), std::move(before)});
  return topology->nodes.back().get();
}

void capture(uint64_t queue, Task task) {
  if (collecting) {
    *collecting = std::move(task);
    return;
  }
  auto into = capture_of(queue);
  Locked lock(captures().mutex);
  if (into) into->ends[queue] = {add_node(into->topology.get(), std::move(task), into->ends[queue])};
}

bool capture_notifier(uint64_t queue, cnrtNotifier_t notifier) {
  auto into = capture_of(queue);
  Locked lock(captures().mutex);
  if (into) into->marks[notifier] = into->ends[queue];
  return into != nullptr;
}

bool capture_wait(uint64_t queue, cnrtNotifier_t notifier) {
  if (!captured) return false;
  Captures& made = captures();
  Locked lock(made.mutex);
  for (auto& [other, each] : made.all) {
    auto mark = each->marks.find(notifier);
    if (mark == each->marks.end()) continue;
    auto& ends = each->ends[queue];
    ends.insert(ends.end(), mark->second.begin(), mark->second.end());
    auto joined = each;
    if (made.all.emplace(queue, joined).second) captured++;
    return true;
  }
  return false;
}

bool refuse_captured(uint64_t queue) {
  auto into = capture_of(queue);
  if (!into) return false;
  into->is_valid = false;
  failed(cnrtErrorQueueCaptureUnsupported, "the queue is being captured");
  return true;
}

Task collected(const std::function<cnrtRet_t()>& call, cnrtRet_t& status) {
  Task found;
  collecting = &found;
  status = call();
  collecting = nullptr;
  return found;
}

cnrtRet_t take_step(const Queue& queue, const Task& task) {
  if (is_captured(queue.number)) return capture(queue.number, task), cnrtSuccess;
  if (auto* node = std::get_if<PlaceNode>(&task.node)) return place(node->notifier, queue);
  if (auto* node = std::get_if<WaitNode>(&task.node)) return wait_for(node->notifier, queue);
  if (!task.work) return cnrtSuccess;
  if (task.type() == cnrtTaskTopoNodeTypeHost)
    on_thread(queue.number, task.work);
  else
    in_order(queue.number, task);
  return cnrtSuccess;
}

cnrtRet_t take_steps(const Queue& queue, const std::vector<CNtaskTopoStep_st>& steps,
                     const std::shared_ptr<References>& references) {
  for (auto& step : steps) {
    Task task = step.task;
    if (task.work) task.work = [references, work = step.task.work](uint64_t queue) { work(queue); };
    cnrtRet_t status = task.type() == cnrtTaskTopoNodeTypeTaskTopo ? take_steps(queue, step.steps, references)
                                                                   : take_step(queue, task);
    if (status != cnrtSuccess) return status;
  }
  return cnrtSuccess;
}

cnrtRet_t begin_capture(uint64_t queue) {
  Captures& made = captures();
  Locked lock(made.mutex);
  std::shared_ptr<Capture> begun(new Capture);
  begun->origin = queue, begun->number = ++made.begun;
  if (!made.all.emplace(queue, begun).second) return failed(cnrtErrorIllegalState, "the queue is being captured");
  enroll(begun->topology.get());
  captured++;
  return cnrtSuccess;
}

cnrtRet_t end_capture(uint64_t queue, cnrtTaskTopo_t* topology) {
  Captures& made = captures();
  auto ended = capture_of(queue);
  *topology = nullptr;
  if (!ended) return failed(cnrtErrorIllegalState, "the queue is not being captured");
  if (ended->origin != queue) return failed(cnrtErrorQueueCaptureUnmatched, "the capture began in another queue");
  {
    Locked lock(made.mutex);
    for (auto entry = made.all.begin(); entry != made.all.end();) {
      auto now = entry++;
      if (now->second == ended) made.all.erase(now), captured--;
    }
  }
  strike(ended->topology.get());
  if (!ended->is_valid) return failed(cnrtErrorQueueCaptureInvalidated, "a call has ended the capture before");
  if (!are_joined(*ended->topology, ended->ends[queue]))
    return failed(cnrtErrorQueueCaptureUnjoined, "a queue of the capture is not joined with its first one");
  enroll(*topology = ended->topology.release());
  return cnrtSuccess;
}

cnrtQueueCaptureStatus_t capture_status(uint64_t queue) {
  auto found = capture_of(queue);
  if (!found) return cnrtQueueCaptureStatusNone;
  return found->is_valid ? cnrtQueueCaptureStatusActive : cnrtQueueCaptureStatusInvalidated;
}

CaptureInfo capture_info(uint64_t queue) {
  auto found = capture_of(queue);
  Locked lock(captures().mutex);
  if (!found || !found->is_valid) return {};
  return {found->number, found->topology.get(), &found->ends[queue]};
}

}  // namespace mlusim
