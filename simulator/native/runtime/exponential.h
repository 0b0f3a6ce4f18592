// e to the power of doubles that become floats.
#pragma once
#include <stdint.h>

namespace [[gnu::visibility("hidden")]] mlusim {

// A loop of NumPy's over elements.
using NumpyLoop = void (*)(char** arguments, const intptr_t* counts, const intptr_t* strides, void* data);

// Doubles that round to the floats that those of `exact` round to, NumPy's loop for `exp`. Each is made with an error
// far below that of a float; where it lies so near to the middle between two floats that the error could decide, and
// where floats end, those of NumPy are taken.
void exp_for_floats(NumpyLoop exact, void* data, char** arguments, intptr_t count);

}  // namespace mlusim
