// What threads of a warp do together: each gives a value, waits for those that its mask names, and sees theirs.
#pragma once
#include <stdint.h>
#include <string.h>

#include <vector>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

// What a thread waits with.
struct Call {
  const char* name;  // of the function
  uint32_t mask;     // the threads of the warp that it waits for; 0: those that come before any of them can go on
  uint64_t value;
  int64_t pc;
  bool fence;  // what they have done in shared memory before is done for all of them
};

class Exchange {
 public:
  void begin_block(uint32_t threads) {
    calls_.assign(threads, {});
    given_.assign(size_t{(threads + SIMT_WARP - 1) / SIMT_WARP} * SIMT_WARP, 0);
    lanes_.assign(threads, 0);
  }

  void give(uint32_t thread, const Call& call) { calls_[thread] = call; }
  const Call& of(uint32_t thread) const { return calls_[thread]; }

  // Which threads of its warp met when a thread went on, and what one of them gave.
  uint32_t lanes(uint32_t thread) const { return lanes_[thread]; }
  uint64_t given(uint32_t thread, uint32_t lane) const {
    return given_[thread / SIMT_WARP * SIMT_WARP + lane % SIMT_WARP];
  }

  // Of threads that wait here, in order, those for which all have come; `alive`, in order too, are all that have not
  // ended. `fenced(warp)` hears of each warp that met at a fence.
  template <class Fenced>
  std::vector<uint32_t> met(const std::vector<uint32_t>& here, const std::vector<uint32_t>& alive, Fenced fenced) {
    std::vector<uint32_t> on;
    for (size_t first = 0, last, next = 0; first < here.size(); first = last) {
      uint32_t warp = here[first] / SIMT_WARP;
      for (last = first; last < here.size() && here[last] / SIMT_WARP == warp;) ++last;
      uint32_t living = 0;
      while (next < alive.size() && alive[next] / SIMT_WARP < warp) ++next;
      for (; next < alive.size() && alive[next] / SIMT_WARP == warp; ++next) living |= bit(alive[next]);
      size_t before = on.size();
      uint32_t asked = 0;
      for (bool any : {false, true})  // those whose mask names no thread go on when no other can
        for (size_t i = first; i < last && (!any || on.size() == before); ++i)
          if (any == !calls_[here[i]].mask && !(asked & bit(here[i]))) asked |= meet(here, i, last, living, on, fenced);
    }
    return on;
  }

 private:
  static uint32_t bit(uint32_t thread) { return 1u << thread % SIMT_WARP; }

  // The threads that wait for each other with the lowest of them, `here[first]`, which go on if all have come.
  template <class Fenced>
  uint32_t meet(const std::vector<uint32_t>& here, size_t first, size_t last, uint32_t living,
                std::vector<uint32_t>& on, Fenced fenced) {
    const Call& call = calls_[here[first]];
    uint32_t lanes = 0;
    for (size_t i = first; i < last; ++i)
      if (together(calls_[here[i]], call)) lanes |= bit(here[i]);
    if (call.mask & living & ~lanes) return lanes;
    for (size_t i = first; i < last; ++i) {
      uint32_t one = here[i];
      if (!(lanes & bit(one))) continue;
      given_[one] = calls_[one].value;
      lanes_[one] = lanes;
      on.push_back(one);
    }
    if (call.fence) fenced(here[first] / SIMT_WARP);
    return lanes;
  }

  static bool together(const Call& a, const Call& b) {
    return a.mask == b.mask && (a.mask || a.pc == b.pc) && (a.name == b.name || !strcmp(a.name, b.name));
  }

  std::vector<Call> calls_;
  std::vector<uint64_t> given_;
  std::vector<uint32_t> lanes_;
};

}  // namespace simt
