// What a kernel may do to its process, and what becomes a fault: signals, and uncaught exceptions.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "calls.h"
#include "frames.h"
#include "images.h"
#include "mlusim_terminate.h"
#include "process.h"
#include "python.h"

// A kernel is entered by a frame that says nothing of how to unwind it: the search for who catches an exception ends
// here, with the kernel's stack as it was at the throw. The end of a signal handler is ours, because the host's kernel
// must know where it is.
#if defined(__aarch64__)
__asm__(
    ".text\n"
    ".globl mlusim_enter\n"
    ".hidden mlusim_enter\n"
    ".type mlusim_enter, %function\n"
    "mlusim_enter:\n"
    "  stp x29, x30, [sp, #-16]!\n"
    "  mov x29, sp\n"
    "  mov x9, x0\n"
    "  mov x0, x1\n"
    "  blr x9\n"
    "  ldp x29, x30, [sp], #16\n"
    "  ret\n"
    ".size mlusim_enter, .-mlusim_enter\n");
#else
__asm__(
    ".text\n"
    ".globl mlusim_enter, mlusim_stop\n"
    ".hidden mlusim_enter, mlusim_stop\n"
    ".type mlusim_enter, @function\n"
    "mlusim_enter:\n"
    "  push %rbp\n"
    "  mov %rsp, %rbp\n"
    "  mov %rdi, %rax\n"
    "  mov %rsi, %rdi\n"
    "  call *%rax\n"
    "  pop %rbp\n"
    "  ret\n"
    ".size mlusim_enter, .-mlusim_enter\n"
    "mlusim_stop:\n"  // where a library's function returns to that has been told no
    "  call mlusim_stopped\n"
    "  nop\n"
    "mlusim_restore:\n"  // an unwinder knows it by its bytes
    "  mov $15, %rax\n"
    "  syscall\n"
    "  nop\n"
    "mlusim_restore_end:\n");
extern "C" char mlusim_restore[] __attribute__((visibility("hidden")));
extern "C" char mlusim_restore_end[] __attribute__((visibility("hidden")));
#endif

namespace mlusim {

namespace {

char alternate_stack[1 << 20];  // Python runs on it

// Where a signal has stopped what runs.
struct Stopped {
  int64_t pc;
  uint64_t stack;        // its end
  const uint64_t* back;  // a jump to nowhere leaves the caller's address here
};

Stopped stopped_at(const void* context) {
  const mcontext_t& machine = ((const ucontext_t*)context)->uc_mcontext;
#if defined(__aarch64__)
  return {(int64_t)machine.pc, machine.sp, (const uint64_t*)&machine.regs[30]};
#else
  const uint64_t stack = (uint64_t)machine.gregs[REG_RSP];
  return {(int64_t)machine.gregs[REG_RIP], stack, (const uint64_t*)stack};
#endif
}

// The return address that a signal belongs to: outside of images, that of the image's code that called there.
int64_t place_of(const Stopped& at, bool is_overflow) {
  if (is_overflow || images.hold((uint64_t)at.pc)) return at.pc + 1;
  // A library's function has a frame of its own.
  int64_t caller = images.hold(*at.back) ? (int64_t)*at.back : find_frame(0).pc;
  return caller ? caller : at.pc + 1;
}

void on_signal(int number, siginfo_t* info, void* context) {
  if (probe && (number == SIGSEGV || number == SIGBUS)) siglongjmp(*probe, 1);
  // The first alarm leaves the end to an access or an instruction, which know their source line. A loop without any
  // meets the next alarm.
  if (number == SIGALRM && (!process.in_kernel || !process.time_is_up)) {
    process.time_is_up = 1;
    return;
  }
  if (!process.in_kernel) {
    signal(number, SIG_DFL);
    return;
  }
  process.in_kernel = 0;
  const Stopped at = stopped_at(context);
  uint64_t address = (uint64_t)info->si_addr;
  if (process.loading && address - (uint64_t)no_task() < sizeof(mlusim_task)) too_early();
  bool is_overflow = number == SIGSEGV && at.stack < process.stack_low;
  int64_t pc = place_of(at, is_overflow);
  int kind = number == SIGALRM ? MLUSIM_TIME : is_overflow ? MLUSIM_STACK : MLUSIM_SIGNAL;
  end_task(kind, address, (uint64_t)number, pc);
}

void handle(int number, void (*handler)(int, siginfo_t*, void*)) {
#if defined(__aarch64__)
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigaction(number, &action, nullptr);
#else
  constexpr uint64_t WITH_RESTORER = 0x04000000;
  struct {
    void (*handler)(int, siginfo_t*, void*);
    uint64_t flags;
    char* restorer;
    uint64_t mask;
  } action = {handler, SA_SIGINFO | SA_ONSTACK | SA_NODEFER | WITH_RESTORER, mlusim_restore, 0};
  system_call(SYS_rt_sigaction, number, (int64_t)&action, 0, 8, 0, 0);
#endif
}

}  // namespace

}  // namespace mlusim

using namespace mlusim;

int64_t mlusim_throw_pc;

void mlusim_uncaught(const char* text) {
  if (!process.in_kernel) abort();
  read_text((uint64_t)text, mlusim_last.text, sizeof mlusim_last.text);
  end_task(MLUSIM_THROW, 0, 0, mlusim_throw_pc);
}

void mlusim_guard_process() {
  for_python_alone();
  stack_t stack = {};
  stack.ss_sp = alternate_stack;
  stack.ss_size = sizeof alternate_stack;
  sigaltstack(&stack, nullptr);
  for (int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM}) handle(number, on_signal);
  handle(SIGSYS, on_system_call);
  mlusim_terminate();
}

int mlusim_watch_system_calls() {
  for_python_alone();
#if defined(__aarch64__)
  return 1;
#else
  constexpr int DISPATCH = 59, DISPATCH_ON = 1;  // PR_SET_SYSCALL_USER_DISPATCH
  return (int)system_call(SYS_prctl, DISPATCH, DISPATCH_ON, (int64_t)mlusim_restore,
                          mlusim_restore_end - mlusim_restore, (int64_t)&process.in_kernel, 0);
#endif
}
