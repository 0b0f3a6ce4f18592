// Races of threads in global memory.
//
// One thread stores an element, another one loads it, and nothing orders the two: on a device, the load may come before
// the store or after it. If the thread that loads stores to the element as well, one of two updates may be lost. No
// result shows it here, where threads run one after the other. A store of the value that is there is no race.
#pragma once
#include <vector>

#include "per_element.h"

namespace [[gnu::visibility("hidden")]] simt {

// What is known of an element. Threads are those of the launch, plus 1; 0 for none. Places are those of the source.
struct Element {
  uint32_t writer, written;  // who has stored it last, and when
  uint32_t was;              // what stands for the value before that; 0 if the store was an atomic
  uint32_t reader, read;     // the last to load it since, and when
  uint32_t another;          // one that has loaded it since, in no order with that one
  uint16_t write_place, read_place, another_place;
  uint16_t asked_place;  // where the writer had loaded it before it stored it, or a `Nowhere`
};

// Where a writer had loaded an element that it had not, or perhaps, when nothing was kept yet.
enum Nowhere : uint16_t { NO_PLACE = 0xffff, ANY_PLACE = 0xfffe };

struct Race {
  enum { NONE, UPDATE, LOADS, STORES } what;  // a lost update; a load or a store of what another has stored or loaded
  uint32_t thread, place;                     // of the other access
  bool asked;                                 // the thread that stores had loaded the element where the other one does
};

// What stands for the value of an element; never 0.
uint32_t value_of(uint64_t address, uint64_t size);

// Threads that look whether a flag is set, and set it, need no order: all that is stored is one value.
struct Flags {
  bool asked = true, differ = false;
  uint32_t value = 0;

  void store(uint32_t stored, bool asked_before) {
    asked &= asked_before;
    differ |= value && value != stored;
    value = stored;
  }
  bool meant() const { return asked && !differ; }
};

class Races {
 public:
  // A launch of blocks of so many threads begins, with so many arrays and variables.
  void begin_launch(size_t ranges, uint64_t blocks, uint32_t threads);
  void begin_block(uint64_t block);

  // All threads of the running block have come to a barrier, or those of a warp to a function of theirs.
  void barrier() { barrier_ = ++clock_; }
  void fence(uint32_t warp) { warps_[warp] = ++clock_; }

  // The running block has executed an atomic, or a volatile load: it may know what others have done before.
  void orders(bool shared) {
    told_ = ++clock_;
    if (!shared) told_by_all_ = clock_;
  }

  // Whether an access to an array is one to note: stores to long arrays once the array has been loaded, as most kernels
  // only store their results; loads once elements are kept.
  bool concerns(size_t number, const simt_range& array, simt_access kind, uint32_t place) {
    if (number >= ranges_.size() || place >= ANY_PLACE) return false;
    Range& range = ranges_[number];
    range.atomic |= kind == SIMT_ATOMIC;
    if (kind != SIMT_LOAD) return range.loaded || array.end - array.start <= SHORT;
    range.loaded = true;
    return range.elements.kept();
  }

  // Notes such an access of a thread of the running block, and says what is wrong with it.
  Race load(size_t number, const simt_range& array, uint64_t address, uint64_t size, uint32_t thread, uint16_t place);
  Race store(size_t number, const simt_range& array, uint64_t address, uint64_t size, uint32_t thread, uint16_t place,
             bool atomic);

  uint64_t block_of(uint32_t thread) const { return (thread - 1) / threads_; }
  uint32_t in_block(uint32_t thread) const { return (thread - 1) % threads_; }

 private:
  static constexpr uint64_t SHORT = 1 << 14;  // bytes of a short array

  struct Range {
    bool loaded = false, atomic = false;  // atomics may order all that is done to an array
    PerElement<Element> elements;
  };

  // Whether nothing orders what a thread did at a time, if any did, and what another one does now.
  bool apart(uint32_t thread, uint32_t then, uint32_t now) const;

  std::vector<Range> ranges_;
  std::vector<uint32_t> warps_;  // when those of each warp have last met
  uint32_t threads_ = 1, clock_ = 0, barrier_ = 0, told_ = 0, told_by_all_ = 0;
  uint64_t first_ = 0;  // the number of the first thread of the running block, plus 1
};

}  // namespace simt
