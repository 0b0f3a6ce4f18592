// Issue ports that are carried out here, without Python: tables made of the declarations, see core/issue/native.py.
#pragma once
#include "mlusim_rt.h"

#define MLUSIM_MOST_OPERANDS 4  // as a row of the log has

// What a step computes of two numbers; `HOLDS` ends the port where its first one is 0.
enum mlusim_step_kind {
  MLUSIM_ADD,
  MLUSIM_SUBTRACT,
  MLUSIM_MULTIPLY,
  MLUSIM_DIVIDE,
  MLUSIM_REMAINDER,
  MLUSIM_MASK,
  MLUSIM_LESS,
  MLUSIM_LESS_EQUAL,
  MLUSIM_EQUAL,
  MLUSIM_UNEQUAL,
  MLUSIM_BOTH,
  MLUSIM_EITHER,
  MLUSIM_NOT,
  MLUSIM_SMALLER,
  MLUSIM_LARGER,
  MLUSIM_HOLDS
};

// Numbers are named by their places in the table of the port.
struct mlusim_step {
  uint16_t kind, to, a, b;
};

struct mlusim_native_operand {
  uint64_t first_key, end_key;    // of its space
  uint16_t address, bytes;        // numbers
  uint8_t size;                   // of an element
  uint8_t reads, writes, shared;  // shared: its space is the device's
};

// What a loop of NumPy's reads: an operand, or a number of the loop's type.
struct mlusim_native_input {
  int16_t operand;  // -1: it is a number
  uint16_t number;
  int16_t type;       // of a number: mlusim_number
  uint16_t width;     // bytes of an element
  uint16_t repeated;  // each row takes the same
};

enum mlusim_number { MLUSIM_WHOLE, MLUSIM_NATURAL, MLUSIM_HALF, MLUSIM_FLOAT, MLUSIM_DOUBLE };
enum mlusim_native_effect { MLUSIM_LOOP, MLUSIM_TRUTH, MLUSIM_COPY, MLUSIM_LATE_COPY, MLUSIM_WAIT };

struct mlusim_native_port {
  uint16_t op;  // number in the log
  uint8_t pipe, flags;
  uint16_t argument_count, step_count, operand_count, input_count;
  uint16_t work, elements, rows;  // numbers; elements of a row
  uint16_t effect;
  uint16_t skipped_by, python_for;  // a bit for each role of a core: has no part in it; needs the port in Python
  uint64_t waits;                   // for effects on these pipes, a bit for each; a copy for those on its memory, too
  uint64_t one;                     // of an output of truths
  const uint8_t* arguments;         // where each lies in what the call passes
  const struct mlusim_step* steps;
  int64_t* numbers;  // arguments, constants, and what steps compute
  uint64_t loop, data;
  struct mlusim_native_operand operands[4];
  struct mlusim_native_input inputs[4];
};

// The native ports of an overload: one, or as many as the argument that selects has values, of which some have none.
struct mlusim_native_ports {
  const struct mlusim_native_port* const* cases;
  int64_t count;
  int64_t selected_by;          // where the argument lies; -1: there is none
  uint64_t times, nanoseconds;  // how often they were taken, and how long, while somebody asks
};
