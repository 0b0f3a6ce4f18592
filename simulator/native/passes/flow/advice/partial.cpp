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

bool Partial::cuts(const Piece& piece) const {
  if (scene_.far || scene_.record->gaps || scene_.log.instruction(*scene_.record).copies ||
      scene_.log.way(*scene_.record) != LANES || !piece.now.is_tile)
    return false;
  Ranges& ranges = scene_.ranges;
  auto there = ranges.reaching(piece.end);
  if (there == ranges.none() || there->start >= piece.end || !there->tile) return false;
  uint64_t bytes = piece.end - piece.start, rest = there->end - piece.end;
  if (rest > FEW && !there->was_read()) return false;
  bool made = false;
  for (uint32_t n = 0; n < scene_.operands.count; n++) {
    const Operand& from = scene_.operands[n];
    if (scene_.operands.writes(n) || from.key == piece.start) continue;
    auto last = ranges.reaching(end_of(from));
    if (last == ranges.none() || last->start >= end_of(from) || !last->tile) return false;
    if ((last->end - end_of(from)) * bytes != rest * from.bytes) return false;
    made = true;
  }
  return made;
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
  if (!more.write.is_cut && part.key >= log.result(tile).key && is_short(part, less)) return;
  if (tile.task != now.task || takes_back(tile) || ends_alike(piece, less.start - piece.start)) return;
  if (is_by_position(last, tile)) return;
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
  if (takes_back(before)) return;
  if (log.far_operand(before) && log.far_operand(after)) return;  // rows of it are loaded anew
  if (log.is_scattered(after, log.result(after)))
    return;                               // rows, which are shorter than the tile's and leave the end of each
  if (log.way(after) == BY_DATA) return;  // as many as there are
  if (ends_alike(piece, whole->start - piece.start)) return;
  const bool cut = later->write.is_cut;
  if (!(cut && whole->bytes() <= FEW) && is_padding(piece, *whole)) return;
  if (!cut && (is_short(log.result(after), *whole) || is_by_position(after, before))) return;
  scene_.note(PARTIAL, later->tile - 1, whole->start, whole->bytes(), piece.operand);
}

// Whether it depends on something else than the length of a tile how much of it a line changes, as of rows that are
// masked: tiles of one length have been left alone, or have been changed in parts of more than one length.
bool Partial::is_by_position(const Record& change, const Record& tile) const {
  auto line = [](const Record& r) { return uint64_t(r.op) << 32 | r.loc; };
  auto [known, is_new] = by_position_.try_emplace({line(change), line(tile), scene_.log.result(tile).key}, false);
  if (is_new) known->second = find_by_position(change, tile);
  return known->second;
}

bool Partial::find_by_position(const Record& change, const Record& tile) const {
  const Log& log = scene_.log;
  const Operand& all = log.result(tile);
  int64_t tiles = 0, changes = 0;
  uint64_t part = 0;
  bool varies = false;
  for (int64_t index = 0; index < log.work.count; index++) {
    const Record& r = log.record(index);
    if (!same_line(r, change) && !same_line(r, tile)) continue;
    const Operand& made = log.result(r);
    if (same_line(r, tile) && made.key == all.key) {
      if (made.bytes != all.bytes) return false;
      tiles++;
    } else if (same_line(r, change) && made.key >= all.key && made.key < end_of(all)) {
      changes++;
      varies |= part && made.bytes != part && made.bytes < all.bytes;
      if (made.bytes < all.bytes) part = made.bytes;
    }
  }
  return varies || tiles > changes + 1;  // a tile may be loaded for a round that does not come
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

// Whether another operand that the record reads, as long as the bytes that are used, has been made by two as far behind
// its beginning: both tiles are so long, and a wrong count would be that of one.
bool Partial::ends_alike(const Piece& piece, uint64_t used) const {
  Ranges& ranges = scene_.ranges;
  for (uint32_t n = 0; n < scene_.operands.count; n++) {
    const Operand& operand = scene_.operands[n];
    if (scene_.operands.writes(n) || operand.key == piece.start || operand.bytes != piece.end - piece.start) continue;
    auto edge = ranges.from(operand.key + used), last = ranges.before(edge);
    if (edge == ranges.none() || edge->start != operand.key + used) continue;
    if (last == ranges.none() || last->maker() != edge->maker()) return true;
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
