#include "late.h"

#include <string.h>

#include "process.h"

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
    if (pipes >> copy.pipe & 1)
      memmove((char*)copy.target, (const char*)copy.source, copy.bytes);
    else
      copies_[kept++] = copy;
  }
  count_ = kept;
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
  if (!count_) return;
  const int count = count_;
  count_ = 0;
  process.answers.defer(copies_, (uint64_t)count);
}

}  // namespace mlusim
