// The threads of a block, each a fiber.
//
// Threads run one after the other in the order of their numbers, or backwards, each to its end or to a barrier. One
// that comes to a barrier keeps its stack, and the next one gets another; one that never does hands its stack on
// without a switch.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

// Where the stack of the running thread ends.
extern "C" uint64_t mlusim_stack_end __attribute__((visibility("hidden")));

namespace [[gnu::visibility("hidden")]] simt {

constexpr size_t STACK = 256 << 10, GUARD = 4096, LEAST = 8192;  // bytes; LEAST is left to what a kernel calls

struct Fiber {
  char* low;  // the guard, then the stack
  jmp_buf at;
  ucontext_t context;
  bool fresh = true;  // nothing runs on it
  uint64_t bottom() const { return (uint64_t)low + GUARD; }
  uint64_t end() const { return (uint64_t)low + STACK; }
  bool holds(uint64_t address) const { return address - bottom() < end() - bottom(); }
};

struct Thread {
  Fiber* fiber;  // where it waits, or nullptr
  int64_t pc;    // the barrier at which it waits
  int site;
};

// All threads have ended or wait, these: whether any may go on. Those that may are left.
using Barrier = std::function<bool(std::vector<uint32_t>& waiting)>;

class Threads {
 public:
  // Runs the threads of a block: `body(thread)` is one of them. Between two spans `barrier(waiting)` may end it all.
  void run(uint32_t count, const Barrier& barrier);

  // The running thread waits.
  __attribute__((noinline)) void wait(int site, int64_t pc);

  // The running thread ends where it is.
  [[noreturn]] void abandon();

  const Thread& at(uint32_t thread) const { return waiting_[thread]; }

  void (*body)(uint32_t thread) = nullptr;     // runs a thread
  void (*resumed)(uint32_t thread) = nullptr;  // a thread goes on
  Fiber* running = nullptr;
  uint32_t current = 0;
  bool backwards = false;  // the last one first
  bool stopped = false;

 private:
  Fiber* idle();
  void retire(Fiber* fiber);
  __attribute__((noinline)) void enter(Fiber* fiber);
  static void work(uint32_t low, uint32_t high);
  __attribute__((noinline)) void work_once();

  std::vector<Thread> waiting_;
  std::vector<Fiber*> idle_;
  std::vector<std::unique_ptr<Fiber>> all_;
  uint32_t next_ = 0, count_ = 0;
  jmp_buf home_;
};

}  // namespace simt
