#include "host_order.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <thread>

#include "host_lock.h"
#include "host_topology.h"

namespace mlusim {
namespace {

struct Lane {
  std::deque<Work> work;
  Ticket taken = 0, done = 0;
  bool is_running = false;  // its thread
};

struct Lanes {
  Lock mutex;
  std::condition_variable_any changed;
  std::map<uint64_t, Lane> all;  // by the number of the queue
};

// Never destroyed: threads may call while the process ends.
Lanes& lanes() {
  static Lanes& made = *new Lanes;
  return made;
}

thread_local bool within = false, lane_thread = false;

void run(uint64_t queue) {
  lane_thread = true;
  Lanes& made = lanes();
  std::unique_lock<Lock> lock(made.mutex);
  Lane& lane = made.all[queue];
  while (!lane.work.empty()) {
    Work next = std::move(lane.work.front());
    lane.work.pop_front();
    lock.unlock();
    next(queue);
    next = nullptr;
    lock.lock();
    lane.done++;
    made.changed.notify_all();
  }
  lane.is_running = false;
}

Ticket put(Lane& lane, uint64_t queue, Work work) {
  lane.work.push_back(std::move(work));
  if (!lane.is_running) std::thread(run, queue).detach();
  lane.is_running = true;
  return ++lane.taken;
}

bool waits(const Lane& lane, Ticket until) { return lane.done < std::min(lane.taken, until); }

}  // namespace

Ticket in_order(uint64_t queue, Task task) {
  if (is_captured(queue)) {
    capture(queue, std::move(task));
    return 0;
  }
  Lanes& made = lanes();
  {
    Locked lock(made.mutex);
    auto lane = made.all.find(queue);
    if (lane != made.all.end() && lane->second.is_running) return put(lane->second, queue, std::move(task.work));
  }
  task.work(queue);
  return 0;
}

void on_thread(uint64_t queue, Work work) {
  Locked lock(lanes().mutex);
  put(lanes().all[queue], queue, std::move(work));
}

bool is_left(uint64_t queue, Ticket until) {
  Locked lock(lanes().mutex);
  auto lane = lanes().all.find(queue);
  return lane != lanes().all.end() && waits(lane->second, until);
}

void drain(uint64_t queue, Ticket until) {
  Lanes& made = lanes();
  std::unique_lock<Lock> lock(made.mutex);
  for (auto& [number, lane] : made.all) {
    if (queue && number != queue) continue;
    Ticket last = std::min(lane.taken, until);
    made.changed.wait(lock, [&lane = lane, last] { return lane.done >= last; });
  }
}

void call_host_function(cnrtHostFn_t function, void* data) {
  within = true;
  function(data);
  within = false;
}

bool in_host_function() { return within; }
bool on_lane() { return lane_thread; }

}  // namespace mlusim
