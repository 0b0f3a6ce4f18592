// What scalar code leaves: runs of the accesses of each source position with their records, and what it computes
// between them.
#pragma once
#include "mlusim_rt.h"
#include "repeats.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// An access that nothing can come between, beside 1 for a store.
constexpr int ATOMICALLY = 2;
// Operations that are worth a record of their own, before an instruction and at the end of a task.
constexpr uint64_t WORTH = 512, WORTH_AT_END = 64;

// A scalar access to a range; `how` is 1 for a store, and ATOMICALLY beside that.
struct Access {
  uint64_t address, size;
  int how;
  int64_t pc;
};

class Runs {
 public:
  static constexpr int MOST = 256;

  // A task begins: what it computes is counted from here.
  void begin() {
    drop();
    work_noted_ = mlusim_scalar_work;
  }

  // The kernel's code is left, and entered again: tasks give way to each other in between, and each keeps its own.
  void pause() const { mlusim_current->operations = mlusim_scalar_work - work_noted_; }
  void resume() { work_noted_ = mlusim_scalar_work - mlusim_current->operations; }

  // A launch begins: nothing of an earlier one is left.
  void forget();

  // Drops what waits to become a record.
  void drop();

  // Records of the running task, which are complete, each with one operand; nothing waits.
  void append(const mlusim_record* records, const mlusim_operand* operands, uint64_t count);

  // Completes the records of what waits, as `drain` does, and keeps them.
  void close(uint64_t worth, int64_t pc) {
    make_room();
    if (count_ || mlusim_scalar_work - work_noted_ >= worth) close_runs(worth, pc);
    last_load_ = -1;
  }

  // Adds an access to the run of its source position in its range.
  void add(const Access& access, mlusim_range& range);

  // Hands over what waits, and the operations since the last access if there are at least so many: they belong to `pc`.
  // Nothing comes between the runs, so that one record a source position will do for what was computed.
  void drain(uint64_t worth, int64_t pc);

  bool are_open() const { return count_; }

  // Keeps the record of an instruction of the running task, behind what waits; its operands are to follow.
  void issued(uint16_t op, uint8_t pipe, uint8_t flags, int64_t pc, uint64_t work, uint32_t gaps = 0);

  // An operand of the record that came last.
  void operand(uint64_t key, uint64_t bytes, uint16_t lane = 0, uint16_t lanes = 0) {
    operands_[operand_count_++] = {key, bytes, lane, lanes};
  }

  // What its operands, which are yet to come, leave alone, by their numbers.
  void leave_out(const mlusim_runs* rows, int count);

  // The shape of its operands, which are yet to come, to be filled in.
  mlusim_shape& shape();

  uint16_t compute = 0;     // number in the log of what the scalar unit computes
  uint8_t scalar_pipe = 0;  // and of its pipe

 private:
  static constexpr int KEYS = 2 * MOST, ROOM = 2048, SHAPES = 256;

  // The latest run that a source position has open for a range. It is good until the runs are closed.
  struct Key {
    int64_t pc;
    mlusim_range* range;
    int how;
    int index;
    uint64_t round;
  };

  Key& key_of_run(const Access& access, const mlusim_range& range);
  bool extend(mlusim_run& run, const Access& access, uint64_t operations, bool behind);
  void keep(uint32_t site, uint8_t flags, uint64_t work, uint32_t gaps);
  void keep(const mlusim_run& run);
  void keep_operations(int first, int64_t pc, uint64_t operations);
  void close_runs(uint64_t worth, int64_t pc);
  void make_room() {
    if (done_ >= ROOM || left_out_count_ > MOST || shape_count_ == SHAPES) hand_over(0);
  }
  void hand_over(int run_count);
  void drop_records() { done_ = operand_count_ = left_out_count_ = shape_count_ = 0; }

  mlusim_run runs_[MOST]{};
  // What is complete: there is room for one record with its operands, and for those of all runs and of what was
  // computed before them, behind as many as are too many to keep.
  mlusim_record records_[ROOM + 2 * MOST + 2];
  mlusim_operand operands_[MLUSIM_MOST_OPERANDS * (ROOM + 1) + MOST];
  mlusim_runs left_out_[2 * MOST + MLUSIM_MOST_RUNS];  // which bytes runs and operands leave alone
  mlusim_shape shapes_[SHAPES];
  Key keys_[KEYS]{};
  int count_ = 0, done_ = 0;  // runs, and records
  int operand_count_ = 0, left_out_count_ = 0, shape_count_ = 0;
  uint64_t round_ = 1;       // goes up where runs are closed
  uint64_t work_noted_ = 0;  // operations that are in records or runs
  int last_load_ = -1;       // the instruction in the log of the last access if that was a load, else -1
};
extern Runs runs;

}  // namespace mlusim
