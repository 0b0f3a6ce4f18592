// Tiles that are used as a whole after an instruction has changed a part of them.
#pragma once
#include <map>
#include <tuple>

#include "tiles.h"

namespace mlusim {

class Partial {
 public:
  explicit Partial(const Scene& scene) : scene_(scene) {}

  void takes_parts(const Piece& piece, const Parts& parts, bool whole);

  // Whether the piece that the record is about to write ends before all that it is made of and what lies there, which
  // end together. More than an element or two of what lies there must have been used: a tile may be made in two steps.
  bool cuts(const Piece& piece) const;

 private:
  void compare(const Piece& piece, const Range& one, const Range& other) const;
  void compare_together(const Piece& piece, const Parts& parts) const;
  bool is_by_position(const Record& change, const Record& tile) const;
  bool find_by_position(const Record& change, const Record& tile) const;
  bool takes_back(const Record& load) const;
  bool ends_alike(const Piece& piece, uint64_t used) const;
  bool is_padding(const Piece& piece, const Range& rest) const;
  bool wrote(const Range& range, const Piece& piece) const;

  const Scene& scene_;
  // Of the lines of a change and of a tile, and the tile's place, what is known.
  mutable std::map<std::tuple<uint64_t, uint64_t, uint64_t>, bool> by_position_;
};

}  // namespace mlusim
