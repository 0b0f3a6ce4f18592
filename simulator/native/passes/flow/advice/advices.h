// All advice on tiles: what is likely a mistake where nothing is broken. The pass tells it what happens to bytes on the
// chip; which advice wants to know of what stands in `advices.cpp`.
#pragma once
#include <optional>

#include "leftover.h"
#include "mixed.h"
#include "overrun.h"
#include "partial.h"
#include "shifted.h"
#include "twice.h"
#include "unfed.h"
#include "untaken.h"

namespace mlusim {

class Advices {
 public:
  // `Work.advice` says which are wanted.
  explicit Advices(const Scene& scene);

  // A record comes that makes, or may make, accesses; none of them has been made.
  void begin();
  // It has made them.
  void end();
  // There are no more records.
  void finish();

  // The record touches bytes.
  void touches(const Piece& piece);
  // It touches the first and the last of these bytes, and an unknown part of those between them.
  void picks(uint64_t start, uint64_t end);
  // It has read bytes, which were last written in these parts.
  void reads(const Piece& piece, const Parts& parts) {
    if (scene_.scalar || !is_one(piece, parts)) look_at_parts(piece, parts);
  }
  // It changes bytes of these parts in place; `whole`: they are all of them, and there is no gap between them.
  void takes_parts(const Piece& piece, const Parts& parts, bool whole);
  // Whether it is about to write less than all that is there and that it is made of, see `Access`.
  bool cuts(const Piece& piece) const { return partial_ && partial_->cuts(piece); }
  // It overwrites a range with an operand.
  void overwrites(Ranges::At at, int64_t operand);

 private:
  // Whether what is read has been written at once: most often it has, and there is nothing to say of it.
  static bool is_one(const Piece& piece, const Parts& parts) {
    return parts.size() == 1 && parts[0]->written() && parts[0]->bytes() == piece.end - piece.start;
  }
  void look_at_parts(const Piece& piece, const Parts& parts);
  bool is_in_one(const Taken& taken) const;

  const Scene& scene_;
  std::optional<Leftover> leftover_;
  std::optional<Mixed> mixed_;
  std::optional<Overrun> overrun_;
  std::optional<Partial> partial_;
  std::optional<Shifted> shifted_;
  std::optional<Twice> twice_;
  std::optional<Unfed> unfed_;
  std::optional<Untaken> untaken_;
};

}  // namespace mlusim
