// Loads of blocks with uninitialized bytes, such as the gaps in a structure. A copy takes along which they are. What
// goes to a local variable is seen neither there nor on its way back: a block of its size that comes to memory later is
// a copy of it if it looks like it, and takes them along too.
#pragma once
#include <string.h>

#include <vector>

#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// Whether a load is one of a block: what is written in part is not computed with.
inline bool is_block(const uint8_t* flags, uint64_t size) { return size > 8 || memchr(flags, 1, size); }

// A load of uninitialized bytes is a finding, unless they are checked nowhere.
void ask_about(uint64_t address, uint64_t size, int64_t pc);

class Blocks {
 public:
  // The running task begins or has been ended: what is kept of it is forgotten.
  void forget_task();

  // A load with uninitialized bytes waits for what comes next.
  void wait(mlusim_range& range, uint64_t address, uint64_t size, int64_t pc);
  // The load that waits, if any does, is of a structure or of a block, as the code says.
  void is_whole() { loaded_.whole = true; }

  // An access begins: the load that waits is settled, or its bytes go with a store; a block that was stored has
  // arrived.
  void begin_access(uint64_t address, uint64_t size, bool store) {
    if (loaded_.size) take_along(address, size, store);
    if (stored_.size) recognize();
  }
  // A kernel's code is left.
  void leave() {
    if (loaded_.size) settle();
    if (stored_.size) recognize();
  }
  // The access is made: what a store takes along arrives, and a block that is stored may be one that was held.
  void end_access(mlusim_range& range, uint64_t address, uint64_t size, bool store) {
    if (!taken_.empty())
      arrive(range, address, size);
    else if (store && size >= 8 && !held_.empty())
      may_come_back(address, size);
  }

  // Whether something waits for what comes next.
  bool is_busy() const { return loaded_.size || stored_.size; }

  // Whether accesses need the flags of their bytes.
  bool need_flags() const { return !taken_.empty() || !held_.empty(); }

  // The memory of the task in [start, end) goes: what was held of it does not come back.
  void release(uint64_t start, uint64_t end);

 private:
  // The load that waits for what comes next; size 0: none does.
  struct Loaded {
    mlusim_range* range;
    uint64_t address, size;
    int64_t pc;
    bool whole;
  };
  // A block that a local variable of a task holds: where from, what was in it, and which bytes were written.
  struct Held {
    mlusim_task* task;
    uint64_t address, missing;  // where it came from; bytes in front of what is missing, gaps aside
    int64_t pc;
    bool moved;  // it has been seen again
    std::vector<uint8_t> bytes, flags;
  };
  // A store of a block that may be one of them, of which nothing is in memory yet; size 0: there is none.
  struct Stored {
    uint64_t address, size;
  };
  static constexpr size_t MOST_HELD = 16;

  static void report(const Held& block);
  static bool looks_like(const Held& block, const uint8_t* bytes);
  bool is_gap(uint64_t from, uint64_t until) const;
  void hold(uint64_t from, uint64_t size, uint64_t missing, const uint8_t* flags);
  void take_along(uint64_t address, uint64_t size, bool store);
  void settle();
  void recognize();
  void may_come_back(uint64_t address, uint64_t size);
  void arrive(mlusim_range& range, uint64_t address, uint64_t size);

  Loaded loaded_{};
  Stored stored_{};
  std::vector<uint8_t> taken_;  // what the store that goes on takes along: the flags of its bytes
  std::vector<Held> held_;      // the oldest first
};
extern Blocks blocks;

}  // namespace mlusim
