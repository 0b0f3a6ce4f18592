#include "runs.h"

#include "process.h"
#include "python.h"
#include "ranges.h"
#include "sites.h"

namespace mlusim {

Runs runs;
Sites sites;

namespace {

// The words that an access moves: a block is moved a word at a time.
inline uint64_t words_of(const Access& access) { return access.size > 16 ? (access.size + 7) / 8 : 1; }

}  // namespace

void Runs::drop() {
  count_ = 0;
  round_++;
  last_load_ = -1;
}

void Runs::forget() {
  drop();
  drop_records();
  memory.touched = MLUSIM_UNTOUCHED;
}

// Keeps a record of the running task.
void Runs::keep(uint32_t site, uint8_t flags, uint64_t work, uint32_t gaps) {
  const mlusim_task& task = *mlusim_current;
  records_[done_++] = {0, 0, flags, (uint16_t)task.core, (uint32_t)task.taskId, site, work, 0, gaps};
}

// That of a run, with the bytes between its first and its last that it leaves alone, as far as they are known.
void Runs::keep(const mlusim_run& run) {
  const uint64_t spanned = run.high - run.low;
  const uint32_t number = (uint32_t)operand_count_;
  keep(sites.number((uint16_t)run.op, scalar_pipe, run.pc), run.store & ATOMICALLY ? MLUSIM_ATOMIC : 0, run.work,
       run.gaps);
  operand(run.base + run.low, spanned);
  if (!run.apart) return;
  mlusim_runs& row = left_out_[left_out_count_++] = {number, 0, 0, {0, 0, 0}, {1, 1, 1}, 0, 0};
  if (run.uneven) return;
  row.run = (uint32_t)run.size;
  row.stride[0] = (uint64_t)(run.stride < 0 ? -run.stride : run.stride);
  row.count[0] = (uint32_t)((spanned - run.size) / row.stride[0] + 1);
}

// Adds operations to the record of their source position, among those from `first` on.
void Runs::keep_operations(int first, int64_t pc, uint64_t operations) {
  const uint32_t site = sites.number(compute, scalar_pipe, pc);
  for (int i = first; i < done_; i++)
    if (records_[i].loc == site) {
      records_[i].work += operations;
      return;
    }
  keep(site, 0, operations, 0);
}

void Runs::append(const mlusim_record* records, const mlusim_operand* operands, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    make_room();
    records_[done_] = records[i];
    records_[done_++].task = (uint32_t)mlusim_current->taskId;
    operands_[operand_count_++] = operands[i];
  }
}

void Runs::close_runs(uint64_t worth, int64_t pc) {
  const uint64_t operations = mlusim_scalar_work - work_noted_;
  for (int i = 0; i < count_; i++) keep(runs_[i]);
  const int first = done_;
  for (int i = 0; i < count_; i++)
    if (runs_[i].operations) keep_operations(first, runs_[i].pc, runs_[i].operations);
  if (operations >= worth) {
    keep_operations(first, pc, operations);
    work_noted_ = mlusim_scalar_work;
  }
  drop();
}

// What is complete goes to Python, the first records those of runs, and what has become of flags.
void Runs::hand_over(int run_count) {
  const int first_writes = memory.touched;
  if (!done_ && !first_writes) return;
  mlusim_rows rows = {records_,
                      operands_,
                      left_out_,
                      shapes_,
                      (uint64_t)done_,
                      (uint64_t)operand_count_,
                      (uint64_t)left_out_count_,
                      (uint64_t)shape_count_};
  drop_records();
  memory.touched = MLUSIM_UNTOUCHED;
  memory.handed_over |= first_writes;
  process.answers.drain(runs_, (uint64_t)run_count, &rows, first_writes);
}

void Runs::drain(uint64_t worth, int64_t pc) {
  const int run_count = mlusim_seen ? count_ : 0;
  if (run_count && done_) hand_over(0);  // a run may be refused: what came before it stays
  close(worth, pc);
  hand_over(run_count);
}

void Runs::issued(uint16_t op, uint8_t pipe, uint8_t flags, int64_t pc, uint64_t work, uint32_t gaps) {
  close(WORTH, pc);
  keep(sites.number(op, pipe, pc), flags, work, gaps);
}

void Runs::leave_out(const mlusim_runs* rows, int count) {
  for (int i = 0; i < count; i++) {
    left_out_[left_out_count_] = rows[i];
    left_out_[left_out_count_++].operand += (uint32_t)operand_count_;
  }
}

mlusim_shape& Runs::shape() { return shapes_[shape_count_++] = {(uint32_t)done_ - 1, (uint32_t)operand_count_, 0, {}}; }

// The key of a source position in a range, or a free one. Addresses differ from process to process, and which runs
// there are must not: those whose addresses meet in one place have places of their own. There are more than runs.
inline Runs::Key& Runs::key_of_run(const Access& access, const mlusim_range& range) {
  const uint64_t mixed = ((uint64_t)access.pc ^ range.start * 2 ^ (uint64_t)access.how) * 0x9e3779b97f4a7c15u;
  for (unsigned place = (unsigned)(mixed >> 55);; place++) {
    Key& key = keys_[place & (KEYS - 1)];
    if (key.round != round_ || (key.pc == access.pc && key.range == &range && key.how == access.how)) return key;
  }
}

// Adds an access to an open run; false where it may not be one with it.
inline bool Runs::extend(mlusim_run& run, const Access& access, uint64_t operations, bool behind) {
  int64_t step = (int64_t)(access.address - run.last);
  if (mlusim_strict && (run.size != access.size || (run.times != 1 && step != run.stride))) return false;
  uint64_t end = access.address + access.size;
  run.apart |= access.address > run.high || end < run.low;
  run.uneven |= run.size != access.size || (run.times > 1 && step != run.stride);
  run.stride = step;
  run.last = access.address;
  run.times++;
  run.operations += operations;
  run.work += words_of(access);
  run.gaps += behind && run.gaps < UINT32_MAX;
  if (access.address < run.low) run.low = access.address;
  if (end > run.high) run.high = end;
  return true;
}

void Runs::add(const Access& access, mlusim_range& range) {
  uint64_t operations = mlusim_scalar_work - work_noted_;
  work_noted_ = mlusim_scalar_work;
  // A load of the basic block of a load of the same memory, right behind it: both are under way together.
  const bool store = access.how & 1;
  bool behind = !store && !operations && last_load_ == (int)range.load;
  last_load_ = store ? -1 : (int)range.load;
  Key* key = &key_of_run(access, range);
  if (key->round == round_ && extend(runs_[key->index], access, operations, behind)) return;
  if (count_ == MOST) {
    leave();
    back(access.pc);
    key = &key_of_run(access, range);
  }
  mlusim_run& run = runs_[count_] = {};
  run.pc = access.pc;
  run.low = run.last = access.address;
  run.high = access.address + access.size;
  run.times = 1;
  run.size = access.size;
  run.store = access.how;
  run.operations = operations;
  run.base = range.key - range.start;
  run.work = words_of(access);
  run.op = (uint32_t)(store ? range.store : range.load);
  run.gaps = behind;
  *key = {access.pc, &range, access.how, count_++, round_};
}

}  // namespace mlusim
