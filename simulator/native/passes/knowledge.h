// What is known of the cores of a group while a log is passed over, and the causes of what is found. Part of hazards.c.
#pragma once
#include "hazards.h"
#include "ranges.h"

enum { PIPES = 16, NO_MEMORY = 1, NONSENSE = 2 };
enum { OFFSET_BITS = 40, OWNER_BITS = 16 };

// A core in the group that runs. Knowledge is, for each pipe, the number of its last record that is known to be done.
typedef struct {
  uint32_t issued[PIPES], front[PIPES], end[PIPES][PIPES];  // what the end of a pipe's last record knows
  int64_t last_async[PIPES], waited, core;
  int unsure;  // since its last wait it has begun a copy in a pipe that nobody waits for: maybe it has another one
  uint32_t async_seq[PIPES];
} Core;

enum { MOST_LEFT = 16 };
// Elements of an operand of so many bytes that were left beside what a record has made.
typedef struct {
  uint64_t start, end, all;
  uint32_t by;
} Left;

// What has become of results at a line: how often nobody has taken a part of them, who took the rest the first time.
typedef struct {
  int64_t taken, lost, later, earlier;
  uint64_t key, bytes;
} Fate;
typedef struct {
  int used;
  uint32_t op, loc;
  Fate all, head, tail;
} Place;
enum { PLACES_BITS = 10, PLACES = 1 << PLACES_BITS, MOST_TRIES = 32 };  // more lines are not looked at

typedef struct {
  Work* work;
  Ranges ranges, leftovers;
  Place* places;
  Left leaves[MOST_LEFT];  // of the record that is looked at
  int left, stores, scalar;  // it takes bytes out of the core, it is of the scalar unit
  Core* cores;
  int32_t* slot;      // of a core, -1: it is not in the group
  uint32_t* others;   // [slot][slot][pipe]: what a core knows of the others' pipes, from barriers
  int64_t slots, most, group;  // those in the group, and as many as there can be
  int32_t *first_of, *member;  // the cores that meet at a barrier
  int64_t barriers;
  uint32_t* joined;   // [barrier]: place of what its members know, in `join`
  int32_t* table;     // causes by hash
  int64_t table_size;
  // the record that is looked at
  const Record* record;
  int64_t index, slot_now;
  uint32_t start[PIPES];
} State;

static uint32_t* known(State* s, int64_t slot, int64_t other) {
  return s->others + (slot * s->most + other) * s->work->pipes;
}

static void learn(uint32_t* knowledge, const uint32_t* by, int64_t pipes) {
  for (int64_t p = 0; p < pipes; p++)
    if (knowledge[p] < by[p]) knowledge[p] = by[p];
}

static void note(State* s, int kind, int64_t later, int64_t earlier, uint64_t key, uint64_t bytes, int64_t operand) {
  Work* w = s->work;
  const Record *a = &w->records[later], *b = &w->records[earlier];
  uint64_t hash = kind;
  // Which of two tasks comes first in the log makes no difference.
  int turned = kind == RACE && (a->loc != b->loc ? a->loc > b->loc : a->op > b->op);
  const Record *x = turned ? b : a, *y = turned ? a : b;
  uint64_t parts[] = {x->op, x->loc, y->op, y->loc};
  for (int i = 0; i < 4; i++) hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
  for (uint64_t at = hash % s->table_size;; at = (at + 1) % s->table_size) {
    int32_t number = s->table[at];
    Cause* cause = &w->causes[number];
    if (number < 0) {
      if (w->found == w->room) return;  // nobody reads so many
      s->table[at] = (int32_t)w->found;
      cause = &w->causes[w->found++];
      *cause = (Cause){kind, later, earlier, (int64_t)key, (int64_t)bytes, 1, operand, 1, {later}, {earlier}};
      return;
    }
    const Record *c = &w->records[cause->later], *d = &w->records[cause->earlier];
    int same = c->op == a->op && c->loc == a->loc && d->op == b->op && d->loc == b->loc;
    int other = kind == RACE && c->op == b->op && c->loc == b->loc && d->op == a->op && d->loc == a->loc;
    if (cause->kind != kind || !(same || other)) continue;
    if (cause->laters[cause->shown - 1] == later) return;
    if (cause->shown < SHOWN) {
      cause->laters[cause->shown] = later;
      cause->earliers[cause->shown++] = earlier;
    } else {
      if (cause->laters[SHOWN - 1] != later) cause->laters[SHOWN - 1] = later, cause->earliers[SHOWN - 1] = earlier;
    }
    cause->count++;
    return;
  }
}
