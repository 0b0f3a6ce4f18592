#include "mixed.h"

#include <algorithm>

namespace mlusim {
namespace {

// Pairs that are looked at: each instruction looks at all of them.
constexpr size_t MOST_PAIRS = 16;

bool meet(const Operand& one, const Operand& other) { return one.key < end_of(other) && other.key < end_of(one); }

}  // namespace

// What is overwritten again is none of the two any more.
void Mixed::overwrites(const Range& range) {
  if (!range.tile || !scene_.record) return;
  const int64_t loaded = range.tile - 1;
  auto gone = [&](const Pair& pair) {
    return pair.second != scene_.index && (pair.first == loaded || pair.second == loaded);
  };
  if (!pairs_.empty()) pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), gone), pairs_.end());
  if (!scene_.far || scene_.stores || !range.others.empty() || range.changed || !is_over(loaded)) return;
  auto known = [&](const Pair& pair) { return pair.first == loaded && pair.second == scene_.index; };
  if (pairs_.size() < MOST_PAIRS && std::none_of(pairs_.begin(), pairs_.end(), known))
    pairs_.push_back({loaded, scene_.index});
}

// Whether the record loads other data over a part of what one has loaded. The end of a tile may be there to fill up its
// last line, and pieces of one array may be loaded longer than they are.
bool Mixed::is_over(int64_t first) const {
  const Log& log = scene_.log;
  const Record &before = log.record(first), &now = *scene_.record;
  const Operand *from = log.far_operand(before), &tile = log.result(before), &over = log.result(now);
  if (!from || from == &tile || before.task != now.task || same_line(before, now) || meet(*from, *scene_.far))
    return false;
  if (over.key <= tile.key && end_of(over) >= end_of(tile)) return false;  // all of it: it is unused
  return over.key <= tile.key || tile.bytes % ROUND || end_of(tile) - over.key >= MOST_PADDING;
}

void Mixed::takes() {
  if (pairs_.empty()) return;  // most often
  for (Pair& pair : pairs_) {
    if (pair.second == scene_.index) continue;
    for (uint32_t n = 0; n < scene_.operands.count; n++)
      if (!scene_.operands.writes(n)) take(pair, scene_.operands[n], n);
  }
  pairs_.erase(std::remove_if(pairs_.begin(), pairs_.end(), [&](const Pair& pair) { return is_told(pair); }),
               pairs_.end());
}

// Whether an operand is just one of the two tiles. A tile that leaves the core as it is, in one piece, may be put
// together of several loads; to compute with it is another matter.
void Mixed::take(Pair& pair, const Operand& from, uint32_t number) const {
  const Log& log = scene_.log;
  const Operand &first = log.result(log.record(pair.first)), &second = log.result(log.record(pair.second));
  if (from.key == first.key && from.bytes == first.bytes && pair.by < 0 && !scene_.stores) {
    pair.by = scene_.index;
    pair.operand = number;
  } else if (from.key == second.key && from.bytes == second.bytes && pair.other < 0) {
    pair.other = scene_.index;
  }
}

// Notes a pair of which both tiles have been taken.
bool Mixed::is_told(const Pair& pair) const {
  if (pair.by < 0 || pair.other < 0) return false;
  const Log& log = scene_.log;
  const Operand &first = log.result(log.record(pair.first)), &second = log.result(log.record(pair.second));
  uint64_t start = std::max(first.key, second.key), end = std::min(end_of(first), end_of(second));
  scene_.causes.note(MIXED, pair.by, pair.second, start, end - start, pair.operand);
  return true;
}

}  // namespace mlusim
