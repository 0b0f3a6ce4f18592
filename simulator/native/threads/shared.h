// Shared memory of the block that runs: its variables, and a shadow for every byte.
//
// A span is the time between two barriers of a block. Within one, two threads must not touch the same byte when one of
// them writes, unless both do it atomically. A span of a warp has phases: what threads of one warp did in an earlier
// phase comes before what they do in a later one.
#pragma once
#include <vector>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

constexpr uint64_t ARENA = 64 << 20, DYNAMIC = 48 << 20;  // bytes; where dynamic shared memory begins
constexpr uint64_t APART = 128;                           // alignment of variables, and what lies between two
constexpr uint16_t NO_THREAD = 0xffff, SEVERAL = 0xfffe;  // SEVERAL - 1 - w: several of warp w

struct Shadow {
  uint32_t written, read;            // the span of the last write, and of the last read
  uint32_t write_place, read_place;  // of those
  uint32_t write_phase, read_phase;  // of the warp of the writer, and of the reader
  uint16_t writer, reader, another;  // threads: two that read in that span
  bool atomic;                       // how it was written
  bool pending;                      // the writer's copy has not reached it
};

struct Variable {
  uint64_t start, end;
  const char *name, *file;
  const void* type;
  int line;
  uint64_t block;  // the last block that has accessed it, plus 1
};

// What is wrong with an access. AGAIN: threads of a warp store to one place, in one step of it, which is a race unless
// all of them store the same value.
struct Clash {
  enum { NONE, RACE, AGAIN, UNINITIALIZED, PENDING } what;
  uint64_t address;
  uint32_t place, thread;  // of the other access
};

class Shared {
 public:
  Shared();

  // The variable that is declared at a place, the same in every block.
  uint64_t variable(const char* name, const char* file, int line, uint64_t bytes, const void* type);

  // What has been declared up to now is at file scope, and stays. Variables in functions find their places in each
  // launch anew, so that those do not depend on what ran before.
  void loaded() { fixed_ = variables_.size(); }

  void begin_launch(uint64_t dynamic_bytes, int poison);

  void begin_block(uint64_t block) {
    block_ = block + 1;
    bytes = 0;
    first_ = ++span_;
    last_ = {};
  }

  void barrier() { ++span_; }
  uint32_t span() const { return span_; }

  // The threads of a warp have come to a __syncwarp().
  void fence(uint32_t warp) { ++phases_[warp]; }
  uint32_t phase(uint32_t warp) const { return phases_[warp]; }

  bool holds(uint64_t address) const { return address - start < ARENA; }
  uint64_t dynamic_start() const { return start + DYNAMIC; }

  // The variable that an address lies in or behind, or nullptr.
  Variable* find(uint64_t address);

  // Whether an access lies in one variable. The first one in a block finds the poison.
  bool inside(uint64_t address, uint64_t size) {
    bool again = address >= last_.start && address < last_.end && size <= last_.end - address;
    return again || inside_another(address, size);
  }

  // Note an access of a thread, and say what is wrong with it.
  Clash access(uint64_t address, uint64_t size, simt_access kind, uint16_t thread, uint32_t place);

  // A copy to these bytes has been started, or has reached them.
  void copying(uint64_t address, uint64_t size, bool pending) {
    for (Shadow* byte = shadow_ + (address - start); size--; ++byte) byte->pending = pending;
  }

  uint64_t start, bytes = 0;  // bytes: of the declared variables that the running block has accessed

 private:
  bool inside_another(uint64_t address, uint64_t size);

  std::vector<Variable> variables_;
  size_t fixed_ = 0;  // of them are at file scope
  Variable dynamic_{};
  Shadow* shadow_;
  uint64_t free_, block_ = 0;
  simt_range last_{};
  uint32_t phases_[32] = {};
  int poison_ = 0;                 // what every byte of fresh memory holds
  uint32_t span_ = 0, first_ = 0;  // the running span, and the first one of the running block
};

}  // namespace simt
