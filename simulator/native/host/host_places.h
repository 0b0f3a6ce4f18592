// Places in the program: where it called the runtime, and what is wrong there.
#pragma once
#include <string>

#include "host_link.h"

namespace mlusim {

// The place of a return address: `place_of(__builtin_return_address(0))` in a function of the interface.
Place place_of(const void* return_address);
// Whether an address is code of the program and its libraries, not of the runtime nor of the system.
bool in_program(const void* address);
// Tell of a broken rule.
void finding(const char* rule, const std::string& text, const char* advice, Place where, Place related = {});

}  // namespace mlusim

// The caller of a function of the interface.
#define MLUSIM_HERE ::mlusim::place_of(__builtin_return_address(0))
// The next call of this thread is on behalf of who returns there: a library above this one has been called by the program.
MLUSIM_API void mlusim_called_from(const void* return_address);
