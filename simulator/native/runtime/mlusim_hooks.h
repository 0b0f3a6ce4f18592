// The functions that instrumented kernel code calls at loads, stores and function entries. Part of mlusim_rt.cpp, and
// inside its extern "C".
#pragma once

#define ACCESS(n)                                                                                              \
  void __tsan_read##n(void* p) { scalar_access((uint64_t)p, n, 0, MLUSIM_PC); }                                \
  void __tsan_write##n(void* p) { scalar_access((uint64_t)p, n, 1, MLUSIM_PC); }                               \
  void __tsan_volatile_read##n(void* p) { scalar_access((uint64_t)p, n, 0, MLUSIM_PC); }                       \
  void __tsan_volatile_write##n(void* p) { scalar_access((uint64_t)p, n, 1, MLUSIM_PC); }                      \
  void __tsan_unaligned_read##n(void* p) { scalar_access((uint64_t)p, n, 0, MLUSIM_PC); }                      \
  void __tsan_unaligned_write##n(void* p) { scalar_access((uint64_t)p, n, 1, MLUSIM_PC); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
// Atomics: one task runs at a time, so that a plain access does.
#define ATOMIC_CHANGE(n, name, change)                                                          \
  uint##n##_t __tsan_atomic##n##_##name(volatile uint##n##_t* p, uint##n##_t value, int) {      \
    scalar_access((uint64_t)p, n / 8, 1 | ATOMICALLY, MLUSIM_PC);                               \
    uint##n##_t old = *p;                                                                       \
    *p = change;                                                                                \
    return old;                                                                                 \
  }
#define ATOMIC(n)                                                                               \
  uint##n##_t __tsan_atomic##n##_load(const volatile uint##n##_t* p, int) {                     \
    scalar_access((uint64_t)p, n / 8, ATOMICALLY, MLUSIM_PC);                                   \
    return *p;                                                                                  \
  }                                                                                             \
  void __tsan_atomic##n##_store(volatile uint##n##_t* p, uint##n##_t value, int) {              \
    scalar_access((uint64_t)p, n / 8, 1 | ATOMICALLY, MLUSIM_PC);                               \
    *p = value;                                                                                 \
  }                                                                                             \
  ATOMIC_CHANGE(n, exchange, value)                                                             \
  ATOMIC_CHANGE(n, fetch_add, (uint##n##_t)(old + value))                                       \
  ATOMIC_CHANGE(n, fetch_sub, (uint##n##_t)(old - value))                                       \
  ATOMIC_CHANGE(n, fetch_and, old & value)                                                      \
  ATOMIC_CHANGE(n, fetch_or, old | value)                                                       \
  ATOMIC_CHANGE(n, fetch_xor, old ^ value)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)
static void load_block(const void* from, size_t n, int64_t pc) {
  scalar_access((uint64_t)from, n, 0, pc);
  loaded.whole = 1;
}
// Block copies and fills: images are linked so that the C library's go this way, and some compilers announce theirs.
// Whether they have an effect.
static int block(void* to, const void* from, size_t n, int64_t pc) {
  if (n && from) load_block(from, n, pc);
  if (n) scalar_access((uint64_t)to, n, 1, pc);
  return !muted.size;
}
#define BLOCKS(prefix)                                           \
  void* prefix##memcpy(void* to, const void* from, size_t n) {   \
    return block(to, from, n, MLUSIM_PC) ? memcpy(to, from, n) : to; \
  }                                                              \
  void* prefix##memmove(void* to, const void* from, size_t n) {  \
    return block(to, from, n, MLUSIM_PC) ? memmove(to, from, n) : to; \
  }                                                              \
  void* prefix##memset(void* to, int value, size_t n) {          \
    return block(to, nullptr, n, MLUSIM_PC) ? memset(to, value, n) : to; \
  }
BLOCKS(__tsan_)
BLOCKS(__wrap_)
void __tsan_read_range(void* p, size_t n) { load_block(p, n, MLUSIM_PC); }
void __tsan_write_range(void* p, size_t n) { scalar_access((uint64_t)p, n, 1, MLUSIM_PC); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
// Where a build does not put the count into the code itself.
void __sanitizer_cov_trace_pc(void) { mlusim_scalar_work++; }
void __tsan_init(void) {}
void __tsan_func_exit(void) {}
void __tsan_func_entry(void* caller) {
  if (in_kernel && (uint64_t)__builtin_frame_address(0) < stack_low)
    fault(MLUSIM_STACK, (uint64_t)__builtin_frame_address(0), 0, 0, (int64_t)caller, 1);
}
