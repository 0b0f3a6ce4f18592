// Which instructions take what the one right before them in their pipe has made. Python reads this too
// (simulator/structures.py): plain declarations alone.
#pragma once
#include <stdint.h>

#include "../../log_rows.h"

// By the number of an instruction in the log: where its operands begin in `writes`, and whether it is asked for.
struct mlusim_dependence {
  int64_t count, cores, pipes;
  const struct mlusim_record* records;    // [count]
  const struct mlusim_operand* operands;  // all rows of the log
  const int64_t* places;                  // [instructions + 1] into writes
  const uint8_t* writes;                  // whether an operand is written
  const uint8_t* asked;                   // [instructions]
  uint8_t* found;                         // [count], filled in
};

#ifdef __cplusplus
extern "C" {
#endif
// 0; 1 where memory is short.
int64_t mlusim_find_dependence(const struct mlusim_dependence* given);
#ifdef __cplusplus
}
#endif
