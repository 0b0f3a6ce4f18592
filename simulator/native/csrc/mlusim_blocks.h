// Loads of blocks with uninitialized bytes, such as the gaps in a structure. A copy takes along which they are; what goes
// where that is not kept, a local variable, may have gaps. Part of mlusim_rt.cpp, and inside its extern "C".
#pragma once

// The load that waits for what comes next; size 0: none does.
static struct {
  struct mlusim_range* range;
  uint64_t address, size;
  int64_t pc;
  int whole;  // it is of a structure or of a block, as the code says
} loaded;
// What the store that goes on takes along: for every byte whether anybody has written it.
static std::vector<uint8_t> taken;

static void forget_copy(void) {
  loaded.size = 0;
  taken.clear();
}

// Whether a load is one of a block: nobody computes with what is written in part.
static inline int is_block(const uint8_t* flags, uint64_t size) { return size > 8 || memchr(flags, 1, size); }

static void wait_for_copy(struct mlusim_range* range, uint64_t address, uint64_t size, int64_t pc) {
  const uint8_t* flags = range->written + (address - range->start);
  for (uint64_t i = 0; i < size; i++)
    if (!flags[i]) ((uint8_t*)address)[i] = 0xff;  // NaN, as all fresh memory
  loaded.range = range;
  loaded.address = address;
  loaded.size = size;
  loaded.pc = pc;
  loaded.whole = 0;
}

// Whether [from, until) of a block looks like a gap: it follows a member, and is shorter than what it aligns the next to.
static int is_gap(uint64_t from, uint64_t until) {
  uint64_t bytes = until - from, alignment = 1;
  while (alignment <= bytes) alignment *= 2;
  return loaded.whole && from && alignment <= 8 && (loaded.address + until) % alignment == 0;
}

// The load that waited is no copy: what is missing in it is reported, but for gaps.
static void settle(void) {
  const uint8_t* flags = loaded.range->written + (loaded.address - loaded.range->start);
  uint64_t size = loaded.size, i = 0;
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
  uint64_t address = loaded.address + i;
  loaded.size = 0;
  if (i < size) ask_about(address, size - i, loaded.pc);
}

// The store of as many bytes that comes next takes their state to memory of the task's, where it is kept.
static void take_along(uint64_t address, uint64_t size, int store) {
  struct mlusim_range* to =
      store && size == loaded.size ? range_of(mlusim_current->ranges, mlusim_current->range_count, address, size) : NULL;
  if (!to) return settle();
  const uint8_t* flags = loaded.range->written + (loaded.address - loaded.range->start);
  taken.assign(flags, flags + size);
  loaded.size = 0;
}

static void arrive(struct mlusim_range* range, uint64_t address, uint64_t size) {
  if (range->written) {
    note_first_write(range, address, size);
    memcpy(range->written + (address - range->start), taken.data(), size);
    touched = MLUSIM_TAKEN_AWAY;
  }
  taken.clear();
}
