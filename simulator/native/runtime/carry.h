// Uninitialized bytes that instructions read and pass on, as core/issue/definedness.py has it.
#pragma once
#include "ports.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// Whether native code can pass on which bytes of an operand are uninitialized: nothing is reported, and they and those
// of the output hold what the port in Python would find there.
bool passes_on(const mlusim_native_port& port, int operand);

// The bytes of the output become uninitialized where those of operands are. `partly`: a bit for each operand that has
// such bytes; their ranges and that of the output have flags.
void carry(const mlusim_native_port& port, uint64_t partly);

}  // namespace mlusim
