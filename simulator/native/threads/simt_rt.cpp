// The runtime of CUDA kernels: runs the threads of a grid block by block, looks at every load and store, and keeps what
// Python asks for afterwards. It calls nothing of Python's.
#include "simt.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "mlusim_rt.h"
#include "simt_shared.h"
#include "simt_threads.h"
#include "simt_warps.h"

using simt::Clash;

// What a kernel sees as constants: they are, for as long as a thread runs.
struct simt_place {
  uint32_t x, y, z;
};
simt_place threadIdx, blockIdx, blockDim, gridDim;

namespace {

struct Global {  // a variable of the module: __device__ or __constant__
  uint64_t start, end;
  const char* name;
  bool constant;
};

// All that the runtime keeps in the image stands apart from what kernels may access there.
#define STATE __attribute__((section("simt_state")))
extern "C" char __start_simt_state[] __attribute__((visibility("hidden")));
extern "C" char __stop_simt_state[] __attribute__((visibility("hidden")));

STATE simt::Shared* shared_memory;
STATE std::vector<Global>* globals_made;
STATE simt_launch given;
STATE void (*entry)(void**);
STATE void** arguments;
STATE simt::Threads threads;
STATE simt::Warps* warps;
STATE uint64_t block;     // the running block
STATE uint64_t declared;  // most bytes of declared shared memory that a block has used
STATE bool faulty;        // a thread of it has ended on an error
STATE volatile char nothing_runs;
STATE mlusim_guest guest{&nothing_runs, nullptr, nullptr};  // shared with the process's own runtime since the first launch
STATE simt_range last_array;                                // where the last access to an array was
STATE std::vector<simt_row> rows;
STATE std::vector<simt_fault> faults;
STATE std::map<std::tuple<int, int64_t, int64_t>, size_t> known_faults;

// Both are made by the first declaration that is met, which may be while the image is loaded.
simt::Shared& shared() { return *(shared_memory ? shared_memory : shared_memory = new simt::Shared()); }
std::vector<Global>& globals() { return *(globals_made ? globals_made : globals_made = new std::vector<Global>()); }

// For as long as it lives, the runtime's own code runs, and makes its own system calls: called by a thread, or by a
// static initialiser.
class Own {
 public:
  Own() : was_(*in_kernel_) { *in_kernel_ = 0; }
  ~Own() { *in_kernel_ = was_; }

