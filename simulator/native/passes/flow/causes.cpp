#include "causes.h"

#include <utility>

namespace mlusim {
namespace {

uint64_t line_of(const Record& r) { return static_cast<uint64_t>(r.op) << 32 | r.loc; }

}  // namespace

void Causes::note(Kind kind, int64_t later, int64_t earlier, uint64_t key, uint64_t bytes, int64_t operand) {
  Key lines{kind, line_of(work_.record[later]), line_of(work_.record[earlier])};
  // Which of two tasks comes first in the log makes no difference.
  if (kind == RACE && lines.one > lines.other) std::swap(lines.one, lines.other);
  auto known = known_.find(lines);
  if (known == known_.end()) {
    if (work_.found == work_.room) return;
    known_.emplace(lines, work_.found);
    work_.causes[work_.found] = {kind, later,   earlier, static_cast<int64_t>(key), static_cast<int64_t>(bytes),
                                 1,    operand, later};
    mark(work_.found, later);
    mark(work_.found++, earlier);
    return;
  }
  mark(known->second, later);
  mark(known->second, earlier);
  Cause& cause = work_.causes[known->second];
  if (cause.last == later) return;
  cause.last = later;
  cause.count++;
}

void Causes::mark(int64_t cause, int64_t record) {
  const Record& r = work_.record[record];
  work_.on_cores[cause * work_.cores + r.core] = 1;
  if (r.task < work_.tasks) work_.by_tasks[cause * work_.tasks + r.task] = 1;
}

}  // namespace mlusim
