// The functions that instrumented kernel code calls at loads, stores and function entries, and those that take the
// place of the C and C++ libraries' in images.
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include <new>

#include "access.h"
#include "blocks.h"
#include "heap.h"
#include "process.h"

using namespace mlusim;

namespace {

// No hook's address is its caller's: each takes its own.
inline __attribute__((always_inline)) void access(const void* p, uint64_t size, int how, int64_t pc) {
  scalar_access((uint64_t)p, size, how, pc);
}

void load_block(const void* from, size_t n, int64_t pc) {
  access(from, n, 0, pc);
  blocks.is_whole();
}

// A block copy or fill; whether it has an effect.
bool block(void* to, const void* from, size_t n, int64_t pc) {
  if (n && from) load_block(from, n, pc);
  bool refused = muted.waits();
  if (n) access(to, n, 1, pc);
  return !refused && !muted.waits();
}

// For as long as it lives the library's allocator works, and must not be interrupted by the end of the task.
class InLibrary {
 public:
  explicit InLibrary(int64_t pc) : pc_(pc), was_(process.in_kernel) { process.in_kernel = 0; }
  // Goes back into the kernel, which may end here.
  void leave() {
    process.in_kernel = was_;
    if (was_ && process.time_is_up && !process.loading) {
      mlusim::leave();
      back(pc_);
    }
  }

 private:
  int64_t pc_;
  char was_;
};

void* take(void* old, size_t bytes, bool zero, int64_t pc, size_t alignment = 0) {
  InLibrary library(pc);
  void* found = heap.take(old, bytes, zero, alignment);
  library.leave();
  return found;
}

void give(void* given, int64_t pc) {
  InLibrary library(pc);
  heap.give(given);
  library.leave();
}

void* take_or_throw(size_t bytes, int64_t pc) {
  void* found = take(nullptr, bytes ? bytes : 1, false, pc);
  if (!found) {
    mlusim_throw_pc = pc;
    throw std::bad_alloc();
  }
  return found;
}

}  // namespace

extern "C" {

#define ACCESS(n)                                                                 \
  void __tsan_read##n(void* p) { access(p, n, 0, MLUSIM_PC); }                    \
  void __tsan_write##n(void* p) { access(p, n, 1, MLUSIM_PC); }                   \
  void __tsan_volatile_read##n(void* p) { access(p, n, 0, MLUSIM_PC); }           \
  void __tsan_volatile_write##n(void* p) { access(p, n, 1, MLUSIM_PC); }          \
  void __tsan_unaligned_read##n(void* p) { access(p, n, 0, MLUSIM_PC); }          \
  void __tsan_unaligned_write##n(void* p) { access(p, n, 1, MLUSIM_PC); }         \
  void __tsan_unaligned_volatile_read##n(void* p) { access(p, n, 0, MLUSIM_PC); } \
  void __tsan_unaligned_volatile_write##n(void* p) { access(p, n, 1, MLUSIM_PC); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

// Atomics: one task runs at a time, so that a plain access does.
#define ATOMIC_CHANGE(n, T, name, change)                     \
  T __tsan_atomic##n##_##name(volatile T* p, T value, int) {  \
    access((const void*)p, n / 8, 1 | ATOMICALLY, MLUSIM_PC); \
    T old = *p;                                               \
    *p = (T)(change);                                         \
    return old;                                               \
  }
#define ATOMIC_COMPARE(n, T, name)                                               \
  int __tsan_atomic##n##_##name(volatile T* p, T* expected, T value, int, int) { \
    access(expected, n / 8, 0, MLUSIM_PC);                                       \
    access((const void*)p, n / 8, 1 | ATOMICALLY, MLUSIM_PC);                    \
    T old = *p;                                                                  \
    if (old == *expected) {                                                      \
      *p = value;                                                                \
      return 1;                                                                  \
    }                                                                            \
    access(expected, n / 8, 1, MLUSIM_PC);                                       \
    *expected = old;                                                             \
    return 0;                                                                    \
  }
