#include "lost.h"

#include <algorithm>

namespace mlusim {
namespace {

// Pieces of an operand that are looked at one by one: all between the first and the last byte of more of them counts.
constexpr double MOST_TOUCHED = 1 << 10;
// Results of a line that are all in vain, at least, where it loads: one may be for a tile that does not come.
constexpr size_t MANY = 2;

template <class Map>
bool meets(Map& map, uint64_t start, uint64_t end) {
  auto at = map.reaching(start);
  return at != map.none() && at->start < end;
}

}  // namespace

void Lost::find() {
  for (int64_t index = 0; index < log_.work.count; index++) {  // all scalar loads of a loop may be one record
    const Record& r = log_.record(index);
    const Operands operands = log_.operands(r);
    for (uint32_t n = 0; log_.is_scalar(r) && n < operands.count; n++)
      if (!operands.writes(n)) want(r, operands[n]);
  }
  for (auto at = wanted_.begin(); at != wanted_.none(); ++at) by_scalars_.insert(by_scalars_.none(), *at);
  for (int64_t index = log_.work.count; index-- > 0;) look_at(index);
  for (const auto* found : {last_of(true), last_of(false)}) {
    if (!found) continue;
    const Record& r = log_.record(found->front());
    const Line& line = lines_[static_cast<uint64_t>(r.op) << 32 | r.loc];
    const Operand& made = log_.result(r);
    for (auto at = found->rbegin(); at != found->rend(); ++at)
      causes_.note(LOST, *at, line.useful < 0 ? *at : line.useful, made.key, made.bytes, 0);
    return;
  }
}

// The results in vain that come last in the log: of lines of which all are, or some.
const std::vector<int64_t>* Lost::last_of(bool all) const {
  const std::vector<int64_t>* found = nullptr;
  for (const auto& [place, line] : lines_) {
    if (all != (line.useful < 0)) continue;
    const auto& mine = all ? line.vain : line.early;
    if (mine.empty() || (found && found->front() > mine.front())) continue;
    if (all && mine.size() < MANY && log_.far_operand(log_.record(mine.front()))) continue;
    found = &mine;
  }
  return found;
}

void Lost::look_at(int64_t index) {
  const Record& r = log_.record(index);
  if (log_.step(r) == SILENT) return;
  const Operands operands = log_.operands(r);
  bool useful = (r.flags & (MLUSIM_RESULT | MLUSIM_ATOMIC)) || log_.is_scalar(r), far = false, makes = false;
  for (uint32_t n = 0; n < operands.count; n++) {
    const Operand& operand = operands[n];
    if (!operand.bytes || !operands.writes(n)) continue;
    makes = true;
    far |= log_.on_device(operand.key);
    useful = useful || far || is_wanted(r, operand);
  }
  useful |= !makes;
  if (makes && !far && operands.count > 1 && !log_.is_scalar(r)) count(index, useful);
  if (!useful) return;
  for (uint32_t n = 0; n < operands.count; n++)
    if (operands.writes(n)) settle(r, operands[n]);
  for (uint32_t n = 0; n < operands.count; n++)
    if (operands.reads(n)) want(r, operands[n]);
}

// Whether a byte of a result is used.
bool Lost::is_wanted(const Record& r, const Operand& made) {
  bool found = false;
  pieces(r, made, [&](uint64_t start, uint64_t end) {
    found = found || meets(wanted_, start, end) || meets(by_scalars_, start, end);
  });
  return found;
}

// Bytes are taken.
void Lost::want(const Record& r, const Operand& taken) {
  pieces(r, taken, [&](uint64_t start, uint64_t end) {
    if (log_.on_device(start)) return;
    auto at = wanted_.reaching(start);
    if (at != wanted_.none() && at->start <= start && at->end >= end) return;  // most often
    while (at != wanted_.none() && at->start <= end) {
      start = std::min(start, at->start);
      end = std::max(end, at->end);
      at = wanted_.erase(at);
    }
    wanted_.insert(at, {start, end});
  });
}

// What lay there before a result that overwrites it is not wanted; where it may be written in part, it is.
void Lost::settle(const Record& r, const Operand& made) {
  if (log_.way(r) != LANES && log_.operands(r).count > 1) return;
  if (!pieces(r, made, [](uint64_t, uint64_t) {})) return;
  pieces(r, made, [&](uint64_t start, uint64_t end) {
    if (!meets(wanted_, start, end)) return;
    auto last = wanted_.cut_at(end), at = wanted_.cut_at(start);
    while (at != last) at = wanted_.erase(at);
  });
}

void Lost::count(int64_t index, bool useful) {
  const Record& r = log_.record(index);
  Line& line = lines_[static_cast<uint64_t>(r.op) << 32 | r.loc];
  line.made++;
  bool last = line.ended.insert(r.task).second;
  if (useful) {
    line.useful = index;
    return;
  }
  line.vain.push_back(index);
  if (!last && log_.far_operand(r)) line.early.push_back(index);
}

// Calls `touch` with each piece of an operand; with all from its first byte to its last, and gives false, where they
// are not known or too many.
template <class Touch>
bool Lost::pieces(const Record& r, const Operand& operand, Touch touch) const {
  if (!operand.bytes) return true;
  bool known = true;
  auto in_lane = [&](uint64_t base, size_t lane) {
    const Run *run = log_.runs_of(r, operand), *none = log_.work.run + log_.work.runs;
    uint32_t number = static_cast<uint32_t>(&operand - log_.work.operand);
    if (run == none || run->operand != number) return touch(base, base + operand.bytes);
    for (; run != none && run->operand == number; run++) {
      if (run->lanes && (lane + log_.work.lanes - run->lane) % log_.work.lanes >= run->lanes) continue;
      if (!run->run || 1.0 * run->count[0] * run->count[1] * run->count[2] > MOST_TOUCHED) {
        known = false;
        touch(base, base + operand.bytes);
        continue;
      }
      for (uint32_t i = 0; i < run->count[2]; i++)
        for (uint32_t j = 0; j < run->count[1]; j++)
          for (uint32_t k = 0; k < run->count[0]; k++) {
            uint64_t at = base + run->start + i * run->stride[2] + j * run->stride[1] + k * run->stride[0];
            touch(at, at + run->run);
          }
    }
  };
  if (!operand.lanes) {
    in_lane(operand.key, 0);
    return known;
  }
  uint64_t lane_bytes = log_.work.lane_bytes[Log::space(operand.key)];
  const std::vector<bool>& first = lanes_.first(operand);
  for (uint16_t n = 0; n < operand.lanes; n++) {
    size_t lane = (operand.lane + n) % log_.work.lanes;
    if (first[lane]) in_lane(operand.key + lane * lane_bytes, lane);
  }
  return known;
}

}  // namespace mlusim
