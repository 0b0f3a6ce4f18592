// What was last done to which bytes: a list of ranges with skips, sorted, that share no byte. Part of hazards.c.
#pragma once
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { READ, WRITE, ATOMIC_UPDATE };
// An access: its record, who made it, the number of the record on its pipe (from 1 on; 0: nobody).
typedef struct {
  uint32_t record, group, seq;
  uint16_t slot;
  uint8_t pipe, kind : 2, is_async : 1, is_atomic : 1, in_place : 1, is_tile : 1;
} Access;

enum { LEVELS = 12 };
typedef struct Range {
  uint64_t start, end;
  Access write;    // the last one
  uint32_t tile, changed;  // records, from 1 on: what has made it of what it read, and changed it in place since
  Access* others;  // reads and atomic updates since, as many as no other one comes after
  uint32_t count, room;
  uint8_t levels, picked;  // scalar code has picked elements of what the range is a part of
  struct Range* next[];
} Range;

typedef struct {
  Range* head;  // comes before all
  Range* spare[LEVELS + 1];
  uint64_t random;
  int failed;  // no memory
} Ranges;

static Range* new_range(Ranges* all, uint64_t start, uint64_t end) {
  int levels = 1;
  all->random ^= all->random << 13, all->random ^= all->random >> 7, all->random ^= all->random << 17;
  for (uint64_t bits = all->random; levels < LEVELS && !(bits & 3); bits >>= 2) levels++;
  Range* made = all->spare[levels];
  if (made) {
    all->spare[levels] = made->next[0];
  } else {
    made = malloc(sizeof *made + levels * sizeof made->next[0]);
    if (!made) return all->failed = 1, NULL;
    made->others = NULL;
    made->room = 0;
    made->levels = levels;
  }
  made->start = start;
  made->end = end;
  made->write = (Access){0};
  made->tile = made->changed = 0;
  made->count = made->picked = 0;
  return made;
}

// The last range that begins before `start` (or the head), on every level.
static Range* before(Ranges* all, uint64_t start, Range** path) {
  Range* at = all->head;
  for (int level = LEVELS - 1; level >= 0; level--) {
    while (at->next[level] && at->next[level]->start < start) at = at->next[level];
    path[level] = at;
  }
  return at;
}

static Range* insert(Ranges* all, Range** path, uint64_t start, uint64_t end) {
  Range* made = new_range(all, start, end);
  if (!made) return NULL;
  for (int level = 0; level < made->levels; level++) {
    made->next[level] = path[level]->next[level];
    path[level]->next[level] = made;
    path[level] = made;
  }
  return made;
}

// Takes out what follows the path.
static void take_out(Ranges* all, Range** path) {
  Range* gone = path[0]->next[0];
  for (int level = 0; level < gone->levels; level++) path[level]->next[level] = gone->next[level];
  gone->next[0] = all->spare[gone->levels];
  all->spare[gone->levels] = gone;
}

static int keep(Ranges* all, Range* range, Access access) {
  if (range->count == range->room) {
    uint32_t room = range->room ? 2 * range->room : 2;
    Access* grown = realloc(range->others, room * sizeof *grown);
    if (!grown) return all->failed = 1, 0;
    range->others = grown;
    range->room = room;
  }
  range->others[range->count++] = access;
  return 1;
}

// Cuts a range in two; the path leads to the second part then.
static Range* cut(Ranges* all, Range** path, Range* range, uint64_t at) {
  for (int level = 0; level < range->levels; level++) path[level] = range;
  Range* rest = insert(all, path, at, range->end);
  if (!rest) return NULL;
  range->end = at;
  rest->write = range->write;
  rest->tile = range->tile;
  rest->changed = range->changed;
  rest->picked = range->picked;
  for (uint32_t i = 0; i < range->count; i++)
    if (!keep(all, rest, range->others[i])) return NULL;
  return rest;
}

static int open_ranges(Ranges* all) {
  memset(all, 0, sizeof *all);
  all->random = 0x9e3779b97f4a7c15u;
  all->head = calloc(1, sizeof(Range) + LEVELS * sizeof(Range*));
  return all->head != NULL;
}

static void close_ranges(Ranges* all) {
  for (int list = 0; list <= LEVELS; list++)
    for (Range *range = list ? all->spare[list] : all->head, *next; range; range = next) {
      next = range->next[0];
      free(range->others);
      free(range);
    }
}
