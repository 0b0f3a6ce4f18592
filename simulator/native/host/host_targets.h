// Copies to memory of the host that are too long for it. The runtime knows where pinned memory ends; where memory of
// the C library does is only known when the program gives it back.
#pragma once
#include <stddef.h>

#include "host_places.h"

namespace mlusim {

// A copy to memory of the host; false if that is pinned and too short, which is told.
bool fits(const void* to, size_t bytes, Place where);
// The program gives memory of the C library back: tells of the last copies to it that have passed its end.
void measure(const void* start);

}  // namespace mlusim
