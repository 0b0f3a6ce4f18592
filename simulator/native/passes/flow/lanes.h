// Lanes that are alike: where one operand touches some bytes, each does. What happens to the first of them happens to
// all. Which lanes these are is asked of bytes that operands share: tensors elsewhere may begin in any lane.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "flow.h"

namespace mlusim {

class Lanes {
 public:
  explicit Lanes(const Work& work) : lanes_(work.lanes) {
    if (lanes_ == 1) return;
    find_regions(work);
    for (int64_t i = 0; i < work.operands; i++) cut(work.operand[i], work.operand[i]);
    for (int64_t i = 0; i < work.runs; i++) cut(work.run[i], work.operand[work.run[i].operand]);
  }

  // Of each lane of an operand whether it is the first of some that are alike.
  const std::vector<bool>& first(const mlusim_operand& operand) const { return regions_[region(operand)].first; }

 private:
  // Bytes of a lane up to `end` that operands across lanes touch; none reaches from one region into another.
  struct Region {
    uint64_t start, end;
    std::vector<bool> first;
  };

  void find_regions(const Work& work) {
    std::vector<std::pair<uint64_t, uint64_t>> touched;
    for (const auto *one = work.operand, *end = one + work.operands; one < end; one++)
      if (one->lanes) touched.emplace_back(one->key, one->key + one->bytes);
    std::sort(touched.begin(), touched.end());
    for (auto [start, end] : touched) {
      if (regions_.empty() || start >= regions_.back().end) regions_.push_back({start, end, std::vector<bool>(lanes_)});
      regions_.back().end = std::max(regions_.back().end, end);
    }
  }

  size_t region(const mlusim_operand& operand) const {
    auto is_behind = [](uint64_t key, const Region& region) { return key < region.start; };
    return std::upper_bound(regions_.begin(), regions_.end(), operand.key, is_behind) - regions_.begin() - 1;
  }

  template <class Across>
  void cut(const Across& some, const mlusim_operand& operand) {
    if (!some.lanes) return;
    std::vector<bool>& first = regions_[region(operand)].first;
    first[some.lane % lanes_] = true;
    first[(some.lane + some.lanes) % lanes_] = true;
  }

  const size_t lanes_;
  std::vector<Region> regions_;  // in order
};

}  // namespace mlusim
