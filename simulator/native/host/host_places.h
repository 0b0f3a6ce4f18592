// Places in the program: where it called the runtime, and what is wrong there.
#pragma once
#include <string>

#include "host_link.h"

namespace mlusim {

// The place of a return address: `place_of(__builtin_return_address(0))` in a function of the interface.
Place place_of(const void* return_address);
// A path, and how far behind its beginning in memory an address lies.
struct Site {
  char module[4096];
  uint64_t offset;
};
// The module that has an address; false where none has. Takes no lock and no memory, nor does the next one.
bool find_site(const void* address, Site& site);
// Whether an address is code of the runtime.
bool in_runtime(const void* address);
// Whether an address is code of the program and its libraries, not of the runtime nor of the system.
bool in_program(const void* address);
// The function of the runtime, or of a library above it, that the program has called, and where.
struct Called {
  std::string function;
  Place where;
};
Called called();
// While it lives, calls of this thread are part of one that the program has made: of a launch, or of queued work.
class PartOf {
 public:
  PartOf(const char* function, Place where);
  ~PartOf();
  PartOf(const PartOf&) = delete;
  PartOf& operator=(const PartOf&) = delete;
};
// What is used wrongly, where it lies, how much of it, how far from what is right, and how much that is.
struct Used {
  uint64_t address = 0;
  std::string what = {};
  uint64_t size = 0, distance = 0, whole = 0;
};

// Tell of a fault that the session has words for.
void tell(const char* fault, const Used& used, Place where, Place related = {});

}  // namespace mlusim

// The caller of a function of the interface.
#define MLUSIM_HERE ::mlusim::place_of(__builtin_return_address(0))
// The next call of this thread is on behalf of who returns there: a library above this one has been called by the
// program.
MLUSIM_API void mlusim_called_from(const void* return_address);
