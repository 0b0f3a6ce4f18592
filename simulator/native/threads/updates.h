// Elements of global memory that threads update without atomics: one of two updates may be lost.
//
// A thread loads what another one has stored, with nothing that orders the two, and then stores to the same element. On
// a device it may have loaded what was there before. No result shows it here, where threads run one after the other.
// Elements are kept of arrays that are loaded before they are stored.
#pragma once
#include <vector>

#include "per_element.h"

namespace [[gnu::visibility("hidden")]] simt {

// What is known of an element.
struct Update {
  uint32_t writer, reader;  // threads of the launch, plus 1: the last to store it, one that has loaded it since, in no
                            // order; 0 for none
  uint32_t span, phase;     // of the block and the warp of the writer, then
  uint32_t clock, place;    // how many accesses had ordered threads before, and where it was stored
};

class Updates {
 public:
  // A launch of blocks of so many threads begins, with so many arrays and variables.
  void begin_launch(size_t ranges, uint64_t blocks, uint32_t threads);
  void begin_block(uint64_t block) {
    first_ = block * threads_ + 1;
    in_block_ = everywhere_ = 0;
  }

  // An access of a thread of the running block.
  Update by(uint32_t thread, uint32_t span, uint32_t phase, uint32_t place) const {
    return {uint32_t(first_ + thread), 0, span, phase, clock_, place};
  }

  // The running block has executed an atomic, or a volatile load: it may know what others have done before.
  void orders(bool shared) {
    in_block_ = ++clock_;
    if (!shared) everywhere_ = clock_;
  }

  // Whether an access to an array is one to note: a store to one that has been loaded, or a load from one whose
  // elements are kept.
  bool concerns(size_t number, bool store) {
    if (number >= ranges_.size()) return false;
    Range& range = ranges_[number];
    if (store) return range.loaded;
    range.loaded = true;
    return range.elements.kept();
  }

  // Notes such an access of a thread. Of a store after a load of what another thread had stored: what is known of that.
  const Update* access(size_t number, const simt_range& array, uint64_t address, uint64_t size, bool store,
                       const Update& now);

  uint64_t block_of(const Update& update) const { return (update.writer - 1) / threads_; }
  uint32_t thread_of(const Update& update) const { return (update.writer - 1) % threads_; }

 private:
  struct Range {
    bool loaded = false;
    PerElement<Update> elements;
  };

  bool ordered(const Update& element, const Update& now) const;

  std::vector<Range> ranges_;
  uint32_t threads_ = 1, clock_ = 0, in_block_ = 0, everywhere_ = 0;
  uint64_t first_ = 0;  // the number of the first thread of the running block, plus 1
  Update before_{};     // the last element that was given back
};

}  // namespace simt
