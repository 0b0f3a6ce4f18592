// The C library of kernels that run as blocks of threads.
#include "access.h"

namespace {

void reads(const void* from, size_t n, int64_t pc) { simt::block_access(from, n, SIMT_LOAD, pc); }
void writes(void* to, size_t n, int64_t pc) { simt::block_access(to, n, SIMT_STORE, pc); }

}  // namespace

#define REAL(name) __real_##name
#define DECLARE(result, name, parameters) result __real_##name parameters;
#include "c_library.inc"
