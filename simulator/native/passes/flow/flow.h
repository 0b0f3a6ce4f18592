// What the pass over a log is given and gives back: the rows of the log, tables of its instructions, causes of
// findings. Python reads them here too (simulator/structures.py): plain declarations alone.
#pragma once
#include "../../log_rows.h"

// What instructions do to the order: `SILENT` is none for any pipe, `MEETS` is a barrier.
enum Step { PLAIN, SILENT, WAITS, MEETS };

// What becomes of elements: they go on along the lanes of an instruction, or to where they are in a row of channels,
// scalar code takes them, what they are says how many it writes, or none of these.
enum Way { NO_WAY, LANES, CHANNELS, SCALAR, BY_DATA };

// Kinds of findings. `HAZARD`: in one core, `RACE`: of two tasks, `PARTIAL`: what is used together has been changed in
// part, `LEFTOVER`: what is used has been made of elements beside a tile, `UNUSED`: what was written is overwritten,
// and it was never read, `DEAD`: nothing that a line writes is ever read, `AGAIN`: the line itself overwrites most of
// it, and it was never read, `WASTED`: most of its bytes were never read,
// `SHIFTED`: what is used begins before a tile,
// `UNTAKEN`: an end of a result is never used, `OVERRUN`: a result ends in the next tile, `OVERREAD`: what is used
// does, `MIXED`: what is used was loaded, and a part of it overwritten by another load, `TWICE`: what is
// added has been added to the same sum before, `LOST`: what is made has no
// part in any result, `UNFED`: nothing but a fill is taken where another line takes data.
enum Kind {
  HAZARD,
  RACE,
  UNWAITED,
  PARTIAL,
  LEFTOVER,
  UNUSED,
  SHIFTED,
  UNTAKEN,
  OVERRUN,
  OVERREAD,
  MIXED,
  TWICE,
  WASTED,
  LOST,
  UNFED,
  DEAD,
  AGAIN
};

// Pipes that a clock has room for.
constexpr int64_t MOST_PIPES = 16;

// Findings with one cause: two instructions at two lines, by the records of the first time; `last` is the later one of
// the last time.
struct Cause {
  int64_t kind, later, earlier, key, bytes, count, operand, last;
};

// An instruction of the log: pipes, a bit for each; its first operand among those of all instructions, and how many;
// whether its result is just its operand, or, element by element, the sum of its operands.
struct Instruction {
  uint64_t waits, queues;
  uint32_t first, operands;
  uint8_t step, way, message, copies, adds;
};

struct Work {
  int64_t count, operands, runs, pipes, cores, plain_cores, tasks_of_group, mute, whole, room, faults, in_order, tasks;
  int64_t advice;  // a bit for each kind of finding that advice looks for
  const mlusim_record* record;
  const mlusim_operand* operand;
  const mlusim_runs* run;
  const Instruction* instruction;
  const uint8_t *writes, *reads;  // of the operands of every instruction
  // of every space
  const uint8_t* on_device;
  const uint64_t* lane_bytes;
  const uint8_t* idle;      // of every record, or nullptr: nothing that it does reaches another core
  const int64_t* fault;     // core and task, in turn, of those that came to no end of their own
  int64_t lanes, messages;  // whether there are any messages
  // found; of every cause a byte for each core, and for each of the first tasks, that it was seen on
  Cause* causes;
  uint8_t *on_cores, *by_tasks;
  uint8_t* redundant;  // of every record, 1: a wait for nothing, 2: for what the next instruction waits for as well
  int64_t found;
};

enum Outcome { DONE, NO_MEMORY, NONSENSE };
