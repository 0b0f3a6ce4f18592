#include "host_targets.h"

#include <malloc.h>

#include <algorithm>
#include <atomic>

#include "host_lock.h"
#include "host_memory.h"

namespace mlusim {
namespace {

struct Target {
  const char* start = nullptr;
  size_t bytes = 0;
  Place where;
};

// The last ones, in turn. They take no memory of their own: what frees it would ask for them.
struct Targets {
  Lock mutex;
  Target last[64];
  size_t next = 0;
};

// All of them begin in between: most of what a program gives back lies elsewhere.
std::atomic<uint64_t> lowest{UINT64_MAX}, highest{0};

// Never destroyed: memory is freed while the process ends.
Targets& targets() {
  static Targets& made = *new Targets;
  return made;
}

void remember(const char* to, size_t bytes, Place where) {
  Targets& all = targets();
  Locked lock(all.mutex);
  for (auto& each : all.last)
    if (each.start == to && each.bytes >= bytes) return;
  all.last[all.next++ % (sizeof all.last / sizeof *all.last)] = {to, bytes, where};
  lowest = std::min(lowest.load(), (uint64_t)to), highest = std::max(highest.load(), (uint64_t)to);
}

// The bytes of an allocation. The C library says 0 where what follows it has been written over: its own header says it.
size_t size_of(const void* start) {
  size_t bytes = malloc_usable_size(const_cast<void*>(start));
#ifdef __GLIBC__
  if (!bytes) bytes = (((const size_t*)start)[-1] & ~(size_t)7) - sizeof(size_t);
#endif
  return bytes;
}

}  // namespace

bool fits(const void* to, size_t bytes, Place where) {
  uint64_t start = 0;
  Allocation found;
  if (!known(to, start, found)) return remember((const char*)to, bytes, where), true;
  uint64_t left = start + found.bytes - (uint64_t)to;
  if (found.device != PINNED || bytes <= left) return true;
  tell("past host memory", {(uint64_t)to, "", bytes, bytes - left, found.bytes}, where, found.made);
  return false;
}

void measure(const void* start) {
  if ((uint64_t)start > highest.load(std::memory_order_relaxed)) return;
  size_t bytes = size_of(start);
  const char *first = (const char*)start, *end = first + bytes;
  if ((uint64_t)end <= lowest.load(std::memory_order_relaxed)) return;
  Targets& all = targets();
  Locked lock(all.mutex);
  for (auto& each : all.last) {
    if (each.start < first || each.start >= end) continue;
    auto left = (size_t)(end - each.start);
    if (each.bytes > left)
      tell("past host memory", {(uint64_t)each.start, "", each.bytes, each.bytes - left, bytes}, each.where,
           called().where);
    each = {};
  }
}

}  // namespace mlusim
