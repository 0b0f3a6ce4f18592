#include "updates.h"

namespace simt {

void Updates::begin_launch(size_t ranges, uint64_t blocks, uint32_t threads) {
  for (Range& range : ranges_) range.elements.drop();
  bool kept = blocks * threads < UINT32_MAX;
  ranges_.assign(kept ? ranges : 0, {});
  threads_ = threads;
  clock_ = 0;
}

const Update* Updates::access(size_t number, const simt_range& array, uint64_t address, uint64_t size, bool store,
                              const Update& now) {
  Update* known = ranges_[number].elements.at(array, address, size);
  if (!known) return nullptr;
  Update& element = *known;
  bool foreign = element.writer && element.writer != now.writer && !ordered(element, now);
  if (!store) {
    if (foreign) element.reader = now.writer;
    return nullptr;
  }
  before_ = element;
  element = now;
  return foreign && before_.reader == now.writer ? &before_ : nullptr;
}

// Whether something orders the last store of an element and what a thread does now.
bool Updates::ordered(const Update& element, const Update& now) const {
  if (element.clock < everywhere_) return true;
  if (block_of(element) != block_of(now)) return false;
  if (element.span != now.span || element.clock < in_block_) return true;
  return thread_of(element) / SIMT_WARP == thread_of(now) / SIMT_WARP && element.phase != now.phase;
}

}  // namespace simt
