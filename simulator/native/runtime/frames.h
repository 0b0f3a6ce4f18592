// Where a kernel is: the frames of its stack, and memory that may not be there.
#pragma once
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>

namespace [[gnu::visibility("hidden")]] mlusim {

struct Frame {
  int64_t pc;     // a return address into an image; 0: there is none
  int64_t* slot;  // that holds the address to which the library returns
};

// The innermost frame of an image on the stack, past so many others.
Frame find_frame(int skip);

// Copies a text that may lie anywhere; what cannot be read ends it.
void read_text(uint64_t address, char* out, size_t room);

// Memory is looked at that may not be there: where a signal goes to meanwhile.
extern sigjmp_buf* volatile probe;

}  // namespace mlusim
