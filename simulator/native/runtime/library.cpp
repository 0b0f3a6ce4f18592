// The C library of kernels that run as tasks.
#include "access.h"

namespace {

void reads(const void* from, size_t n, int64_t pc) {
  if (n) mlusim::scalar_access((uint64_t)from, n, 0, pc);
}
void writes(void* to, size_t n, int64_t pc) {
  if (n) mlusim::scalar_access((uint64_t)to, n, 1, pc);
}

}  // namespace

#define REAL(name) name
#define DECLARE(result, name, parameters)

namespace {
size_t _ZSt11_Hash_bytesPKvmm(const void* data, size_t n, size_t seed) { return std::_Hash_bytes(data, n, seed); }
}  // namespace
#include "c_library.inc"
