// The native runtime: runs tasks, sees scalar loads and stores, and turns crashes and endless loops into findings.
// Built once for a machine and loaded beside the kernel images.
#include "mlusim_rt.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#include <map>

extern "C" {

struct mlusim_task* mlusim_current;
int64_t (*mlusim_door[4096])(void);
volatile int mlusim_status;

static struct mlusim_callbacks callbacks;
static volatile sig_atomic_t in_kernel;   // native kernel code is running, not Python
static volatile sig_atomic_t time_is_up;  // the time limit has passed; the next access or instruction ends the task
static uint64_t stack_low, stack_high;    // usable part of this thread's stack
static struct mlusim_range* images;  // the kernel images in this process, code and data
static size_t image_count, image_room;
static uint64_t last_range;
static std::map<uint64_t, uint64_t> heap;  // start and end of what kernels have taken from the C library's heap

enum { RUNS = 256, KEYS = 128 };
static struct mlusim_run runs[RUNS];
static int run_count;
static struct {
  int64_t pc;
  int index;
} keys[KEYS];

// A launch begins; what an earlier one has left on the heap is given back.
void mlusim_connect(const struct mlusim_callbacks* given) {
  callbacks = *given;
  for (const auto& block : heap) free((void*)block.first);
  heap.clear();
}

static void forget_runs(void) {
  run_count = 0;
  memset(keys, 0, sizeof keys);
}

static void drain(void) {
  if (!run_count) return;
  int count = run_count;
  run_count = 0;
  callbacks.drain(runs, (uint64_t)count);
  memset(keys, 0, sizeof keys);
}

void mlusim_leave(void) {
  in_kernel = 0;
  drain();
}

void mlusim_back(int64_t pc) {
  last_range = 0;
  if (time_is_up) {
    time_is_up = 0;
    callbacks.fault(MLUSIM_TIME, 0, 0, 0, pc);
    mlusim_status = 1;
  }
  if (mlusim_status) siglongjmp(*mlusim_current->jump, 1);
  in_kernel = 1;
}

uint64_t mlusim_local(const char* space, const char* name, uint64_t bytes, const void* initial, int64_t pc) {
  mlusim_leave();
  uint64_t address = callbacks.local(space, name, bytes, initial, pc);
  mlusim_back(pc);
  return address;
}

void mlusim_release(uint64_t address, int64_t pc) {
  mlusim_leave();
  callbacks.release(address, pc);
  mlusim_back(pc);
}

void mlusim_not_modelled(const char* name, int64_t pc) {
  mlusim_leave();
  callbacks.not_modelled(name, pc);
  mlusim_back(pc);
}

void mlusim_failed_assertion(const char* text, int64_t pc) {
  mlusim_leave();
  callbacks.assertion(text, pc);
  mlusim_status = 1;
  mlusim_back(pc);
}

// --- vector registers: a stack of slots in the core's register memory -------------------------------------------

uint64_t mlusim_take_register(void) {
  uint64_t found = mlusim_current->registers;
  mlusim_current->registers += mlusim_current->register_bytes;
  memset((void*)found, 0xff, mlusim_current->register_bytes);  // NaN, as all fresh memory
  return found;
}

void mlusim_give_register(void) { mlusim_current->registers -= mlusim_current->register_bytes; }

// --- file-scope variables: a list that is read after an image has been loaded ------------------------------------

struct slot {
  const char *name, *space, *file;
  const void* initial;
  uint64_t bytes;
  int line;
};
static struct slot slots[4096];
static int slot_count;

void* mlusim_slot(const char* name, const char* space, int line, const char* file, const void* initial, uint64_t bytes) {
  if (slot_count < 4096) slots[slot_count] = slot{name, space, file, initial, bytes, line};
  return (void*)(uintptr_t)++slot_count;
}

const struct slot* mlusim_take_slots(int* count) {
  *count = slot_count;
  slot_count = 0;
  return slots;
}

void mlusim_add_image(uint64_t low, uint64_t high) {
  if (image_count == image_room) {
    image_room = image_room ? 2 * image_room : 64;
    images = (struct mlusim_range*)realloc(images, image_room * sizeof *images);
    if (!images) abort();
  }
  images[image_count++] = mlusim_range{low, high};
}

// --- scalar accesses -----------------------------------------------------------------------------------------

static void fault(int kind, uint64_t address, int size, int store, int64_t pc, int end) {
  mlusim_leave();
  callbacks.fault(kind, address, size, store, pc);
  if (end) mlusim_status = 1;
  mlusim_back(pc);
}

static inline void gather(uint64_t address, int size, int store, int64_t pc) {
  int key = (int)((uint64_t)pc * 0x9e3779b97f4a7c15u >> 57) & (KEYS - 1);
  if (keys[key].pc == pc) {
    struct mlusim_run* run = &runs[keys[key].index];
    int64_t step = (int64_t)(address - run->last);
    if (run->count == 1 || step == run->stride) {
      run->stride = step;
      run->last = address;
      run->count++;
      if (address < run->low) run->low = address;
      if (address + size > run->high) run->high = address + size;
      return;
    }
  }
  if (run_count == RUNS) {
    mlusim_leave();
    mlusim_back(pc);
  }
  runs[run_count] = mlusim_run{pc, address, address + size, address, 0, 1, size, store};
  keys[key].pc = pc;
  keys[key].index = run_count++;
}

static int in_image(uint64_t address) {
  for (size_t i = image_count; i-- > 0;)  // the latest first: it is the one that runs, most often
    if (address >= images[i].start && address < images[i].end) return 1;
  return 0;
}

static int in_heap(uint64_t address, int size) {
  auto after = heap.upper_bound(address);
  return after != heap.begin() && address + size <= (--after)->second;
}

static void access_range(const struct mlusim_range* range, uint64_t address, int size, int store, int64_t pc) {
  if (!store && range->unsettled) {
    mlusim_leave();
    callbacks.settle(address);
    mlusim_back(pc);
  }
  gather(address, size, store, pc);
}

static void scalar_access(uint64_t address, int size, int store, int64_t pc) {
  if (!in_kernel) return;
  if (time_is_up) {
    mlusim_leave();
    mlusim_back(pc);
  }
  const struct mlusim_range* ranges = mlusim_current->ranges;
  uint64_t count = mlusim_current->range_count;
  if (last_range < count && address >= ranges[last_range].start && address + size <= ranges[last_range].end) {
    access_range(&ranges[last_range], address, size, store, pc);
    return;
  }
  if (address >= stack_low && address < stack_high) return;
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (ranges[middle].start <= address) low = middle + 1;
    else high = middle;
  }
  if (low && address + size <= ranges[low - 1].end) {
    last_range = low - 1;
    access_range(&ranges[last_range], address, size, store, pc);
    return;
  }
  if (in_image(address) || in_heap(address, size)) return;
  fault(MLUSIM_ACCESS, address, size, store, pc, 1);
}

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
    scalar_access((uint64_t)p, n / 8, 1, MLUSIM_PC);                                            \
    uint##n##_t old = *p;                                                                       \
    *p = change;                                                                                \
    return old;                                                                                 \
  }
