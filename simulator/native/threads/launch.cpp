#include "launch.h"

#include <string.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>

// What a kernel sees as constants: they are, for as long as a thread runs.
struct simt_place {
  uint32_t x, y, z;
};
simt_place threadIdx, blockIdx, blockDim, gridDim;
// A source may define it itself.
extern const int warpSize __attribute__((weak));
const int warpSize = SIMT_WARP;

// The references to variables at file scope, which compiled code reads.
extern "C" char* __start_mlusim_slots[] __attribute__((weak, visibility("hidden")));
extern "C" char* __stop_mlusim_slots[] __attribute__((weak, visibility("hidden")));

// Not empty if the image has atomic functions.
extern "C" const char __start_mlusim_atomics __attribute__((weak, visibility("hidden")));
extern "C" const char __stop_mlusim_atomics __attribute__((weak, visibility("hidden")));

// All that the runtime keeps in the image stands apart from what kernels may access there.
#define STATE __attribute__((section("simt_state")))

namespace simt {

STATE Launch launch;
// Until the first launch nothing runs; static initialisers ask before any of ours has run.
STATE static volatile char nothing_runs;
STATE mlusim_guest guest{&nothing_runs, nullptr, nullptr};
STATE static Shared* shared_memory;
STATE static std::vector<Global>* globals_made;

Shared& shared() { return *(shared_memory ? shared_memory : shared_memory = new Shared()); }
std::vector<Global>& globals() { return *(globals_made ? globals_made : globals_made = new std::vector<Global>()); }

void leave(bool stop) {
  *guest.in_kernel = 0;
  if (stop) launch.threads.stopped = true;
  launch.faulty = true;
  launch.repeated.size = 0;
  launch.threads.abandon();
}

static Launch::Place place_of(const simt_fault& fault) { return {fault.kind, fault.pc, fault.related}; }

void note(const simt_fault& fault) {
  *guest.in_kernel = 0;
  auto [found, fresh] = launch.known_faults.emplace(place_of(fault), launch.faults.size());
  if (fresh)
    launch.faults.push_back(fault);
  else
    ++launch.faults[found->second].count;
}

void settle() {
  const Repeated& store = launch.repeated;
  if (!store.size) return;
  char was = std::exchange(*guest.in_kernel, 0);
  if (memcmp((const void*)store.race.address, store.was, store.size) != 0) {
    if (store.race.kind == SIMT_GLOBAL_RACE) {  // it may be meant, which the end of the launch shows
      launch.race(store.race, store.size, store.asked);
    } else {
      note(store.race);
      if (!launch.given.collect) leave(true);
    }
  }
  launch.repeated.size = 0;
  *guest.in_kernel = was;
}

simt_fault fault(int kind, int64_t pc, uint64_t address, uint64_t size, int store) {
  return {pc, 0, address, size, 1, launch.block, nullptr, launch.threads.current, 0, kind, store};
}

void fail(const simt_fault& what) {
  note(what);
  leave(!launch.given.collect);
}

void note_end(int kind, uint64_t address, uint64_t size, int64_t pc) {
  simt_fault what = fault(SIMT_PROCESS, pc, address, size);
  what.other = (uint32_t)kind;
  note(what);
}

void ended(int kind, uint64_t address, uint64_t size, int64_t pc) {
  note_end(kind, address, size, pc);
  leave(true);
}

namespace {

void begin_thread(uint32_t number) {
  threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / (blockDim.x * blockDim.y)};
  launch.warps.turn(number);
  mlusim_last_announced[0] = mlusim_last_announced[1] = {};
  *guest.stack_low = launch.threads.running->bottom() + simt::LEAST;
  *guest.in_kernel = 1;
}

void run_thread(uint32_t number) {
  begin_thread(number);
  launch.entry(launch.arguments);
  settle();
  *guest.in_kernel = 0;
}

// A thread waits for one of its warp that is at another place, or at a barrier.
void note_apart(uint32_t thread, const std::vector<uint32_t>& waiting) {
  const Call& call = launch.exchange.of(thread);
  simt_fault what = fault(SIMT_WARP_APART, call.pc, 0, call.mask);
  what.thread = thread;
  what.text = call.name;
  for (uint32_t other : waiting) {
    bool named = other / SIMT_WARP == thread / SIMT_WARP && call.mask >> other % SIMT_WARP & 1;
    const Call& its = launch.exchange.of(other);
    bool here = launch.threads.at(other).site == IN_WARP && its.mask == call.mask && !strcmp(its.name, call.name);
    if (!named || here) continue;
    what.other = other;
    what.related = launch.threads.at(other).pc;
    break;
  }
  note(what);
}

// All threads of the block have ended or wait, some of them for others of their warps: whether any may go on.
bool in_warps(std::vector<uint32_t>& waiting, const std::vector<uint32_t>& here) {
  std::vector<uint32_t> on = launch.exchange.met(here, waiting, [](uint32_t warp) {
    shared().fence(warp);
    launch.races.fence(warp);
  });
  if (on.empty()) {
    note_apart(here[0], waiting);
    return false;
  }
  launch.warps.flush();
  waiting = std::move(on);
  return true;
}

// All threads of the block have ended or wait: whether any that wait may go on. Those that may are left.
bool at_barrier(std::vector<uint32_t>& waiting) {
  std::vector<uint32_t> here;
  for (uint32_t thread : waiting)
    if (launch.threads.at(thread).site == IN_WARP) here.push_back(thread);
  if (!here.empty()) return in_warps(waiting, here);
  uint32_t count = blockDim.x * blockDim.y * blockDim.z, first = waiting[0];
  const simt::Thread& one = launch.threads.at(first);
  simt_fault what = fault(SIMT_BARRIER_ENDED, one.pc);
  what.thread = first;
  what.size = count - waiting.size();
  if (waiting.size() < count && !launch.faulty) {
    while (what.other < waiting.size() && waiting[what.other] == what.other) ++what.other;
    note(what);
    return false;
  }
  for (uint32_t thread : waiting) {
    if (launch.threads.at(thread).site == one.site) continue;
    what.kind = SIMT_BARRIER_APART;
    what.other = thread;
    what.related = launch.threads.at(thread).pc;
    note(what);
    return false;
  }
  launch.warps.flush();
  shared().barrier();
  launch.races.barrier();
  return true;
}

// Runs the block `launch.block`; whether the launch goes on.
bool run_block() {
  uint64_t number = launch.block;
  blockIdx = {uint32_t(number % gridDim.x), uint32_t(number / gridDim.x % gridDim.y),
              uint32_t(number / gridDim.x / gridDim.y)};
  shared().begin_block(number);
  launch.races.begin_block(number);
  launch.fences.begin_block(number);
  launch.faulty = false;
  launch.copies.begin_block();
  launch.exchange.begin_block(blockDim.x * blockDim.y * blockDim.z);
  bool met = true;
  launch.threads.run(blockDim.x * blockDim.y * blockDim.z,
                     [&](std::vector<uint32_t>& waiting) { return met = at_barrier(waiting); });
  launch.events.end_block();
  launch.stored.end_block();
  size_t before = launch.rows.size();
  launch.warps.end_block(launch.rows);
  for (size_t i = before; i < launch.rows.size(); ++i)
    if (launch.rows[i].space == SIMT_SHARED) launch.rows[i].address = simt_shared_offset(launch.rows[i].address);
  launch.declared = std::max(launch.declared, shared().bytes);
  return met && !launch.threads.stopped;
}

}  // namespace

