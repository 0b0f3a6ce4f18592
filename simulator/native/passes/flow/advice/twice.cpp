#include "twice.h"

namespace mlusim {

// What a record adds to a sum in place begins with a new load and ends with the rest of an older one, which has been
// added to the same sum before.
void Twice::takes(const Taken& taken) const {
  const Log& log = scene_.log;
  const Record& now = *scene_.record;
  const Operand& sum = log.result(now);
  if (taken.first == scene_.ranges.none() || taken.start() == sum.key || !is_added(now, sum, taken.start())) return;
  const Range& newest = *taken.first;
  auto at = std::next(taken.first);
  if (at == scene_.ranges.none() || newest.start != taken.start() || at->start != newest.end) return;
  const Range& rest = *at;
  if (!newest.tile || !rest.tile || rest.end != taken.end() || rest.maker() >= newest.maker()) return;
  if (!log.far_operand(log.record(newest.maker())) || !log.far_operand(log.record(rest.maker()))) return;
  for (const Access& other : rest.others) {
    if (other.record >= newest.maker() || other.record < rest.maker()) continue;
    if (!is_added(log.record(other.record), sum, taken.start())) continue;
    if (!goes_on(sum, sum.key + (rest.start - taken.start()), other.record)) continue;
    return scene_.note(TWICE, newest.maker(), rest.start, rest.bytes(), taken.operand);
  }
}

// Whether a record adds what begins at a byte to a sum, element by element.
bool Twice::is_added(const Record& r, const Operand& sum, uint64_t from) const {
  const Log& log = scene_.log;
  const Operands all = log.operands(r);
  bool in_place = false, takes = false;
  for (uint32_t n = 0; log.instruction(r).adds && n < all.count; n++) {
    if (all.writes(n) || all[n].bytes != sum.bytes || all[n].lanes) continue;
    in_place |= all[n].key == sum.key;
    takes |= all[n].key == from;
  }
  return in_place && takes && log.result(r).key == sum.key && log.result(r).bytes == sum.bytes;
}

// Whether elements of a sum have only been added to since a record.
bool Twice::goes_on(const Operand& sum, uint64_t at, uint32_t since) const {
  auto there = scene_.ranges.reaching(at);
  if (there == scene_.ranges.none() || there->start > at || !there->written()) return false;
  const Access& last = there->write;
  const Record& r = scene_.log.record(last.record);
  return last.record >= since && last.in_place && scene_.log.instruction(r).adds && scene_.log.result(r).key == sum.key;
}

}  // namespace mlusim
