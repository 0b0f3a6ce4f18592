// What compiled kernels call: at loads, stores and function entries, for variables, barriers and atomics.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>

#include "access.h"

using namespace simt;

namespace {

// For as long as it lives, the runtime's own code runs, and makes its own system calls: called by a thread, or by a
// static initialiser.
class Own {
 public:
  Own() : was_(*in_kernel_) { *in_kernel_ = 0; }
  ~Own() { *in_kernel_ = was_; }

 private:
  volatile char* in_kernel_ = mlusim_share().in_kernel;
  char was_;
};

void shown(uint64_t address, uint64_t size, bool store, int64_t pc) {
  if (!size || mlusim_last_announced[store].holds(address, size)) return;
  block_access((const void*)address, size, store ? SIMT_STORE : SIMT_LOAD, pc);
  mlusim_last_announced[store] = {};
}

// A static initialiser has no threads, and nothing to end but the loading of its image.
void threads_only(int64_t pc) {
  if (!*guest.in_kernel) mlusim_end(MLUSIM_EARLY, 0, 0, pc);
}

// The running thread waits for those of its warp that a mask names: those that have come.
uint32_t meet(const char* name, uint32_t mask, uint64_t value, int64_t pc, bool fence = false) {
  threads_only(pc);
  if (*guest.time_is_up) ended(MLUSIM_TIME, 0, 0, pc);
  settle();
  uint32_t thread = launch.threads.current;
  simt_fault what = fault(SIMT_WARP_APART, pc, 0, mask);
  what.other = thread;
  what.text = name;
  if (mask && !(mask >> thread % SIMT_WARP & 1)) fail(what);
  *guest.in_kernel = 0;
  launch.exchange.give(thread, {name, mask, value, pc, fence});
  launch.threads.wait(IN_WARP, pc);
  return launch.exchange.lanes(launch.threads.current);
}

// The running thread waits for those of its block.
void meet_all(int site, int64_t pc) {
  if (!*guest.in_kernel) return;
  if (*guest.time_is_up) ended(MLUSIM_TIME, 0, 0, pc);
  settle();
  *guest.in_kernel = 0;
  launch.threads.wait(site, pc);
}

// The running thread goes on with what threads of its warp have given.
void takes(int64_t pc, uint32_t lanes) {
  Own own;
  happened(pc, SIMT_GLOBAL, SIMT_EXCHANGE, 0, lanes);
}

}  // namespace

extern "C" {

#define ACCESS(n)                                                                                             \
  void __tsan_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, ALIGNED, MLUSIM_PC); }                     \
  void __tsan_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, ALIGNED, MLUSIM_PC); }                   \
  void __tsan_volatile_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, ALIGNED_VOLATILE, MLUSIM_PC); }   \
  void __tsan_volatile_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, ALIGNED_VOLATILE, MLUSIM_PC); } \
  void __tsan_unaligned_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, UNALIGNED, MLUSIM_PC); }         \
  void __tsan_unaligned_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, UNALIGNED, MLUSIM_PC); }       \
  void __tsan_unaligned_volatile_read##n(void* p) { access((uint64_t)p, n, SIMT_LOAD, VOLATILE, MLUSIM_PC); } \
  void __tsan_unaligned_volatile_write##n(void* p) { access((uint64_t)p, n, SIMT_STORE, VOLATILE, MLUSIM_PC); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)

void __tsan_read_range(void* p, size_t n) { block_access(p, n, SIMT_LOAD, MLUSIM_PC); }
void __tsan_write_range(void* p, size_t n) { block_access(p, n, SIMT_STORE, MLUSIM_PC); }
// Images are linked so that the C library's functions go this way; so do those that this file calls, outside kernels.
void* __real_memcpy(void* to, const void* from, size_t n);
void* __real_memmove(void* to, const void* from, size_t n);
void* __real_memset(void* to, int value, size_t n);
#define BLOCKS(prefix)                                          \
  void* prefix##memcpy(void* to, const void* from, size_t n) {  \
    block_access(from, n, SIMT_LOAD, MLUSIM_PC);                \
    block_access(to, n, SIMT_STORE, MLUSIM_PC);                 \
    return __real_memcpy(to, from, n);                          \
  }                                                             \
  void* prefix##memmove(void* to, const void* from, size_t n) { \
    block_access(from, n, SIMT_LOAD, MLUSIM_PC);                \
    block_access(to, n, SIMT_STORE, MLUSIM_PC);                 \
    return __real_memmove(to, from, n);                         \
  }                                                             \
  void* prefix##memset(void* to, int value, size_t n) {         \
    block_access(to, n, SIMT_STORE, MLUSIM_PC);                 \
    return __real_memset(to, value, n);                         \
  }
