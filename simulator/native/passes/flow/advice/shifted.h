// Tiles that are taken a little beside where they begin or end, together with what lay there before.
#pragma once
#include "tiles.h"

namespace mlusim {

class Shifted {
 public:
  explicit Shifted(const Scene& scene) : scene_(scene) {}

  void takes(const Taken& taken) const;

 private:
  void find_late_tile(const Taken& taken, const Range* first, Ranges::At tile) const;
  bool fills(const Range& tile, const Record& maker, const Operand& from, uint64_t late) const;
  void find_slip(const Taken& taken) const;
  void find_hole(const Taken& taken) const;

  const Scene& scene_;
};

}  // namespace mlusim