void Global::move(uint64_t address) {
  for (char** slot = __start_mlusim_slots; slot < __stop_mlusim_slots; ++slot)
    if ((uint64_t)*slot - start < end - start) *slot += address - start;
  end += address - start;
  start = address;
}

uint64_t Launch::block_in(uint64_t turn) const {
  uint64_t count = (uint64_t)given.grid[0] * given.grid[1] * given.grid[2], order = given.order;
  if (!order) return turn;
  if (order == 1 || count < 3) return count - 1 - turn;
  uint64_t step = count / 2 + order;
  while (std::gcd(step, count) != 1) ++step;
  return (turn + order) % count * (step % count) % count;
}

void Launch::race(const simt_fault& what, uint64_t size, bool asked) {
  note(what);
  flags[place_of(what)].store(value_of(what.address, size), asked);
}

void Launch::settle_races() {
  std::set<int64_t> updated;  // where what is updated had been stored
  for (const simt_fault& fault : faults)
    if (fault.kind == SIMT_UPDATE) updated.insert(fault.related);
  auto is_left_out = [&](const simt_fault& race) {
    if (race.kind != SIMT_GLOBAL_RACE) return false;
    return flags[place_of(race)].meant() || (!race.store && updated.count(race.related));
  };
  faults.erase(std::remove_if(faults.begin(), faults.end(), is_left_out), faults.end());
}

