// Tiles of which the end of another result has overwritten the beginning, and tiles that are taken with some of the
// next.
#pragma once
#include "tiles.h"

namespace mlusim {

class Overrun {
 public:
  explicit Overrun(const Scene& scene) : scene_(scene) {}

  void takes(const Taken& taken) const;

 private:
  void find_overrun(const Taken& taken, const Range& first, const Range& rest) const;
  void find_overread(const Taken& taken, const Range& first, Ranges::At rest) const;
  bool keeps(const Record& r, const Operand& tile) const;
  bool is_last_piece(const Record& r, const Operand& made) const;

  const Scene& scene_;
};

}  // namespace mlusim
