// Issue ports that are carried out here, without Python: tables made of the declarations, see core/issue/native.py.
#pragma once
#include "mlusim_rt.h"

// Operands of a port; values of its loops; parts that they keep, and elements of one; axes of an operand.
enum mlusim_port_limit {
  MLUSIM_MOST_OPERANDS = 4,
  MLUSIM_MOST_VALUES = 32,
  MLUSIM_MOST_PARTS = 8,
  MLUSIM_PART_ELEMENTS = 1024,
  MLUSIM_MOST_AXES = 3,
  MLUSIM_MOST_SAID = 45  // words of a call
};

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
  uint8_t carried;                // see `mlusim_carry`
  uint8_t repeated;               // for each row of the output
};

// Types of elements, by NumPy's names.
enum mlusim_element {
  MLUSIM_BOOL,
  MLUSIM_INT8,
  MLUSIM_INT16,
  MLUSIM_INT32,
  MLUSIM_INT64,
  MLUSIM_UINT8,
  MLUSIM_UINT16,
  MLUSIM_UINT32,
  MLUSIM_UINT64,
  MLUSIM_FLOAT16,
  MLUSIM_BFLOAT16,
  MLUSIM_FLOAT32,
  MLUSIM_FLOAT64
};

// What loops take and make: elements of an operand; of a part that is kept from loop to loop; or one for all, a number
// as an element or its bits as they are. Copies at strides have axes in their place, of each operand the outermost one
// first, and the bytes of a segment last.
enum mlusim_value_kind { MLUSIM_OPERAND, MLUSIM_PART, MLUSIM_NUMBER, MLUSIM_CONSTANT, MLUSIM_AXIS };
struct mlusim_value {
  uint16_t kind, at;        // the operand, the part, or the place of the number; of an axis, of its count
  uint16_t element, width;  // its type, if it is cast to or from or a number, and its bytes; of an axis, where its
                            // stride lies, and the number of the operand
  uint16_t repeated;        // of an operand: each row takes the same; of an axis: its stride was given
};

// A pass over elements: a loop of NumPy's; a cast; a choice by the first input between the others; the elements of the
// first input, an operand, at places that the second one says; a test that the input holds everywhere; or NumPy's `exp`
// of doubles that become floats, see exponential.h.
enum mlusim_loop_kind { MLUSIM_NUMPY, MLUSIM_CAST, MLUSIM_CHOICE, MLUSIM_LOOK_UP, MLUSIM_TEST, MLUSIM_EXP };
struct mlusim_loop {
  uint64_t function, data;
  uint16_t kind, input_count;
  uint16_t inputs[4], output;  // values
};

// What of its uninitialized bytes an operand that is read passes on to the output: nothing, since its values are used;
// an element of the output is uninitialized where one of it is; each byte of the output is where that of it is.
enum mlusim_carry { MLUSIM_NOTHING, MLUSIM_ELEMENTS, MLUSIM_BYTES };

// `OPEN` and `CLOSE` are of the section in which queues run side by side.
enum mlusim_native_effect {
  MLUSIM_LOOPS,
  MLUSIM_COPY,
  MLUSIM_LATE_COPY,
  MLUSIM_STRIDED_COPY,
  MLUSIM_WAIT,
  MLUSIM_OPEN,
  MLUSIM_CLOSE
};

// What a call has come to: another one of the same numbers comes to the same for as long as variables and arrays lie
// where they lay.
struct mlusim_native_place {
  struct mlusim_range* range;
  uint64_t address, bytes;
};
struct mlusim_native_plan {
  uint64_t launch, generation;  // 0: there is none
  struct mlusim_native_place found[4];
  uint64_t staged;        // the first operand meets others, so that nothing of it may be there before they are read
  uint64_t tests;         // loops up to the last test
  uint64_t places[32];    // of the first elements of values
  int64_t strides[32];    // of values, in bytes; 0: one for all
  uint64_t elements[32];  // the bits of those that are numbers
};

struct mlusim_native_port {
  uint16_t op;  // number in the log
  uint8_t pipe, flags;
  uint16_t argument_count, step_count, operand_count, value_count, loop_count;
  uint16_t work, elements, rows;  // numbers; elements of a row, or what stands for work in a row about shapes
  uint16_t effect;
  uint16_t skipped_by, python_for;  // a bit for each role of a core: has no part in it; needs the port in Python
  uint64_t waits;  // for effects on these pipes, a bit for each; a copy that blocks for those on its memory, too
  const uint8_t* arguments;  // where each lies in what the call passes
  const struct mlusim_step* steps;
  int64_t* numbers;  // arguments, constants, and what steps compute
  const struct mlusim_value* values;
  const struct mlusim_loop* loops;  // tests and what they take; then those of which the last makes the first operand
  struct mlusim_native_operand operands[4];
  struct mlusim_native_plan plan;
};

struct mlusim_repeat;

// The native ports of an overload: one, or as many as the argument that selects has values, of which some have none; or
// calls that may be made again, see repeats.h.
struct mlusim_native_ports {
  struct mlusim_native_port* const* cases;
  int64_t count;
  int64_t selected_by;              // where the argument lies; -1: there is none
  uint64_t times, nanoseconds;      // how often they were taken, and how long, while that is asked for
  struct mlusim_repeat** repeats;   // a table; NULL: calls are not kept
  const uint8_t* arguments;         // where each lies in what a call passes
  int64_t argument_count, outside;  // of which this one is an address in system memory; -1: none
};
