#include "overrun.h"

#include <algorithm>

namespace mlusim {

void Overrun::takes(const Taken& taken) const {
  if (taken.first == scene_.ranges.none()) return;
  const Range& first = *taken.first;
  auto next = std::next(taken.first);
  if (first.start != taken.start() || next == scene_.ranges.none()) return;
  find_overrun(taken, first, *next);
  find_overread(taken, first, next);
}

// What a record takes begins with the end of a result that has begun before it, and goes on with the tile that was
// there.
void Overrun::find_overrun(const Taken& taken, const Range& first, const Range& rest) const {
  const Log& log = scene_.log;
  if (!first.written() || !rest.written() || first.end != rest.start) return;
  if (rest.write.record >= first.write.record) return;
  const Record &last = log.record(first.write.record), &before = log.record(rest.maker());
  const Operand &over = log.result(last), &tile = log.result(before);
  if (over.key >= taken.start() || end_of(over) != first.end) return;
  if (tile.key != taken.start() || end_of(tile) <= first.end || rest.end > taken.end()) return;
  if (log.is_scalar(last) || same_line(last, before) || same_line(last, *scene_.record)) return;
  if (is_last_piece(last, over)) return;
  scene_.note(OVERRUN, first.write.record, taken.start(), first.end - taken.start(), taken.operand);
}

// What a record takes is a tile that another instruction has made than the next one, and the beginning of that; or all
// of that and uninitialized bytes behind it, and is no whole number of tiles as far apart as these.
void Overrun::find_overread(const Taken& taken, const Range& first, Ranges::At at) const {
  const Log& log = scene_.log;
  const Range& next = *at;
  if (!first.tile || !next.tile) return;
  const Record &one = log.record(first.tile - 1), &other = log.record(next.tile - 1);
  const Operand &tile = log.result(one), &beyond = log.result(other);
  if (tile.key != taken.start() || end_of(tile) != first.end || beyond.key != next.start) return;
  if (one.loc == other.loc || keeps(one, beyond)) return;
  uint64_t end = std::min(next.end, taken.end());
  if (end - next.start > first.bytes()) return;  // a window over what is kept and what has come
  if (next.end >= taken.end()) {
    if (next.changed || first.end != next.start || end_of(beyond) <= taken.end()) return;
    if (log.is_scattered(one, tile) || log.is_scattered(other, beyond)) return;
  } else {
    auto behind = std::next(at);
    if (taken.from.bytes % (next.start - taken.start()) == 0 || end_of(beyond) != next.end) return;
    if (behind != scene_.ranges.none() && behind->start < taken.end()) return;
  }
  scene_.note(OVERREAD, next.tile - 1, next.start, end - next.start, taken.operand);
}

// Whether a record has taken its bytes from where a tile is: they are the end of the tile before, kept for a window.
bool Overrun::keeps(const Record& r, const Operand& tile) const {
  const Operands all = scene_.log.operands(r);
  for (uint32_t n = 0; n < all.count; n++)
    if (!all.writes(n) && all[n].key < end_of(tile) && tile.key < end_of(all[n])) return true;
  return false;
}

// Whether a result is the last one of a row of pieces, which may be rounded up.
bool Overrun::is_last_piece(const Record& r, const Operand& made) const {
  auto at = scene_.ranges.before(scene_.ranges.from(made.key));
  if (at == scene_.ranges.none() || at->end != made.key || !at->written()) return false;
  return same_line(scene_.log.record(at->write.record), r);
}

}  // namespace mlusim
