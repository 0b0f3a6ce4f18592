// Accesses to the same bytes that nothing puts in order, one of which changes them.
#pragma once
#include "order.h"
#include "scene.h"

namespace mlusim {

class Hazards {
 public:
  Hazards(const Scene& scene, Order& order) : scene_(scene), order_(order) {}

  // Compares an access with the earlier ones to bytes of a range, of which it touches some.
  void look(const Range& range, const Piece& piece) {
    if (range.written()) compare(range.write, range, piece);
    for (const Access& other : range.others)
      if (piece.now.manner == WRITE || other.manner != piece.now.manner) compare(other, range, piece);
  }

 private:
  [[gnu::always_inline]] void compare(const Access& earlier, const Range& range, const Piece& piece) {
    if (piece.on_device && earlier.is_atomic && piece.now.is_atomic) return;
    if (earlier.record == piece.now.record || order_.comes_before(earlier, piece.on_device)) return;
    tell(earlier, range, piece);
  }
  [[gnu::cold]] void tell(const Access& earlier, const Range& range, const Piece& piece);
  bool repeats(const Access& earlier, bool on_device) const;

  const Scene& scene_;
  Order& order_;
};

}  // namespace mlusim
