// Variables of kernels at file scope that host code names: their shadows in the host's memory, their places on devices.
#pragma once
#include <stddef.h>

#include "host_memory.h"

namespace mlusim {

// Give all variables their places on a device, with what they begin with.
cnrtRet_t place_variables(const Device& device);
// Those places are no more: what they begin with is put there again.
void forget_variables(int ordinal);

}  // namespace mlusim

extern "C" {
// The shadow of a variable, whose key is its file, line and name; of a managed one its place on the device. What
// pointers to functions begin with is known where kernels run.
void* mlusim_device_variable(const char* name, const char* space, const char* file, int line, size_t bytes,
                             const void* initial, bool functions);
// Where the variable that has a shadow lies on this thread's device, and its bytes; null (and the status is set) for
// what is none.
void* mlusim_variable_place(const void* shadow, size_t* bytes);
}
