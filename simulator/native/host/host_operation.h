// What a library of operators asks of the runtime: a function of its own, carried out in a queue as a kernel is.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include "cnrt.h"

// The next call of the runtime is on behalf of who has called this function.
#define FROM_CALLER mlusim_called_from(__builtin_return_address(0))

extern "C" {
void mlusim_called_from(const void* return_address);
// A range of device memory that an operation touches.
struct mlusim_range {
  const void* start;
  uint64_t bytes;
  const char* what;  // it is, for findings
};

// Put an operation into a queue. `text` says in JSON what it is; simulator/host/cnnl reads it. `caller` is the return
// address of the function that the program called. `why` is told when it fails.
cnrtRet_t mlusim_operation(cnrtQueue_t queue, const char* text, size_t length, const mlusim_range* ranges, size_t count,
                           const void* caller);
// A function of a library that is declared and not modelled: says so.
void mlusim_not_modelled(const char* function);
// A call of a library fails: a finding says which one and why. Returns the status.
cnrtRet_t mlusim_call_failed(cnrtRet_t status, const char* why);
}
