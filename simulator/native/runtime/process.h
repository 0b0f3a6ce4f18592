// What the modules of the runtime share: the process that runs kernels, and how code of a kernel is left and ended.
#pragma once
#include <signal.h>

#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

using Ended = void (*)(int kind, uint64_t address, uint64_t size, int64_t pc);

// One kernel runs at a time, on one thread.
struct Process {
  struct mlusim_callbacks answers;
  // Native kernel code is running, not Python. The kernel of the host reads it too: while it is 1, every system call
  // becomes a SIGSYS (see calls.cpp).
  volatile char in_kernel;
  volatile int time_is_up;         // the time limit has passed; the next access or instruction ends the task
  sigjmp_buf* volatile loading;    // an image is being loaded: where its static initialisers unwind to
  uint64_t stack_low, stack_high;  // usable part of the stack of the thread that runs kernels
  Ended guest_ended;               // while a guest's kernels run
};
extern Process process;

// Python is asked, or told, of the task that runs: it has to know which one that is.
void tell_who_runs();
// Hands what waits over to Python.
void hand_over(uint64_t worth, int64_t pc);

// What runs while an image is loaded; nothing is mapped there.
inline mlusim_task* no_task() { return (mlusim_task*)0x8000; }

// The kernel's code is left as far as an instruction is carried out in native code.
void leave_kernel();
// Leaves the kernel's code for Python's; operations since the last access become a record when there are so many, of
// `pc`.
void leave(uint64_t worth = UINT64_MAX, int64_t pc = 0);
// Goes back into it; does not return when the task has to end.
void back(int64_t pc);
// Reports a fault of the running task, which ends here unless it may go on: only then this returns.
void fault(int kind, uint64_t address, uint64_t size, int store, int64_t pc);
// Ends what runs: a static initialiser, a guest's launch, a task.
[[noreturn]] void end_task(int kind, uint64_t address, uint64_t size, int64_t pc);
// A static initialiser uses the device.
[[noreturn]] void too_early();
// What Python calls begins: a kernel that calls it ends there.
inline void for_python_alone() {
  if (process.in_kernel) end_task(MLUSIM_SIGNAL, 0, SIGABRT, 0);
}

}  // namespace mlusim
