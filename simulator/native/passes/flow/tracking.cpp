#include "tracking.h"

#include <algorithm>
#include <utility>

namespace mlusim {
namespace {

// Ranges that a write in place leaves as they are: it looks at each, every time. With more of them all that it changes
// is a tile of its own.
constexpr size_t MOST_CHANGED = 64;

}  // namespace

void Tracking::touch(const Piece& piece) {
  if (piece.start >= piece.end) return;
  if (!piece.on_device) advices_.touches(piece);
  const bool writes = piece.now.manner == WRITE;
  auto at = scene_.ranges.from(piece.start);
  if (at == scene_.ranges.none() || at->start != piece.start || at->end != piece.end)
    return writes ? write(piece, at) : read(piece, at);
  if (writes) return overwrite(at, piece);  // most often it is just the bytes of a range
  parts_.clear();
  take(at, piece);
  if (!piece.on_device) advices_.reads(piece, parts_);
}

// A write of exactly the bytes of a range.
void Tracking::overwrite(Ranges::At at, const Piece& piece) {
  Range& range = *at;
  hazards_.look(range, piece);
  if (!piece.on_device) advices_.overwrites(at, piece.operand);
  range.write = piece.now;
  range.others.clear();
  if (piece.now.in_place && reaches_beyond(range, piece)) {
    range.changed = piece.now.record + 1;
    return;
  }
  range.tile = piece.now.is_tile ? piece.now.record + 1 : 0;
  range.changed = 0;
  range.picked = range.vague = false;
}

// `at` is the first range that does not begin before the piece.
void Tracking::write(Piece piece, Ranges::At at) {
  Ranges& ranges = scene_.ranges;
  piece.now.is_cut = !piece.on_device && advices_.cuts(piece);
  at = ranges.cut_before(at, piece.start);
  auto end = at;
  while (end != ranges.none() && end->start < piece.end) ++end;
  if (end != at) end = ranges.cut_before(end, piece.end);
  if (!piece.on_device) {
    for (auto gone = at; gone != end; ++gone) advices_.overwrites(gone, piece.operand);
    if (piece.now.in_place && change(piece, at)) return;
  }
  while (at != end) {
    hazards_.look(*at, piece);
    at = ranges.erase(at);
  }
  Range made{piece.start, piece.end, piece.now};
  made.tile = piece.now.is_tile ? piece.now.record + 1 : 0;
  ranges.insert(end, std::move(made));
}

// A write in place, which begins where a range does, to a part of a tile: its ranges stay, so that it is known what has
// made each. false: all that it changes is a tile of its own then, or there are too many.
bool Tracking::change(const Piece& piece, Ranges::At at) {
  Ranges& ranges = scene_.ranges;
  bool beyond = false, whole = true;
  uint64_t reached = piece.start;
  parts_.clear();
  for (; at != ranges.none() && at->start < piece.end; reached = at++->end) {
    if (!(whole = at->start == reached && parts_.size() < MOST_CHANGED)) break;
    beyond |= reaches_beyond(*at, piece);
    parts_.push_back(at);
  }
  if (parts_.size() > 1) advices_.takes_parts(piece, parts_, whole);
  if (!beyond || !whole) return false;
  for (auto part : parts_) {
    Range& range = *part;
    hazards_.look(range, piece);
    range.write = piece.now;
    range.others.clear();
    range.changed = piece.now.record + 1;
  }
  if (reached < piece.end) ranges.insert(at, {reached, piece.end, piece.now});
  return true;
}

void Tracking::read(const Piece& piece, Ranges::At at) {
  Ranges& ranges = scene_.ranges;
  uint64_t reached = piece.start;
  parts_.clear();
  for (at = ranges.cut_before(at, piece.start); reached < piece.end;) {
    bool more = at != ranges.none() && at->start < piece.end;
    if (!more || at->start > reached) {  // untouched
      Range made{reached, more ? at->start : piece.end};
      reached = made.end;
      made.others.add(piece.now);
      ranges.insert(at, std::move(made));
      continue;
    }
    if (at->end > piece.end) ranges.cut(at, piece.end);
    take(at, piece);
    reached = at++->end;
  }
  if (!piece.on_device) advices_.reads(piece, parts_);
}

// A range of the bytes that are read.
void Tracking::take(Ranges::At at, const Piece& piece) {
  hazards_.look(*at, piece);
  keep(*at, piece);
  parts_.push_back(at);
}

// Keeps a read or an atomic update; what comes before it, and all but one of other groups, need not be compared again.
void Tracking::keep(Range& range, const Piece& piece) const {
  const Access& now = piece.now;
  auto comes_before = [&](const Access& other) {
    return other.record == now.record || order_.comes_before(other, piece.on_device);
  };
  auto& others = range.others;
  if (Access* only = others.only(); only && only->manner == now.manner && comes_before(*only)) {
    *only = now;
    return;
  }
  bool older = false;
  auto gone = [&](const Access& other) {
    if (other.manner != now.manner) return false;
    return comes_before(other) || (other.group != now.group && std::exchange(older, true));
  };
  others.remove(gone);
  others.add(now);
}

// Whether the tile that a range is of has bytes outside of those that are touched.
bool Tracking::reaches_beyond(const Range& range, const Piece& piece) const {
  if (!range.tile) return false;
  const Operand& tile = scene_.log.result(scene_.log.record(range.tile - 1));
  return tile.key < piece.start || tile.key + tile.bytes > piece.end;
}

}  // namespace mlusim
