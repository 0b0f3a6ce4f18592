// What `walk.c` is given, and what it knows while it walks.
#pragma once
#include <stdint.h>

#include "record.h"
#include "walk_heap.h"

enum { LAUNCH, ISSUE, PIPE, WAIT, BARRIER };
enum { AHEAD = 16 };
enum { RUNNING, AT_BARRIER, HELD, DONE };

typedef struct {
  double rate, core_rate, at, served;
  const double* moved;
  Heap users;
  int64_t version;
} Server;

typedef struct {
  int64_t number, at, end;  // its records are order[at..end)
  double now, resume_now;
  int64_t who, resume_who, held, running;
  int why, resume_why, stage;
  int64_t open;
  double* free;
  int64_t *last, *head, *tail;  // by pipe: record that was last, first and last record of its line
  int64_t first_server, servers;
} Core;

// What Python passes; replay.py makes it.
typedef struct {
  int64_t count, cores, pipes, servers, barriers;
  double issue_us, task_us;
  const Record* records;
  const int64_t* order;
  const int64_t* core_records;  // [cores + 1]
  const int64_t* core_numbers;
  const int64_t* core_servers;  // [cores + 1] into server_list
  const int64_t* server_list;
  const int64_t* core_index;  // [numbers of cores]
  const uint8_t* shared;
  const uint64_t* barrier_numbers;  // [barriers], in order
  const int64_t* members;           // [barriers]
  const double *alone, *latency;
  const uint8_t *mark, *meets;  // [ops]
  const uint64_t *waits, *queues;  // [ops], a bit for each pipe
  const double *rate, *core_rate;  // [servers]
  const double* const* moved;      // [servers]
  double *start, *end;
  uint8_t* reason;
  int64_t* cause;
} Walk;

typedef struct {
  const Walk* w;
  Core* cores;
  Server* servers;
  Heap requests, departures;
  int32_t* next;  // record in a line, or at a barrier
  int64_t *ready, ready_count, ready_room;
  uint8_t* flying;
  int64_t *arrived_count, *arrived_head;  // by barrier
  int failed;
} State;
