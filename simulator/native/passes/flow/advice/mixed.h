// Two loads, of which the second overwrites a part of what the first has brought, unread: where both tiles are used
// then, each as it was loaded, one has the wrong address.
#pragma once
#include "tiles.h"

namespace mlusim {

class Mixed {
 public:
  explicit Mixed(const Scene& scene) : scene_(scene) {}

  // The record that the pass is at overwrites a range.
  void overwrites(const Range& range);
  // It is about to read its operands.
  void takes();

 private:
  // The records of the loads, and of who has taken the first tile and the second one, -1 for none so far.
  struct Pair {
    int64_t first, second, by = -1, other = -1;
    uint32_t operand = 0;  // that is the first tile
  };

  bool is_over(int64_t first) const;
  void take(Pair& pair, const Operand& from, uint32_t number) const;
  bool is_told(const Pair& pair) const;

  const Scene& scene_;
  std::vector<Pair> pairs_;
};

}  // namespace mlusim
