#include "host_deaths.h"

#include <execinfo.h>
#include <string.h>
#include <ucontext.h>

#include "host_places.h"

namespace mlusim {
namespace {

const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGILL, SIGABRT, SIGFPE, SIGPIPE, SIGALRM, SIGTERM};

bool is_fault(int kind) { return kind == SIGSEGV || kind == SIGBUS || kind == SIGFPE || kind == SIGILL; }

void look_at_end(int kind, siginfo_t* info, void* context) {
  struct sigaction usual = {};
  usual.sa_handler = SIG_DFL;
  die(kind, info, context, usual);
}

}  // namespace

void watch_deaths() {
  struct sigaction action = {}, found;
  action.sa_sigaction = look_at_end;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (int kind : ends)
    if (!sigaction(kind, nullptr, &found) && !(found.sa_flags & SA_SIGINFO) && found.sa_handler == SIG_DFL)
      sigaction(kind, &action, nullptr);
  static char room[1 << 16];  // for handlers, where the stack of this thread overflows
  stack_t own = {};
  if (!sigaltstack(nullptr, &own) && (own.ss_flags & SS_DISABLE)) {
    own.ss_sp = room, own.ss_size = sizeof room, own.ss_flags = 0;
    sigaltstack(&own, nullptr);
  }
  void* frame;
  backtrace(&frame, 1);  // which loads a library at its first use
}

void die(int kind, siginfo_t* info, void* context, const struct sigaction& before) {
  bool own = is_fault(kind) && info->si_code > 0;  // of what the program does, and comes again if it goes on
  if (!(before.sa_flags & SA_SIGINFO) && before.sa_handler == SIG_DFL) {
    static Site site;  // only one thread gets far, on a stack that may be small
    if (own || kind == SIGABRT) find_site(culprit(context), site);
    bool exact = own && info->si_code != SI_KERNEL;
    uint64_t address = exact ? (uint64_t)info->si_addr : UINT64_MAX;
    depart({(uint64_t)kind, address, site.offset}, {site.module, strlen(site.module)});
  }
  sigaction(kind, &before, nullptr);
  if (!own) raise(kind);
}

const void* culprit(void* context) {
  const void* at = nullptr;
#if defined(__x86_64__)
  at = (const void*)((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
  at = (const void*)((ucontext_t*)context)->uc_mcontext.pc;
#endif
  void* frames[64];
  int count = backtrace(frames, 64), first = 0;
  while (first < count && frames[first] != at) first++;
  if (in_program(at)) return (const char*)at + 1;
  for (int i = first + 1; i < count; i++)
    if (in_program(frames[i])) return frames[i];
  return (const char*)at + 1;
}

}  // namespace mlusim
