// Loads and stores of threads.
#pragma once
#include "launch.h"

namespace [[gnu::visibility("hidden")]] simt {

// What is known of a load or store: the compiler took its address for a multiple of its size; it is volatile.
enum How { UNALIGNED, ALIGNED, VOLATILE, ALIGNED_VOLATILE };

// A load or store that is not to the thread's own local memory.
void memory_access(uint64_t address, uint64_t size, simt_access kind, How how, int64_t pc);

// A load or store of the running thread.
inline void access(uint64_t address, uint64_t size, simt_access kind, How how, int64_t pc) {
  if (!*guest.in_kernel || launch.threads.running->holds(address)) return;
  *guest.in_kernel = 0;
  memory_access(address, size, kind, how, pc);
  *guest.in_kernel = 1;
}

// What a byte of shared memory says about an access of the running thread to it.
void report(const Clash& clash, uint64_t address, uint64_t size, simt_access kind, int64_t pc);

// More bytes than a thread moves at once: 16 at a time.
void block_access(const void* p, size_t n, simt_access kind, int64_t pc);

}  // namespace simt
