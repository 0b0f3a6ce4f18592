// The order of a log: what is known to be done when a record begins. Its edges are the order of a pipe, waits, and
// barriers; tasks of different groups have none.
#pragma once
#include <algorithm>
#include <array>
#include <vector>

#include "log.h"
#include "messages.h"
#include "writers.h"

namespace mlusim {

// A core in the group that runs: records issued to each pipe, what its front end knows, and what the end of the last
// record of each pipe does.
struct Core {
  int64_t number;
  Clock issued, front;
  std::array<Clock, MOST_PIPES> end;
};

class Order {
 public:
  explicit Order(const Log& log);

  bool is_nonsense() const { return nonsense_; }  // the numbers of its barriers are no such
  int64_t group_of(const Record& r) {
    if (r.task != task_) {
      task_ = r.task;
      group_of_task_ = log_.work.tasks_of_group ? r.task / log_.work.tasks_of_group : 0;
    }
    return group_of_task_;
  }
  void begin_group(int64_t group);
  // The slot of a core in the group, which it enters if it is not in it yet.
  size_t enter(uint16_t core) { return slot_of_[core] >= 0 ? slot_of_[core] : let_in(core); }

  // A record reaches the front end of its core, which waits for what it says, and is put into its pipe.
  void issue(const Record& r, size_t slot);
  // The record that was issued last has done its accesses.
  void finish(const Record& r);
  // The front end waits for all that a pipe of the core has been given.
  void wait_for(uint8_t pipe) { learn(core().front, core().end[pipe]); }

  // Whether an access comes before the record that was issued last.
  bool comes_before(const Access& access, bool on_device) const;

  int64_t group() const { return group_; }
  size_t slot() const { return slot_; }
  size_t slots() const { return slots_; }
  const Core& core(size_t slot) const { return cores_[slot]; }
  uint32_t sequence() const { return sequence_; }

 private:
  // A record at a barrier. Of all of a barrier the first says whether they have met.
  struct Arrival {
    uint64_t barrier;
    uint16_t core;
    bool met;
  };

  Core& core() { return cores_[slot_]; }
  void learn(Clock& known, const Clock& other) const {
    for (int64_t p = 0; p < pipes_; p++) known[p] = std::max(known[p], other[p]);
  }
  void learn_pipes(Clock& known, const Core& core, uint64_t pipes) const {
    for (int64_t p = 0; pipes && p < pipes_; p++, pipes >>= 1)
      if (pipes & 1) learn(known, core.end[p]);
  }
  void list_arrivals();
  size_t let_in(uint16_t core);
  void meet(uint64_t barrier);

  const Log& log_;
  const int64_t pipes_;
  bool nonsense_ = false;
  std::vector<Arrival> arrivals_;           // by barrier
  std::vector<int32_t> slot_of_;            // by core, -1: it is not in the group
  std::vector<Core> cores_;                 // by slot
  std::vector<std::vector<Clock>> others_;  // by slot: what it knows of the pipes of every other, from barriers
  size_t slots_ = 0, slot_ = 0;
  int64_t group_ = -1, task_ = -1, group_of_task_ = -1;  // the task that was asked for last
  Messages messages_;
  Clock start_{};
  uint32_t sequence_ = 0;
};

inline bool Order::comes_before(const Access& access, bool on_device) const {
  if (access.group != static_cast<uint32_t>(group_)) return !on_device;
  const Clock& known = access.slot == slot_ ? start_ : others_[slot_][access.slot];
  if (known[access.pipe] >= access.seq) return true;
  return log_.work.messages && access.slot != slot_ && messages_.knows(access.slot, access.pipe, access.seq);
}

}  // namespace mlusim
