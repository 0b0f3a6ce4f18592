// What threads did, one access after the other, in the blocks that write a byte which is asked for.
#pragma once
#include <vector>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

constexpr size_t MOST_EVENTS = 1 << 19;  // the last ones of a block, and of all that are kept

class Events {
 public:
  // A launch begins, of which the byte at an address is asked for; 0 for none.
  void begin_launch(uint64_t focus) {
    focus_ = focus;
    since_.clear();
    kept_.clear();
  }

  bool asked() const { return focus_ != 0; }

  // A thread accesses memory, or takes what others of its warp give it.
  void add(const simt_event& event) {
    since_.push_back(event);
    bool writes = event.space == SIMT_GLOBAL && (event.access == SIMT_STORE || event.access == SIMT_ATOMIC);
    if (writes && focus_ >= event.address && focus_ - event.address < event.size) {
      shorten(since_, MOST_EVENTS);
      kept_.insert(kept_.end(), since_.begin(), since_.end());
      since_.clear();
      shorten(kept_, 2 * MOST_EVENTS);
    } else {
      shorten(since_, 2 * MOST_EVENTS);
    }
  }

  // What comes after the last write has no part in the byte.
  void end_block() { since_.clear(); }

  // In their order, each block up to where it writes the byte last.
  const std::vector<simt_event>& all() const { return kept_; }

 private:
  static void shorten(std::vector<simt_event>& events, size_t most) {
    if (events.size() > most) events.erase(events.begin(), events.end() - MOST_EVENTS);
  }

  uint64_t focus_ = 0;
  std::vector<simt_event> since_, kept_;  // of the running block since its last write of the byte; all before
};

}  // namespace simt
