// Sites: instructions, each on a pipe at a place of the code, by the numbers that Python's recorder gives them.
#pragma once
#include "process.h"

namespace [[gnu::visibility("hidden")]] mlusim {

class Sites {
 public:
  // The number of a site. Python is asked once for each, or again where there are too many to keep: the kernel's code
  // has been left.
  uint32_t number(uint16_t op, uint8_t pipe, int64_t pc) {
    const uint64_t mixed = ((uint64_t)pc ^ (uint64_t)op << 48 ^ (uint64_t)pipe << 40) * 0x9e3779b97f4a7c15u;
    const unsigned home = (unsigned)(mixed >> (64 - BITS));
    for (unsigned step = 0; step < NEAR; step++) {
      Site& site = sites_[(home + step) & (KEPT - 1)];
      if (site.recorder != recorder) return learn(site, op, pipe, pc);
      if (site.pc == pc && site.op == op && site.pipe == pipe) return site.number;
    }
    return learn(sites_[home], op, pipe, pc);
  }

  int recorder = 0;  // the one that the kernel runs for; none has 0

 private:
  static constexpr unsigned BITS = 12, KEPT = 1 << BITS, NEAR = 8;

  struct Site {
    int64_t pc;
    uint32_t number;
    int recorder;  // the entry is free where this is another one
    uint16_t op;
    uint8_t pipe;
  };

  uint32_t learn(Site& site, uint16_t op, uint8_t pipe, int64_t pc) {
    site = {pc, process.answers.site(op, pipe, pc), recorder, op, pipe};
    return site.number;
  }

  Site sites_[KEPT]{};
};
extern Sites sites;

}  // namespace mlusim
