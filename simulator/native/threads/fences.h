// What blocks leave in global memory for others, and the fences that it takes.
//
// A block stores a result and then says so: by an atomic, or by a volatile store. Another one, which has been told by
// an atomic or a volatile load, loads the result. Without a fence between the two of the first block, a device may show
// others the second before the first. No result shows it here, where blocks run one after the other.
#pragma once
#include <vector>

#include "per_element.h"

namespace [[gnu::visibility("hidden")]] simt {

// Who has stored an element for others: its number plus 1, 0 for none; when, and where in the source.
struct Stored_by {
  uint32_t block, clock, place;
};

class Fences {
 public:
  // A launch of so many blocks begins, with so many arrays and variables.
  void begin_launch(size_t ranges, uint64_t blocks);
  void begin_block(uint64_t block) {
    block_ = block;
    told_ = false;
  }

  // Keep who stores what, from now on: at the beginning of a launch if the image has atomic functions, or where a
  // volatile access is the first.
  void begin();
  bool on() const { return !blocks_.empty(); }

  // The running block has executed a fence, says to others what it has done, or may have been told.
  void fence();
  void says();
  void is_told();

  // An access of the running block to an array, as an atomic or a volatile one, or not. Of a load: who has stored the
  // element for it without a fence.
  const Stored_by* access(size_t number, const simt_range& array, uint64_t address, uint64_t size, bool store,
                          bool says, uint32_t place);
  // Whether one block alone has loaded such elements, of two others at least or of the only other one: it gathers what
  // others have made. Of what several blocks load, they may not need to see the last.
  bool gathered() const { return !several_ && (of_two_ || count_ == 2); }

 private:
  // Of a block: its last fence; when it last said something, and its last fence before that.
  struct Block {
    uint32_t fence, said, before;
  };

  std::vector<PerElement<Stored_by>> ranges_;
  std::vector<Block> blocks_;  // none before anything is kept
  uint64_t count_ = 0, block_ = 0;
  uint64_t reader_ = 0, writer_ = 0;  // the first block to load such an element, and the one that has stored it
  uint32_t clock_ = 0;
  bool told_ = false, any_ = false, several_ = false, of_two_ = false;
};

}  // namespace simt
