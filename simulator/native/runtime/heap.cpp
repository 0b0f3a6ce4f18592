#include "heap.h"

#include <stdlib.h>

#include "ranges.h"

namespace mlusim {

bool Heap::forget(uint64_t block) {
  auto found = own_.find(block);
  if (found == own_.end()) return lasting_.erase(block) > 0;
  bytes_ -= found->second - found->first;
  own_.erase(found);
  return true;
}

void* Heap::take(void* old, size_t bytes, bool zero, size_t alignment) {
  if (bytes > LIMIT || bytes_ + bytes > LIMIT) return nullptr;
  uint64_t before = (uint64_t)old;
  if (before && !own_.count(before) && !lasting_.count(before)) return nullptr;  // as for a block that is given back
  void* block = alignment ? aligned_alloc(alignment, bytes)
                : old     ? realloc(old, bytes)
                : zero    ? calloc(1, bytes)
                          : malloc(bytes);
  if (before && (block || !bytes)) forget(before);
  if (block) {
    own_[(uint64_t)block] = (uint64_t)block + bytes;
    bytes_ += bytes;
  }
  return block;
}

void Heap::give(void* block) {
  if (forget((uint64_t)block)) free(block);
}

bool Heap::holds(uint64_t address, uint64_t size) const {
  for (const Taken* blocks : {&own_, &lasting_}) {
    auto after = blocks->upper_bound(address);
    if (after != blocks->begin() && mlusim::holds((--after)->second, address, size)) return true;
  }
  return false;
}

void Heap::empty() {
  for (const auto& block : own_) free((void*)block.first);
  own_.clear();
  bytes_ = 0;
}

void Heap::keep() {
  lasting_.merge(own_);
  own_.clear();
  bytes_ = 0;
}

}  // namespace mlusim
