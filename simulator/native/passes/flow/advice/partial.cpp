#include "partial.h"

namespace mlusim {
namespace {

// Whether a tile is short: the little that there is of it has been computed, and the rest is not used.
bool is_short(const Operand& changed, const Range& rest) { return rest.bytes() > changed.bytes; }

}  // namespace

// Scalar code accesses elements of a tile in no pattern: as many as it likes are left of the tile then.
void Partial::takes_parts(const Piece& piece, const Parts& parts, bool whole) {
  for (size_t n = 1; n < parts.size(); n++) compare(piece, *parts[n - 1], *parts[n]);
  if (whole) compare_together(piece, parts);
}

// Of two pieces of one tile that are used together, one is as an instruction in place has left it, the other is not.
void Partial::compare(const Piece& piece, const Range& one, const Range& other) const {
  if (!one.tile || one.tile != other.tile || one.changed == other.changed) return;
  const Range &less = one.changed < other.changed ? one : other, &more = &less == &one ? other : one;
  const Log& log = scene_.log;
  const Record &tile = log.record(one.tile - 1), &last = log.record(more.changed - 1), &now = *scene_.record;
  if (is_padding(piece, other) && other.bytes() > FEW) return;  // of one tile, an element too few is a wrong count
  if (less.changed && same_line(last, log.record(less.changed - 1))) return;  // piece by piece
  if (same_line(last, now)) return;                                           // a window that moves
  if (less.start < more.start) return;                                        // the first elements begin a recurrence
  const Operand& part = log.result(last);
  if (part.key >= log.result(tile).key && is_short(part, less)) return;
  if (tile.task != now.task || takes_back(tile)) return;
  scene_.note(PARTIAL, more.changed - 1, less.start, less.bytes(), piece.operand);
}

// Of pieces of bytes that are used together, one is left of a tile that was all of them, one has come later.
void Partial::compare_together(const Piece& piece, const Parts& parts) const {
  const Range *whole = nullptr, *later = nullptr;
  for (auto part : parts) {
    const Range& range = *part;
    if (!range.tile) continue;
    if (!whole && wrote(range, piece))
      whole = &range;
    else if (!whole || whole->tile != range.tile)
      later = &range;
  }
  if (!whole || !later || later->tile < whole->tile || whole->picked) return;
  const Log& log = scene_.log;
  const Record &before = log.record(whole->tile - 1), &after = log.record(later->tile - 1);
  if (before.task != scene_.record->task || same_line(after, *scene_.record)) return;
  if (takes_back(before) || is_padding(piece, *whole) || is_short(log.result(after), *whole)) return;
  if (log.far_operand(before) && log.far_operand(after)) return;  // rows of it are loaded anew
  if (after.gaps) return;                 // rows, which are shorter than the tile's and leave the end of each
  if (log.way(after) == BY_DATA) return;  // as many as there are
  scene_.note(PARTIAL, later->tile - 1, whole->start, whole->bytes(), piece.operand);
}

// Whether a store takes bytes back to where a load has found them, on the device.
bool Partial::takes_back(const Record& load) const {
  const Operand *from = scene_.log.far_operand(load), *to = scene_.far;
  const Operand *there = scene_.log.operands(load).begin(), *here = scene_.operands.begin();
  return from && to && from == there + 1 && to == here && from->key - there->key == to->key - here[1].key;
}

// Whether the last bytes of what is used only fill up its last line: counts are rounded up, and what is computed of the
// rest is dropped.
bool Partial::is_padding(const Piece& piece, const Range& rest) const {
  uint64_t all = piece.end - piece.start, used = rest.start - piece.start, left = piece.end - rest.start;
  uint64_t most = all % (2 * MOST_PADDING) ? MOST_PADDING : 2 * MOST_PADDING;  // or to 128
  if (rest.end < piece.end || left >= most || all % LINE != 0 || used % LINE == 0) return false;
  return left < used || (left == used && ends_alike(piece, used));
}

// Whether another operand of the record, as long as the bytes that are used, has an edge of what is in it as far behind
// its beginning: both tiles are so long, and a wrong count would be that of one.
bool Partial::ends_alike(const Piece& piece, uint64_t used) const {
  for (const Operand& operand : scene_.operands) {
    if (operand.key == piece.start || operand.bytes != piece.end - piece.start) continue;
    auto edge = scene_.ranges.from(operand.key + used);
    if (edge != scene_.ranges.none() && edge->start == operand.key + used) return true;
  }
  return false;
}

// Whether the instruction that has made a range has written exactly these bytes.
bool Partial::wrote(const Range& range, const Piece& piece) const {
  const Operands all = scene_.log.operands(scene_.log.record(range.tile - 1));
  for (uint32_t n = 0; n < all.count; n++) {
    const Operand& made = all[n];
    if (all.writes(n) && made.key == piece.start && end_of(made) == piece.end) return true;
  }
  return false;
}

}  // namespace mlusim
