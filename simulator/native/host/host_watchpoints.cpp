#include "host_watchpoints.h"

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
  uint64_t address = 0, bytes = 0;  // 0: it is off
};
// Of the thread that has used them last; whoever calls holds the lock of the transfers.
Watchpoint watchpoints[COUNT];
int owner = 0;
bool refused = false;
struct sigaction before;
void (*told)(char* address, const void* after) = nullptr;

void trapped(int kind, siginfo_t* info, void* context) {
  if (info->si_code != TRAP_PERF) return die(kind, info, context, before);
#if defined(__x86_64__)
  auto* after = (const char*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  auto* after = (const char*)((ucontext_t*)context)->uc_mcontext.pc + 4;
#endif
  // The C library reads more than it uses, and the runtime brings the bytes.
  if (in_program(after - 1)) told((char*)info->si_addr, after);
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
  return !sigaction(SIGTRAP, &action, &before);
}

// The largest word at an address that ends before another one.
uint64_t word_at(uint64_t address, uint64_t end) {
  uint64_t bytes = WORD;
  while (address % bytes || address + bytes > end) bytes /= 2;
  return bytes;
}

void set(Watchpoint& watchpoint, uint64_t address, uint64_t bytes) {
  if (watchpoint.address == address && watchpoint.bytes == bytes) return;
  perf_event_attr wanted = {};
  wanted.type = PERF_TYPE_BREAKPOINT, wanted.size = sizeof wanted;
  wanted.bp_type = HW_BREAKPOINT_RW, wanted.bp_addr = address, wanted.bp_len = bytes;
  wanted.exclude_kernel = wanted.exclude_hv = 1;
  wanted.sample_period = 1, wanted.sigtrap = wanted.remove_on_exec = 1;
  if (watchpoint.file >= 0) {
    ioctl(watchpoint.file, PERF_EVENT_IOC_DISABLE, 0);
    if (!ioctl(watchpoint.file, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &wanted)) {
      ioctl(watchpoint.file, PERF_EVENT_IOC_ENABLE, 0);
      watchpoint.address = address, watchpoint.bytes = bytes;
      return;
    }
    close(watchpoint.file);
  }
  watchpoint.file = (int)syscall(SYS_perf_event_open, &wanted, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  refused = refused || watchpoint.file < 0;
  watchpoint.address = address, watchpoint.bytes = watchpoint.file < 0 ? 0 : bytes;
}

void unset(Watchpoint& watchpoint) {
  if (watchpoint.bytes) ioctl(watchpoint.file, PERF_EVENT_IOC_DISABLE, 0);
  watchpoint.bytes = 0;
}

}  // namespace

void aim(const std::vector<Words>& ranges, void (*touched)(char* address, const void* after)) {
  if (refused) return;
  size_t used = 0, left = ranges.size();
  if (left && is_signal_ours()) {
    told = touched;
    int thread = (int)syscall(SYS_gettid);
    for (auto& each : watchpoints)
      if (owner != thread && each.file >= 0) close(each.file), each = Watchpoint();
    owner = thread;
    for (auto& range : ranges) {
      left--;
      auto at = (uint64_t)range.start, end = (uint64_t)range.end;
      for (; at < end && used + left < COUNT && used < COUNT; used++) {
        uint64_t bytes = word_at(at, end);
        set(watchpoints[used], at, bytes);
        at += bytes;
      }
    }
  }
  for (; used < COUNT; used++) unset(watchpoints[used]);
}

}  // namespace mlusim
