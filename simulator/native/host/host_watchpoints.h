// The processor's watchpoints: a few words that this thread shall not read yet. Pages cannot be watched where others
// have a part of them; a watchpoint stops no other thread, and no access of the system.
#pragma once
#include <stdint.h>

#include <vector>

namespace mlusim {

struct Words {
  char *start, *end;
};

// Watch the beginnings of ranges in place of what was watched before: some of each, the more the fewer there are, and
// of the first ranges first. `touched` is told of each access of the program's own code, after it. Does nothing where
// the system gives no watchpoints, or the program has a use for SIGTRAP.
void aim(const std::vector<Words>& ranges, void (*touched)(char* address, const void* after));

}  // namespace mlusim