BLOCKS(__tsan_)
BLOCKS(__wrap_)
// That of the image, not that of the library which it is loaded beside.
mlusim_announced mlusim_last_announced[2];
MLUSIM_SHOW(".hidden mlusim_show\n", "mlusim_stack_end(%rip)");
void mlusim_shown(uint64_t address, uint64_t how, uint64_t many, int64_t pc) {
  shown(address, mlusim_shown_bytes(how, many), how & 1, pc);
}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_init(void) {}
void __tsan_func_exit(void) {}
void __tsan_func_entry(void* caller) {
  if (!*guest.in_kernel || (uint64_t)__builtin_frame_address(0) - launch.threads.running->bottom() >= LEAST) return;
  ended(MLUSIM_STACK, 0, 0, (int64_t)caller);
}

void mlusim_atomic(const void* address, uint64_t size, int64_t pc) {
  access((uint64_t)address, size, SIMT_ATOMIC, ALIGNED, pc);
}
void mlusim_fence(void) {
  if (*guest.in_kernel) launch.fences.fence();
}

void mlusim_copy_async(void* to, const void* from, uint64_t size, uint64_t zeros, int64_t pc) {
  threads_only(pc);
  simt_fault what = fault(SIMT_ASSERT, pc);
  what.text = size != 4 && size != 8 && size != 16 ? "size is 4, 8 or 16"
              : zeros > size                       ? "zfill <= size"
              : !mlusim_is_shared(to)              ? "the copy goes to shared memory"
                                                   : nullptr;
  if (what.text) fail(what);
  if (zeros < size) access((uint64_t)from, size - zeros, SIMT_LOAD, zeros ? UNALIGNED : ALIGNED, pc);
  access((uint64_t)to, size, SIMT_STORE, ALIGNED, pc);
  settle();
  Own own;
  shared().copying((uint64_t)to, size, true);
  uint32_t place = launch.warps.place(pc, SIMT_SHARED, SIMT_STORE);
  launch.copies.start(launch.threads.current, {(uint64_t)to, (uint64_t)from, size, zeros, pc, place, 0});
}
void mlusim_copies_commit(void) {
  threads_only(MLUSIM_PC);
  Own own;
  launch.copies.commit(launch.threads.current);
}
void mlusim_copies_wait(uint64_t batches) {
  threads_only(MLUSIM_PC);
  Own own;
  uint16_t thread = (uint16_t)launch.threads.current;
  for (const Copy& copy : launch.copies.done(thread, batches)) {
    shared().copying(copy.to, copy.size, false);
    // Whoever has used it too early did so after the last barrier as well.
    bool early = std::any_of(launch.faults.begin(), launch.faults.end(), [&](const simt_fault& known) {
      return known.kind == SIMT_ORDER && known.related == copy.pc;
    });
    if (!launch.given.unchecked && !early)
      report(shared().access(copy.to, copy.size, SIMT_STORE, thread, copy.place), copy.to, copy.size, SIMT_STORE,
             copy.pc);
    memcpy((void*)copy.to, (const void*)copy.from, copy.size - copy.zeros);
    memset((char*)copy.to + copy.size - copy.zeros, 0, copy.zeros);
  }
}
int mlusim_is_shared(const void* address) { return shared().holds((uint64_t)address); }

uint64_t mlusim_shared(const char* name, const char* file, int line, uint64_t bytes, const void* type) {
  Own own;
  return shared().variable(name, file, line, bytes, type);
}
uint64_t mlusim_dynamic_shared(void) {
  Own own;
  return shared().dynamic_start();
}

// A variable at file scope: in shared memory, or one of the module, with its initial value (or NULL).
uint64_t mlusim_variable_in(const char* name, const char* space, const char* file, int line, uint64_t bytes,
                            const void* initial) {
  Own own;
  if (!strcmp(space, "shared")) {
    uint64_t address = shared().variable(name, file, line, bytes, initial);
    shared().loaded();
    return address;
  }
  void* made = nullptr;
  if (posix_memalign(&made, APART, bytes + APART)) __builtin_trap();
  if (initial)
    memcpy(made, initial, bytes);
  else
    memset(made, 0, bytes);
  std::string key = std::string(file) + ':' + std::to_string(line) + ':' + name;
  globals().push_back(
      {(uint64_t)made, (uint64_t)made + bytes, name, !strcmp(space, "constant"), (uint64_t)made, std::move(key)});
  return (uint64_t)made;
}

