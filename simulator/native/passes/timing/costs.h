// What every record of a log costs by itself. Python reads this too (simulator/structures.py): plain declarations
// alone.
#pragma once
#include <stdint.h>

#include "../../log_rows.h"

// What the time of an instruction's engine consists of, in the order in which it is added up.
enum mlusim_term { MLUSIM_STARTUP, MLUSIM_DEPENDENT, MLUSIM_PARTS, MLUSIM_WORK };

// What an instruction is paid for: what its engine takes, microseconds and cycles, work in whole quanta at a rate of so
// much a cycle if it is paid for (`paid`, 0 or 1); and how its bytes count on channels. An access moves `most` bytes at
// most; accesses are counted by the work (`single`), lie within granules of the memory (`within`), or are stores of
// such (`posted`).
struct mlusim_price {
  double startup_us, dependent_us, part_cycles, quantum, rate, paid;
  uint64_t most;
  uint8_t single, within, posted;
};

// A channel: what one core can draw of it, bytes a microsecond, and what is waited for behind a read or a write.
struct mlusim_draw {
  double core_rate, read_us, write_us;
};

struct mlusim_costs {
  int64_t count, cores, pipes, channels;
  uint64_t granule;  // bytes of one access of the memory
  double cycle_us;
  int64_t last;                           // whether of a task the last use of a channel alone is waited for
  const struct mlusim_record* records;    // [count]
  const struct mlusim_operand* operands;  // all rows of the log
  const struct mlusim_price* prices;      // [instructions]
  const int64_t* places;                  // [instructions + 1] into writes
  const uint8_t* writes;                  // whether an operand is written
  const struct mlusim_draw* draws;        // [channels]
  const uint8_t* on;                      // [spaces][channels], whether the bytes of a space move through a channel
  const double *weight, *waits;           // [count], how often time and latency count in the sums; null: once
  double *alone, *latency;                // [count], microseconds, filled in from zeros as all that follows
  double* moved;                          // [channels][count], bytes
  double* terms;                          // [instructions][terms], sums where the engine decides
  double* drawn;                          // [channels], sums where the channel does
  double* waited;                         // [channels][2], sums of the latency of reads and of writes
};

#ifdef __cplusplus
extern "C" {
#endif
// 0; 1 where memory is short.
int64_t mlusim_find_costs(const struct mlusim_costs* given);
#ifdef __cplusplus
}
#endif
