#include "host_watchpoints.h"

#include <execinfo.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "host_deaths.h"
#include "host_places.h"

#ifndef TRAP_PERF
#define TRAP_PERF 6
#endif

namespace mlusim {
namespace {

constexpr size_t COUNT = 4;
constexpr uint64_t WORD = 8;

struct Watchpoint {
  int file = -1;
  uint64_t address = 0, bytes = 0;
  uint32_t of = HW_BREAKPOINT_EMPTY;  // the kind of accesses
  bool is_on = false;
};
// Of the thread that has used them last; whoever calls holds the lock of the transfers.
Watchpoint watchpoints[COUNT];
int owner = 0;
bool is_refused = false;
struct sigaction handler_before;
Touched told = nullptr;

// What of the program has called the library that is at an address; null where the runtime has.
const void* caller_of(const void* address) {
  void* frames[64];
  int count = backtrace(frames, 64), at = 0;
  while (at < count && frames[at] != address) at++;
  while (at < count && !in_program((char*)frames[at] - 1) && !in_runtime((char*)frames[at] - 1)) at++;
  return at < count && in_program((char*)frames[at] - 1) ? frames[at] : nullptr;
}

void trapped(int kind, siginfo_t* info, void* context) {
  if (info->si_code != TRAP_PERF) return die(kind, info, context, handler_before);
#if defined(__x86_64__)
  auto* after = (const char*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  auto* after = (const char*)((ucontext_t*)context)->uc_mcontext.pc + 4;
#endif
  for (auto& each : watchpoints) {
    if (each.address != (uint64_t)info->si_addr || !each.is_on) continue;
    // The C library reads more than it uses, and the runtime brings the bytes.
    const void* place = in_program(after - 1) ? after : each.of == HW_BREAKPOINT_W ? caller_of(after) : nullptr;
    if (place) return told((char*)each.address, each.bytes, place);
  }
}

bool is_signal_ours() {
  struct sigaction now;
  sigset_t blocked;
  if (sigaction(SIGTRAP, nullptr, &now) || pthread_sigmask(SIG_BLOCK, nullptr, &blocked)) return false;
  if (sigismember(&blocked, SIGTRAP)) return false;
  if (now.sa_sigaction == trapped) return true;
  if (now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL) return false;
  struct sigaction action = {};
  action.sa_sigaction = trapped;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  return !sigaction(SIGTRAP, &action, &handler_before);
}

// The largest word at an address that ends before another one.
uint64_t word_at(uint64_t address, uint64_t end) {
  uint64_t bytes = WORD;
  while (address % bytes || address + bytes > end) bytes /= 2;
  return bytes;
}

// Make the watchpoints this thread's, if another one has none on.
bool take() {
  int thread = (int)syscall(SYS_gettid);
  if (owner == thread) return true;
  for (auto& each : watchpoints)
    if (each.is_on) return false;
  for (auto& each : watchpoints)
    if (each.file >= 0) close(each.file), each = Watchpoint();
  owner = thread;
  return true;
}

void unset(Watchpoint& watchpoint) {
  if (watchpoint.is_on) ioctl(watchpoint.file, PERF_EVENT_IOC_DISABLE, 0);
  watchpoint.is_on = false;
}

void set(Watchpoint& watchpoint, uint64_t address, uint64_t bytes, uint32_t of) {
  bool is_there = watchpoint.address == address && watchpoint.bytes == bytes && watchpoint.of == of;
  if (is_there && watchpoint.is_on) return;
  perf_event_attr wanted = {};
  wanted.type = PERF_TYPE_BREAKPOINT, wanted.size = sizeof wanted;
  wanted.bp_type = of, wanted.bp_addr = address, wanted.bp_len = bytes;
  wanted.exclude_kernel = wanted.exclude_hv = 1;
  wanted.sample_period = 1, wanted.sigtrap = wanted.remove_on_exec = 1;
  unset(watchpoint);
  if (watchpoint.file >= 0 && !is_there && ioctl(watchpoint.file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &wanted))
    close(watchpoint.file), watchpoint.file = -1;
  if (watchpoint.file >= 0)
    ioctl(watchpoint.file, PERF_EVENT_IOC_ENABLE, 0);
  else
    watchpoint.file = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  is_refused = is_refused || watchpoint.file < 0;
  watchpoint.address = address, watchpoint.bytes = bytes, watchpoint.of = of, watchpoint.is_on = watchpoint.file >= 0;
}

}  // namespace

void aim(const std::vector<Words>& ranges, Touched touched) {
  if (is_refused) return;
  size_t used = 0, left = ranges.size();
  bool are_ours = left && is_signal_ours();
  if (are_ours && !take()) return;
  if (are_ours) told = touched;
  for (auto& range : ranges) {
    left--;
    auto at = (uint64_t)range.start, end = (uint64_t)range.end;
    uint32_t of = range.written_only ? HW_BREAKPOINT_W : HW_BREAKPOINT_RW;
    for (uint64_t bytes; are_ours && at < end && used + left < COUNT; at += bytes)
      set(watchpoints[used++], at, bytes = word_at(at, end), of);
  }
  for (; used < COUNT; used++) unset(watchpoints[used]);
  for (auto& each : watchpoints)
    if (is_refused) unset(each);
}

}  // namespace mlusim