 private:
  volatile char* in_kernel_ = mlusim_share().in_kernel;
  char was_;
};

[[noreturn]] void leave(bool stop) {
  *guest.in_kernel = 0;
  if (stop) threads.stopped = true;
  faulty = true;
  threads.abandon();
}

// Notes a fault; those of one kind at one place are one with a count. No kernel's code runs afterwards.
void note(const simt_fault& fault) {
  *guest.in_kernel = 0;
  auto [found, fresh] = known_faults.emplace(std::make_tuple(fault.kind, fault.pc, fault.related), faults.size());
  if (fresh) faults.push_back(fault);
  else ++faults[found->second].count;
}

simt_fault fault(int kind, int64_t pc, uint64_t address = 0, uint64_t size = 0, int store = 0) {
  return {pc, 0, address, size, 1, block, nullptr, threads.current, 0, kind, store};
}

// An error of the running thread: the launch ends, or where errors are collected the thread.
[[noreturn]] void fail(const simt_fault& what) {
  note(what);
  leave(!given.collect);
}

// What ends the launch as a whole: a signal, a system call, the time limit.
void note_end(int kind, uint64_t address, uint64_t size, int64_t pc) {
  simt_fault what = fault(SIMT_PROCESS, pc, address, size);
  what.other = (uint32_t)kind;
  note(what);
}
[[noreturn]] void ended(int kind, uint64_t address, uint64_t size, int64_t pc) {
  note_end(kind, address, size, pc);
  leave(true);
}

inline bool holds(const simt_range& range, uint64_t address, uint64_t size) {
  return address >= range.start && address < range.end && size <= range.end - address;
}

bool in_array(uint64_t address, uint64_t size) {
  if (holds(last_array, address, size)) return true;
  const simt_range *begin = given.arrays, *end = begin + given.array_count;
  auto after = std::upper_bound(begin, end, address, [](uint64_t a, const simt_range& r) { return a < r.start; });
  if (after == begin || !holds(after[-1], address, size)) return false;
  last_array = after[-1];
  return true;
}

const Global* global_at(uint64_t address, uint64_t size) {
  for (const Global& entry : globals())
    if (holds({entry.start, entry.end}, address, size)) return &entry;
  return nullptr;
}

void shared_access(uint64_t address, uint64_t size, simt_access kind, int64_t pc) {
  simt::Shared& memory = shared();
  if (!memory.inside(address, size)) fail(fault(SIMT_BOUNDS, pc, address, size, kind != SIMT_LOAD));
  if (memory.bytes > given.static_limit) {
    simt_fault what = fault(SIMT_BUDGET, pc, address, memory.bytes);
    what.text = memory.find(address)->name;
    fail(what);
  }
  uint32_t place = warps->place(pc, SIMT_SHARED, kind);
  warps->access(place, block, address, size);
  Clash clash = memory.access(address, size, kind, (uint16_t)threads.current, place);
  if (clash.what == Clash::NONE) return;
  simt_fault what = fault(clash.what == Clash::RACE ? SIMT_RACE : SIMT_UNINITIALIZED, pc, clash.address, size, kind != SIMT_LOAD);
  if (clash.what == Clash::RACE) {
    what.related = warps->at(clash.place).pc;
    what.other = clash.thread;
    note(what);
    if (!given.collect) leave(true);
  } else {
    note(what);
  }
}

// A load or store that is not to the thread's own local memory.
void memory_access(uint64_t address, uint64_t size, simt_access kind, bool aligned, int64_t pc) {
  if (*guest.time_is_up) ended(MLUSIM_TIME, 0, 0, pc);
  if (aligned && address & (size - 1)) fail(fault(SIMT_ALIGNMENT, pc, address, size, kind != SIMT_LOAD));
  if (shared().holds(address)) return shared_access(address, size, kind, pc);
  if (!in_array(address, size)) {
    const Global* variable = global_at(address, size);
    if (variable && variable->constant) {
      if (kind != SIMT_LOAD) {
        simt_fault what = fault(SIMT_CONSTANT, pc, address, size, 1);
        what.text = variable->name;
        fail(what);
      }
      return;
    }
    if (!variable) {
      bool state = address + size > (uint64_t)__start_simt_state && address < (uint64_t)__stop_simt_state;
      if (holds(given.image, address, size) && !state) return;
      fail(fault(SIMT_BOUNDS, pc, address, size, kind != SIMT_LOAD));
    }
  }
  warps->access(warps->place(pc, SIMT_GLOBAL, kind), block, address, size);
}

// A load or store of the running thread. `aligned`: the compiler took its address for a multiple of its size.
inline void access(uint64_t address, uint64_t size, simt_access kind, bool aligned, int64_t pc) {
  if (!*guest.in_kernel || threads.running->holds(address)) return;
  *guest.in_kernel = 0;
  memory_access(address, size, kind, aligned, pc);
  *guest.in_kernel = 1;
}

void begin_thread(uint32_t number) {
  threadIdx = {number % blockDim.x, number / blockDim.x % blockDim.y, number / (blockDim.x * blockDim.y)};
  warps->turn(number / 32);
  *guest.stack_low = threads.running->bottom() + simt::LEAST;
  *guest.in_kernel = 1;
}

void run_thread(uint32_t number) {
  begin_thread(number);
  entry(arguments);
  *guest.in_kernel = 0;
}

// All threads of the block have ended or wait: whether those that wait may go on.
bool at_barrier(const std::vector<uint32_t>& waiting) {
  uint32_t count = blockDim.x * blockDim.y * blockDim.z, first = waiting[0];
  const simt::Thread& one = threads.at(first);
  simt_fault what = fault(SIMT_BARRIER_ENDED, one.pc);
  what.thread = first;
  what.size = count - waiting.size();
  if (waiting.size() < count && !faulty) {
    while (what.other < waiting.size() && waiting[what.other] == what.other) ++what.other;
    note(what);
    return false;
  }
  for (uint32_t thread : waiting) {
    if (threads.at(thread).site == one.site) continue;
    what.kind = SIMT_BARRIER_APART;
    what.other = thread;
    what.related = threads.at(thread).pc;
    note(what);
    return false;
  }
  warps->flush();
  shared().barrier();
  return true;
}

}  // namespace

