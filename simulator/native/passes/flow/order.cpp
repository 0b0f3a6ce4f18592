#include "order.h"

namespace mlusim {
namespace {

// Barriers are counted: no log has more.
constexpr uint64_t MOST_BARRIERS = UINT32_MAX >> 4;

}  // namespace

Order::Order(const Log& log) : log_(log), pipes_(log.work.pipes), slot_of_(log.work.cores, -1), messages_(log) {
  list_arrivals();
}

void Order::list_arrivals() {
  const Work& w = log_.work;
  for (int64_t i = 0; i < w.count; i++) {
    const Record& r = w.record[i];
    if (log_.step(r) != MEETS) continue;
    nonsense_ |= r.work > MOST_BARRIERS;
    arrivals_.push_back({r.work, r.core, false});
  }
  std::stable_sort(arrivals_.begin(), arrivals_.end(),
                   [](const Arrival& one, const Arrival& other) { return one.barrier < other.barrier; });
}

void Order::begin_group(int64_t group) {
  for (size_t slot = 0; slot < slots_; slot++) slot_of_[cores_[slot].number] = -1;
  slots_ = 0;
  group_ = group;
  messages_.begin_group();
}

size_t Order::let_in(uint16_t core) {
  size_t slot = slots_++;
  slot_of_[core] = static_cast<int32_t>(slot);
  if (slot == cores_.size()) {
    cores_.emplace_back();
    others_.emplace_back();
  }
  cores_[slot] = {};
  cores_[slot].number = core;
  others_[slot].assign(slots_, {});
  for (size_t other = 0; other < slot; other++) others_[other].emplace_back();
  return slot;
}

// All its members have arrived, and know then what any of them knew.
void Order::meet(uint64_t barrier) {
  auto is_before = [](const Arrival& arrival, uint64_t number) { return arrival.barrier < number; };
  auto first = std::lower_bound(arrivals_.begin(), arrivals_.end(), barrier, is_before), last = first;
  if (first->met) return;
  first->met = true;
  for (; last != arrivals_.end() && last->barrier == barrier; ++last) {
    Core& core = cores_[enter(last->core)];
    for (int64_t p = 0; p < pipes_; p++) learn(core.front, core.end[p]);
  }
  for (size_t other = 0; other < slots_; other++) {
    Clock most{};
    for (auto member = first; member != last; ++member) {
      size_t slot = slot_of_[member->core];
      learn(most, slot == other ? cores_[slot].front : others_[slot][other]);
    }
    for (auto member = first; member != last; ++member)
      if (size_t slot = slot_of_[member->core]; slot != other) others_[slot][other] = most;
  }
  if (!log_.work.messages) return;
  std::vector<size_t> met;
  for (auto member = first; member != last; ++member) met.push_back(slot_of_[member->core]);
  messages_.meet(met);
}

void Order::issue(const Record& r, size_t slot) {
  slot_ = slot;
  learn_pipes(core().front, core(), log_.waits(r));
  if (log_.step(r) == MEETS) meet(r.work);
  Core& core = this->core();
  start_ = core.front;
  learn(start_, core.end[r.pipe]);
  if (uint64_t queues = r.flags & MLUSIM_SERIAL ? log_.queues(r) : 0) {
    learn_pipes(start_, core, queues);
    if (!(queues >> r.pipe & 1))  // the end of a section: whatever comes in its queues comes after it
      for (int64_t p = 0; p < pipes_; p++)
        if (queues >> p & 1) learn(core.end[p], start_);
  }
  if (log_.work.messages) {
    messages_.begin(r, slot);
    if (log_.message(r) == MLUSIM_AWAITS) {
      const Messages::Known& told = messages_.take(r);
      if (slot < told.size()) mlusim::learn(start_, told[slot]);
    }
  }
  sequence_ = ++core.issued[r.pipe];
}

void Order::finish(const Record& r) {
  Core& core = this->core();
  core.end[r.pipe] = start_;  // which knows what the end of the one before did
  core.end[r.pipe][r.pipe] = sequence_;
  bool settles = r.flags & (MLUSIM_BLOCKING | MLUSIM_RESULT) || log_.waits(r);
  if (settles) learn(core.front, core.end[r.pipe]);
  if (log_.work.messages) messages_.finish(r, slot_, settles, core.end[r.pipe], others_[slot_]);
}

}  // namespace mlusim
