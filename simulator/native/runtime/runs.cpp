#include "runs.h"

#include <string.h>

#include "process.h"
#include "python.h"
#include "ranges.h"

namespace mlusim {

Runs runs;

namespace {

// The words that an access moves: a block is moved a word at a time.
inline uint64_t words_of(const Access& access) { return access.size > 16 ? (access.size + 7) / 8 : 1; }

inline uint64_t key_of(const mlusim_range& range, uint64_t address) { return range.key + (address - range.start); }

// Which bytes between its first and last a run leaves out: in place of a second operand, see Recorder of Python's.
inline void leave_out(mlusim_row& row, const mlusim_run& run) {
  row.operands[1].key = run.apart && !run.uneven ? (uint64_t)(run.stride < 0 ? -run.stride : run.stride) : 0;
  row.operands[1].bytes = run.apart && run.uneven ? 0 : run.size;
}

}  // namespace

void Runs::drop() {
  count_ = 0;
  round_++;
  last_load_ = -1;
}

void Runs::forget() {
  drop();
  forget_shapes(done_);
  done_ = 0;
  memory.touched = MLUSIM_UNTOUCHED;
}

// Rows are used again, and those of records have no lanes.
void Runs::forget_shapes(int row_count) {
  if (shaped_) memset(rows_, 0, (size_t)row_count * sizeof *rows_);
  shaped_ = false;
}

void Runs::append(const mlusim_row* rows, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    if (done_ >= ROOM) hand_over(0);
    rows_[done_] = rows[i];
    rows_[done_++].task = (uint32_t)mlusim_current->taskId;
  }
}

void Runs::start_row(mlusim_row& row, uint16_t op, int64_t pc, uint64_t work) const {
  row.op = op;
  row.pipe = scalar_pipe;
  row.core = (uint32_t)mlusim_current->core;
  row.task = (uint32_t)mlusim_current->taskId;
  row.flags = 0;
  row.pc = pc;
  row.work = work;
  row.gaps = 0;
}

// Adds operations to the row of their source position, among those from `first` on; the number of rows then.
int Runs::add_operations(int first, int end, int64_t pc, uint64_t operations) {
  for (int i = first; i < end; i++)
    if (rows_[i].pc == pc) {
      rows_[i].work += operations;
      return end;
    }
  start_row(rows_[end], compute, pc, operations);
  return end + 1;
}

void Runs::close(uint64_t worth, int64_t pc) {
  uint64_t operations = mlusim_scalar_work - work_noted_;
  const int first = done_ + count_;
  int end = first;
  for (int i = 0; i < count_; i++) {
    leave_out(rows_[done_ + i], runs_[i]);
    if (runs_[i].operations) end = add_operations(first, end, runs_[i].pc, runs_[i].operations);
  }
  if (operations >= worth) {
    end = add_operations(first, end, pc, operations);
    work_noted_ = mlusim_scalar_work;
  }
  done_ = end;
  drop();
}

// The complete records go to Python, the first of them those of runs, and what has become of flags.
void Runs::hand_over(int run_count) {
  const int row_count = done_, first_writes = memory.touched;
  if (!row_count && !first_writes) return;
  done_ = 0;
  memory.touched = MLUSIM_UNTOUCHED;
  memory.handed_over |= first_writes;
  process.answers.drain(runs_, rows_, (uint64_t)run_count, (uint64_t)row_count, first_writes);
  forget_shapes(row_count);
}

void Runs::drain(uint64_t worth, int64_t pc) {
  const int run_count = mlusim_seen ? count_ : 0, before = done_;
  close(worth, pc);
  if (run_count && before) {  // a run may be refused: what came before it stays
    const int rest = done_ - before;
    done_ = before;
    hand_over(0);
    memmove(rows_, rows_ + before, (size_t)rest * sizeof *rows_);
    done_ = rest;
  }
  hand_over(run_count);
}

void Runs::interrupt(int64_t pc) {
  close(WORTH, pc);
  if (done_ >= ROOM) drain(UINT64_MAX, pc);
}

mlusim_row& Runs::issued(uint16_t op, uint8_t pipe, uint8_t flags, int64_t pc, uint64_t work) {
  interrupt(pc);
  mlusim_row& row = rows_[done_++];
  start_row(row, op, pc, work);
  row.pipe = pipe;
  row.flags = flags;
  return row;
}

mlusim_shape_row& Runs::shaped(const mlusim_row& row) {
  static_assert(sizeof(mlusim_shape_row) == sizeof(mlusim_row), "one takes the place of the other");
  shaped_ = true;
  mlusim_row& behind = rows_[done_++];
  behind = row;
  behind.flags = MLUSIM_SHAPE;
  return (mlusim_shape_row&)behind;
}

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
inline bool Runs::extend(int index, const Access& access, uint64_t operations, bool behind) {
  mlusim_run& run = runs_[index];
  mlusim_row& row = rows_[done_ + index];
  int64_t step = (int64_t)(access.address - run.last);
  if (mlusim_strict && (run.size != access.size || (run.times != 1 && step != run.stride))) return false;
  uint64_t end = access.address + access.size;
  run.apart |= access.address > run.high || end < run.low;
  run.uneven |= run.size != access.size || (run.times > 1 && step != run.stride);
  run.stride = step;
  run.last = access.address;
  run.times++;
  run.operations += operations;
  row.work += words_of(access);
  row.gaps += behind && row.gaps < UINT32_MAX;
  if (access.address < run.low) {
    row.operands[0].key -= run.low - access.address;
    row.operands[0].bytes += run.low - access.address;
    run.low = access.address;
  }
  if (end > run.high) {
    row.operands[0].bytes += end - run.high;
    run.high = end;
  }
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
  if (key->round == round_ && extend(key->index, access, operations, behind)) return;
  if (count_ == MOST) {
    leave();
    back(access.pc);
    key = &key_of_run(access, range);
  }
  runs_[count_] = {access.pc,
                   access.address,
                   access.address + access.size,
                   access.address,
                   0,
                   1,
                   access.size,
                   access.how,
                   operations,
                   0,
                   0};
  mlusim_row& row = rows_[done_ + count_];
  start_row(row, (uint16_t)(store ? range.store : range.load), access.pc, words_of(access));
  row.flags = access.how & ATOMICALLY ? MLUSIM_ATOMIC : 0;
  row.gaps = behind;
  row.operands[0].key = key_of(range, access.address);
  row.operands[0].bytes = access.size;
  *key = {access.pc, &range, access.how, count_++, round_};
}

}  // namespace mlusim
