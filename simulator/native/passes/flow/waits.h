// Waits that wait for nothing, and copies without a wait.
#pragma once
#include <vector>

#include "causes.h"
#include "order.h"

namespace mlusim {

class Waits {
 public:
  Waits(Work& work, const Log& log, const Order& order, Causes& causes)
      : work_(work), log_(log), order_(order), causes_(causes) {}

  // Before a record is issued.
  void look_at(const Record& r, int64_t index, size_t slot);
  // After it.
  void keep(const Record& r, int64_t index);
  // No core of the group issues any more.
  void end_group();

 private:
  struct Waiting {
    int64_t last = -1;    // the wait that the core has issued last, if nothing has come after it
    bool unsure = false;  // since then it has begun a copy in a pipe without a wait: maybe it has another one
    std::array<int64_t, MOST_PIPES> copy{};  // by pipe: the last one that may not be done, and its number
    Clock number{};
  };

  Waiting& of(size_t slot) {
    if (slot >= waiting_.size()) waiting_.resize(slot + 1);
    return waiting_[slot];
  }
  bool gave_up(const Record& r) const;

  Work& work_;
  const Log& log_;
  const Order& order_;
  Causes& causes_;
  std::vector<Waiting> waiting_;  // by slot
};

}  // namespace mlusim
