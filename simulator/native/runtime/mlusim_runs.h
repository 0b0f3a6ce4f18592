// What scalar code leaves: runs of the accesses of each source position with their records, what it computes between
// them, and which bytes have been written. Part of mlusim_rt.cpp, and inside its extern "C".
#pragma once

enum { RUNS = 256, KEYS = 512 };
static struct mlusim_run runs[RUNS];
// Operations that are worth a record of their own, before an instruction and at the end of a task.
enum { WORTH = 512, WORTH_AT_END = 64 };
static struct mlusim_row rows[2 * RUNS + 1];  // their records; behind them, at a drain, those of what was computed
enum { ATOMICALLY = 2 };  // an access that nobody can come between
static int run_count;
static uint64_t work_noted;  // operations that are in records or runs
static uint16_t compute;     // number in the log of what the scalar unit computes
static int touched;  // what stores have done to the flags of bytes that somebody has written
static int last_load;  // the instruction in the log of the last access if that was a load, else -1
static uint8_t scalar_pipe;
// The run that a source position has open for a range, found by both; of two in one place the later stays.
static struct {
  int64_t pc;
  struct mlusim_range* range;
  int index;
} keys[KEYS];

// The bytes that a store without effect is about to overwrite: they come back before anybody looks.
static struct {
  uint64_t address, size;
  char bytes[16];
} muted;

static inline void restore(void) {
  if (muted.size) memcpy((void*)muted.address, muted.bytes, muted.size);
  muted.size = 0;
}

// A run of an earlier drain is not open: its index is too large, or another run's.
static void forget_runs(void) {
  run_count = 0;
  touched = 0;
  last_load = -1;
}

static void start_row(struct mlusim_row* row, uint16_t op, int64_t pc, uint64_t work) {
  row->op = op;
  row->pipe = scalar_pipe;
  row->core = (uint32_t)mlusim_current->core;
  row->task = (uint32_t)mlusim_current->taskId;
  row->flags = 0;
  row->pc = pc;
  row->work = work;
  row->gaps = 0;
}

// Adds operations to the row of their source position, among those from `first` on; the number of rows then.
static int add_operations(int first, int end, int64_t pc, uint64_t operations) {
  for (int i = first; i < end; i++)
    if (rows[i].pc == pc) {
      rows[i].work += operations;
      return end;
    }
  start_row(&rows[end], compute, pc, operations);
  return end + 1;
}

// Which bytes between its first and last a run leaves out: in place of a second operand, see Recorder of Python's.
static inline void leave_out(struct mlusim_row* row, const struct mlusim_run* run) {
  row->operands[1].key = run->apart && !run->uneven ? (uint64_t)(run->stride < 0 ? -run->stride : run->stride) : 0;
  row->operands[1].bytes = run->apart && run->uneven ? 0 : run->size;
}

// Hands over what waits, and the operations since the last access if there are at least so many: they belong to `pc`.
// Nothing comes between the runs, so that one record a source position will do for what was computed.
static void drain_with(uint64_t worth, int64_t pc) {
  restore();
  uint64_t operations = mlusim_scalar_work - work_noted;
  if (!run_count && operations < worth) return;
  int count = run_count, row_count = run_count, first_writes = touched;
  for (int i = 0; i < count; i++) leave_out(&rows[i], &runs[i]);
  for (int i = 0; i < count; i++)
    if (runs[i].operations) row_count = add_operations(count, row_count, runs[i].pc, runs[i].operations);
  if (operations >= worth) {
    row_count = add_operations(count, row_count, pc, operations);
    work_noted = mlusim_scalar_work;
  }
  forget_runs();
  callbacks.drain(runs, rows, (uint64_t)count, (uint64_t)row_count, first_writes);
}

static void drain(void) { drain_with(UINT64_MAX, 0); }

