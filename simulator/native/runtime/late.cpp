#include "late.h"

#include <string.h>

#include "process.h"
#include "repeats.h"

namespace mlusim {

Late late;

namespace {

bool meet(uint64_t address, uint64_t bytes, uint64_t other, uint64_t others) {
  return address < other + others && other < address + bytes;
}

}  // namespace

void Late::drain(uint64_t pipes) {
  int kept = 0;
  for (int i = 0; i < count_; i++) {
    const mlusim_late& copy = copies_[i];
    if (!(pipes >> copy.pipe & 1))
      copies_[kept++] = copy;
    else if (copy.repeat)
      mlusim_repeat_effect(copy.repeat, copy.source);
    else
      memmove((char*)copy.target, (const char*)copy.source, copy.bytes);
  }
  count_ = kept;
}

bool Late::turn() {
  if (mlusim_current->pending) process.answers.turn();
  if (mlusim_current->pending) return false;
  drain(UINT64_MAX);
  return true;
}

uint64_t Late::pipes_on(uint64_t address, uint64_t bytes, bool written) const {
  uint64_t pipes = 0;
  for (int i = 0; i < count_; i++) {
    const mlusim_late& copy = copies_[i];
    if (meet(address, bytes, copy.target, copy.bytes) || (written && meet(address, bytes, copy.source, copy.bytes)))
      pipes |= 1ull << copy.pipe;
  }
  return pipes;
}

void Late::hand_over() {
  if (section_.is_news) process.answers.section(section_.opens, section_.op, section_.pc);
  section_.is_news = false;
  if (!count_) return;
  const int count = count_;
  count_ = 0;
  process.answers.defer(copies_, (uint64_t)count);
}

}  // namespace mlusim
