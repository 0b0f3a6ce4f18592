// The launch that runs, and the faults of its threads.
#pragma once
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "copies.h"
#include "events.h"
#include "exchange.h"
#include "fences.h"
#include "fibers.h"
#include "heap.h"
#include "mlusim_rt.h"
#include "races.h"
#include "shared.h"
#include "show.h"
#include "simt.h"
#include "stored.h"
#include "warps.h"

namespace [[gnu::visibility("hidden")]] simt {

// Where a thread waits that waits for others of its warp; barriers have numbers from 0.
constexpr int IN_WARP = -1;

// A variable of the module: __device__ or __constant__. It begins at `home`, in memory of its own; the key is its file,
// line and name.
struct Global {
  uint64_t start, end;
  const char* name;
  bool constant;
  uint64_t home;
  std::string key;

  // Lie somewhere else from now on: what refers to it follows.
  void move(uint64_t address);
};

// What is declared, which may be while the image is loaded: made by the first declaration that is met.
Shared& shared();
std::vector<Global>& globals();

// A store that is a race if it changes what another thread has stored, and what that was.
struct Repeated {
  simt_fault race;
  uint64_t size = 0;   // bytes; 0 for none
  bool asked = false;  // the thread had loaded it before, where the other one does
  char was[16];
};

// What threads of a block say at a barrier: of two that follow each other, as some still ask for the first.
struct Votes {
  uint32_t span[2], yes[2];
};

struct Launch {
  simt_launch given;
  void (*entry)(void**);
  void** arguments;
  Threads threads;
  Warps warps;
  Exchange exchange;
  Copies copies;
  Votes votes;
  Events events;
  Stored stored;
  Races races;
  Fences fences;
  mlusim::Heap heap;  // what a launch has taken and not given back lasts, as on a device
  std::vector<simt_stored> stored_lines;
  uint64_t block;         // the running block
  uint64_t declared;      // most bytes of declared shared memory that a block has used
  bool faulty;            // a thread of it has ended on an error
  simt_range last_array;  // where the last access to an array was, and the number of that
  size_t last_number;
  Repeated repeated;  // a store of the running thread that has not been compared yet
  std::vector<simt_row> rows;
  std::vector<simt_fault> faults;
  using Place = std::tuple<int, int64_t, int64_t>;
  std::map<Place, size_t> known_faults;
  std::map<Place, Flags> flags;

  // The block that runs in a turn: by their numbers, the last first, or by steps that meet each once.
  uint64_t block_in(uint64_t turn) const;

  // A race in global memory; `asked` as of `Race`.
  void race(const simt_fault& what, uint64_t size, bool asked);
  // Leaves out the races that are meant, and the loads of updates that may be lost.
  void settle_races();

  // The next launch begins.
  void begin(const simt_launch& launch, void (*kernel)(void**), void** values);
};
extern Launch launch;

// Shared with the process's own runtime since the first launch.
extern mlusim_guest guest;

inline bool holds(const simt_range& range, uint64_t address, uint64_t size) {
  return address >= range.start && address < range.end && size <= range.end - address;
}

// The running thread does something that may have a part in a byte which is asked for.
inline void happened(int64_t pc, simt_space space, simt_access access, uint64_t address, uint64_t size) {
  if (launch.events.asked())
    launch.events.add({pc, address, size, launch.block, launch.threads.current, space, access});
}

// A fault of the running thread, to be completed.
simt_fault fault(int kind, int64_t pc, uint64_t address = 0, uint64_t size = 0, int store = 0);
// Notes a fault; those of one kind at one place are one with a count. No kernel's code runs afterwards.
void note(const simt_fault& fault);
// The last store of the running thread is done: where it changed what another one stored, that is a race.
void settle();
// The running thread ends, and with it the launch when it is to stop.
[[noreturn]] void leave(bool stop);
// An error of the running thread: the launch ends, or where errors are collected the thread.
[[noreturn]] void fail(const simt_fault& what);
// What ends the launch as a whole: a signal, a system call, the time limit.
void note_end(int kind, uint64_t address, uint64_t size, int64_t pc);
[[noreturn]] void ended(int kind, uint64_t address, uint64_t size, int64_t pc);

}  // namespace simt
