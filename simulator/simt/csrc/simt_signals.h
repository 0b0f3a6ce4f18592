// Signals as faults: crashes, overflows of a thread's stack, and the time limit. Part of simt_rt.cpp.
#pragma once

namespace {

constexpr int SIGNALS[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM};
struct sigaction before[sizeof SIGNALS / sizeof *SIGNALS];

void on_signal(int number, siginfo_t* info, void* context) {
  // The first alarm leaves the end to an access, which knows its source line. A loop without any meets the next one.
  if (number == SIGALRM && (!in_kernel || !time_is_up)) {
    time_is_up = 1;
    return;
  }
  if (!in_kernel) {
    signal(number, SIG_DFL);
    return;
  }
  const auto& registers = ((ucontext_t*)context)->uc_mcontext.gregs;
  uint64_t frame = (uint64_t)registers[REG_RSP], pc = (uint64_t)registers[REG_RIP];
  bool stack = number == SIGSEGV && frame < threads.running->bottom() + simt::LEAST;
  // A jump to nowhere, or a library function without a frame of its own: the caller's address is on top of the stack.
  if (!stack && !holds(given.image, pc, 1) && holds(given.image, *(uint64_t*)frame, 1)) pc = *(uint64_t*)frame - 1;
  note(fault(number == SIGALRM ? SIMT_TIME : stack ? SIMT_STACK : SIMT_SIGNAL, (int64_t)pc + 1, (uint64_t)info->si_addr, number));
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, number);
  sigprocmask(SIG_UNBLOCK, &blocked, nullptr);
  leave(true);
}

void guard(bool on) {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; ++i)
    sigaction(SIGNALS[i], on ? &action : &before[i], on ? &before[i] : nullptr);
  struct itimerval timer = {};
  if (on && given.time_limit > 0) {
    timer.it_interval.tv_usec = 20000;
    timer.it_value.tv_sec = (time_t)given.time_limit;
    timer.it_value.tv_usec = std::max<suseconds_t>(1, (suseconds_t)((given.time_limit - (double)timer.it_value.tv_sec) * 1e6));
  }
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace
