// What queues tell each other by messages. A queue that has waited for one knows what its senders knew, of other cores
// too: so this is kept of every queue. Every send stands before the waits for it.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "log.h"

namespace mlusim {

// For each pipe of a core, the number of its last record that is known to be done.
using Clock = std::array<uint32_t, MOST_PIPES>;

inline void learn(Clock& known, const Clock& other) {
  for (size_t p = 0; p < known.size(); p++)
    if (other[p] > known[p]) known[p] = other[p];
}

class Messages {
 public:
  // By slot of a core of the group.
  using Known = std::vector<Clock>;

  explicit Messages(const Log& log) : log_(log) {}

  void begin_group() {
    queues_.clear();
    boxes_.clear();
    start_.clear();
  }
  // A record begins: it knows what its front end and its pipe know, and those that it comes after.
  void begin(const Record& r, size_t slot);
  // It waits for a message: what its senders knew.
  const Known& take(const Record& r);
  // It is done. `own` is what is known of its core at its end, `others` what barriers say of the others.
  void finish(const Record& r, size_t slot, bool settles, const Clock& own, const Known& others);
  // Cores have met: the front end of each knows what any of them knew.
  void meet(const std::vector<size_t>& slots);
  // Whether the record that has begun knows an access of another core to be done.
  bool knows(size_t slot, uint8_t pipe, uint32_t seq) const {
    return slot < start_.size() && start_[slot][pipe] >= seq;
  }

 private:
  struct Queues {
    Known front;
    std::array<Known, MOST_PIPES> end;
  };
  struct Box {
    Known known;
    uint64_t readers = 0, passed = 0;
  };

  static void learn_all(Known& known, const Known& other) {
    if (known.size() < other.size()) known.resize(other.size());
    for (size_t slot = 0; slot < other.size(); slot++) learn(known[slot], other[slot]);
  }
  Queues& of(size_t slot) {
    if (slot >= queues_.size()) queues_.resize(slot + 1);
    return queues_[slot];
  }

  const Log& log_;
  std::vector<Queues> queues_;  // by slot
  std::unordered_map<uint64_t, Box> boxes_;
  Known start_, taken_;
};

}  // namespace mlusim
