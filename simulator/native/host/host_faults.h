// Host code that touches memory when it must not: device memory, and what copies of queues still need.
#pragma once
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

namespace mlusim {

// Let every fault in this process be looked at first.
void watch_faults();
// Whether they still are: the program may have taken them over.
bool are_faults_watched();

// Where this thread goes on when a touch of memory fails that may fail.
extern thread_local sigjmp_buf* way_out __attribute__((tls_model("initial-exec")));

// Do something with memory that may not be there; false if it was not.
template <class Act>
bool carefully(Act act) {
  sigjmp_buf place;
  sigjmp_buf* outer = way_out;
  if (sigsetjmp(place, 0)) {
    way_out = outer;
    return false;
  }
  way_out = &place;
  act();
  way_out = outer;
  return true;
}

// Whether a byte can be written.
bool is_writable(char* byte);

}  // namespace mlusim
