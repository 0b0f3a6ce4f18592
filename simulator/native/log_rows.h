// The rows of a log. Python reads them here too (simulator/structures.py): plain declarations alone.
#pragma once
#include <stdint.h>

// What the core does about an instruction: its front end waits until it is done; it runs after all queues are empty;
// nothing comes between its read and its write; nothing but a wait of the core's knows that it is done; the front end
// has a result of it; pieces of an operand lie in memory in another order than that in which it takes them.
enum mlusim_flag {
  MLUSIM_BLOCKING = 1,
  MLUSIM_SERIAL = 2,
  MLUSIM_ATOMIC = 4,
  MLUSIM_ASYNC = 8,
  MLUSIM_RESULT = 16,
  MLUSIM_CROSSED = 32
};

// An executed instruction. `op`, `pipe` and `loc` index the log's tables; `work` counts what the instruction's engine
// is paid for (bytes or accesses; for a barrier: the number of the barrier; for a message: its number and
// `MLUSIM_MESSAGES` times its count); `first` is its first row of the operand
// table, where it has as many as its instruction has operands; `gaps` counts the breaks between the separate runs of
// bytes of that operand which has the most of them, and of scalar loads those that are waited for together with the one
// before. While the kernel runs, `loc` is the number of a site, an instruction on a pipe at a place of the code, and
// what follows from it is not there yet: `op`, `pipe` and `first`.
struct __attribute__((packed)) mlusim_record {
  uint16_t op;
  uint8_t pipe, flags;
  uint16_t core;
  uint32_t task, loc;
  uint64_t work;
  uint32_t first, gaps;
};

// What instructions do to messages, and numbers that messages have.
enum mlusim_message { MLUSIM_NO_MESSAGE, MLUSIM_SENDS, MLUSIM_AWAITS };
enum mlusim_limit { MLUSIM_MESSAGES = 512 };

// Bits of a key (see region.py): the offset of a byte, from bit 0 on, and the owner of its memory; above them the
// space.
enum mlusim_key { MLUSIM_OFFSET_BITS = 40, MLUSIM_OWNER_BITS = 16 };

// A row of the operand table: the key of the first byte (space, owner and offset, see region.py), the bytes that it
// spans, and, of a tensor across lanes, the first lane and how many.
struct __attribute__((packed)) mlusim_operand {
  uint64_t key, bytes;
  uint16_t lane, lanes;
};

// A row of the table of runs: where an operand of the operand table (by its row) leaves bytes between its first and its
// last alone, the pieces that it touches: `run` bytes at `start` from its first byte, and again at every multiple below
// `count` of the three strides. An operand without rows is one run, one may have several; `run` is 0 where no
// more is known than that its first and its last byte are touched. Of a tensor across lanes a row is about some of its
// lanes.
struct __attribute__((packed)) mlusim_runs {
  uint32_t operand, run;
  uint64_t start, stride[3];
  uint32_t count[3];
  uint16_t lane, lanes;
};

// Counts and strides of the operands of a record as they were given, one operand after the other. What makes something
// of them has a number (Recorder of Python's); the record and its first operand are counted from those that come with
// it.
struct mlusim_shape {
  uint32_t record, operand;
  uint64_t made_by;
  int64_t numbers[10];
};
