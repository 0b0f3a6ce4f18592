#include "fences.h"

namespace simt {

void Fences::begin_launch(size_t ranges, uint64_t blocks) {
  for (PerElement<Stored_by>& range : ranges_) range.drop();
  ranges_.assign(ranges, {});
  blocks_.clear();
  count_ = blocks < UINT32_MAX ? blocks : 0;
  clock_ = 0;
  any_ = several_ = of_two_ = false;
}

void Fences::begin() {
  if (!on()) blocks_.resize(count_);
}

void Fences::fence() {
  if (on()) blocks_[block_].fence = ++clock_;
}

void Fences::says() {
  begin();
  if (!on()) return;
  Block& own = blocks_[block_];
  own.before = own.fence;
  own.said = ++clock_;
}

void Fences::is_told() {
  begin();
  told_ = true;
}

const Stored_by* Fences::access(size_t number, const simt_range& array, uint64_t address, uint64_t size, bool store,
                                bool says, uint32_t place) {
  PerElement<Stored_by>& range = ranges_[number];
  if (!store && (!told_ || says || !range.kept())) return nullptr;
  Stored_by* element = range.at(array, address, size);
  if (!element) return nullptr;
  if (store) {
    *element = says ? Stored_by{} : Stored_by{uint32_t(block_ + 1), clock_, place};
    return nullptr;
  }
  if (!element->block || element->block == block_ + 1) return nullptr;
  const Block& other = blocks_[element->block - 1];
  if (other.before > element->clock || other.said <= element->clock) return nullptr;
  if (!any_) reader_ = block_, writer_ = element->block;
  any_ = true;
  several_ |= reader_ != block_;
  of_two_ |= writer_ != element->block;
  return element;
}

}  // namespace simt
