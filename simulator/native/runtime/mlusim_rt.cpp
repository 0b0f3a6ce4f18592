// The native runtime: runs tasks, sees scalar loads and stores, and turns crashes and endless loops into findings.
// Built once for a machine and loaded beside the kernel images.
#include "mlusim_rt.h"
#include "mlusim_terminate.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

#include <algorithm>
#include <map>
#include <new>
#include <vector>

extern "C" {

struct mlusim_task* mlusim_current;
int64_t (**mlusim_port)(void);
volatile int mlusim_status;
int mlusim_strict;
uint64_t mlusim_scalar_work;

static struct mlusim_callbacks callbacks;
// Native kernel code is running, not Python. The kernel of the host reads it too: while it is 1, every system call
// becomes a SIGSYS (see mlusim_guard.h).
static volatile char in_kernel;
static volatile int time_is_up;           // the time limit has passed; the next access or instruction ends the task
static sigjmp_buf* volatile loading;      // an image is being loaded: where its static initialisers unwind to
struct mlusim_fault mlusim_last;
#define NO_TASK ((struct mlusim_task*)0x8000)  // what runs meanwhile; nothing is mapped there
static uint64_t stack_low, stack_high;    // usable part of the stack of the thread that runs kernels
static struct mlusim_range* images;  // the kernel images in this process, code and data
static size_t image_count, image_room;
static struct mlusim_range* common;  // what every task may use: arguments and device memory, sorted
static uint64_t common_count;
static struct mlusim_range* last_range;  // where the running task's last access was
static std::map<uint64_t, uint64_t> heap;  // start and end of what kernels have taken from the C library's heap
static std::map<uint64_t, uint64_t> lasting;  // and of what static initialisers have taken
static uint64_t heap_bytes;

#include "mlusim_runs.h"

static struct mlusim_range* range_of(struct mlusim_range* ranges, uint64_t count, uint64_t address, uint64_t size);
#include "mlusim_blocks.h"

static void (*guest_ended)(int kind, uint64_t address, uint64_t size, int64_t pc);  // while a guest's kernels run

void mlusim_enter(void (*entry)(void**), void** arguments) __attribute__((visibility("hidden")));
static void mlusim_begin_guard(void);
static void mlusim_too_early(void);
static void end_task(int kind, uint64_t address, uint64_t size, int64_t pc) __attribute__((noreturn));

static void empty_heap(void) {
  for (const auto& block : heap) free((void*)block.first);
  heap.clear();
  heap_bytes = 0;
}

// A launch begins; what an earlier one has left on the heap is given back.
void mlusim_connect(const struct mlusim_callbacks* given, struct mlusim_range* ranges, uint64_t count, int pipe,
                    int operation) {
  callbacks = *given;
  scalar_pipe = (uint8_t)pipe;
  compute = (uint16_t)operation;
  common = ranges;
  common_count = count;
  guest_ended = NULL;
  empty_heap();
  mlusim_begin_guard();
}

void mlusim_invite(void (*ended)(int kind, uint64_t address, uint64_t size, int64_t pc)) {
  guest_ended = ended;
  mlusim_begin_guard();
}

struct mlusim_guest mlusim_share(void) { return {&in_kernel, &time_is_up, &stack_low}; }

void mlusim_end(int kind, uint64_t address, uint64_t size, int64_t pc) { end_task(kind, address, size, pc); }

static int64_t image_frame(int skip);
static void fault(int kind, uint64_t address, uint64_t size, int store, int64_t pc, int end);
// Whether [address, address + size) ends at or before `end`; no size overflows.
static inline int holds(uint64_t end, uint64_t address, uint64_t size) { return address <= end && size <= end - address; }

static void leave(uint64_t worth, int64_t pc) {
  if (loading) mlusim_too_early();
  if (loaded.size) settle();
  if (stored.size) recognize();
  in_kernel = 0;
  drain_with(worth, pc);
}

void mlusim_leave(void) { leave(UINT64_MAX, 0); }

void mlusim_leave_at(int64_t pc) { leave(WORTH, pc); }

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
  struct mlusim_range* range = range_of(mlusim_current->ranges, mlusim_current->range_count, address, 1);
  if (range && !held.empty()) release_held(range->start, range->end);
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

int32_t mlusim_in_space(const void* address, const char* space, int64_t pc) {
  mlusim_leave();
  int32_t found = callbacks.in_space((uint64_t)address, space);
  mlusim_back(pc);
  return found;
}

// --- vector registers: a stack of slots in the core's register memory -------------------------------------------

uint64_t mlusim_take_register(void) {
  uint64_t found = mlusim_current->registers;
  if (!holds(mlusim_current->register_end, found, mlusim_current->register_bytes))
    fault(MLUSIM_REGISTERS, found, 0, 0, image_frame(1), 1);  // past the constructor
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

// An image says where it lies, before anything else of it runs: its static initialisers come after this.
void mlusim_begin_image(const void* begin, const void* end) {
  uint64_t low = (uint64_t)begin, high = (uint64_t)end;
  if (image_count == image_room) {
    image_room = image_room ? 2 * image_room : 64;
    images = (struct mlusim_range*)realloc(images, image_room * sizeof *images);
    if (!images) abort();
  }
  images[image_count++] = mlusim_range{low, high};
  if (loading) in_kernel = 1;
}

const struct mlusim_range* mlusim_newest_image(void) { return &images[image_count - 1]; }

// Loads an image. NULL when that fails: `mlusim_last` says what its initialisers did, or (kind -1) what the loader says.
void* mlusim_load(const char* path) {
  void* volatile handle = NULL;
  sigjmp_buf jump;
  mlusim_current = NO_TASK;
  last_range = NULL;
  mlusim_last = mlusim_fault{};
  mlusim_last.kind = -1;
  slots.clear();
  empty_heap();
  loading = &jump;
  if (sigsetjmp(jump, 1) == 0) handle = dlopen(path, RTLD_LAZY);
  in_kernel = 0;
  loading = NULL;
  lasting.merge(heap);
  heap.clear();
  heap_bytes = 0;
  const char* error = handle || mlusim_last.kind >= 0 ? NULL : dlerror();
  if (error) snprintf(mlusim_last.text, sizeof mlusim_last.text, "%s", error);
  return handle;
}

// --- scalar accesses -----------------------------------------------------------------------------------------

static void fault(int kind, uint64_t address, uint64_t size, int store, int64_t pc, int end) {
  if (loading) end_task(kind, address, size, pc);
  mlusim_leave();
  callbacks.fault(kind, address, size, store, pc);
  if (end) mlusim_status = 1;
  mlusim_back(pc);
}

static int in_image(uint64_t address) {
  for (size_t i = image_count; i-- > 0;)  // the latest first: it is the one that runs, most often
    if (address >= images[i].start && address < images[i].end) return 1;
  return 0;
}

static int in_heap(const std::map<uint64_t, uint64_t>& blocks, uint64_t address, uint64_t size) {
  auto after = blocks.upper_bound(address);
  return after != blocks.begin() && holds((--after)->second, address, size);
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

// What the headers of the C library make a kernel access: its streams by name, and errno.
static int of_library(uint64_t address, uint64_t size, int store) {
  if (address == (uint64_t)&errno) return size <= sizeof errno;
  return !store && (address == (uint64_t)&stdout || address == (uint64_t)&stderr || address == (uint64_t)&stdin);
}

// Whether stores to a range have no effect; the task's own memory is not meant, nor its arguments.
static inline int mutes(const struct mlusim_range* range) {
  return mlusim_current->mute && range >= common && range < common + common_count && range->key != MLUSIM_UNSEEN;
}

// An access; `how` is 1 for a store, and ATOMICALLY beside that.
static void scalar_access(uint64_t address, uint64_t size, int how, int64_t pc) {
  if (!in_kernel) return;
  int store = how & 1;
  if (time_is_up) {
    if (loading) end_task(MLUSIM_TIME, 0, 0, pc);
    mlusim_leave();
    mlusim_back(pc);
  }
  restore();
  if (loaded.size) take_along(address, size, store);
  if (stored.size) recognize();
  struct mlusim_range* range = last_range;
  if (!range || address < range->start || !holds(range->end, address, size)) {
    if (address >= stack_low && address < stack_high && holds(stack_high, address, size)) return;
    if (loading) return;  // a static initialiser works on the host's memory
    range = range_of(mlusim_current->ranges, mlusim_current->range_count, address, size);
    if (!range) range = range_of(common, common_count, address, size);
    if (!range && (in_image(address) || in_heap(heap, address, size) || in_heap(lasting, address, size))) return;
    if (!range && of_library(address, size, store)) return;
    if (!range && (uint64_t)__builtin_frame_address(0) < stack_low) fault(MLUSIM_STACK, address, 0, 0, pc, 1);
    if (!range) fault(MLUSIM_ACCESS, address, size, store, pc, 1);  // does not return
    last_range = range;
  }
  if (range->written == MLUSIM_ASK && (!taken.empty() || !held.empty() || !in_order(range, address, size, store))) {
    in_kernel = 0;  // the runs go on: nothing has happened
    callbacks.keep_flags(address);
    in_kernel = 1;
  }
  if (has_flags(range) && !all_written(range->written + (address - range->start), size)) {
    if (store) note_first_write(range, address, size);
    else if (is_block(range->written + (address - range->start), size)) wait_for_copy(range, address, size, pc);
    else ask_about(address, size, pc);
  }
  if (!taken.empty()) arrive(range, address, size);
  else if (store && size >= 8 && !held.empty()) may_come_back(address, size);
  if (range->key != MLUSIM_UNSEEN) gather(address, size, how, pc, range);
  if (store && mutes(range)) {
    muted.address = address;
    muted.size = size < sizeof muted.bytes ? size : sizeof muted.bytes;
    memcpy(muted.bytes, (const void*)address, muted.size);
  }
}

// An instruction takes a structure by its address, or a null pointer.
void mlusim_structure(const void* address, uint64_t size, int64_t pc) {
  if (address) scalar_access((uint64_t)address, (int)size, 0, pc);
}

#include "mlusim_hooks.h"

// Images are linked so that these take the place of the C library's functions: a kernel must not end the process.
void __wrap_abort(void) { fault(MLUSIM_SIGNAL, 0, SIGABRT, 0, MLUSIM_PC, 1); }
void __wrap___assert_fail(const char* text, const char*, unsigned int, const char*) {
  mlusim_failed_assertion(text, MLUSIM_PC);
}
void __wrap_exit(int code) { fault(MLUSIM_EXIT, 0, code, 0, MLUSIM_PC, 1); }

#include "mlusim_heap.h"
#include "mlusim_guard.h"

// --- tasks -----------------------------------------------------------------------------------------------------

// Runs one task; returns 0 when the kernel has returned, 1 when it was ended.
int mlusim_run_task(void (*entry)(void**), void** arguments) {
  sigjmp_buf jump;
  mlusim_current->jump = &jump;
  mlusim_status = 0;
  last_range = NULL;
  forget_runs();
  forget_copy();
  work_noted = mlusim_scalar_work;
  if (sigsetjmp(jump, 1) == 0) {
    in_kernel = 1;
    mlusim_enter(entry, arguments);
    release_held(0, UINT64_MAX);
    leave(WORTH_AT_END, (int64_t)entry + 1);
    return 0;
  }
  in_kernel = 0;
  forget_runs();
  forget_copy();
  if (!mlusim_status) callbacks.fault(MLUSIM_JUMP, 0, 0, 0, 0);  // it was not the simulator who ended the task
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
