#include "messages.h"

namespace mlusim {

void Messages::begin(const Record& r, size_t slot) {
  Queues& queues = of(slot);
  for (size_t p = 0; p < MOST_PIPES; p++)
    if (log_.waits(r) >> p & 1) learn_all(queues.front, queues.end[p]);
  start_ = queues.front;
  learn_all(start_, queues.end[r.pipe]);
  uint64_t joined = r.flags & MLUSIM_SERIAL ? log_.queues(r) : 0;
  for (size_t p = 0; p < MOST_PIPES; p++)
    if (joined >> p & 1) learn_all(start_, queues.end[p]);
  for (size_t p = 0; p < MOST_PIPES && !(joined >> r.pipe & 1); p++)
    if (joined >> p & 1) learn_all(queues.end[p], start_);
}

const Messages::Known& Messages::take(const Record& r) {
  taken_.clear();
  auto found = boxes_.find(r.work % MLUSIM_MESSAGES);
  if (found == boxes_.end()) return taken_;
  Box& box = found->second;
  taken_ = box.known;
  learn_all(start_, taken_);
  if (++box.passed == box.readers) boxes_.erase(found);
  return taken_;
}

void Messages::finish(const Record& r, size_t slot, bool settles, const Clock& own, const Known& others) {
  Queues& queues = of(slot);
  learn_all(queues.end[r.pipe], start_);
  if (settles) learn_all(queues.front, queues.end[r.pipe]);
  if (log_.message(r) != MLUSIM_SENDS) return;
  Box& box = boxes_[r.work % MLUSIM_MESSAGES];
  box.readers = r.work / MLUSIM_MESSAGES;
  learn_all(box.known, start_);
  learn_all(box.known, others);
  if (slot >= box.known.size()) box.known.resize(slot + 1);
  learn(box.known[slot], own);
}

void Messages::meet(const std::vector<size_t>& slots) {
  Known all;
  for (size_t slot : slots) {
    for (const Known& known : of(slot).end) learn_all(all, known);
    learn_all(all, of(slot).front);
  }
  for (size_t slot : slots) learn_all(of(slot).front, all);
}

}  // namespace mlusim
