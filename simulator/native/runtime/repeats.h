// Calls of queued commands on tensors that are made again with the same arguments, but for an address in system memory.
// What the port in Python has found out about the first ones is a table here; see core/issue/repeats.py.
#pragma once
#include "ports.h"
#include "sums.h"

// Operands, rows in the table of runs, and places of the table of an overload: a power of two.
enum mlusim_repeat_limit { MLUSIM_MOST_TENSORS = 4, MLUSIM_MOST_RUNS = 32, MLUSIM_PLACES = 2048 };

// An operand: its row in the log, and that none of its bytes were uninitialized when those of its memory had an age.
// One in system memory, which has no age, has the distance of its first byte from its address as its key.
struct mlusim_tensor {
  uint64_t key, bytes;
  const uint64_t* age;
  uint64_t settled;
  uint16_t lane, lanes;
};

// Bytes, or floats that become doubles, which lie together on both sides.
struct mlusim_move {
  uint64_t to, from, count;
};

// The doubles of a factor; `flushes`: subnormal floats become zeros. Those that nothing moves to are 0.
struct mlusim_factor {
  const struct mlusim_move* moves;
  uint64_t count, flushes;
};

struct mlusim_repeat {
  uint64_t said[45];  // MLUSIM_MOST_SAID; 0 for the address in system memory
  uint64_t core;
  uint16_t op;  // number in the log
  uint8_t pipe, flags;
  uint16_t operand_count, run_count;
  uint32_t gaps;
  uint64_t work;
  int64_t broken_at;            // the program counter for which Python has reported the rules that it breaks; 0: none
  uint64_t broken;              // how often it has broken them since Python was told
  uint64_t first_key, end_key;  // of system memory
  struct mlusim_tensor operands[4];
  const struct mlusim_runs* runs;  // operands are counted from the first
  // The effect: bytes that move, from places behind the address in system memory if there is one; or sums of products
  // with their factors.
  const struct mlusim_move* moves;
  uint64_t move_count;
  const struct mlusim_sums* sums;
  uint64_t sum_count;
  struct mlusim_factor factors[2];
};

extern "C" {
// The call that is under way is carried out here when it is made again.
void mlusim_keep(struct mlusim_repeat* repeat);
// Carries out the effect of a call with an address in system memory, 0 if it has none.
void mlusim_repeat_effect(const struct mlusim_repeat* repeat, uint64_t address);
}
