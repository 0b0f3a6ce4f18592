// The loops of a native port over the elements of its operands.
#pragma once
#include "ports.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// Where the values of its loops lie, by the numbers of a call and where its operands lie; false where a number is none
// of its element's type.
bool plan_loops(mlusim_native_port& port);

// Makes the first operand.
void run_loops(const mlusim_native_port& port);

}  // namespace mlusim
