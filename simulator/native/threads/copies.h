// Copies to shared memory that go on beside the threads. Each takes effect as late as the kernel allows: when the
// thread that has started it waits for it.
#pragma once
#include <algorithm>
#include <vector>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

struct Copy {
  uint64_t to, from, size, zeros;  // bytes; the last ones are zeros
  int64_t pc;
  uint32_t place, batch;
};

class Copies {
 public:
  void begin_block() { threads_.clear(); }

  void start(uint32_t thread, Copy copy) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    copy.batch = threads_[thread].batch;
    threads_[thread].pending.push_back(copy);
  }

  void commit(uint32_t thread) {
    if (threads_.size() <= thread) threads_.resize(thread + 1);
    ++threads_[thread].batch;
  }

  // What a thread has committed, but for the last batches: no longer pending.
  std::vector<Copy> done(uint32_t thread, uint64_t batches) {
    std::vector<Copy> found;
    if (threads_.size() <= thread) return found;
    auto& [pending, batch] = threads_[thread];
    auto rest = std::find_if(pending.begin(), pending.end(), [&](const Copy& c) { return c.batch + batches >= batch; });
    found.assign(pending.begin(), rest);
    pending.erase(pending.begin(), rest);
    return found;
  }

 private:
  struct Thread {
    std::vector<Copy> pending;
    uint32_t batch = 0;  // that is not committed yet
  };
  std::vector<Thread> threads_;
};

}  // namespace simt
