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

#include <exception>
#include <map>
#include <vector>

extern "C" {

struct mlusim_task* mlusim_current;
int64_t (**mlusim_port)(void);
extern const uint32_t mlusim_sizes[] = {sizeof(mlusim_range), sizeof(mlusim_run), sizeof(mlusim_task),
                                        sizeof(mlusim_variable), sizeof(mlusim_callbacks)};
volatile int mlusim_status;
uint64_t mlusim_scalar_work;

static struct mlusim_callbacks callbacks;
static volatile sig_atomic_t in_kernel;   // native kernel code is running, not Python
static volatile sig_atomic_t time_is_up;  // the time limit has passed; the next access or instruction ends the task
static uint64_t stack_low, stack_high;    // usable part of the stack of the thread that runs kernels
static struct mlusim_range* images;  // the kernel images in this process, code and data
static size_t image_count, image_room;
static struct mlusim_range* common;  // what every task may use: arguments and device memory, sorted
static uint64_t common_count;
static struct mlusim_range* last_range;  // where the running task's last access was
struct Block {
  uint64_t end;
  bool of_launch;  // or of the image, which took it when it was loaded
};
static std::map<uint64_t, Block> heap;  // by start, what kernels have taken from the C library's heap
static int64_t throw_pc;  // where the latest exception was thrown

// A launch begins; what an earlier one has left on the heap is given back.
void mlusim_connect(const struct mlusim_callbacks* given, struct mlusim_range* ranges, uint64_t count) {
  callbacks = *given;
  common = ranges;
  common_count = count;
  for (auto block = heap.begin(); block != heap.end();) {
    if (block->second.of_launch) {
      free((void*)block->first);
      block = heap.erase(block);
    } else {
      ++block;
    }
  }
}

#include "mlusim_runs.h"

void mlusim_leave(void) {
  in_kernel = 0;
  drain();
}

void mlusim_leave_at(int64_t pc) {
  in_kernel = 0;
  note_work(WORTH, pc);
  drain();
}

void mlusim_back(int64_t pc) {
  last_range = NULL;
  if (time_is_up) {
    time_is_up = 0;
    callbacks.fault(MLUSIM_TIME, 0, 0, 0, pc);
    mlusim_status = 1;
  }
  if (mlusim_status) siglongjmp(*mlusim_current->jump, 1);
  in_kernel = 1;
}

uint64_t mlusim_local(const struct mlusim_variable* variable, int64_t pc) {
  mlusim_leave();
  uint64_t address = callbacks.local(variable, pc);
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

void mlusim_end_task(void) {
  mlusim_leave();
  mlusim_status = 1;
  mlusim_back(0);
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

static std::vector<mlusim_variable> slots;

void* mlusim_slot(const char* name, const char* space, int line, const char* file, const void* initial, uint64_t bytes) {
  slots.push_back(mlusim_variable{name, space, file, initial, nullptr, bytes, line});
  return (void*)(uintptr_t)slots.size();
}

// The variables announced since the last call; good until the next image is loaded.
const struct mlusim_variable* mlusim_take_slots(int* count) {
  static std::vector<mlusim_variable> taken;
  taken.swap(slots);
  slots.clear();
  *count = (int)taken.size();
  return taken.data();
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

static void fault(int kind, uint64_t address, uint64_t size, int store, int64_t pc, int end) {
  mlusim_leave();
  callbacks.fault(kind, address, size, store, pc);
  if (end) mlusim_status = 1;
  mlusim_back(pc);
}

// Adds an access to the run of its source position, if both lie in one variable or array: `start` is where that begins.
static inline void gather(uint64_t address, uint64_t size, int store, int64_t pc, uint64_t start) {
  uint64_t operations = mlusim_scalar_work - work_noted;
  work_noted = mlusim_scalar_work;
  const int home = (int)((uint64_t)pc * 0x9e3779b97f4a7c15u >> 55) & (KEYS - 1);
  int key = home;
  while (keys[key].pc && (keys[key].pc != pc || keys[key].start != start)) key = (key + 1) & (KEYS - 1);
  if (keys[key].pc) {
    struct mlusim_run* run = &runs[keys[key].index];
    int64_t step = (int64_t)(address - run->last);
    if (run->store == store && run->size == size && (run->count == 1 || step == run->stride)) {
      run->stride = step;
      run->last = address;
      run->count++;
      run->operations += operations;
      if (address < run->low) run->low = address;
      if (address + size > run->high) run->high = address + size;
      return;
    }
  }
  if (run_count == RUNS) {
    mlusim_leave();
    mlusim_back(pc);
    key = home;
  }
  uint64_t words = size > 16 ? (size + 7) / 8 : 1;  // a block is moved a word at a time
  runs[run_count] = mlusim_run{pc, address, address + size, address, 0, words, size, store, operations};
  keys[key].pc = pc;
  keys[key].start = start;
  keys[key].index = run_count++;
  keys_in_use = 1;
}

// Whether [address, address + size) ends at or before `end`; no size overflows.
static inline int holds(uint64_t end, uint64_t address, uint64_t size) { return address <= end && size <= end - address; }

static int in_image(uint64_t address) {
  for (size_t i = image_count; i-- > 0;)  // the latest first: it is the one that runs, most often
    if (address >= images[i].start && address < images[i].end) return 1;
  return 0;
}

static int in_heap(uint64_t address, uint64_t size) {
  auto after = heap.upper_bound(address);
  return after != heap.begin() && holds((--after)->second.end, address, size);
}

// The range that holds an access, or NULL.
static struct mlusim_range* range_of(struct mlusim_range* ranges, uint64_t count, uint64_t address, uint64_t size) {
  uint64_t low = 0, high = count;
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (ranges[middle].start <= address) low = middle + 1;
    else high = middle;
  }
  return low && holds(ranges[low - 1].end, address, size) ? &ranges[low - 1] : NULL;
}

static void scalar_access(uint64_t address, uint64_t size, int store, int64_t pc) {
  if (!in_kernel) return;
  if (time_is_up) {
    mlusim_leave();
    mlusim_back(pc);
  }
  struct mlusim_range* range = last_range;
  if (!range || address < range->start || !holds(range->end, address, size)) {
    if (address >= stack_low && address < stack_high && holds(stack_high, address, size)) return;
    range = range_of(mlusim_current->ranges, mlusim_current->range_count, address, size);
    if (!range) range = range_of(common, common_count, address, size);
    if (!range && (in_image(address) || in_heap(address, size))) return;
    if (!range) fault(MLUSIM_ACCESS, address, size, store, pc, 1);  // does not return
    last_range = range;
  }
  if (!store && range->unpoisoned) {
    mlusim_leave();
    callbacks.fill_poison(address);
    range->unpoisoned = 0;
    mlusim_back(pc);
  }
  gather(address, size, store, pc, range->start);
}

// An instruction takes a structure by its address, or a null pointer.
void mlusim_structure(const void* address, uint64_t size, int64_t pc) {
  if (address) scalar_access((uint64_t)address, (int)size, 0, pc);
}

#include "mlusim_hooks.h"

// Images are linked so that these take the place of the C library's functions: a kernel must not end the process.
void __wrap_abort(void) { fault(MLUSIM_SIGNAL, 0, SIGABRT, 0, MLUSIM_PC, 1); }
void __wrap_exit(int code) { fault(MLUSIM_EXIT, 0, code, 0, MLUSIM_PC, 1); }

// The heap is memory of the kernel's processor: it may use what it has taken.
static void* taken(void* block, size_t bytes) {
  if (block) heap[(uint64_t)block] = Block{(uint64_t)block + bytes, in_kernel != 0};
  return block;
}
void* __wrap_malloc(size_t bytes) { return taken(malloc(bytes), bytes); }
void* __wrap_calloc(size_t count, size_t size) { return taken(calloc(count, size), count * size); }
void* __wrap_realloc(void* block, size_t bytes) {
  heap.erase((uint64_t)block);
  return taken(realloc(block, bytes), bytes);
}
void* __wrap_aligned_alloc(size_t alignment, size_t bytes) { return taken(aligned_alloc(alignment, bytes), bytes); }
void __wrap_free(void* block) {
  heap.erase((uint64_t)block);
  free(block);
}

// --- tasks -----------------------------------------------------------------------------------------------------

void mlusim_throw(int64_t pc) { throw_pc = pc; }

// Calls a kernel; false when it has thrown an exception, which `text` then describes.
static bool call(void (*entry)(void**), void** arguments, char* text, size_t room) {
  try {
    entry(arguments);
    return true;
  } catch (const std::exception& error) {
    snprintf(text, room, "%s", error.what());
  } catch (...) {
    snprintf(text, room, "of a type of its own");
  }
  return false;
}

// Runs one task; returns 0 when the kernel has returned, 1 when it was ended.
int mlusim_run_task(void (*entry)(void**), void** arguments) {
  sigjmp_buf jump;
  mlusim_current->jump = &jump;
  mlusim_status = 0;
  last_range = NULL;
  forget_runs();
  work_noted = mlusim_scalar_work;
  if (sigsetjmp(jump, 1) == 0) {
    in_kernel = 1;
    char text[256];
    bool returned = call(entry, arguments, text, sizeof text);
    in_kernel = 0;
    note_work(WORTH_AT_END, (int64_t)entry + 1);
    drain();
    if (returned) return 0;
    callbacks.exception(text, throw_pc);
    return 1;
  }
  in_kernel = 0;
  forget_runs();
  return 1;
}

// This thread runs kernels from now on. The bounds of a stack are slow to find, so that a thread asks for them once;
// the last 256 KiB are left to the simulator.
int mlusim_set_stack(void) {
  static thread_local uint64_t own_low, own_high;
  if (!own_high) {
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
    own_low = (uint64_t)low + (256u << 10);
    own_high = (uint64_t)low + size;
  }
  stack_low = own_low;
  stack_high = own_high;
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
