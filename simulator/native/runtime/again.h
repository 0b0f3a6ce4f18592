// The call that is under way, of an overload whose calls may be carried out here when they are made again.
#pragma once
#include "repeats.h"

namespace [[gnu::visibility("hidden")]] mlusim {

struct Said {
  uint64_t port = UINT64_MAX;        // its number; UINT64_MAX: no such call is under way
  uint64_t words[MLUSIM_MOST_SAID];  // but for the address in system memory
  uint64_t address;
};
extern Said said;

// Carries out the call that is under way as one like it; or does nothing, where the port in Python has to.
bool issue_again(const mlusim_native_ports& ports, int64_t pc);

// Calls of the running task that break rules which Python has reported of calls like them, until it hears of these.
class Broken {
 public:
  bool is_full() const { return count_ == MOST; }
  bool is_empty() const { return !count_; }
  void add(mlusim_repeat& repeat);
  void hand_over();

 private:
  static constexpr int MOST = 256;

  mlusim_repeat* repeats_[MOST];
  int count_ = 0;
};
extern Broken broken;

}  // namespace mlusim
