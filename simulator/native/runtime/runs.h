// What scalar code leaves: runs of the accesses of each source position with their records, and what it computes
// between them.
#pragma once
#include "mlusim_rt.h"

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

  // Records of the running task, which are complete; nothing waits.
  void append(const mlusim_row* rows, uint64_t count);

  // Completes the records of what waits, as `drain` does, and keeps them.
  void close(uint64_t worth, int64_t pc);

  // Adds an access to the run of its source position in its range.
  void add(const Access& access, mlusim_range& range);

  // Hands over what waits, and the operations since the last access if there are at least so many: they belong to `pc`.
  // Nothing comes between the runs, so that one record a source position will do for what was computed.
  void drain(uint64_t worth, int64_t pc);

  bool are_open() const { return count_; }

  // An instruction of the running task ends what waits.
  void interrupt(int64_t pc);

  // The row of an instruction of the running task, behind what waits; its operands are yet to be filled in.
  mlusim_row& issued(uint16_t op, uint8_t pipe, uint8_t flags, int64_t pc, uint64_t work);

  // The row behind the one that was issued last, which says of what shape the operands of that are.
  mlusim_shape_row& shaped(const mlusim_row& row);

  uint16_t compute = 0;     // number in the log of what the scalar unit computes
  uint8_t scalar_pipe = 0;  // and of its pipe

 private:
  static constexpr int KEYS = 2 * MOST, ROOM = 1024;

  // The latest run that a source position has open for a range. It is good until the runs are closed.
  struct Key {
    int64_t pc;
    mlusim_range* range;
    int how;
    int index;
    uint64_t round;
  };

  Key& key_of_run(const Access& access, const mlusim_range& range);
  bool extend(int index, const Access& access, uint64_t operations, bool behind);
  void start_row(mlusim_row& row, uint16_t op, int64_t pc, uint64_t work) const;
  void hand_over(int run_count);
  void forget_shapes(int row_count);
  int add_operations(int first, int end, int64_t pc, uint64_t operations);

  mlusim_run runs_[MOST]{};
  // Records that are complete, then those of the runs; behind them, when they are closed, those of what was computed.
  mlusim_row rows_[ROOM + 1 + 2 * MOST + 1]{};
  Key keys_[KEYS]{};
  int count_ = 0, done_ = 0;
  bool shaped_ = false;      // some of the rows are of shapes
  uint64_t round_ = 1;       // goes up where runs are closed
  uint64_t work_noted_ = 0;  // operations that are in records or runs
  int last_load_ = -1;       // the instruction in the log of the last access if that was a load, else -1
};
extern Runs runs;

}  // namespace mlusim
