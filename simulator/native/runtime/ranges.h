// Ranges of addresses that scalar accesses may use, and the flags of their bytes: 1 where it was written.
#pragma once
#include <string.h>

#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// Whether [address, address + size) ends at or before `end`; no size overflows.
inline bool holds(uint64_t end, uint64_t address, uint64_t size) { return address <= end && size <= end - address; }

// The range of a sorted table that holds an access, or nullptr.
inline mlusim_range* range_of(mlusim_range* ranges, uint64_t count, uint64_t address, uint64_t size) {
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (ranges[middle].start <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low && holds(ranges[low - 1].end, address, size) ? &ranges[low - 1] : nullptr;
}

// The range of the running task's own memory that holds an access, or nullptr.
inline mlusim_range* own_range(uint64_t address, uint64_t size) {
  return range_of(mlusim_current->ranges, mlusim_current->range_count, address, size);
}

// Whether some bytes of [address, address + size) may lack a write.
inline bool is_doubtful(const mlusim_range& range, uint64_t address, uint64_t size) {
  return range.holes && address < range.holes->hi && address + size > range.holes->lo;
}

inline bool has_flags(const mlusim_range& range) { return range.holes && range.holes->written; }

inline uint8_t* flags_of(const mlusim_range& range, uint64_t address) {
  return range.holes->written + (address - range.start);
}

inline bool all_written(const uint8_t* flags, uint64_t size) {
  if (size == 4) {
    uint32_t four;
    memcpy(&four, flags, 4);
    return four == 0x01010101u;
  }
  if (size == 8) {
    uint64_t eight;
    memcpy(&eight, flags, 8);
    return eight == 0x0101010101010101u;
  }
  return !memchr(flags, 0, size);
}

// What every task of a launch may use, arguments and device memory, and what has become of flags since the last drain.
struct Memory {
  mlusim_range* common;  // sorted
  uint64_t common_count;
  uint64_t launch;     // how many there have been
  mlusim_range* last;  // where the running task's last access was
  int touched;         // mlusim_touched: what stores have done to the flags of written bytes
  int handed_over;     // the same of what Python has heard of since tasks began

  void note_first_write(mlusim_range& range, uint64_t address, uint64_t size) {
    memset(flags_of(range, address), 1, size);
    note_touched(range, address, size);
  }

  // The flags of some bytes are about to change, and not only to be set.
  void note_change(mlusim_range& range, uint64_t address, uint64_t size) {
    note_touched(range, address, size);
    mlusim_holes& holes = *range.holes;
    if (!holes.hi || address < holes.lo) holes.lo = address;
    if (address + size > holes.hi) holes.hi = address + size;
    touched = MLUSIM_TAKEN_AWAY;
  }

  void note_touched(mlusim_range& range, uint64_t address, uint64_t size) {
    if (address < range.touched) range.touched = address;
    if (address + size > range.until) range.until = address + size;
    if (!touched) touched = MLUSIM_WRITTEN;
  }

  // Whether an access to a range without flags needs none: stores that follow one another, or are on what those have
  // written, and loads of that. The bounds of such stores are all that there is to know about them.
  static bool in_order(const mlusim_range& range, uint64_t address, uint64_t size, bool store) {
    if (address >= range.touched && address + size <= range.until) return true;
    return store && (!range.until || address == range.until);
  }

  // Keeps in mind what has been stored in order.
  void note_in_order(mlusim_range& range, uint64_t address, uint64_t size) {
    if (!range.until) range.touched = address;
    if (address + size > range.until) range.until = address + size;
    if (!touched) touched = MLUSIM_WRITTEN;
  }

  // Whether a range is of what every task may use.
  bool is_common(const mlusim_range* range) const { return range >= common && range < common + common_count; }

  // Whether stores to a range have no effect; the task's own memory is not meant, nor its arguments.
  bool mutes(const mlusim_range* range) const {
    return mlusim_current->mute && is_common(range) && range->key != MLUSIM_UNSEEN;
  }
};
extern Memory memory;

}  // namespace mlusim
