#include "access.h"

#include <string.h>

#include <algorithm>

// What the runtime keeps in the image stands apart from what kernels may access there.
extern "C" char __start_simt_state[] __attribute__((visibility("hidden")));
extern "C" char __stop_simt_state[] __attribute__((visibility("hidden")));

namespace simt {

namespace {

bool in_array(uint64_t address, uint64_t size) {
  if (holds(launch.last_array, address, size)) return true;
  const simt_range *begin = launch.given.arrays, *end = begin + launch.given.array_count;
  auto after = std::upper_bound(begin, end, address, [](uint64_t a, const simt_range& r) { return a < r.start; });
  if (after == begin || !holds(after[-1], address, size)) return false;
  launch.last_array = after[-1];
  launch.last_number = (size_t)(after - 1 - begin);
  return true;
}

const Global* global_at(uint64_t address, uint64_t size) {
  for (const Global& entry : globals())
    if (holds({entry.start, entry.end}, address, size)) return &entry;
  return nullptr;
}

// Whether a thread may come to know what others have done before: a volatile load may be of a flag, for which it waits.
bool may_be_told(simt_access kind, How how) { return kind == SIMT_ATOMIC || (kind == SIMT_LOAD && how & VOLATILE); }

void shared_access(uint64_t address, uint64_t size, simt_access kind, How how, int64_t pc) {
  simt::Shared& memory = shared();
  if (!memory.inside(address, size)) fail(fault(SIMT_BOUNDS, pc, address, size, kind != SIMT_LOAD));
  if (memory.bytes > launch.given.static_limit) {
    simt_fault what = fault(SIMT_BUDGET, pc, address, memory.bytes);
    what.text = memory.find(address)->name;
    fail(what);
  }
  uint32_t place = launch.warps.place(pc, SIMT_SHARED, kind);
  if (may_be_told(kind, how)) launch.races.orders(true);
  launch.warps.access(place, launch.block, address, size, false);
  happened(pc, SIMT_SHARED, kind, address - memory.start, size);
  launch.stored.access(pc, kind, address, size, launch.threads.current);
  if (launch.given.unchecked) return;
  report(memory.access(address, size, kind, (uint16_t)launch.threads.current, place), address, size, kind, pc);
}

// An access to an array, or to a variable of the module, that may be a race with another thread's.
void note_race(size_t number, const simt_range& array, uint64_t address, uint64_t size, simt_access kind,
               uint16_t place, int64_t pc) {
  uint32_t thread = launch.threads.current;
  Races& races = launch.races;
  Race found = kind == SIMT_LOAD ? races.load(number, array, address, size, thread, place)
                                 : races.store(number, array, address, size, thread, place, kind == SIMT_ATOMIC);
  if (found.what == Race::NONE) return;
  int rule = found.what == Race::UPDATE ? SIMT_UPDATE : SIMT_GLOBAL_RACE;
  simt_fault what = fault(rule, pc, address, races.block_of(found.thread), kind != SIMT_LOAD);
  what.related = launch.warps.at(found.place).pc;
  what.other = races.in_block(found.thread);
  if (found.what == Race::LOADS) return launch.race(what, size, found.asked);
  launch.repeated = {what, size, found.asked, {}};
  memcpy(launch.repeated.was, (const void*)address, size);
}

// An access to an array, or to a variable of the module, that may be to what another block has left there.
void note_unfenced(size_t number, const simt_range& array, uint64_t address, uint64_t size, simt_access kind, bool says,
                   uint32_t place, int64_t pc) {
  const Stored_by* other = launch.fences.access(number, array, address, size, kind != SIMT_LOAD, says, place);
  if (!other) return;
  simt_fault what = fault(SIMT_FENCE, pc, address, other->block - 1);
  what.related = launch.warps.at(other->place).pc;
  note(what);
}

// The variable of the module that an access outside of arrays is to; none where it is to constant memory, the image or
// the heap, which is none to global memory.
const Global* variable_at(uint64_t address, uint64_t size, simt_access kind, int64_t pc) {
  if (const Global* variable = global_at(address, size)) {
    if (!variable->constant) return variable;
    if (kind == SIMT_LOAD) return nullptr;
    simt_fault what = fault(SIMT_CONSTANT, pc, address, size, 1);
    what.text = variable->name;
    fail(what);
  }
  if (launch.heap.holds(address, size)) return nullptr;
  if (kind == SIMT_LOAD && holds(launch.given.parameters, address, size)) return nullptr;
  bool state = address + size > (uint64_t)__start_simt_state && address < (uint64_t)__stop_simt_state;
  if (!launch.threads.running->holds((uint64_t)__builtin_frame_address(0))) ended(MLUSIM_STACK, 0, 0, pc);
  if (!holds(launch.given.image, address, size) || state)
    fail(fault(SIMT_BOUNDS, pc, address, size, kind != SIMT_LOAD));
  return nullptr;
}

}  // namespace

void memory_access(uint64_t address, uint64_t size, simt_access kind, How how, int64_t pc) {
  settle();
  if (kind != SIMT_STORE) mlusim_last_announced[0] = {address, size};
  if (kind != SIMT_LOAD) mlusim_last_announced[1] = {address, size};
  if (*guest.time_is_up) ended(MLUSIM_TIME, 0, 0, pc);
  if (how & ALIGNED && address & (size - 1)) fail(fault(SIMT_ALIGNMENT, pc, address, size, kind != SIMT_LOAD));
  if (shared().holds(address)) return shared_access(address, size, kind, how, pc);
  const Global* variable = nullptr;
  bool array = in_array(address, size);
  if (!array && !(variable = variable_at(address, size, kind, pc))) return;
  uint32_t place = launch.warps.place(pc, SIMT_GLOBAL, kind);
  launch.warps.access(place, launch.block, address, size, array);
  happened(pc, SIMT_GLOBAL, kind, address, size);
  if (launch.given.unchecked) return;
  size_t number = array ? launch.last_number : launch.given.array_count + (size_t)(variable - globals().data());
  simt_range range = array ? launch.last_array : simt_range{variable->start, variable->end};
  bool says = kind == SIMT_ATOMIC || how & VOLATILE;
  if (may_be_told(kind, how)) {
    launch.races.orders(false);
    launch.fences.is_told();
  }
  if (launch.fences.on()) note_unfenced(number, range, address, size, kind, says, place, pc);
  if (says && kind != SIMT_LOAD) launch.fences.says();
  if (launch.races.concerns(number, range, kind, place)) note_race(number, range, address, size, kind, place, pc);
}

void report(const Clash& clash, uint64_t address, uint64_t size, simt_access kind, int64_t pc) {
  static constexpr int kinds[] = {0, SIMT_RACE, SIMT_RACE, SIMT_UNINITIALIZED, SIMT_ORDER};
  if (clash.what == Clash::NONE) return;
  simt_fault what = fault(kinds[clash.what], pc, clash.address, size, kind != SIMT_LOAD);
  if (clash.what == Clash::UNINITIALIZED) return note(what);
  what.related = launch.warps.at(clash.place).pc;
  what.other = clash.thread;
  if (clash.what == Clash::AGAIN) {
    launch.repeated = {what, address + size - clash.address, false, {}};
    memcpy(launch.repeated.was, (const void*)clash.address, launch.repeated.size);
    return;
  }
  note(what);
  if (!launch.given.collect) leave(true);
}

void block_access(const void* p, size_t n, simt_access kind, int64_t pc) {
  if (!*guest.in_kernel) return;
  for (size_t at = 0; at < n; at += 16) access((uint64_t)p + at, std::min<size_t>(n - at, 16), kind, UNALIGNED, pc);
  mlusim_last_announced[kind == SIMT_STORE] = {(uint64_t)p, n};
}

}  // namespace simt
