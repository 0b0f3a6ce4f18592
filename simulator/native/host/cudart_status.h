// What the sources of the CUDA runtime share. It is the runtime of mlusim by other names: streams are its queues,
// events its notifiers.
#pragma once
#include "cnrt.h"
#include "host_cuda_errors.h"
#include "host_operation.h"
#include "mlusim_cudart.h"

#define CUDA_API extern "C" __attribute__((visibility("default")))

// The error that a status is. One that a kernel has left is that of every later call, until the device is reset.
cudaError_t status(cnrtRet_t found);
void forget_failure();
// A call fails: a finding says why.
cudaError_t failed(cudaError_t error, const char* why);

// The queue of a stream, for work that comes behind what CUDA says: the default stream waits for all others that were
// not created with cudaStreamNonBlocking, and they for it.
cnrtQueue_t queue_of(cudaStream_t stream);
bool is_captured(cnrtQueue_t queue);
// Wait for the default stream, as calls do that are not asynchronous.
cudaError_t wait_for_default();
void forget_streams();

namespace mlusim {
struct Device;
}
extern "C" {
// A device by its number, opened at its first use; null where there is none.
const mlusim::Device* mlusim_device(int ordinal);
cnrtRet_t mlusim_malloc_managed(void** pointer, size_t bytes);
bool mlusim_is_managed(const void* pointer);
void* mlusim_variable_place(const void* shadow, size_t* bytes);
}