void Launch::begin(const simt_launch& launch, void (*kernel)(void**), void** values) {
  given = launch;
  entry = kernel;
  arguments = values;
  gridDim = {given.grid[0], given.grid[1], given.grid[2]};
  blockDim = {given.block[0], given.block[1], given.block[2]};
  rows.clear();
  faults.clear();
  known_faults.clear();
  flags.clear();
  warps = Warps();
  warps.exact = given.exact;
  events.begin_launch(given.focus);
  stored.begin_launch(given.stored);
  last_array = {};
  uint64_t ranges = given.array_count + globals().size();
  uint64_t blocks = (uint64_t)given.grid[0] * given.grid[1] * given.grid[2];
  races.begin_launch(ranges, blocks, given.block[0] * given.block[1] * given.block[2]);
  fences.begin_launch(ranges, blocks);
  if (&__start_mlusim_atomics < &__stop_mlusim_atomics) fences.begin();
  declared = 0;
  for (Global& variable : globals()) {
    const simt_placed *begin = given.placed, *end = begin + given.placed_count;
    const simt_placed* found =
        std::find_if(begin, end, [&](const simt_placed& one) { return variable.key == one.key; });
    uint64_t address = found == end ? variable.home : found->address;
    if (variable.start != address) variable.move(address);
    bool is_set = found == end || !found->functions;
    for (uint64_t at = variable.start; !is_set && at < variable.end; ++at) is_set = *(const char*)at;
    if (!is_set) memcpy((void*)variable.start, (const void*)variable.home, variable.end - variable.start);
  }
  mlusim_invite(ended);
  guest = mlusim_share();
  shared().begin_launch(given.dynamic_bytes, given.poison);
  threads.backwards = given.order & 1;
  threads.body = run_thread;
  threads.resumed = begin_thread;
}

}  // namespace simt

using namespace simt;

// --- what Python calls -----------------------------------------------------------------------------------------------

void simt_begin(const simt_launch* given, void (*kernel)(void**), void** values) {
  launch.begin(*given, kernel, values);
}

uint64_t simt_shared_offset(uint64_t address) {
  if (!shared().holds(address)) return ~uint64_t(0);
  return address - (address < shared().dynamic_start() ? shared().start : shared().dynamic_start());
}

int simt_run(uint64_t first, uint64_t last) {
  bool on = true;
  for (uint64_t turn = first; on && turn < last; ++turn) {
    launch.block = launch.block_in(turn);
    on = run_block();
    if (on && *guest.time_is_up) {  // threads that do nothing do not meet it
      note_end(MLUSIM_TIME, 0, 0, 0);
      on = false;
    }
  }
  return on;
}

const simt_row* simt_rows(uint64_t* count) {
  *count = launch.rows.size();
  return launch.rows.data();
}

uint64_t simt_declared() { return launch.declared; }

const simt_piece* simt_pieces(uint64_t* count) {
  *count = launch.warps.pieces.size();
  return launch.warps.too_many() ? nullptr : launch.warps.pieces.data();
}

const simt_event* simt_events(uint64_t* count) {
  *count = launch.events.all().size();
  return launch.events.all().data();
}

const simt_stored* simt_stored_words(uint64_t* count) {
  launch.stored_lines = launch.stored.lines();
  *count = launch.stored_lines.size();
  return launch.stored_lines.data();
}

const simt_fault* simt_faults(uint64_t* count) {
  for (simt_fault& fault : launch.faults)
    if (fault.kind == SIMT_FENCE) fault.other = launch.fences.gathered();
  launch.settle_races();
  *count = launch.faults.size();
  return launch.faults.data();
}

const char* simt_variable(uint64_t address, simt_range* range) {
  if (shared().holds(address)) {
    const Variable* found = shared().find(address);
    if (!found) return nullptr;
    *range = {found->start, found->end};
    return found->name;
  }
  for (const Global& entry : globals())
    if (address >= entry.start && address < entry.end + APART) {
      *range = {entry.start, entry.end};
      return entry.name;
    }
  return nullptr;
}
