// The processor's watchpoints: a few words that this thread shall not use yet. Pages cannot be watched where others
// have a part of them; a watchpoint stops no other thread, and no access of the system.
#pragma once
#include <stdint.h>

#include <vector>

namespace mlusim {

struct Words {
  char *start, *end;
  bool written_only = false;  // that they are read is no use of them
};
// A watched word has been used; the place is behind the instruction of the program's that did, or called what did.
using Touched = void (*)(char* word, uint64_t bytes, const void* place);

// Watch the beginnings of ranges in place of what was watched before: some of each, the more the fewer there are, and
// of the first ranges first. `touched` is told of each access of the program's own code, after it, and of writes of the
// C library for it. Does nothing where the system gives no watchpoints, or the program has a use for SIGTRAP.
void aim(const std::vector<Words>& ranges, Touched touched);

}  // namespace mlusim
