#include "host_faults.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <list>
#include <vector>

#include "host_deaths.h"
#include "host_lock.h"
#include "host_memory.h"

namespace mlusim {
namespace {

struct Guard {
  char *start, *end;             // whole pages
  std::vector<uint64_t> queues;  // whose later work comes after the copy: its own, and those that have waited for it
  uint64_t serial;
  int device;
  Place where;

  bool before(uint64_t queue) const { return std::find(queues.begin(), queues.end(), queue) != queues.end(); }
};

struct Guards {
  Lock mutex;
  std::list<Guard> all;
  uint64_t serial = 0;
  struct sigaction old[2];
};

// Never destroyed: faults may come while the process ends.
Guards& guards() {
  static Guards& made = *new Guards;
  return made;
}

const int kinds[2] = {SIGSEGV, SIGBUS};
// Bytes before memory of the C library's where free() looks first.
constexpr int HEADER = 16;

void release(std::list<Guard>& all, std::list<Guard>::iterator entry) {
  mprotect(entry->start, (size_t)(entry->end - entry->start), PROT_READ | PROT_WRITE);
  all.erase(entry);
}

// Set the access to what is guarded of a queue within a range.
void allow(uint64_t start, uint64_t end, uint64_t queue, int access) {
  Guards& made = guards();
  Locked lock(made.mutex);
  for (auto& entry : made.all)
    if (entry.before(queue) && (uint64_t)entry.start < end && start < (uint64_t)entry.end)
      mprotect(entry.start, (size_t)(entry.end - entry.start), access);
}

void look(int kind, siginfo_t* info, void* context) {
  Guards& made = guards();
  char* address = (char*)info->si_addr;
  {
    Locked lock(made.mutex);
    for (auto entry = made.all.begin(); entry != made.all.end(); ++entry) {
      if (address < entry->start || address >= entry->end) continue;
      Guard found = *entry;  // NOLINT(performance-unnecessary-copy-initialization): the entry goes
      release(made.all, entry);
      tell("target used", {(uint64_t)address}, place_of(culprit(context)), found.where);
      return;  // it goes on as if it had waited
    }
  }
  if (info->si_code > 0 && (on_device(address) || on_device(address + HEADER)))
    tell("followed", {(uint64_t)address}, place_of(culprit(context)));
  die(kind, info, context, made.old[kind == SIGBUS]);
}

}  // namespace

void watch_faults() {
  Guards& made = guards();
  struct sigaction action = {};
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < 2; i++) sigaction(kinds[i], &action, &made.old[i]);
}

Lifted::Lifted(const void* start, size_t bytes, uint64_t queue)
    : start((uint64_t)start), end(this->start + bytes), queue(queue) {
  if (queue) allow(this->start, end, queue, PROT_READ | PROT_WRITE);
}

Lifted::~Lifted() {
  if (queue) allow(start, end, queue, PROT_NONE);
}

void guard(void* target, size_t bytes, uint64_t queue, int device, Place where) {
  static const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
  uint64_t first = 0;
  Allocation pinned;
  bool whole = known(target, first, pinned) && pinned.device < 0 && (uint64_t)target + bytes == first + pinned.bytes;
  Guards& made = guards();
  Locked lock(made.mutex);
  made.serial++;
  char* start = (char*)(((uint64_t)target + page - 1) / page * page);
  char* end = (char*)(((uint64_t)target + bytes + (whole ? page - 1 : 0)) / page * page);
  if (start >= end || mprotect(start, (size_t)(end - start), PROT_NONE)) return;
  made.all.push_back({start, end, {queue}, made.serial, device, where});
}

uint64_t last_guard() {
  Locked lock(guards().mutex);
  return guards().serial;
}

void order(uint64_t queue, uint64_t until, uint64_t waiting) {
  Guards& made = guards();
  Locked lock(made.mutex);
  for (auto& entry : made.all)
    if (entry.serial <= until && entry.before(queue) && !entry.before(waiting)) entry.queues.push_back(waiting);
}

void unguard(uint64_t queue, int device, uint64_t until) {
  Guards& made = guards();
  Locked lock(made.mutex);
  for (auto entry = made.all.begin(); entry != made.all.end();) {
    auto now = entry++;
    if ((queue ? now->before(queue) : now->device == device) && now->serial <= until) release(made.all, now);
  }
}

void unguard_range(const void* start, size_t bytes) {
  Guards& made = guards();
  Locked lock(made.mutex);
  for (auto entry = made.all.begin(); entry != made.all.end();) {
    auto now = entry++;
    if (now->start < (const char*)start + bytes && (const char*)start < now->end) release(made.all, now);
  }
}

}  // namespace mlusim
