// What the walk through a log is given, and what it fills in. Python reads this too (simulator/structures.py): plain
// declarations alone.
#pragma once
#include <stdint.h>

#include "../../log_rows.h"

// Why an instruction did not start earlier.
enum mlusim_reason { MLUSIM_LAUNCH, MLUSIM_ISSUE, MLUSIM_PIPE, MLUSIM_WAIT, MLUSIM_BARRIER };

// Cores are those that have records, by their place in `core_numbers`; times are microseconds. `mark`, `meets`, and the
// pipes that an instruction waits for and the queues that it joins, are by its number in the log.
struct mlusim_walk {
  int64_t cores, pipes, servers, barriers, count;
  double issue_us, task_us;
  const struct mlusim_record* records;  // [count]
  const int64_t* order;                 // [count], the records of a core together
  const int64_t* core_numbers;          // [cores]
  const int64_t* core_records;          // [cores + 1] into order
  const int64_t* core_servers;          // [cores + 1] into server_list
  const int64_t* server_list;
  const int64_t* core_index;                  // [owners of the chip], place by number of the core
  const uint8_t* shared;                      // [count], whether a record has to share a channel
  const double *alone, *latency;              // [count]
  const uint8_t *mark, *meets, *message;      // [instructions]: takes no time, is a barrier, sends or awaits a message
  const int64_t *wait_places, *wait_pipes;    // [instructions + 1] into the second
  const int64_t *queue_places, *queue_pipes;  // [instructions + 1] into the second
  const uint64_t* barrier_numbers;            // [barriers]
  const int64_t* members;                     // [barriers], records that meet there
  const double *rate, *core_rate;             // [servers], bytes a microsecond
  const double** moved;                       // [servers][count], bytes
  double *start, *end;                        // [count], as all that is filled in
  uint8_t* reason;
  int64_t* cause;
};

#ifdef __cplusplus
extern "C" {
#endif
// 0; 1 where memory is short; 2 + the number of a core that waits for ever.
int64_t mlusim_walk_log(const struct mlusim_walk* given);
#ifdef __cplusplus
}
#endif
