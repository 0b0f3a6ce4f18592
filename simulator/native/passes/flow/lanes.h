// Lanes that are alike: where one operand touches some bytes, each does. What happens to the first of them happens to
// all.
#pragma once
#include <cstddef>
#include <vector>

#include "flow.h"

namespace mlusim {

class Lanes {
 public:
  explicit Lanes(const Work& work) : first_(work.lanes, work.lanes == 1) {
    if (work.lanes == 1) return;
    for (int64_t i = 0; i < work.operands; i++) cut(work.operand[i]);
    for (int64_t i = 0; i < work.runs; i++) cut(work.run[i]);
  }
  bool is_first(size_t lane) const { return first_[lane]; }

 private:
  template <class Across>
  void cut(const Across& some) {
    if (!some.lanes) return;
    first_[some.lane % first_.size()] = true;
    first_[(some.lane + some.lanes) % first_.size()] = true;
  }

  std::vector<bool> first_;
};

}  // namespace mlusim