#define ATOMIC(n)                                                                               \
  uint##n##_t __tsan_atomic##n##_load(const volatile uint##n##_t* p, int) {                     \
    scalar_access((uint64_t)p, n / 8, 0, MLUSIM_PC);                                            \
    return *p;                                                                                  \
  }                                                                                             \
  void __tsan_atomic##n##_store(volatile uint##n##_t* p, uint##n##_t value, int) {              \
    scalar_access((uint64_t)p, n / 8, 1, MLUSIM_PC);                                            \
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
// Block copies and fills, which some compilers announce this way.
void* __tsan_memcpy(void* to, const void* from, size_t n) {
  if (n) scalar_access((uint64_t)from, (int)n, 0, MLUSIM_PC), scalar_access((uint64_t)to, (int)n, 1, MLUSIM_PC);
  return memcpy(to, from, n);
}
void* __tsan_memmove(void* to, const void* from, size_t n) {
  if (n) scalar_access((uint64_t)from, (int)n, 0, MLUSIM_PC), scalar_access((uint64_t)to, (int)n, 1, MLUSIM_PC);
  return memmove(to, from, n);
}
void* __tsan_memset(void* to, int value, size_t n) {
  if (n) scalar_access((uint64_t)to, (int)n, 1, MLUSIM_PC);
  return memset(to, value, n);
}
void __tsan_read_range(void* p, size_t n) { scalar_access((uint64_t)p, (int)n, 0, MLUSIM_PC); }
void __tsan_write_range(void* p, size_t n) { scalar_access((uint64_t)p, (int)n, 1, MLUSIM_PC); }
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}
void __tsan_init(void) {}
void __tsan_func_exit(void) {}
void __tsan_func_entry(void* caller) {
  if (in_kernel && (uint64_t)__builtin_frame_address(0) < stack_low)
    fault(MLUSIM_STACK, (uint64_t)__builtin_frame_address(0), 0, 0, (int64_t)caller, 1);
}

