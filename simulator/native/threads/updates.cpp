#include "updates.h"

#include <sys/mman.h>

namespace simt {

namespace {

// Elements of an array that is kept, at most: sums and tables are short.
constexpr uint64_t MOST = 1 << 22;

}  // namespace

void Updates::begin_launch(size_t ranges, uint64_t blocks, uint32_t threads) {
  for (Range& range : ranges_)
    if (range.elements) munmap(range.elements, range.count * sizeof(Update));
  bool kept = blocks * threads < UINT32_MAX;
  ranges_.assign(kept ? ranges : 0, {});
  threads_ = threads;
  clock_ = 0;
}

const Update* Updates::access(size_t number, const simt_range& array, uint64_t address, uint64_t size, bool store,
                              const Update& now) {
  Range& range = ranges_[number];
  if (!range.size) keep(range, array.end - array.start, size);
  if (!range.elements || size != range.size || (address - array.start) % size) return nullptr;
  Update& element = range.elements[(address - array.start) / size];
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

void Updates::keep(Range& range, uint64_t bytes, uint64_t size) {
  range.size = size;
  range.count = bytes / size;
  if (!range.count || range.count > MOST) return;
  void* found = mmap(nullptr, range.count * sizeof(Update), PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (found != MAP_FAILED) range.elements = (Update*)found;
}

}  // namespace simt