void mlusim_barrier(int site) { meet_all(site, MLUSIM_PC); }
uint32_t mlusim_vote(int site, int predicate) {
  threads_only(MLUSIM_PC);
  Votes& votes = launch.votes;
  uint32_t span = shared().span(), turn = span % 2;
  if (votes.span[turn] != span) votes.span[turn] = span, votes.yes[turn] = 0;
  votes.yes[turn] += predicate != 0;
  meet_all(site, MLUSIM_PC);
  return votes.yes[turn];
}

uint32_t mlusim_warp(const char* name, uint32_t mask, uint64_t value, int64_t pc) {
  bool fence = !strcmp(name, "__syncwarp");  // which gives nothing
  uint32_t lanes = meet(name, mask, value, pc, fence);
  if (!fence) takes(pc, lanes);
  return lanes;
}
uint64_t mlusim_shuffle(const char* name, uint32_t mask, uint64_t value, uint32_t lane, int64_t pc) {
  uint32_t lanes = meet(name, mask, value, pc);
  takes(pc, lanes & 1u << lane);
  if (lanes >> lane & 1) return mlusim_given(lane);
  if (mask >> lane & 1 && !launch.given.unchecked) {
    simt_fault what = fault(SIMT_WARP_ABSENT, pc, 0, mask);
    what.other = launch.threads.current / SIMT_WARP * SIMT_WARP + lane;
    what.text = name;
    note(what);
    *guest.in_kernel = 1;
  }
  return launch.given.poison * 0x0101010101010101u;
}
uint64_t mlusim_given(uint32_t lane) { return launch.exchange.given(launch.threads.current, lane); }
uint32_t mlusim_lane(void) { return launch.threads.current % SIMT_WARP; }

void mlusim_not_modelled(const char* name, int64_t pc) {
  if (!*guest.in_kernel) return;  // for a variable of the host, which has the library
  simt_fault what = fault(SIMT_NOT_MODELLED, pc);
  what.text = name;
  note(what);
  if (!launch.given.collect) leave(true);
  *guest.in_kernel = 1;
}
void mlusim_end_task(void) {
  threads_only(MLUSIM_PC);
  leave(false);
}

// Images are linked so that these take the place of the C library's functions: a kernel must not end the process.
void __wrap_abort(void) { mlusim_end(MLUSIM_SIGNAL, 0, SIGABRT, MLUSIM_PC); }
void __wrap_exit(int code) { mlusim_end(MLUSIM_EXIT, 0, (uint64_t)code, MLUSIM_PC); }
void __assert_fail(const char* text, const char*, unsigned, const char*) noexcept {
  threads_only(MLUSIM_PC);
  simt_fault what = fault(SIMT_ASSERT, MLUSIM_PC);
  what.text = text;
  fail(what);
}
// The source throws, or calls what throws for it.
void mlusim_thrown(int64_t pc) {
  mlusim_throw_pc = pc;
  mlusim_uncaught("code of a device has none");
}

// The runtime itself, and static initialisers, have the heap of the C library.
#define HEAP(result, function, parameters, arguments, made)    \
  result __real_##function parameters;                         \
  result __wrap_##function parameters {                        \
    if (!*guest.in_kernel) return __real_##function arguments; \
    settle();                                                  \
    Own own;                                                   \
    return made;                                               \
  }
HEAP(void*, malloc, (size_t bytes), (bytes), launch.heap.take(nullptr, bytes, false))
HEAP(void*, calloc, (size_t count, size_t size), (count, size),
     launch.heap.take(nullptr, mlusim::bytes_of(count, size), true))
HEAP(void*, realloc, (void* block, size_t bytes), (block, bytes), launch.heap.take(block, bytes, false))
HEAP(void*, aligned_alloc, (size_t alignment, size_t bytes), (alignment, bytes),
     launch.heap.take(nullptr, bytes, false, alignment))
HEAP(void*, _Znwm, (size_t bytes), (bytes), launch.heap.take(nullptr, bytes, false))
HEAP(void*, _Znam, (size_t bytes), (bytes), launch.heap.take(nullptr, bytes, false))
HEAP(void, free, (void* block), (block), launch.heap.give(block))
HEAP(void, _ZdlPv, (void* block), (block), launch.heap.give(block))
HEAP(void, _ZdaPv, (void* block), (block), launch.heap.give(block))
HEAP(void, _ZdlPvm, (void* block, size_t bytes), (block, bytes), launch.heap.give(block))
HEAP(void, _ZdaPvm, (void* block, size_t bytes), (block, bytes), launch.heap.give(block))
// Its result is stored where the kernel says, which is an access of its own.
int __real_posix_memalign(void** made, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void** made, size_t alignment, size_t bytes) {
  if (!*guest.in_kernel) return __real_posix_memalign(made, alignment, bytes);
  mlusim_not_modelled("posix_memalign", MLUSIM_PC);
  leave(false);
}
}
