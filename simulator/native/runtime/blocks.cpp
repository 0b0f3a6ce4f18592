#include "blocks.h"

#include <algorithm>
#include <utility>

#include "process.h"
#include "ranges.h"

namespace mlusim {

Blocks blocks;

void ask_about(uint64_t address, uint64_t size, int64_t pc) {
  leave();
  process.answers.unwritten(address, size, pc);
  back(pc);
}

void Blocks::forget_task() {
  loaded_.size = stored_.size = 0;
  taken_.clear();
  held_.erase(
      std::remove_if(held_.begin(), held_.end(), [](const Held& block) { return block.task == mlusim_current; }),
      held_.end());
}

void Blocks::wait(mlusim_range& range, uint64_t address, uint64_t size, int64_t pc) {
  const uint8_t* flags = flags_of(range, address);
  for (uint64_t i = 0; i < size; i++)
    if (!flags[i]) ((uint8_t*)address)[i] = (uint8_t)range.holes->poison;
  loaded_ = {&range, address, size, pc, false};
}

// Whether [from, until) of a block looks like a gap: it follows a member, and is shorter than what it aligns the next
// to.
bool Blocks::is_gap(uint64_t from, uint64_t until) const {
  uint64_t bytes = until - from, alignment = 1;
  while (alignment <= bytes) alignment *= 2;
  return loaded_.whole && from && alignment <= 8 && (loaded_.address + until) % alignment == 0;
}

// What is missing in a block that has never come back was used, as far as is known.
void Blocks::report(const Held& block) {
  if (!block.moved) ask_about(block.address + block.missing, block.bytes.size() - block.missing, block.pc);
}

void Blocks::release(uint64_t start, uint64_t end) {
  for (size_t i = 0; i < held_.size();) {
    if (held_[i].task != mlusim_current || held_[i].address < start || held_[i].address >= end) {
      i++;
      continue;
    }
    Held block = std::move(held_[i]);
    held_.erase(held_.begin() + (long)i);
    report(block);
  }
}

void Blocks::hold(uint64_t from, uint64_t size, uint64_t missing, const uint8_t* flags) {
  const uint8_t* bytes = (const uint8_t*)from;
  held_.push_back({mlusim_current, from, missing, loaded_.pc, false, {bytes, bytes + size}, {flags, flags + size}});
  if (held_.size() <= MOST_HELD) return;
  auto oldest =
      std::find_if(held_.begin(), held_.end(), [](const Held& block) { return block.task == mlusim_current; });
  Held block = std::move(*oldest);
  held_.erase(oldest);
  report(block);
}

// Whether a block in memory is a copy of one that was held: most of what was there in it is.
bool Blocks::looks_like(const Held& block, const uint8_t* bytes) {
  size_t alike = 0, written = 0;
  for (size_t i = 0; i < block.bytes.size(); i++) {
    written += block.flags[i];
    alike += block.flags[i] && bytes[i] == block.bytes[i];
  }
  return 2 * alike >= written;
}

// The block that was stored last has arrived.
void Blocks::recognize() {
  uint64_t address = stored_.address, size = stored_.size;
  const uint8_t* bytes = (const uint8_t*)address;
  stored_.size = 0;
  mlusim_range* range = own_range(address, size);
  if (!range || !has_flags(*range)) return;
  for (size_t i = held_.size(); i-- > 0;) {
    Held& block = held_[i];
    if (block.task != mlusim_current || block.bytes.size() != size || !looks_like(block, bytes)) continue;
    memory.note_change(*range, address, size);
    for (uint64_t k = 0; k < size; k++)  // a member that has come to it since is no longer what fresh memory holds
      flags_of(*range, address)[k] = block.flags[k] || bytes[k] != (uint8_t)range->holes->poison;
    block.moved = true;
    return;
  }
}

void Blocks::may_come_back(uint64_t address, uint64_t size) {
  for (const Held& block : held_)
    if (block.task == mlusim_current && block.bytes.size() == size) {
      stored_ = {address, size};
      return;
    }
}

// The load that waited is no copy within memory: a local variable holds the block now, if more is missing than gaps.
void Blocks::settle() {
  const uint8_t* flags = flags_of(*loaded_.range, loaded_.address);
  uint64_t size = loaded_.size, i = 0;
  while (i < size) {
    if (flags[i]) {
      i++;
      continue;
    }
    uint64_t until = i;
    while (until < size && !flags[until]) until++;
    if (!is_gap(i, until)) break;
    i = until;
  }
  loaded_.size = 0;
  if (i < size && size >= 8)
    hold(loaded_.address, size, i, flags);
  else if (i < size)
    ask_about(loaded_.address + i, size - i, loaded_.pc);
}

// The store of as many bytes that comes next takes their state to memory of the task's, where it is kept.
void Blocks::take_along(uint64_t address, uint64_t size, bool store) {
  mlusim_range* to = store && size == loaded_.size ? own_range(address, size) : nullptr;
  if (!to) return settle();
  const uint8_t* flags = flags_of(*loaded_.range, loaded_.address);
  taken_.assign(flags, flags + size);
  loaded_.size = 0;
}

void Blocks::arrive(mlusim_range& range, uint64_t address, uint64_t size) {
  if (range.holes) {
    memory.note_change(range, address, size);
    memcpy(flags_of(range, address), taken_.data(), size);
  }
  taken_.clear();
}

}  // namespace mlusim
