// Runs tasks: one that Python begins, and those that Python need not hear of.
#include <string.h>

#include "access.h"
#include "again.h"
#include "blocks.h"
#include "late.h"
#include "process.h"
#include "python.h"
#include "ranges.h"
#include "runs.h"

extern "C" void mlusim_enter(void (*entry)(void**), void** arguments) __attribute__((visibility("hidden")));

int mlusim_begun;

namespace mlusim {

namespace {

int untold = -1;      // the number of the task that runs, as long as Python does not know of it
uint64_t rounds = 0;  // calls of `mlusim_run_tasks`

// Whether a core is as it was when Python gave it its variables.
bool is_fresh(const mlusim_task& core, bool reused) {
  return core.round != rounds || (reused && !memory.touched && !memory.handed_over);
}

// What a task that is done has written first is forgotten; whether its core is as it was when Python gave it its
// variables, but for what they hold.
bool forget_first_writes(const mlusim_task& core) {
  bool all = true;
  for (uint64_t i = 0; i < core.range_count; i++) {
    mlusim_range& range = core.ranges[i];
    if (has_flags(range) || range.holes->lo != range.start || range.holes->hi != range.end)
      all = false;
    else
      range.touched = UINT64_MAX, range.until = 0;
  }
  return all;
}

// The running task begins.
void begin() {
  memory.last = nullptr;
  runs.begin();
  late.begin();
  blocks.forget_task();
}

// A task becomes the running one.
void begin(const mlusim_start& start, int seen, sigjmp_buf& jump) {
  mlusim_task& task = *start.task;
  memcpy(&task, start.seen, sizeof start.seen);
  task.core = start.core;
  task.role = start.role;
  task.mute = start.mute;
  task.section = task.pending = 0;
  task.registers = task.register_start;
  task.jump = &jump;
  task.round = rounds;
  mlusim_current = &task;
  mlusim_seen = seen >> start.role & 1;
  begin();
  runs.append(start.records, start.operands, start.variables);
}

// The running task has come to its end, as far as Python does not have to see to that; whether it has.
bool finish(const mlusim_start& start, int64_t pc) {
  mlusim_last_announced[0] = mlusim_last_announced[1] = {};
  blocks.leave();
  process.in_kernel = 0;
  if ((mlusim_seen && runs.are_open()) || mlusim_current->section || !broken.is_empty()) tell_who_runs();
  if (untold < 0) return false;
  muted.restore();
  runs.close(WORTH_AT_END, pc);
  late.drain(UINT64_MAX);
  runs.append(start.records + start.variables, start.operands + start.variables, start.variables);
  untold = -1;
  return true;
}

// The running task was ended.
void give_up() {
  process.in_kernel = 0;
  tell_who_runs();
  runs.drop();
  memory.touched = MLUSIM_UNTOUCHED;
  hand_over(UINT64_MAX, 0);
  blocks.forget_task();
  if (!mlusim_status) process.answers.fault(MLUSIM_JUMP, 0, 0, 0, 0);  // it was not the simulator who ended the task
}

}  // namespace

void tell_who_runs() {
  if (untold < 0) return;
  const int number = untold;
  untold = -1;
  process.answers.begun(number);
}

}  // namespace mlusim

using namespace mlusim;

int mlusim_run_task(void (*entry)(void**), void** arguments) {
  for_python_alone();
  sigjmp_buf jump;
  mlusim_current->jump = &jump;
  mlusim_status = 0;
  begin();
  if (sigsetjmp(jump, 1)) {
    give_up();
    return 1;
  }
  process.in_kernel = 1;
  mlusim_enter(entry, arguments);
  blocks.release(0, UINT64_MAX);
  leave(WORTH_AT_END, (int64_t)entry + 1);
  return 0;
}

int mlusim_run_tasks(void (*entry)(void**), void** arguments, const mlusim_start* starts, int count, uint64_t part,
                     int reused, int seen, uint64_t* slots, uint64_t slot_count) {
  for_python_alone();
  sigjmp_buf jump;
  char* const first = (char*)arguments[0];
  mlusim_status = mlusim_begun = memory.handed_over = 0;
  rounds++;
  if (sigsetjmp(jump, 1)) {
    give_up();
    return -1;
  }
  while (mlusim_begun < count && is_fresh(*starts[mlusim_begun].task, reused)) {
    const mlusim_start& start = starts[mlusim_begun];
    begin(start, seen, jump);
    if (slot_count) memcpy(slots, start.slots, slot_count * sizeof *slots);
    if (part) arguments[0] = first + part * (uint64_t)start.seen[0];
    untold = mlusim_begun++;
    process.in_kernel = 1;
    mlusim_enter(entry, arguments);
    blocks.release(0, UINT64_MAX);
    if (!finish(start, (int64_t)entry + 1)) {
      leave(WORTH_AT_END, (int64_t)entry + 1);
      return 0;
    }
    if (start.asker == MLUSIM_NEXT && memory.touched) runs.drain(UINT64_MAX, 0);
    if (start.asker == MLUSIM_NONE && forget_first_writes(*start.task) && reused) start.task->round = 0;
  }
  runs.drain(UINT64_MAX, 0);
  return mlusim_begun;
}
