// One core in the walk: where its front end is, and what its pipes do.
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "walk.h"

namespace mlusim::timing {

// What the front end does: it goes on, or waits for the others at a barrier or for a transfer of its own.
enum class Stage { RUNNING, AT_BARRIER, HELD, DONE };

// When the front end goes on, and what held it up.
struct Moment {
  double now = 0;
  mlusim_reason why = MLUSIM_LAUNCH;
  int64_t who = -1;
};

// Pipes of an instruction.
struct Pipes {
  const int64_t *first, *last;

  const int64_t* begin() const { return first; }
  const int64_t* end() const { return last; }
  bool empty() const { return first == last; }
};

struct Core {
  Core(int64_t core_number, int64_t begin, int64_t behind, Pipes drawn, int64_t pipes)
      : number(core_number), at(begin), end(behind), servers(drawn), free(pipes), last(pipes, -1), lines(pipes) {}

  int64_t number, at, end;  // its records are order[at..end)
  Pipes servers;
  Moment front{}, resume{};
  Stage stage = Stage::RUNNING;
  int64_t held = -1, running = -1;  // the record that the front end waits for; the task that runs
  int64_t open = 0;                 // records in all lines
  // By pipe: when it is free, after which record, and the records issued to it of which one is on a channel.
  std::vector<double> free;
  std::vector<int64_t> last;
  std::vector<std::deque<int64_t>> lines;

  // Whether a transfer is under way on one of some pipes.
  bool busy(Pipes pipes) const {
    if (!open) return false;
    for (const int64_t pipe : pipes)
      if (!lines[pipe].empty()) return true;
    return false;
  }

  void line_up(int64_t pipe, int64_t record) {
    lines[pipe].push_back(record);
    open++;
  }

  void leave_line(int64_t pipe) {
    lines[pipe].pop_front();
    open--;
  }

  void occupy(int64_t pipe, double until, int64_t record) {
    free[pipe] = until;
    last[pipe] = record;
  }
};

}  // namespace mlusim::timing
