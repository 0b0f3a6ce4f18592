// Effects of the running task that a wait has to ask for, and the section in which queues run side by side. They are
// here while its kernel's code runs; Python keeps them when that is left.
#pragma once
#include "mlusim_rt.h"

namespace [[gnu::visibility("hidden")]] mlusim {

class Late {
 public:
  bool is_full() const { return count_ == MOST; }
  void add(const mlusim_late& copy) { copies_[count_++] = copy; }

  // Lets the copies on some pipes happen, a bit for each, in order.
  void drain(uint64_t pipes);

  // What comes next comes after all that is in queues, here and in Python; false where some of that cannot happen yet.
  bool turn();

  // An instruction opens or closes the section.
  void move_section(bool opens, uint16_t op, int64_t pc) { section_ = {opens, op, pc, true}; }

  // A task begins.
  void begin() { section_.is_news = false; }

  // The pipes whose copies use some memory, of which one of the two is written.
  uint64_t pipes_on(uint64_t address, uint64_t bytes, bool written) const;

  // They are Python's from now on.
  void hand_over();

 private:
  static constexpr int MOST = 256;

  struct Section {
    bool opens;
    uint16_t op;
    int64_t pc;
    bool is_news;  // to Python
  };

  mlusim_late copies_[MOST];
  Section section_{};
  int count_ = 0;
};
extern Late late;

}  // namespace mlusim
