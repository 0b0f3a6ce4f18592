#include "access.h"

#include <errno.h>
#include <stdio.h>

#include "blocks.h"
#include "heap.h"
#include "images.h"
#include "process.h"
#include "ranges.h"

namespace mlusim {

Muted muted;

namespace {

// What the headers of the C library make a kernel access: its streams by name, and errno.
bool of_library(uint64_t address, uint64_t size, bool store) {
  if (address == (uint64_t)&errno) return size <= sizeof errno;
  return !store && (address == (uint64_t)&stdout || address == (uint64_t)&stderr || address == (uint64_t)&stdin);
}

// An access that may not happen: the task ends here, or goes on as if the store had not been, or had loaded NaN.
void refuse(uint64_t address, uint64_t size, bool store, int64_t pc) {
  fault(MLUSIM_ACCESS, address, size, store, pc);
  muted.keep(address, size);
  if (!store) memset((void*)address, 0xff, size);
}

// The range of an access that is not to the last one; nullptr where the access is right, and is none of a range.
__attribute__((noinline)) mlusim_range* find_range(uint64_t address, uint64_t size, bool store, int64_t pc) {
  if (address >= process.stack_low && address < process.stack_high && holds(process.stack_high, address, size))
    return nullptr;
  if (process.loading) return nullptr;  // a static initialiser works on the host's memory
  mlusim_range* range = own_range(address, size);
  if (!range) range = range_of(memory.common, memory.common_count, address, size);
  if (range) return memory.last = range;
  if (images.hold(address) || heap.holds(address, size) || of_library(address, size, store)) return nullptr;
  if ((uint64_t)__builtin_frame_address(0) < process.stack_low) fault(MLUSIM_STACK, address, 0, 0, pc);
  refuse(address, size, store, pc);
  return nullptr;
}

// Keeps the flags of what is stored, and looks at those of what is loaded.
__attribute__((noinline)) void use_flags(mlusim_range& range, uint64_t address, uint64_t size, bool store, int64_t pc) {
  if (!has_flags(range)) {
    if (!blocks.need_flags() && memory.in_order(range, address, size, store)) {
      if (store) memory.note_in_order(range, address, size);
      return;
    }
    keep_flags(address);
  }
  if (all_written(flags_of(range, address), size)) return;
  if (store)
    memory.note_first_write(range, address, size);
  else if (is_block(flags_of(range, address), size))
    blocks.wait(range, address, size, pc);
  else
    ask_about(address, size, pc);
}

}  // namespace

void keep_flags(uint64_t address) {
  process.in_kernel = 0;  // the runs go on: nothing has happened
  memory.handed_over |= MLUSIM_WRITTEN;
  process.answers.keep_flags(address);
  process.in_kernel = 1;
}

void scalar_access(uint64_t address, uint64_t size, int how, int64_t pc) {
  if (!process.in_kernel) return;
  bool store = how & 1;
  mlusim_last_announced[store] = {address, size};
  if (process.time_is_up) {
    if (process.loading) end_task(MLUSIM_TIME, 0, 0, pc);
    leave();
    back(pc);
  }
  muted.restore();
  blocks.begin_access(address, size, store);
  mlusim_range* range = memory.last;
  if (!range || address < range->start || !holds(range->end, address, size)) {
    if (images.newest_holds(address)) return;  // where a variable lies, which each instruction is told
    range = find_range(address, size, store, pc);
    if (!range) return;
  }
  if (is_doubtful(*range, address, size) ? !has_flags(*range) || !all_written(flags_of(*range, address), size)
                                         : blocks.need_flags() && !has_flags(*range) && !memory.is_common(range))
    use_flags(*range, address, size, store, pc);
  blocks.end_access(*range, address, size, store);
  if (range->key != MLUSIM_UNSEEN) runs.add({address, size, how, pc}, *range);
  if (store && memory.mutes(range)) muted.keep(address, size);
}

}  // namespace mlusim

mlusim_announced mlusim_last_announced[2];
MLUSIM_SHOW("", "%rbp");  // the frame of the function that calls

void mlusim_shown(uint64_t address, uint64_t how, uint64_t many, int64_t pc) {
  uint64_t size = mlusim_shown_bytes(how, many);
  mlusim_announced& announced = mlusim_last_announced[how & 1];
  if (!size || announced.holds(address, size)) return;
  mlusim::scalar_access(address, size, int(how & 1), pc);
  announced = {};
}

void mlusim_structure(const void* address, uint64_t size, int64_t pc) {
  if (address) mlusim::scalar_access((uint64_t)address, size, 0, pc);
}
