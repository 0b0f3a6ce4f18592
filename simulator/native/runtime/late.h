// Copies of the running task that a wait has to ask for. They are here while its kernel's code runs; Python keeps them
// when that is left.
#pragma once
#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

class Late {
 public:
  bool is_full() const { return count_ == MOST; }
  void add(const mlusim_late& copy) { copies_[count_++] = copy; }

  // Lets the copies on some pipes happen, a bit for each, in order.
  void drain(uint64_t pipes);

  // The pipes whose copies use some memory, of which one of the two is written.
  uint64_t pipes_on(uint64_t address, uint64_t bytes, bool written) const;

  // They are Python's from now on.
  void hand_over();

 private:
  static constexpr int MOST = 64;

  mlusim_late copies_[MOST];
  int count_ = 0;
};
extern Late late;

}  // namespace mlusim
