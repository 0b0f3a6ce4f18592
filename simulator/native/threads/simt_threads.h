// The threads of a block, each a fiber. Part of simt_rt.cpp.
//
// Threads run one after the other in the order of their numbers, each to its end or to a barrier. One that comes to a
// barrier keeps its stack, and the next one gets another; one that never does hands its stack on without a switch.
#pragma once
#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <memory>
#include <vector>

#include "simt.h"

namespace simt {

constexpr size_t STACK = 256 << 10, GUARD = 4096, LEAST = 8192;  // bytes; LEAST is left to what a kernel calls

struct Fiber {
  char* low;  // the guard, then the stack
  jmp_buf at;
  ucontext_t context;
  bool fresh = true;  // nothing runs on it
  uint64_t bottom() const { return (uint64_t)low + GUARD; }
  bool holds(uint64_t address) const { return address - bottom() < STACK - GUARD; }
};

struct Thread {
  Fiber* fiber;  // where it waits, or nullptr
  int64_t pc;    // the barrier at which it waits
  int site;
};

class Threads {
 public:
  // Runs the threads of a block: `body(thread)` is one of them. Between two spans `barrier(waiting)` may end it all.
  template <class Barrier>
  void run(uint32_t count, Barrier barrier) {
    waiting_.assign(count, Thread{});
    next_ = 0;
    count_ = count;
    stopped = false;
    while (next_ < count_ && !stopped) enter(idle());
    std::vector<uint32_t> turn;
    for (;;) {
      turn.clear();
      for (uint32_t thread = 0; thread < count; ++thread)
        if (waiting_[thread].fiber) turn.push_back(thread);
      if (turn.empty() || stopped || !barrier(turn)) break;
      for (uint32_t thread : turn) {
        if (stopped) break;
        Fiber* fiber = waiting_[thread].fiber;
        waiting_[thread].fiber = nullptr;
        current = thread;
        resumed(thread);
        enter(fiber);
      }
    }
    for (Thread& thread : waiting_)
      if (thread.fiber) retire(thread.fiber);
  }

  // The running thread waits.
  __attribute__((noinline)) void wait(int site, int64_t pc) {
    waiting_[current] = {running, pc, site};
    if (_setjmp(running->at) == 0) _longjmp(home_, 1);
  }

  // The running thread ends where it is.
  [[noreturn]] void abandon() {
    retire(running);
    _longjmp(home_, 1);
  }

  const Thread& at(uint32_t thread) const { return waiting_[thread]; }

  void (*body)(uint32_t thread) = nullptr;     // runs a thread
  void (*resumed)(uint32_t thread) = nullptr;  // a thread goes on
  Fiber* running = nullptr;
  uint32_t current = 0;
  bool stopped = false;

 private:
  Fiber* idle() {
    if (idle_.empty()) {
      auto made = std::make_unique<Fiber>();
      void* low = mmap(nullptr, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (low == MAP_FAILED || mprotect(low, GUARD, PROT_NONE)) __builtin_trap();
      made->low = (char*)low;
      idle_.push_back(made.get());
      all_.push_back(std::move(made));
    }
    Fiber* fiber = idle_.back();
    idle_.pop_back();
    return fiber;
  }

  void retire(Fiber* fiber) {
    fiber->fresh = true;
    idle_.push_back(fiber);
  }

  __attribute__((noinline)) void enter(Fiber* fiber) {
    running = fiber;
    if (_setjmp(home_)) return;
    if (!fiber->fresh) _longjmp(fiber->at, 1);
    fiber->fresh = false;
    getcontext(&fiber->context);
    fiber->context.uc_stack.ss_sp = fiber->low + GUARD;
    fiber->context.uc_stack.ss_size = STACK - GUARD;
    fiber->context.uc_link = nullptr;
    makecontext(&fiber->context, (void (*)())work, 2, (uint32_t)(uint64_t)this, (uint32_t)((uint64_t)this >> 32));
    setcontext(&fiber->context);
  }

  static void work(uint32_t low, uint32_t high) {  // arguments of a context are integers
    Threads* self = (Threads*)((uint64_t)high << 32 | low);
    for (;;) self->work_once();
  }

  __attribute__((noinline)) void work_once() {
    while (next_ < count_ && !stopped) {
      current = next_++;
      body(current);
    }
    idle_.push_back(running);
    if (_setjmp(running->at) == 0) _longjmp(home_, 1);
  }

  std::vector<Thread> waiting_;
  std::vector<Fiber*> idle_;
  std::vector<std::unique_ptr<Fiber>> all_;
  uint32_t next_ = 0, count_ = 0;
  jmp_buf home_;
};

}  // namespace simt
