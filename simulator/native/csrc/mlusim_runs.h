// Scalar accesses and operations that wait to be handed over to Python. Part of mlusim_rt.cpp, and inside its extern "C".
#pragma once

enum { RUNS = 256, KEYS = 512 };  // more keys than runs: where code lies must not decide what is one run
// Operations that are worth a record of their own, before an instruction and at the end of a task.
enum { WORTH = 512, WORTH_AT_END = 64 };
static uint64_t work_noted;  // operations that are in records or runs
static struct mlusim_run runs[RUNS];
static int run_count;
static struct {
  int64_t pc;
  uint64_t start;
  int index;
} keys[KEYS];

static int keys_in_use;  // most tasks have no accesses: their table stays as it is

static void forget_keys(void) {
  if (keys_in_use) memset(keys, 0, sizeof keys);
  keys_in_use = 0;
}

static void forget_runs(void) {
  run_count = 0;
  forget_keys();
}

static void drain(void) {
  if (!run_count) return;
  int count = run_count;
  run_count = 0;
  callbacks.drain(runs, (uint64_t)count);
  forget_keys();
}

// Notes the operations since the last access or note, if they are worth it.
static void note_work(uint64_t worth, int64_t pc) {
  uint64_t operations = mlusim_scalar_work - work_noted;
  if (operations < worth) return;
  if (run_count == RUNS) drain();
  work_noted = mlusim_scalar_work;
  runs[run_count++] = mlusim_run{pc, 0, 0, 0, 0, 0, 0, 0, operations};
}
