#include "waits.h"

namespace mlusim {

void Waits::look_at(const Record& r, int64_t index, size_t slot) {
  Waiting& waiting = of(slot);
  uint64_t waits = log_.waits(r);
  Step step = log_.step(r);
  bool waits_too = step == WAITS || step == MEETS;
  if (waits_too && waiting.last >= 0 && !(log_.waits(log_.record(waiting.last)) & ~waits))
    work_.redundant[waiting.last] = 2;
  waiting.last = -1;
  if (step != WAITS) return;
  const Core& core = order_.core(slot);
  bool gains = false;
  for (int64_t p = 0; p < work_.pipes; p++) gains |= waits >> p & 1 && core.issued[p] > core.front[p];
  if (gains)
    waiting.last = index;
  else
    work_.redundant[index] = !waiting.unsure;
  waiting.unsure = false;
}

void Waits::keep(const Record& r, int64_t index) {
  if (!(r.flags & MLUSIM_ASYNC)) return;
  Waiting& waiting = of(order_.slot());
  waiting.copy[r.pipe] = index;
  waiting.number[r.pipe] = order_.sequence();
  waiting.unsure |= work_.in_order >> r.pipe & 1;
}

void Waits::end_group() {
  for (size_t slot = 0; slot < waiting_.size() && work_.whole; slot++)
    for (int64_t p = 0; p < work_.pipes; p++) {
      int64_t copy = waiting_[slot].copy[p];
      if (waiting_[slot].number[p] <= order_.core(slot).front[p] || gave_up(log_.record(copy))) continue;
      causes_.note(UNWAITED, copy, copy, 0, 0, 0);
    }
  waiting_.clear();
}

// Whether the task of a record has ended at a fault: what it would have waited for afterwards is not known.
bool Waits::gave_up(const Record& r) const {
  for (int64_t i = 0; i < work_.faults; i++)
    if (work_.fault[2 * i] == r.core && work_.fault[2 * i + 1] == r.task) return true;
  return false;
}

}  // namespace mlusim
