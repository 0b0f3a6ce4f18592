#include "shifted.h"

#include <utility>

namespace mlusim {
namespace {

// Bytes by which an address is wrong, or that a hole has: an element or two.
constexpr uint64_t HOLE = 8;
// Holes in what a store takes: more are a pattern, and meant; and pieces around each, with fewer it is no row of tiles.
constexpr int FEW_HOLES = 2, MANY_PIECES = 8;
// Pieces of what a store takes that are looked at: each store looks at all of them.
constexpr int MOST_STORED = 256;

}  // namespace

void Shifted::takes(const Taken& taken) const {
  auto first = taken.first, none = scene_.ranges.none();
  if (first == none) return;
  if (first->start > taken.start()) return find_late_tile(taken, nullptr, first);
  find_slip(taken);
  auto next = std::next(first);
  if (next == none) return;
  find_late_tile(taken, &*first, next);
  if (scene_.stores) find_hole(taken);
}

// What a record takes begins a little before a tile that would fill it up: with what is left of an older tile there, or
// with uninitialized bytes. What is left of a fill is a border, or the history before the first tile.
void Shifted::find_late_tile(const Taken& taken, const Range* first, Ranges::At at) const {
  const Log& log = scene_.log;
  const Range& tile = *at;
  uint64_t late = tile.start - taken.start();
  if (!late || late >= LINE || late >= taken.from.bytes || !tile.written()) return;
  const Record& maker = log.record(tile.maker());
  const Operand& made = log.result(maker);
  if (log.is_scalar(maker) || made.key != tile.start) return;
  auto next = std::next(at);
  bool slot = next != scene_.ranges.none() && next->start == tile.end && tile.end == taken.start() + made.bytes;
  if (!slot && !fills(tile, maker, taken.from, late)) return;  // a slot is of a row
  if (log.is_scattered(maker, made)) return;
  if (first && first->written()) {
    const Record& before = log.record(first->maker());
    if (!is_older(*first, tile) || log.is_fill(before)) return;
    if (end_of(log.result(before)) <= tile.start) return;  // as long as it is: the head of a tile
  }
  if (same_line(maker, *scene_.record)) return;  // a window that moves
  scene_.note(SHIFTED, tile.maker(), taken.start(), late, taken.operand);
}

// Whether a tile fills an operand up: its bytes are as many or more, or are if they are rounded up to whole lines.
bool Shifted::fills(const Range& tile, const Record& maker, const Operand& from, uint64_t late) const {
  uint64_t bytes = scene_.log.result(maker).bytes;
  if (bytes == from.bytes || (!tile.tile && bytes > from.bytes)) return true;
  if (!tile.tile || bytes >= from.bytes || bytes + late == from.bytes || from.bytes % ROUND) return false;
  return scene_.log.far_operand(maker) ? from.bytes - bytes < 2 * MOST_PADDING : from.bytes < 2 * bytes;
}

// What a record takes begins an element or two behind what instructions of one line have made, which are unused,
// and goes on as far behind the end of that.
void Shifted::find_slip(const Taken& taken) const {
  const Log& log = scene_.log;
  Ranges& ranges = scene_.ranges;
  auto previous = taken.first;
  const Range& first = *previous;
  if (!first.written()) return;
  const Record& maker = log.record(first.write.record);
  if (log.is_scattered(maker, log.result(maker))) return;
  if (first.start == taken.start()) {
    previous = ranges.before(previous);
    if (previous == ranges.none() || previous->end != first.start || !previous->written()) return;
    if (!same_line(log.record(previous->write.record), maker)) return;
  }
  uint64_t late = taken.start() - previous->start, end = taken.end() - late;
  if (late > HOLE || late >= taken.from.bytes || previous->was_read()) return;
  auto rest = ranges.from(end), last = ranges.before(rest);
  if (last == ranges.none() || last->end != end || !last->written()) return;
  if (rest != ranges.none() && rest->start < taken.end() &&
      (rest->start != end || !is_older(*rest, *last) || !is_older(*rest, first)))
    return;
  scene_.note(SHIFTED, first.write.record, end, late, taken.operand);
}

// Between the tiles that a store takes there is a hole of an element or two, in which an older one shows.
void Shifted::find_hole(const Taken& taken) const {
  const Range *previous = &*taken.first, *hole = nullptr, *behind = nullptr;
  int holes = 0, pieces = 1;
  for (auto at = std::next(taken.first); at != scene_.ranges.none() && at->start < taken.end(); ++at) {
    const Range &range = *at, &before = *std::exchange(previous, &range);
    if (range.start != before.end || ++pieces > MOST_STORED) return;
    auto next = std::next(at);
    if (range.bytes() > HOLE || next == scene_.ranges.none()) continue;
    const Range& after = *next;
    if (after.start != range.end || after.end > taken.end() || !range.written()) continue;
    if (!before.write.is_tile || !after.write.is_tile || !is_older(range, before) || !is_older(range, after)) continue;
    holes++;
    hole = &range;
    behind = &after;
  }
  if (!holes || holes > FEW_HOLES || pieces < MANY_PIECES * holes) return;
  scene_.note(SHIFTED, behind->maker(), hole->start, hole->bytes(), taken.operand);
}

}  // namespace mlusim
