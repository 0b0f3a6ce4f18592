// Host code that touches memory when it must not: device memory, and the target of a copy that nobody has waited for.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "host_places.h"

namespace mlusim {

// Let every fault in this process be looked at first.
void watch_faults();
// The host must not touch the target of a queue's copy until it has waited for it. Whole pages are watched, the last
// one of pinned memory too, which nobody else has a part of.
void guard(void* target, size_t bytes, uint64_t queue, int device, Place where);
// The serial number of the last copy that is guarded.
uint64_t last_guard();
// A queue waits for what another has copied up to a serial number.
void order(uint64_t queue, uint64_t until, uint64_t waiting);
// The host has waited: for a queue (or, for 0, all of a device), up to a serial number.
void unguard(uint64_t queue, int device, uint64_t until = UINT64_MAX);
// What is guarded, for as long as work of a queue uses it that comes after the copies by itself.
class Lifted {
 public:
  Lifted(const void* start, size_t bytes, uint64_t queue);
  ~Lifted();

 private:
  uint64_t start, end, queue;
};
// Memory that is given back is nobody's to guard.
void unguard_range(const void* start, size_t bytes);

}  // namespace mlusim
