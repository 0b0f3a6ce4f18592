// Loads of blocks with uninitialized bytes, such as the gaps in a structure. A copy takes along which they are. What goes
// to a local variable is seen neither there nor on its way back: a block of its size that comes to memory later is a copy
// of it if it looks like it, and takes them along too. Part of mlusim_rt.cpp, and inside its extern "C".
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

// Blocks that local variables of tasks hold, the oldest first: where from, what was in them, and which bytes were written.
enum { HELD = 16 };
struct held_block {
  struct mlusim_task* task;
  uint64_t address, missing;  // where it came from; bytes in front of what is missing, gaps aside
  int64_t pc;
  int moved;  // it has been seen again
  std::vector<uint8_t> bytes, flags;
};
static std::vector<held_block> held;
// A store of a block that may be one of them, of which nothing is in memory yet; size 0: there is none.
static struct {
  uint64_t address, size;
} stored;

static void forget_copy(void) {
  loaded.size = stored.size = 0;
  taken.clear();
  held.erase(std::remove_if(held.begin(), held.end(), [](const held_block& b) { return b.task == mlusim_current; }),
             held.end());
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

// What is missing in a block that has never come back was used, as far as anybody can tell.
static void report_held(const held_block block) {
  if (!block.moved) ask_about(block.address + block.missing, block.bytes.size() - block.missing, block.pc);
}

// The memory of the task in [start, end) goes: what was held of it does not come back.
static void release_held(uint64_t start, uint64_t end) {
  for (size_t i = 0; i < held.size();) {
    if (held[i].task != mlusim_current || held[i].address < start || held[i].address >= end) {
      i++;
      continue;
    }
    held_block block = held[i];
    held.erase(held.begin() + (long)i);
    report_held(block);
  }
}

static void hold(uint64_t from, uint64_t size, uint64_t missing, const uint8_t* flags) {
  const uint8_t* bytes = (const uint8_t*)from;
  held.push_back({mlusim_current, from, missing, loaded.pc, 0, {bytes, bytes + size}, {flags, flags + size}});
  if (held.size() <= HELD) return;
  auto oldest = std::find_if(held.begin(), held.end(), [](const held_block& b) { return b.task == mlusim_current; });
  held_block block = *oldest;
  held.erase(oldest);
  report_held(block);
}

// Whether a block in memory is a copy of one that was held: most of what was there in it is.
static int looks_like(const held_block& block, const uint8_t* bytes) {
  size_t alike = 0, written = 0;
  for (size_t i = 0; i < block.bytes.size(); i++) {
    written += block.flags[i];
    alike += block.flags[i] && bytes[i] == block.bytes[i];
  }
  return 2 * alike >= written;
}

// The block that was stored last has arrived.
static void recognize(void) {
  uint64_t address = stored.address, size = stored.size;
  stored.size = 0;
  struct mlusim_range* range = range_of(mlusim_current->ranges, mlusim_current->range_count, address, size);
  if (!range || !has_flags(range)) return;
  for (size_t i = held.size(); i-- > 0;) {
    held_block& block = held[i];
    if (block.task != mlusim_current || block.bytes.size() != size || !looks_like(block, (const uint8_t*)address)) continue;
    note_first_write(range, address, size);
    for (uint64_t k = 0; k < size; k++)  // a member that has come to it since is no longer what fresh memory holds
      range->written[address - range->start + k] = block.flags[k] || ((const uint8_t*)address)[k] != 0xff;
    touched = MLUSIM_TAKEN_AWAY;
    block.moved = 1;
    return;
  }
}

static inline void may_come_back(uint64_t address, uint64_t size) {
  for (const held_block& block : held)
    if (block.task == mlusim_current && block.bytes.size() == size) {
      stored.address = address;
      stored.size = size;
      return;
    }
}

// The load that waited is no copy within memory: a local variable holds the block now, if more is missing than gaps.
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
  loaded.size = 0;
  if (i < size && size >= 8) hold(loaded.address, size, i, flags);
  else if (i < size) ask_about(loaded.address + i, size - i, loaded.pc);
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
