// How the code of a kernel is left for Python and entered again, and how it ends.
#include <pthread.h>
#include <string.h>
#include <sys/time.h>

#include "access.h"
#include "again.h"
#include "blocks.h"
#include "calls.h"
#include "frames.h"
#include "heap.h"
#include "late.h"
#include "process.h"
#include "python.h"
#include "ranges.h"
#include "runs.h"
#include "sites.h"

mlusim_task* mlusim_current;
volatile int mlusim_status;
int mlusim_strict, mlusim_seen;
uint64_t mlusim_scalar_work;
mlusim_fault mlusim_last;

namespace mlusim {

Process process;
Memory memory;
Heap heap;

namespace {

constexpr uint64_t USUAL_STACK = 8u << 20, KEPT_STACK = 256u << 10;  // bytes
constexpr suseconds_t ALARMS_APART = 20000;                          // microseconds

// A text of the kernel's, which may lie anywhere.
const char* text_of(const char* given) {
  static char text[4096];
  read_text((uint64_t)given, text, sizeof text);
  return text;
}

}  // namespace

void hand_over(uint64_t worth, int64_t pc) {
  muted.restore();
  runs.drain(worth, pc);
  late.hand_over();
  broken.hand_over();
}

void leave(uint64_t worth, int64_t pc) {
  if (process.loading) too_early();
  mlusim_last_announced[0] = mlusim_last_announced[1] = {};
  blocks.leave();
  process.in_kernel = 0;
  tell_who_runs();
  hand_over(worth, pc);
  runs.pause();
}

void fault(int kind, uint64_t address, uint64_t size, int store, int64_t pc) {
  if (process.loading) end_task(kind, address, size, pc);
  leave();
  if (!process.answers.fault(kind, address, size, store, pc)) mlusim_status = 1;
  back(pc);
}

void end_task(int kind, uint64_t address, uint64_t size, int64_t pc) {
  process.in_kernel = 0;
  forget_refused_call();
  if (process.loading) {
    mlusim_last.kind = kind;
    mlusim_last.address = address;
    mlusim_last.size = size;
    mlusim_last.pc = pc;
    siglongjmp(*process.loading, 1);
  }
  if (process.guest_ended) process.guest_ended(kind, address, size, pc);
  tell_who_runs();
  hand_over(UINT64_MAX, 0);
  process.answers.fault(kind, address, size, 0, pc);
  mlusim_status = 1;
  siglongjmp(*mlusim_current->jump, 1);
}

void too_early() { end_task(MLUSIM_EARLY, 0, 0, find_frame(1).pc); }

void back(int64_t pc) {
  memory.last = nullptr;
  if (process.time_is_up) {
    process.time_is_up = 0;
    tell_who_runs();
    process.answers.fault(MLUSIM_TIME, 0, 0, 0, pc);
    mlusim_status = 1;
  }
  if (mlusim_status) siglongjmp(*mlusim_current->jump, 1);
  runs.resume();
  process.in_kernel = 1;
}

}  // namespace mlusim

using namespace mlusim;

// --- what kernel images call
// -------------------------------------------------------------------------------------------

uint64_t mlusim_local(const mlusim_variable* variable, int64_t pc) {
  scalar_access((uint64_t)variable, sizeof *variable, 0, pc);
  leave();
  uint64_t address = process.answers.local(variable, pc);
  back(pc);
  return address;
}

void mlusim_release(uint64_t address, int64_t pc) {
  if (mlusim_range* range = own_range(address, 1)) blocks.release(range->start, range->end);
  leave();
  process.answers.release(address, pc);
  back(pc);
}

void mlusim_not_modelled(const char* name, int64_t pc) {
  if (process.loading) return;  // a variable of the host, which has the library
  leave();
  process.answers.not_modelled(text_of(name), pc);
  back(pc);
}

void mlusim_fill(const char* name, uint64_t pointed, uint64_t filled, int64_t pc) {
  leave();
  process.answers.fill(name, pointed, filled, pc);
  back(pc);
}

void mlusim_end_task() {
  leave();
  mlusim_status = 1;
  back(0);
}

void mlusim_failed_assertion(const char* text, int64_t pc) {
  leave();
  process.answers.assertion(text_of(text), pc);
  mlusim_status = 1;
  back(pc);
}

int32_t mlusim_in_space(const void* address, const char* space, int64_t pc) {
  leave();
  int32_t found = process.answers.in_space((uint64_t)address, text_of(space));
  back(pc);
  return found;
}

uint64_t mlusim_take_register() {
  uint64_t found = mlusim_current->registers;
  if (!holds(mlusim_current->register_end, found, mlusim_current->register_bytes))
    fault(MLUSIM_REGISTERS, found, 0, 0, find_frame(1).pc);  // past the constructor
  mlusim_current->registers += mlusim_current->register_bytes;
  const uint64_t bytes = mlusim_current->register_bytes;
  memset((void*)found, (int)own_range(found, bytes)->holes->poison, bytes);
  return found;
}

void mlusim_give_register() {
  if (mlusim_current->registers > mlusim_current->register_start)
    mlusim_current->registers -= mlusim_current->register_bytes;
}

// --- what a guest's runtime calls
// ----------------------------------------------------------------------------------------

void mlusim_invite(Ended ended) {
  for_python_alone();
  process.guest_ended = ended;
  begin_calls();
}

mlusim_guest mlusim_share() { return {&process.in_kernel, &process.time_is_up, &process.stack_low}; }

void mlusim_end(int kind, uint64_t address, uint64_t size, int64_t pc) { end_task(kind, address, size, pc); }

// --- what Python calls
// ---------------------------------------------------------------------------------------------------

void mlusim_connect(const mlusim_callbacks* answers, mlusim_range* ranges, uint64_t count, int pipe, int operation,
                    int recorder) {
  for_python_alone();
  process.answers = *answers;
  process.guest_ended = nullptr;
  runs.scalar_pipe = (uint8_t)pipe;
  runs.compute = (uint16_t)operation;
  sites.recorder = recorder;
  memory.common = ranges;
  memory.common_count = count;
  memory.launch++;
  runs.forget();
  heap.empty();
  begin_calls();
}

int mlusim_set_stack() {
  for_python_alone();
  static thread_local uint64_t own_low, own_high;
  if (!own_high) {
    pthread_attr_t attributes;
    void* low;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes)) return 1;
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
    if (size > USUAL_STACK) {  // an unlimited one: take what the usual one has
      low = (char*)low + (size - USUAL_STACK);
      size = USUAL_STACK;
    }
    own_low = (uint64_t)low + KEPT_STACK;
    own_high = (uint64_t)low + size;
  }
  process.stack_low = own_low;
  process.stack_high = own_high;
  return 0;
}

void mlusim_time_limit(double seconds) {
  for_python_alone();
  static bool limited = false;
  process.time_is_up = 0;
  if (seconds == 0 && !limited) return;  // as at most launches: it would be a call of the system for nothing
  limited = seconds > 0;
  itimerval timer = {};
  timer.it_interval.tv_usec = ALARMS_APART;
  timer.it_value.tv_sec = (time_t)seconds;
  timer.it_value.tv_usec = (suseconds_t)((seconds - (double)timer.it_value.tv_sec) * 1e6);
  setitimer(ITIMER_REAL, &timer, nullptr);
}
