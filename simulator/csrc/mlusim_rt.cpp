// The native runtime: runs tasks, sees scalar loads and stores, and turns crashes and endless loops into findings.
// Built once for a machine and loaded beside the kernel images.
#include "mlusim_rt.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

extern "C" {

struct mlusim_task* mlusim_current;
int64_t (*mlusim_door[4096])(void);
volatile int mlusim_status;

static struct mlusim_callbacks callbacks;
static volatile sig_atomic_t in_kernel;   // native kernel code is running, not Python
static volatile sig_atomic_t time_is_up;  // the time limit passed while Python was running
static uint64_t stack_low, stack_high;    // usable part of this thread's stack
static uint64_t image_low[64], image_high[64];
static int images;
static uint64_t last_range;

enum { RUNS = 256, KEYS = 128 };
static struct mlusim_run runs[RUNS];
static int run_count;
static struct {
  int64_t pc;
  int index;
} keys[KEYS];

void mlusim_connect(const struct mlusim_callbacks* given) { callbacks = *given; }

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

void mlusim_back(void) {
  last_range = 0;
  if (time_is_up) {
    time_is_up = 0;
    callbacks.fault(MLUSIM_TIME, 0, 0, 0, MLUSIM_PC);
    mlusim_status = 1;
  }
  if (mlusim_status) siglongjmp(*mlusim_current->jump, 1);
  in_kernel = 1;
}

uint64_t mlusim_local(const char* space, const char* name, uint64_t bytes, const void* initial, int64_t pc) {
  mlusim_leave();
  uint64_t address = callbacks.local(space, name, bytes, initial, pc);
  mlusim_back();
  return address;
}

void mlusim_release(uint64_t address, int64_t pc) {
  mlusim_leave();
  callbacks.release(address, pc);
  mlusim_back();
}

void mlusim_not_modelled(const char* name, int64_t pc) {
  mlusim_leave();
  callbacks.not_modelled(name, pc);
  mlusim_back();
}

// --- vector registers: a stack of slots in the core's register memory -------------------------------------------

uint64_t mlusim_take_register(void) {
  uint64_t found = mlusim_current->registers;
  mlusim_current->registers += mlusim_current->register_bytes;
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
  if (images < 64) {
    image_low[images] = low;
    image_high[images++] = high;
  }
}

// --- scalar accesses -----------------------------------------------------------------------------------------

static void fault(int kind, uint64_t address, int size, int store, int64_t pc, int end) {
  mlusim_leave();
  callbacks.fault(kind, address, size, store, pc);
  if (end) mlusim_status = 1;
  mlusim_back();
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
    mlusim_back();
  }
  runs[run_count] = mlusim_run{pc, address, address + size, address, 0, 1, size, store};
  keys[key].pc = pc;
  keys[key].index = run_count++;
}

static void scalar_access(uint64_t address, int size, int store, int64_t pc) {
  if (!in_kernel) return;
  const struct mlusim_range* ranges = mlusim_current->ranges;
  uint64_t count = mlusim_current->range_count;
  if (last_range < count && address >= ranges[last_range].start && address + size <= ranges[last_range].end) {
    gather(address, size, store, pc);
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
    gather(address, size, store, pc);
    return;
  }
  for (int i = 0; i < images; i++)
    if (address >= image_low[i] && address < image_high[i]) return;
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

static char alternate_stack[64 << 10];

static void on_signal(int number, siginfo_t* info, void* context) {
  if (!in_kernel) {
    if (number == SIGALRM) {
      time_is_up = 1;
      return;
    }
    signal(number, SIG_DFL);
    return;
  }
  in_kernel = 0;
  int64_t pc = (int64_t)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
  uint64_t address = (uint64_t)info->si_addr;
  drain();
  uint64_t frame = (uint64_t)((ucontext_t*)context)->uc_mcontext.gregs[REG_RSP];
  int stack = number == SIGSEGV && frame < stack_low;
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
  timer.it_value.tv_sec = (time_t)seconds;
  timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
  time_is_up = 0;
  setitimer(ITIMER_REAL, &timer, NULL);
}
}