// --- what Python calls -----------------------------------------------------------------------------------------------

#define EXPORTED extern "C" __attribute__((visibility("default")))

// A launch begins.
EXPORTED void simt_begin(const simt_launch* launch, void (*kernel)(void**), void** values) {
  given = *launch;
  entry = kernel;
  arguments = values;
  gridDim = {given.grid[0], given.grid[1], given.grid[2]};
  blockDim = {given.block[0], given.block[1], given.block[2]};
  rows.clear();
  faults.clear();
  known_faults.clear();
  delete warps;
  warps = new simt::Warps();
  last_array = {};
  declared = 0;
  mlusim_invite(ended);
  guest = mlusim_share();
  shared().begin_launch(given.dynamic_bytes);
  threads.body = run_thread;
  threads.resumed = begin_thread;
}

// The place of an address in the shared memory of its block, or all ones. What a launch asks for is counted by itself.
EXPORTED uint64_t simt_shared_offset(uint64_t address) {
  if (!shared().holds(address)) return ~uint64_t(0);
  return address - (address < shared().dynamic_start() ? shared().start : shared().dynamic_start());
}

// Runs some blocks of the launch; 0 when it has ended.
EXPORTED int simt_run(uint64_t first, uint64_t last) {
  bool on = true;
  for (block = first; on && block < last; ++block) {
    blockIdx = {uint32_t(block % gridDim.x), uint32_t(block / gridDim.x % gridDim.y), uint32_t(block / gridDim.x / gridDim.y)};
    shared().begin_block(block);
    faulty = false;
    bool met = true;
    threads.run(blockDim.x * blockDim.y * blockDim.z, [&](const std::vector<uint32_t>& waiting) { return met = at_barrier(waiting); });
    size_t before_block = rows.size();
    warps->end_block(rows);
    for (size_t i = before_block; i < rows.size(); ++i)
      if (rows[i].space == SIMT_SHARED) rows[i].address = simt_shared_offset(rows[i].address);
    declared = std::max(declared, shared().bytes);
    on = met && !threads.stopped;
    if (on && *guest.time_is_up) {  // threads that do nothing do not meet it
      note_end(MLUSIM_TIME, 0, 0, 0);
      on = false;
    }
  }
  return on;
}

EXPORTED const simt_row* simt_rows(uint64_t* count) {
  *count = rows.size();
  return rows.data();
}

EXPORTED uint64_t simt_declared(void) { return declared; }

EXPORTED const simt_fault* simt_faults(uint64_t* count) {
  *count = faults.size();
  return faults.data();
}

// The name of the variable that an address lies in or behind, and where it is; NULL for none.
EXPORTED const char* simt_variable(uint64_t address, struct simt_range* range) {
  if (shared().holds(address)) {
    const simt::Variable* found = shared().find(address);
    if (!found) return nullptr;
    *range = {found->start, found->end};
    return found->name;
  }
  for (const Global& entry : globals())
    if (address >= entry.start && address < entry.end + simt::APART) {
      *range = {entry.start, entry.end};
      return entry.name;
    }
  return nullptr;
}

#include "simt_hooks.h"
