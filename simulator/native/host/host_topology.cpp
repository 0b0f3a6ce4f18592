#include "host_topology.h"

#include <atomic>
#include <map>
#include <set>

#include "host_lock.h"
#include "host_status.h"

namespace mlusim {
namespace {

struct Capture {
  std::unique_ptr<CNtaskTopo_st> topology{new CNtaskTopo_st};
  uint64_t origin = 0;  // the queue in which it began
  bool is_valid = true;
  std::map<uint64_t, std::vector<cnrtTaskTopoNode_t>> ends;  // what the next work of each queue comes after
  std::map<cnrtNotifier_t, std::vector<cnrtTaskTopoNode_t>> marks;
};

struct Captures {
  Lock mutex;
  std::map<uint64_t, std::shared_ptr<Capture>> all;  // by queue
};

std::atomic<int> count{0};  // of queues that are captured
thread_local Work* collecting = nullptr;

Captures& captures() {
  static Captures& made = *new Captures;
  return made;
}

std::shared_ptr<Capture> capture_of(uint64_t queue) {
  if (!count) return nullptr;
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

cnrtTaskTopoNode_t add_node(cnrtTaskTopo_t topology, cnrtTaskTopoNodeType_t type, Work work,
                            std::vector<cnrtTaskTopoNode_t> before) {
  topology->nodes.emplace_back(new CNtaskTopoNode_st{topology, type, std::move(work), std::move(before)});
  return topology->nodes.back().get();
}

void capture(uint64_t queue, cnrtTaskTopoNodeType_t type, Work work) {
  if (collecting) {
    *collecting = std::move(work);
    return;
  }
  auto into = capture_of(queue);
  Locked lock(captures().mutex);
  if (into) into->ends[queue] = {add_node(into->topology.get(), type, std::move(work), into->ends[queue])};
}

bool capture_notifier(uint64_t queue, cnrtNotifier_t notifier) {
  auto into = capture_of(queue);
  Locked lock(captures().mutex);
  if (into) into->marks[notifier] = into->ends[queue];
  return into != nullptr;
}

bool capture_wait(uint64_t queue, cnrtNotifier_t notifier) {
  if (!count) return false;
  Captures& made = captures();
  Locked lock(made.mutex);
  for (auto& [other, each] : made.all) {
    auto mark = each->marks.find(notifier);
    if (mark == each->marks.end()) continue;
    auto& ends = each->ends[queue];
    ends.insert(ends.end(), mark->second.begin(), mark->second.end());
    auto joined = each;
    if (made.all.emplace(queue, joined).second) count++;
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

Work collected(const std::function<cnrtRet_t()>& call, cnrtRet_t& status) {
  Work found;
  collecting = &found;
  status = call();
  collecting = nullptr;
  return found;
}

void take_step(uint64_t queue, cnrtTaskTopoNodeType_t type, const Work& work) {
  if (!work) return;
  if (type == cnrtTaskTopoNodeTypeHost && !is_captured(queue))
    on_thread(queue, work);
  else
    in_order(queue, type, work);
}

cnrtRet_t begin_capture(uint64_t queue) {
  Captures& made = captures();
  Locked lock(made.mutex);
  std::shared_ptr<Capture> begun(new Capture);
  begun->origin = queue;
  if (!made.all.emplace(queue, begun).second) return failed(cnrtErrorIllegalState, "the queue is being captured");
  count++;
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
      if (now->second == ended) made.all.erase(now), count--;
    }
  }
  if (!ended->is_valid) return failed(cnrtErrorQueueCaptureInvalidated, "a call has ended the capture before");
  if (!are_joined(*ended->topology, ended->ends[queue]))
    return failed(cnrtErrorQueueCaptureUnjoined, "a queue of the capture is not joined with its first one");
  *topology = ended->topology.release();
  return cnrtSuccess;
}

cnrtQueueCaptureStatus_t capture_status(uint64_t queue) {
  auto found = capture_of(queue);
  if (!found) return cnrtQueueCaptureStatusNone;
  return found->is_valid ? cnrtQueueCaptureStatusActive : cnrtQueueCaptureStatusInvalidated;
}

}  // namespace mlusim
