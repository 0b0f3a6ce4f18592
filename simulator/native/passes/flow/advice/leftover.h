// Elements beside a tile, left of what lay there before: what an instruction makes of both goes on along its lanes, and
// a store or scalar code that takes such elements takes too many.
#pragma once
#include "tiles.h"

namespace mlusim {

class Leftover {
 public:
  explicit Leftover(const Scene& scene) : scene_(scene) {}

  void begin() { found_.clear(); }
  // Whether there are any.
  bool has_some() const { return !left_.empty(); }
  void takes(const Taken& taken);
  void end();
  void touches(const Piece& piece);
  void scalar_reads(const Piece& piece, const Parts& parts) const;

 private:
  // Bytes that were left beside what a record has made.
  struct Left {
    uint64_t start, end;
    uint32_t by;
  };
  // Such bytes as they lie in an operand, by their places in it, which has so many.
  struct Found {
    Left left;
    uint64_t all;
  };

  bool is_new(const Range& range, const Range& old) const;
  bool renews(const Range& range, const Range& old) const;
  bool is_masked(const Taken& taken, uint64_t edge) const;
  bool is_in_place(const Record& r) const;
  void find_older(const Taken& taken);
  uint64_t leave(const Taken& taken, const Left& left);
  void keep_rows(const Found& found, const Operand& made);
  void mark(const Left& left);
  void forget(uint64_t start, uint64_t end);
  void take_rest(const Range& rest, Ranges::At beside, int64_t operand) const;

  const Scene& scene_;
  Intervals<Left> left_;
  std::vector<Found> found_;  // in the operands of the record
};

}  // namespace mlusim
