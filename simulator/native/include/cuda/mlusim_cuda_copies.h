// Copies to shared memory that go on beside the threads.
#pragma once

MLUSIM_OP void __pipeline_memcpy_async(void* to, const void* from, size_t size, size_t zfill = 0) {
  mlusim_copy_async(to, from, size, zfill, MLUSIM_PC);
}
MLUSIM_OP void __pipeline_commit() { mlusim_copies_commit(); }
MLUSIM_OP void __pipeline_wait_prior(size_t batches) { mlusim_copies_wait(batches); }
inline unsigned __isShared(const void* p) { return (unsigned)mlusim_is_shared(p); }

namespace cuda {

// A number of bytes, with what it and the addresses are multiples of.
template <size_t Alignment>
struct aligned_size_t {
  static constexpr size_t align = Alignment;
  size_t value;
  explicit aligned_size_t(size_t bytes) : value(bytes) {}
  operator size_t() const { return value; }
};

}  // namespace cuda

namespace mlusim {

// One of `many` threads takes its part of a copy; as a plain one where the hardware has no other.
__attribute__((always_inline)) inline void copy_part(void* to, const void* from, size_t bytes, unsigned rank,
                                                     unsigned many, int64_t pc) {
  size_t places = (size_t)to | (size_t)from, step = places % 16 == 0 ? 16 : places % 8 == 0 ? 8 : 4, at = rank * step;
  if (places % 4 == 0 && mlusim_is_shared(to))
    for (; at + step <= bytes; at += many * step) mlusim_copy_async((char*)to + at, (const char*)from + at, step, 0, pc);
  else
    step = 1, at = rank;
  for (size_t i = step == 1 ? rank : bytes / step * step + rank; i < bytes; i += many)
    ((char*)to)[i] = ((const char*)from)[i];
}

}  // namespace mlusim
