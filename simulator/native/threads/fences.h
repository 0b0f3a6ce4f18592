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

  // Whether any block has said something, or may have been told: before that nothing is kept.
  bool on() const { return !blocks_.empty(); }

  // The running block has executed a fence, says to others what it has done, or may have been told.
  void fence();
  void says();
  void is_told();

  // An access of the running block to an array, as an atomic or a volatile one, or not. Of a load: who has stored the
  // element for it without a fence.
  const Stored_by* access(size_t number, const simt_range& array, uint64_t address, uint64_t size, bool store,
                          bool says, uint32_t place);
  // Whether several blocks have loaded such elements.
  bool several() const { return several_; }

 private:
  // Of a block: its last fence; when it last said something, and its last fence before that.
  struct Block {
    uint32_t fence, said, before;
  };

  void begin();

  std::vector<PerElement<Stored_by>> ranges_;
  std::vector<Block> blocks_;  // none before a block says something, or may have been told
  uint64_t count_ = 0, block_ = 0, reader_ = 0;
  uint32_t clock_ = 0;
  bool told_ = false, any_ = false, several_ = false;
};

}  // namespace simt
