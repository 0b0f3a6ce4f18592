#include "leftover.h"

#include <algorithm>

namespace mlusim {
namespace {

// Pieces of an operand that are looked at: each instruction looks at all of its operands.
constexpr size_t MOST_LOOKED_AT = 64;
// Places in the operands of an instruction that are followed: of no tile there are as many.
constexpr size_t MOST_LEFT = 16;

// Records between two loads of a loop.
constexpr int64_t MOST_BETWEEN = 1 << 12;

}  // namespace

// Notes which elements of an operand are left of an older tile than the newest one of it, or were made of such.
void Leftover::takes(const Taken& taken) {
  const Record& now = *scene_.record;
  Way way = scene_.log.way(now);
  if ((way != LANES && way != CHANNELS) || scene_.far || now.gaps) return;
  find_older(taken);
  if (left_.empty()) return;
  for (auto at = left_.reaching(taken.start()); at != left_.none() && at->start < taken.end(); ++at) leave(taken, *at);
}

// What is more than the newest tile, and than a line, is none: a tile may get a patch.
void Leftover::find_older(const Taken& taken) {
  auto at = taken.first, none = scene_.ranges.none();
  if (at == none || at->start > taken.start() || at->end >= taken.end()) return;
  const Range* newest = nullptr;
  size_t pieces = 0, before = found_.size();
  for (; at != none && at->start < taken.end(); ++at) {
    if (++pieces > MOST_LOOKED_AT) return;
    if (at->written() && (!newest || at->maker() > newest->maker())) newest = &*at;
  }
  if (!newest || is_masked(taken, newest->start) || is_masked(taken, newest->end)) return;
  uint64_t rest = 0;
  bool again = false;
  for (at = taken.first; at != none && at->start < taken.end(); ++at) {
    const Range& range = *at;
    if (!range.written() || &range == newest) continue;
    const bool renewed = renews(*newest, range);
    again |= renewed;
    if (renewed || is_new(*newest, range)) rest += leave(taken, {range.start, range.end, newest->maker()});
  }
  if (!again && rest > LINE && rest > newest->bytes()) found_.resize(before);
}

// Notes bytes as far as they are of an operand; how many.
uint64_t Leftover::leave(const Taken& taken, const Left& left) {
  uint64_t low = std::max(left.start, taken.start()) - taken.start();
  uint64_t high = std::min(left.end, taken.end()) - taken.start();
  if (is_masked(taken, taken.start() + low) || is_masked(taken, taken.start() + high)) return 0;
  if (found_.size() < MOST_LEFT) found_.push_back({{low, high, left.by}, taken.from.bytes});
  return high - low;
}

// Whether what has made a range has brought a new tile to a part of where an older one was: the same line has made
// both, the second time less. What another line has left beside it is there for a reason: a border, a history, rows.
bool Leftover::is_new(const Range& range, const Range& old) const {
  const Log& log = scene_.log;
  const Record &r = log.record(range.maker()), &before = log.record(old.maker());
  const Operand &made = log.result(r), &all = log.result(before);
  bool loads = log.far_operand(r), reaches = all.key < range.end && end_of(all) > range.start;
  if (!range.tile || range.maker() <= old.maker() || !reaches || !same_line(r, before)) return false;
  if (before.task != scene_.record->task || log.way(r) >= SCALAR || log.is_scattered(before, all)) return false;
  if (old.start < range.start && end_of(all) <= end_of(made))  // over the padding of a piece before
    return loads && 2 * old.bytes() <= range.bytes();
  return loads || (old.tile && !is_in_place(r));
}

// Whether a load has brought another part of the device to the beginning of a longer, older load again and again, while
// the rest of that stays: rows that are loaded anew take turns, and the history of a window moves.
bool Leftover::renews(const Range& range, const Range& old) const {
  const Log& log = scene_.log;
  const Record &r = log.record(range.maker()), &before = log.record(old.maker());
  const Operand &made = log.result(r), &all = log.result(before), *from = log.far_operand(r);
  if (!range.tile || !old.tile || range.maker() <= old.maker() || same_line(r, before)) return false;
  if (!from || !log.far_operand(before)) return false;
  if (before.task != scene_.record->task || made.key != all.key || end_of(all) <= end_of(made)) return false;
  if (log.is_scattered(r, made) || log.is_scattered(before, all)) return false;
  int64_t last = std::max<int64_t>(old.maker(), int64_t(range.maker()) - MOST_BETWEEN);
  for (int64_t index = range.maker(); --index > last;) {
    const Record& other = log.record(index);
    if (!same_line(other, r)) continue;
    const Operand* there = log.far_operand(other);
    return there && there->key != from->key && log.result(other).key == made.key;
  }
  return false;
}

// Whether another operand of the record changes where the leftovers in one begin or end: a mask, which is made for the
// newest tile, keeps them out.
bool Leftover::is_masked(const Taken& taken, uint64_t edge) const {
  for (uint32_t n = 0; n < scene_.operands.count; n++) {
    const Operand& other = scene_.operands[n];
    if (scene_.operands.writes(n) || n == taken.operand || other.key == taken.start()) continue;
    uint64_t there = other.key + (edge - taken.start()) * other.bytes / taken.from.bytes;
    auto at = scene_.ranges.from(there);
    if (at != scene_.ranges.none() && at->start == there && there > other.key) return true;
  }
  return false;
}

// Whether a record writes what it reads, if only a part.
bool Leftover::is_in_place(const Record& r) const {
  const Operand& made = scene_.log.result(r);
  const Operands all = scene_.log.operands(r);
  for (uint32_t n = 0; n < all.count; n++) {
    const Operand& other = all[n];
    if (!all.writes(n) && other.key < end_of(made) && made.key < end_of(other)) return true;
  }
  return false;
}

// What a record has made of leftovers is one.
void Leftover::end() {
  if (found_.empty()) return;
  const Operand& made = scene_.log.result(*scene_.record);
  for (const auto& [left, all] : found_) {
    if (scene_.log.way(*scene_.record) == CHANNELS)
      keep_rows({left, all}, made);
    else
      mark({made.key + left.start * made.bytes / all, made.key + left.end * made.bytes / all, left.by});
  }
}

// Of windows of rows of channels each row is as long as what is made of them.
void Leftover::keep_rows(const Found& found, const Operand& made) {
  const auto& [left, all] = found;
  uint64_t bytes = left.end - left.start, at = left.start % made.bytes;
  if (all % made.bytes || bytes >= made.bytes) return;  // of all channels, or in no such rows
  uint64_t first = std::min(bytes, made.bytes - at);
  mark({made.key + at, made.key + at + first, left.by});
  mark({made.key, made.key + bytes - first, left.by});
}

void Leftover::mark(const Left& left) {
  if (left.start >= left.end) return;
  forget(left.start, left.end);
  left_.insert(left_.from(left.start), left);
}

void Leftover::forget(uint64_t start, uint64_t end) {
  auto behind = left_.cut_at(end);
  for (auto at = left_.cut_at(start); at != behind;) at = left_.erase(at);
}

// Bytes that are written are no leftovers any more; a store, or scalar code, takes some.
void Leftover::touches(const Piece& piece) {
  if (left_.empty()) return;
  if (piece.now.manner == WRITE) return forget(piece.start, piece.end);
  auto at = left_.reaching(piece.start);
  if (!scene_.stores || at == left_.none() || at->start >= piece.end) return;
  uint64_t low = std::max(at->start, piece.start), high = std::min(at->end, piece.end);
  scene_.note(LEFTOVER, at->by, low, high - low, piece.operand);
}

// Scalar code takes the little that is left of a load beside a longer, later one.
void Leftover::scalar_reads(const Piece& piece, const Parts& parts) const {
  for (auto at : parts) {
    auto previous = scene_.ranges.before(at), next = std::next(at), none = scene_.ranges.none();
    if (previous != none && previous->end == at->start) take_rest(*at, previous, piece.operand);
    if (next != none && next->start == at->end) take_rest(*at, next, piece.operand);
  }
}

void Leftover::take_rest(const Range& rest, Ranges::At at, int64_t operand) const {
  const Range& beside = *at;
  if (!rest.tile || beside.tile <= rest.tile || beside.bytes() <= rest.bytes()) return;
  if (!scene_.log.far_operand(scene_.log.record(rest.tile - 1)) || !is_new(beside, rest)) return;
  scene_.note(LEFTOVER, beside.tile - 1, rest.start, rest.bytes(), operand);
}

}  // namespace mlusim