#define ATOMIC(n, T)                                                                        \
  T __tsan_atomic##n##_load(const volatile T* p, int) {                                     \
    access((const void*)p, n / 8, ATOMICALLY, MLUSIM_PC);                                   \
    return *p;                                                                              \
  }                                                                                         \
  void __tsan_atomic##n##_store(volatile T* p, T value, int) {                              \
    access((const void*)p, n / 8, 1 | ATOMICALLY, MLUSIM_PC);                               \
    *p = value;                                                                             \
  }                                                                                         \
  T __tsan_atomic##n##_compare_exchange_val(volatile T* p, T expected, T value, int, int) { \
    access((const void*)p, n / 8, 1 | ATOMICALLY, MLUSIM_PC);                               \
    T old = *p;                                                                             \
    if (old == expected) *p = value;                                                        \
    return old;                                                                             \
  }                                                                                         \
  ATOMIC_COMPARE(n, T, compare_exchange_strong)                                             \
  ATOMIC_COMPARE(n, T, compare_exchange_weak)                                               \
  ATOMIC_CHANGE(n, T, exchange, value)                                                      \
  ATOMIC_CHANGE(n, T, fetch_add, old + value)                                               \
  ATOMIC_CHANGE(n, T, fetch_sub, old - value)                                               \
  ATOMIC_CHANGE(n, T, fetch_and, old& value)                                                \
  ATOMIC_CHANGE(n, T, fetch_or, old | value)                                                \
  ATOMIC_CHANGE(n, T, fetch_xor, old ^ value)                                               \
  ATOMIC_CHANGE(n, T, fetch_nand, ~(old & value))
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
ATOMIC(128, unsigned __int128)
// Nothing of a kernel's own code moves, and instructions have their order by waits alone.
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}

// Block copies and fills: images are linked so that the C library's go this way, and some compilers announce theirs.
#define BLOCKS(prefix)                                                   \
  void* prefix##memcpy(void* to, const void* from, size_t n) {           \
    return block(to, from, n, MLUSIM_PC) ? memcpy(to, from, n) : to;     \
  }                                                                      \
  void* prefix##memmove(void* to, const void* from, size_t n) {          \
    return block(to, from, n, MLUSIM_PC) ? memmove(to, from, n) : to;    \
  }                                                                      \
  void* prefix##memset(void* to, int value, size_t n) {                  \
    return block(to, nullptr, n, MLUSIM_PC) ? memset(to, value, n) : to; \
  }
BLOCKS(__tsan_)
BLOCKS(__wrap_)
void __tsan_read_range(void* p, size_t n) { load_block(p, n, MLUSIM_PC); }
void __tsan_write_range(void* p, size_t n) { access(p, n, 1, MLUSIM_PC); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
// Where a build does not put the count into the code itself.
void __sanitizer_cov_trace_pc(void) { mlusim_scalar_work++; }
void __tsan_init(void) {}
void __tsan_func_exit(void) {}
void __tsan_func_entry(void* caller) {
  uint64_t frame = (uint64_t)__builtin_frame_address(0);
  if (process.in_kernel && frame < process.stack_low) fault(MLUSIM_STACK, frame, 0, 0, (int64_t)caller);
}

// A kernel must not end the process.
void __wrap_abort(void) { fault(MLUSIM_SIGNAL, 0, SIGABRT, 0, MLUSIM_PC); }
void __wrap_exit(int code) { fault(MLUSIM_EXIT, 0, (uint64_t)code, 0, MLUSIM_PC); }
void __wrap___assert_fail(const char* text, const char*, unsigned int, const char*) {
  mlusim_failed_assertion(text, MLUSIM_PC);
}

void* __wrap_malloc(size_t bytes) { return take(nullptr, bytes, false, MLUSIM_PC); }
void* __wrap_realloc(void* given, size_t bytes) { return take(given, bytes, false, MLUSIM_PC); }
void* __wrap_calloc(size_t count, size_t size) { return take(nullptr, bytes_of(count, size), true, MLUSIM_PC); }
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) { return take(nullptr, bytes, false, MLUSIM_PC, alignment); }
int __wrap_posix_memalign(void** made, size_t alignment, size_t bytes) {
  if (alignment % sizeof(void*) || !alignment || (alignment & (alignment - 1))) return EINVAL;
  access((const void*)made, sizeof *made, 1, MLUSIM_PC);
  *made = take(nullptr, bytes, false, MLUSIM_PC, alignment);
  return *made ? 0 : ENOMEM;
}
void __wrap_free(void* given) { give(given, MLUSIM_PC); }
void* __wrap__Znwm(size_t bytes) { return take_or_throw(bytes, MLUSIM_PC); }
void* __wrap__Znam(size_t bytes) { return take_or_throw(bytes, MLUSIM_PC); }
void __wrap__ZdlPv(void* given) { give(given, MLUSIM_PC); }
void __wrap__ZdaPv(void* given) { give(given, MLUSIM_PC); }
void __wrap__ZdlPvm(void* given, size_t) { give(given, MLUSIM_PC); }
void __wrap__ZdaPvm(void* given, size_t) { give(given, MLUSIM_PC); }
}
