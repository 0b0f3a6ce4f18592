// Host code that touches memory when it must not: device memory, and the target of a copy that nobody has waited for.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "host_link.h"

namespace mlusim {

// Let every fault in this process be looked at first.
void watch_faults();
// The host must not touch the target of a queue's copy until it has waited for it. Whole pages are watched, the last one
// of pinned memory too, which nobody else has a part of.
void guard(void* target, size_t bytes, uint64_t queue, int device, Place where);
// The serial number of the last copy that is guarded.
uint64_t last_guard();
// The host has waited: for a queue (or, for 0, all of a device), up to a serial number.
void unguard(uint64_t queue, int device, uint64_t until = UINT64_MAX);
// What is guarded of a queue's copies while later work of the same queue uses it, which comes after them by itself.
class Lifted {
 public:
  Lifted(const void* start, size_t bytes, uint64_t queue);
  ~Lifted();

 private:
  const char *start, *end;
  uint64_t queue;
};
// Memory that is given back is nobody's to guard.
void unguard_range(const void* start, size_t bytes);

}  // namespace mlusim
