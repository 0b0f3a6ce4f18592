// What `hazards.c` is given and gives back: the rows of a log, tables of its instructions, causes.
#pragma once
#include "record.h"

typedef struct mlusim_operand Operand;
typedef struct mlusim_runs Run;
enum { PLAIN, SILENT, WAITS, MEETS };  // kinds of instruction: SILENT is none for any pipe, MEETS is a barrier

enum { SHOWN = 32 };
// What becomes of elements: they go on along the lanes of an instruction, or to where they are in a row of channels, scalar
// code takes them, what they are says how many it writes, or none of these.
enum { NO_FLOW, LANES, CHANNELS, SCALAR, BY_DATA };
// Findings with one cause: what instructions at which lines. `HAZARD`: in one core, `RACE`: of two tasks, `PARTIAL`: what
// is used together has been changed in part, `LEFTOVER`: what is used has been made of elements beside a tile, `UNUSED`: what was
// written is overwritten, and nobody has read it, `SHIFTED`: what is used begins before a tile, `UNTAKEN`: an end of a result
// is never used, `OVERRUN`: a result ends in the next tile, `OVERREAD`: what is used does.
enum { HAZARD, RACE, UNWAITED, PARTIAL, LEFTOVER, UNUSED, SHIFTED, UNTAKEN, OVERRUN, OVERREAD };
typedef struct {
  int64_t kind, later, earlier, key, bytes, count, operand, shown;
  int64_t laters[SHOWN], earliers[SHOWN];  // the records of the first ones
} Cause;

typedef struct {
  int64_t count, operands, runs, pipes, cores, plain_cores, tasks_of_group, mute, whole, room, faults, in_order;
  const Record* records;
  const Operand* operand;
  const Run* run;
  // of every instruction
  const uint8_t *kind, *flow;
  const uint64_t *waits, *queues;
  const uint32_t *first_write, *operand_count;
  const uint8_t* writes;  // of its operands
  // of every space
  const uint8_t* on_device;
  const uint64_t* lane_bytes;
  const int64_t (*fault)[2];  // core and task of those that came to no end of their own
  int64_t lanes;
  // found
  Cause* causes;
  uint8_t* redundant;  // of every record, 1: a wait for nothing, 2: for what the next instruction waits for as well
  int64_t found;
} Work;
