#include "fibers.h"

#include <sys/mman.h>

uint64_t mlusim_stack_end;

namespace simt {

void Threads::run(uint32_t count, const Barrier& barrier) {
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
    for (uint32_t number = 0; number < turn.size(); ++number) {
      if (stopped) break;
      uint32_t thread = backwards ? turn[turn.size() - 1 - number] : turn[number];
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

void Threads::wait(int site, int64_t pc) {
  waiting_[current] = {running, pc, site};
  if (_setjmp(running->at) == 0) _longjmp(home_, 1);
}

void Threads::abandon() {
  retire(running);
  _longjmp(home_, 1);
}

Fiber* Threads::idle() {
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

void Threads::retire(Fiber* fiber) {
  fiber->fresh = true;
  idle_.push_back(fiber);
}

void Threads::enter(Fiber* fiber) {
  running = fiber;
  mlusim_stack_end = fiber->end();
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

void Threads::work(uint32_t low, uint32_t high) {  // arguments of a context are integers
  Threads* self = (Threads*)((uint64_t)high << 32 | low);
  for (;;) self->work_once();
}

void Threads::work_once() {
  while (next_ < count_ && !stopped) {
    current = backwards ? count_ - 1 - next_ : next_;
    ++next_;
    body(current);
  }
  idle_.push_back(running);
  if (_setjmp(running->at) == 0) _longjmp(home_, 1);
}

}  // namespace simt
