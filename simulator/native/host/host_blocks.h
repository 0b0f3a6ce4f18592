// Launches as blocks of threads: what a device takes.
#pragma once
#include <stdint.h>

#include "host_memory.h"
#include "host_task.h"

namespace mlusim {

// Whether a device can run a kernel so; else a finding names the limit, and the launch has a status.
cnrtRet_t check_blocks(const Device& device, const Extent& extent, const void* kernel, const char* name);
// Let blocks of a kernel have so many bytes of shared memory besides their own.
cnrtRet_t allow_shared(const Device& device, const void* kernel, uint64_t bytes);

}  // namespace mlusim
