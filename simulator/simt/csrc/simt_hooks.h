// What compiled kernels call: at loads, stores and function entries, for variables, barriers and atomics. Part of
// simt_rt.cpp.
#pragma once

extern "C" {

#define ACCESS(n)                                                                                                  \
  void __tsan_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, true, MLUSIM_PC); }                             \
  void __tsan_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, true, MLUSIM_PC); }                           \
  void __tsan_volatile_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, true, MLUSIM_PC); }                    \
  void __tsan_volatile_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, true, MLUSIM_PC); }                  \
  void __tsan_unaligned_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, false, MLUSIM_PC); }                  \
  void __tsan_unaligned_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, false, MLUSIM_PC); }                \
  void __tsan_unaligned_volatile_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, false, MLUSIM_PC); }         \
  void __tsan_unaligned_volatile_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, false, MLUSIM_PC); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

// More bytes than a thread moves at once: 16 at a time.
static void block_of(const void* p, size_t n, simt_access kind, int64_t pc) {
  if (!in_kernel) return;
  for (size_t at = 0; at < n; at += 16) access((uint64_t)p + at, std::min<size_t>(n - at, 16), kind, false, pc);
}
void __tsan_read_range(void* p, size_t n) { block_of(p, n, SIMT_LOAD, MLUSIM_PC); }
void __tsan_write_range(void* p, size_t n) { block_of(p, n, SIMT_STORE, MLUSIM_PC); }
// Images are linked so that the C library's functions go this way; so do those that this file calls, outside kernels.
void* __real_memcpy(void* to, const void* from, size_t n);
void* __real_memmove(void* to, const void* from, size_t n);
void* __real_memset(void* to, int value, size_t n);
#define BLOCKS(prefix)                                           \
  void* prefix##memcpy(void* to, const void* from, size_t n) {   \
    block_of(from, n, SIMT_LOAD, MLUSIM_PC);                     \
    block_of(to, n, SIMT_STORE, MLUSIM_PC);                      \
    return __real_memcpy(to, from, n);                           \
  }                                                              \
  void* prefix##memmove(void* to, const void* from, size_t n) {  \
    block_of(from, n, SIMT_LOAD, MLUSIM_PC);                     \
    block_of(to, n, SIMT_STORE, MLUSIM_PC);                      \
    return __real_memmove(to, from, n);                          \
  }                                                              \
  void* prefix##memset(void* to, int value, size_t n) {          \
    block_of(to, n, SIMT_STORE, MLUSIM_PC);                      \
    return __real_memset(to, value, n);                          \
  }
BLOCKS(__tsan_)
BLOCKS(__wrap_)
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_init(void) {}
void __tsan_func_exit(void) {}
void __tsan_func_entry(void* caller) {
  if (!in_kernel || (uint64_t)__builtin_frame_address(0) - threads.running->bottom() >= simt::LEAST) return;
  note(fault(SIMT_STACK, (int64_t)caller));
  leave(true);
}

void mlusim_atomic(const void* address, uint64_t size, int64_t pc) { access((uint64_t)address, size, SIMT_ATOMIC, true, pc); }

uint64_t mlusim_shared(const char* name, const char* file, int line, uint64_t bytes, const void* type) {
  in_kernel = 0;
  uint64_t address = shared().variable(name, file, line, bytes, type);
  in_kernel = 1;
  return address;
}
uint64_t mlusim_dynamic_shared(void) { return shared().dynamic_start(); }

// A variable at file scope: in shared memory, or one of the module, with its initial value (or NULL).
uint64_t mlusim_variable_in(const char* name, const char* space, const char* file, int line, uint64_t bytes, const void* initial) {
  if (!strcmp(space, "shared")) {
    uint64_t address = shared().variable(name, file, line, bytes, initial);
    shared().loaded();
    return address;
  }
  void* made = nullptr;
  if (posix_memalign(&made, simt::APART, bytes + simt::APART)) __builtin_trap();
  if (initial) memcpy(made, initial, bytes);
  else memset(made, 0, bytes);
  globals().push_back({(uint64_t)made, (uint64_t)made + bytes, name, !strcmp(space, "constant")});
  return (uint64_t)made;
}

void mlusim_barrier(int site) {
  if (!in_kernel) return;
  in_kernel = 0;
  threads.wait(site, MLUSIM_PC);
}

void mlusim_not_modelled(const char* name, int64_t pc) {
  in_kernel = 0;
  simt_fault what = fault(SIMT_NOT_MODELLED, pc);
  what.text = name;
  note(what);
  if (!given.collect) leave(true);
  in_kernel = 1;
}
void mlusim_end_task(void) { leave(false); }

// Images are linked so that these take the place of the C library's functions: a kernel must not end the process, and
// the heap of a device is not modelled.
void __wrap_abort(void) { fail(fault(SIMT_SIGNAL, MLUSIM_PC, 0, SIGABRT)); }
void __wrap_exit(int code) { fail(fault(SIMT_EXIT, MLUSIM_PC, 0, (uint64_t)code)); }
void __assert_fail(const char* text, const char*, unsigned, const char*) noexcept {
  simt_fault what = fault(SIMT_ASSERT, MLUSIM_PC);
  what.text = text;
  fail(what);
}
static void* no_heap(const char* name, int64_t pc) {
  mlusim_not_modelled(name, pc);
  leave(false);
}
void* __wrap_malloc(size_t) { return no_heap("malloc", MLUSIM_PC); }
void* __wrap_calloc(size_t, size_t) { return no_heap("calloc", MLUSIM_PC); }
void* __wrap_realloc(void*, size_t) { return no_heap("realloc", MLUSIM_PC); }
void __wrap_free(void*) { no_heap("free", MLUSIM_PC); }
}
