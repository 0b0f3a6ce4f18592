// Keeps the last writers of bytes while a log is passed over, and shows accesses to those who look for something.
#pragma once
#include "advice/advices.h"
#include "hazards.h"

namespace mlusim {

class Tracking {
 public:
  Tracking(const Scene& scene, Hazards& hazards, Advices& advices, const Order& order)
      : scene_(scene), hazards_(hazards), advices_(advices), order_(order) {}

  // The record that the pass is at touches some bytes.
  void touch(const Piece& piece);

 private:
  void overwrite(Ranges::At at, const Piece& piece);
  void write(Piece piece, Ranges::At at);
  bool change(const Piece& piece, Ranges::At at);
  void read(const Piece& piece, Ranges::At at);
  void take(Ranges::At at, const Piece& piece);
  void keep(Range& range, const Piece& piece) const;
  bool reaches_beyond(const Range& range, const Piece& piece) const;

  const Scene& scene_;
  Hazards& hazards_;
  Advices& advices_;
  const Order& order_;
  Parts parts_;  // of the bytes that are touched
};

}  // namespace mlusim