// Images are linked so that these take the place of the C library's functions: a kernel must not end the process.
void __wrap_abort(void) { fault(MLUSIM_SIGNAL, 0, SIGABRT, 0, MLUSIM_PC, 1); }
void __wrap_exit(int code) { fault(MLUSIM_EXIT, 0, code, 0, MLUSIM_PC, 1); }

// The heap is memory of the kernel's processor: it may use what it has taken.
static void* taken(void* block, size_t bytes) {
  if (block) heap[(uint64_t)block] = (uint64_t)block + bytes;
  return block;
}
void* __wrap_malloc(size_t bytes) { return taken(malloc(bytes), bytes); }
void* __wrap_calloc(size_t count, size_t size) { return taken(calloc(count, size), count * size); }
void* __wrap_realloc(void* block, size_t bytes) {
  heap.erase((uint64_t)block);
  return taken(realloc(block, bytes), bytes);
}
void __wrap_free(void* block) {
  heap.erase((uint64_t)block);
  free(block);
}

// --- tasks -----------------------------------------------------------------------------------------------------

// Runs one task; returns 0 when the kernel has returned, 1 when it was ended.
int mlusim_run_task(void (*entry)(void**), void** arguments) {
  sigjmp_buf jump;
  mlusim_current->jump = &jump;
  mlusim_status = 0;
  last_range = 0;
  forget_runs();
  if (sigsetjmp(jump, 1) == 0) {
    in_kernel = 1;
    entry(arguments);
    mlusim_leave();
    return 0;
  }
  in_kernel = 0;
  forget_runs();
  return 1;
}

// Reads the bounds of this thread's stack; the last 256 KiB are left to the simulator.
int mlusim_set_stack(void) {
  pthread_attr_t attributes;
  void* low;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes)) return 1;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  if (size > (8u << 20)) {  // an unlimited stack: take what the usual one has
    low = (char*)low + (size - (8u << 20));
    size = 8u << 20;
  }
  stack_low = (uint64_t)low + (256u << 10);
  stack_high = (uint64_t)low + size;
  return 0;
}

static char alternate_stack[1 << 20];  // Python runs on it

static void on_signal(int number, siginfo_t* info, void* context) {
  // The first alarm leaves the end to an access or an instruction, which know their source line. A loop without any
  // meets the next alarm.
  if (number == SIGALRM && (!in_kernel || !time_is_up)) {
    time_is_up = 1;
    return;
  }
  if (!in_kernel) {
    signal(number, SIG_DFL);
    return;
  }
  in_kernel = 0;
  int64_t pc = (int64_t)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  uint64_t address = (uint64_t)info->si_addr;
  drain();
  uint64_t frame = (uint64_t)((ucontext_t*)context)->uc_mcontext.gregs[REG_RSP];
  int stack = number == SIGSEGV && frame < stack_low;
  // A jump to nowhere, or a library function without a frame of its own: the caller's address is on top of the stack.
  if (!stack && !in_image((uint64_t)pc) && in_image(*(uint64_t*)frame)) pc = *(int64_t*)frame - 1;
  callbacks.fault(number == SIGALRM ? MLUSIM_TIME : stack ? MLUSIM_STACK : MLUSIM_SIGNAL, address, number, 0, pc + 1);
  mlusim_status = 1;
  siglongjmp(*mlusim_current->jump, 1);
}

// Installs the handlers of a process that does nothing else but run kernels.
void mlusim_guard_process(void) {
  stack_t stack = {};
  stack.ss_sp = alternate_stack;
  stack.ss_size = sizeof alternate_stack;
  sigaltstack(&stack, NULL);
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
  for (int number : numbers) sigaction(number, &action, NULL);
}

// Ends the running kernel after so many seconds; 0 takes the limit away.
void mlusim_time_limit(double seconds) {
  struct itimerval timer = {};
  timer.it_interval.tv_usec = 20000;
  timer.it_value.tv_sec = (time_t)seconds;
  timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
  time_is_up = 0;
  setitimer(ITIMER_REAL, &timer, NULL);
}
}
