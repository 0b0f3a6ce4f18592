// Double buffering: while BDC computes a tile, GDMA stores the one before it and loads the one after it.
#pragma once
#include "share.h"

// What is done with the tile of a step. Loads and stores are commands of GDMA, and compute has commands of BDC alone.
typedef struct {
  void (*load)(const void *job, int step);
  void (*compute)(const void *job, int step);
  void (*store)(const void *job, int step);
} stages_t;

static inline void run_pipeline(const stages_t *stages, const void *job, int steps) {
  for (int step = 0; steps && step < steps + 2; ++step) {
    ENGINE(parallel_start)();
    if (step >= 2) stages->store(job, step - 2);
    if (step < steps) stages->load(job, step);
    if (step >= 1 && step <= steps) stages->compute(job, step - 1);
    ENGINE(parallel_end)();
  }
}

// Local memory of a lane: two parts that steps take in turn for what GDMA loads and stores, and one for what only BDC
// uses. Each has banks of its own, so that the engines do not wait for each other.
static inline local_addr_t lane_bytes(void) { return ENGINE(local_mem_size_per_npu)(); }
static inline local_addr_t part_bytes(void) { return lane_bytes() / 4; }
static inline local_addr_t part_of(int step) { return (step & 1) * part_bytes(); }
static inline local_addr_t work_part(void) { return 2 * part_bytes(); }
