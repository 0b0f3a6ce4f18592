#include "host_faults.h"

#include <execinfo.h>
#include <signal.h>
#include <ucontext.h>

#include "host_memory.h"
#include "host_places.h"
#include "host_transfers.h"

namespace mlusim {

thread_local sigjmp_buf* way_out = nullptr;

namespace {

const int kinds[2] = {SIGSEGV, SIGBUS};
struct sigaction old[2];

// Who touched the memory: where the fault was, or who called the library that it was in.
Place culprit(const void* context) {
  const void* at = nullptr;
#if defined(__x86_64__)
  at = (const void*)((const ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  at = (const void*)((const ucontext_t*)context)->uc_mcontext.pc;
#endif
  void* frames[64];
  int count = backtrace(frames, 64), first = 0;
  while (first < count && frames[first] != at) first++;
  if (in_program(at)) return place_of((const char*)at + 1);
  for (int i = first + 1; i < count; i++)
    if (in_program(frames[i])) return place_of(frames[i]);
  return place_of((const char*)at + 1);
}

bool writes(const void* context) {
#if defined(__x86_64__)
  return ((const ucontext_t*)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
  return context != nullptr;
#endif
}

void look(int kind, siginfo_t* info, void* context) {
  if (way_out) siglongjmp(*way_out, 1);
  if (any_transfer() && touch(info->si_addr, 1, writes(context), culprit, context))
    return;  // it goes on as if it had waited
  if (info->si_code > 0 && on_device(info->si_addr)) tell("followed", {(uint64_t)info->si_addr}, culprit(context));
  sigaction(kind, &old[kind == SIGBUS], nullptr);  // the fault comes again, and takes its course
}

}  // namespace

void watch_faults() {
  struct sigaction action = {};
  action.sa_sigaction = look;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int i = 0; i < 2; i++) sigaction(kinds[i], &action, &old[i]);
  void* frame;
  backtrace(&frame, 1);  // which loads a library at its first use
}

bool are_faults_watched() {
  struct sigaction now;
  return !sigaction(SIGSEGV, nullptr, &now) && now.sa_sigaction == look;
}

bool is_writable(char* byte) {
  return carefully([&] { __atomic_fetch_or(byte, 0, __ATOMIC_RELAXED); });
}

}  // namespace mlusim