// Adds an access to the run of its source position in its range.
static inline void gather(uint64_t address, uint64_t size, int how, int64_t pc, struct mlusim_range* range) {
  uint64_t words = size > 16 ? (size + 7) / 8 : 1;  // a block is moved a word at a time
  uint64_t operations = mlusim_scalar_work - work_noted;
  work_noted = mlusim_scalar_work;
  // A load of the basic block of a load of the same memory, right behind it: both are under way together.
  const int store = how & 1;
  int behind = !store && !operations && last_load == range->load;
  last_load = store ? -1 : (int)range->load;
  unsigned key = (unsigned)(((uint64_t)pc ^ range->start * 2 ^ (uint64_t)how) * 0x9e3779b97f4a7c15u >> 55) & (KEYS - 1);
  int index = keys[key].index;
  if (keys[key].pc == pc && keys[key].range == range && index < run_count) {
    struct mlusim_run* run = &runs[index];
    int64_t step = (int64_t)(address - run->last);
    if (run->pc == pc && run->store == how && rows[index].operands[0].key == range->key + (run->low - range->start) &&
        (!mlusim_strict || (run->size == size && (run->times == 1 || step == run->stride)))) {
      run->apart |= address > run->high || address + size < run->low;
      run->uneven |= run->size != size || (run->times > 1 && step != run->stride);
      run->stride = step;
      run->last = address;
      run->times++;
      run->operations += operations;
      rows[index].work += words;
      rows[index].gaps += behind && rows[index].gaps < UINT32_MAX;
      if (address < run->low) {
        rows[index].operands[0].key -= run->low - address;
        rows[index].operands[0].bytes += run->low - address;
        run->low = address;
      }
      if (address + size > run->high) {
        rows[index].operands[0].bytes += address + size - run->high;
        run->high = address + size;
      }
      return;
    }
  }
  if (run_count == RUNS) {
    mlusim_leave();
    mlusim_back(pc);
  }
  runs[run_count] = mlusim_run{pc, address, address + size, address, 0, 1, size, how, operations, 0, 0};
  struct mlusim_row* row = &rows[run_count];
  start_row(row, (uint16_t)(store ? range->store : range->load), pc, words);
  row->flags = how & ATOMICALLY ? 4 : 0;  // ATOMIC of a log
  row->gaps = (uint32_t)behind;
  row->operands[0].key = range->key + (address - range->start);
  row->operands[0].bytes = size;
  keys[key].pc = pc;
  keys[key].range = range;
  keys[key].index = run_count++;
}

static inline int has_flags(const struct mlusim_range* range) { return range->written && range->written != MLUSIM_ASK; }

static inline int all_written(const uint8_t* flags, uint64_t size) {
  uint64_t eight;
  uint32_t four;
  if (size == 4) return memcpy(&four, flags, 4), four == 0x01010101u;
  if (size == 8) return memcpy(&eight, flags, 8), eight == 0x0101010101010101u;
  return !memchr(flags, 0, size);
}

static void note_first_write(struct mlusim_range* range, uint64_t address, uint64_t size) {
  memset(range->written + (address - range->start), 1, size);
  if (address < range->touched) range->touched = address;
  if (address + size > range->until) range->until = address + size;
  if (!touched) touched = MLUSIM_WRITTEN;
}

// Whether an access to a range without flags needs none: stores that follow one another, or are on what those have
// written, and loads of that. The bounds of such stores are all that there is to know about them.
static inline int in_order(struct mlusim_range* range, uint64_t address, uint64_t size, int store) {
  if (address >= range->touched && address + size <= range->until) return 1;
  if (!store || (range->until && address != range->until)) return 0;
  if (!range->until) range->touched = address;
  range->until = address + size;
  if (!touched) touched = MLUSIM_WRITTEN;
  return 1;
}

static void ask_about(uint64_t address, uint64_t size, int64_t pc) {
  mlusim_leave();
  callbacks.unwritten(address, size, pc);
  mlusim_back(pc);
}
