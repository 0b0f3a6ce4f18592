// The loops of a native port over the elements of its operands.
#pragma once
#include "ports.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// Where the values of its loops lie, by the numbers of a call and where its operands lie; false where a number is none
// of its element's type.
bool plan_loops(mlusim_native_port& port);

// Whether what has to hold of elements does; nothing is written.
bool pass_tests(const mlusim_native_port& port);

// Whether an operand is looked up in, at any place.
bool is_table(const mlusim_native_port& port, int operand);

// Makes the first operand.
void run_loops(const mlusim_native_port& port);

}  // namespace mlusim
