// Elements beside a tile, left of what lay there before: what an instruction makes of both goes on along its lanes, and
// a store or scalar code that takes such elements takes too many. Part of hazards.c.
#pragma once
#include "partial.h"

// What has made the bytes of a range: the instruction in place that has changed them does not count.
static uint32_t maker_of(const Range* range) { return range->tile ? range->tile - 1 : range->write.record; }

// Whether a record writes what it reads, if only a part.
static int is_in_place(const Work* w, const Record* r) {
  const Operand* made = result_of(w, r);
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++) {
    const Operand* other = w->operand + r->first + n;
    if (!w->writes[w->first_write[r->op] + n] && other->key < made->key + made->bytes && made->key < other->key + other->bytes)
      return 1;
  }
  return 0;
}

// Whether what has made a range has brought a new tile to a part of where an older one was. Only a load does so beside
// what was filled, and no scalar store does.
static int is_new(const State* s, const Range* range, const Range* old) {
  const Work* w = s->work;
  const Record *r = &w->records[maker_of(range)], *before = &w->records[maker_of(old)];
  const Operand *made = result_of(w, r), *all = result_of(w, before);
  int loads = far_operand(w, r) != NULL, reaches = all->key < range->end && all->key + all->bytes > range->start;
  if (!range->tile || maker_of(range) <= maker_of(old) || !reaches || is_scattered(w, before, all) || before->task != s->record->task)
    return 0;
  if (w->flow[r->op] >= SCALAR || w->flow[before->op] == SCALAR) return 0;
  if (old->start < range->start && all->key + all->bytes <= made->key + made->bytes)  // over the padding of a piece before
    return loads && 2 * (old->end - old->start) <= range->end - range->start;
  return loads || (old->tile && !is_in_place(w, r));
}

// Notes bytes as far as they are of an operand; how many.
static uint64_t leave(State* s, uint64_t start, uint64_t end, uint32_t by, const Operand* from) {
  uint64_t low = start > from->key ? start - from->key : 0, high = end - from->key < from->bytes ? end - from->key : from->bytes;
  if (s->left < MOST_LEFT) s->leaves[s->left++] = (Left){low, high, from->bytes, by};
  return high - low;
}

// Notes which elements of an operand are left of an older tile than the newest one of it, or were made of such. What is
// more than the newest, and than a line, is: a tile may get a patch.
static void find_leftovers(State* s, const Operand* from) {
  uint64_t start = from->key, end = start + from->bytes, rest = 0;
  Range *path[LEVELS], *at = before(&s->ranges, start, path), *newest = NULL;
  int count = 0, found = s->left;
  if (at == s->ranges.head || at->end <= start) at = at->next[0];
  if (at && at->start <= start && at->end < end)
    for (Range* range = at; range && range->start < end && ++count <= MOST_TOGETHER; range = range->next[0])
      if (range->write.seq && (!newest || maker_of(range) > maker_of(newest))) newest = range;
  if (newest && count <= MOST_TOGETHER)
    for (Range* range = at; range && range->start < end; range = range->next[0])
      if (range->write.seq && is_new(s, newest, range)) rest += leave(s, range->start, range->end, maker_of(newest), from);
  if (newest && rest > LINE && rest > newest->end - newest->start) s->left = found;
  if (!s->leftovers.head->next[0]) return;
  at = before(&s->leftovers, start, path);
  if (at == s->leftovers.head || at->end <= start) at = at->next[0];
  for (; at && at->start < end; at = at->next[0]) leave(s, at->start, at->end, at->tile, from);
}

// Bytes that are written are no leftovers any more.
static void forget_leftovers(State* s, uint64_t start, uint64_t end) {
  Ranges* all = &s->leftovers;
  Range *path[LEVELS], *at = before(all, start, path);
  if (at != all->head && at->end > start && !cut(all, path, at, start)) return;
  for (at = path[0]->next[0]; at && at->start < end; at = path[0]->next[0]) {
    Range* here[LEVELS];
    memcpy(here, path, sizeof here);
    if (at->end > end && !cut(all, here, at, end)) return;
    take_out(all, path);
  }
}

static void mark(State* s, uint64_t start, uint64_t end, uint32_t by) {
  if (start >= end) return;
  forget_leftovers(s, start, end);
  Range *path[LEVELS], *kept;
  before(&s->leftovers, start, path);
  if ((kept = insert(&s->leftovers, path, start, end))) kept->tile = by;
}

// What a record has made of leftovers is one. Of windows of rows of channels each row is as long as what is made of them.
static void keep_leftovers(State* s, const Operand* made, int rows) {
  for (int n = 0; n < s->left; n++) {
    const Left* left = &s->leaves[n];
    if (rows) {
      uint64_t bytes = left->end - left->start, at = left->start % made->bytes;
      if (left->all % made->bytes || bytes >= made->bytes) continue;  // of all channels, or in no such rows
      uint64_t first = at + bytes < made->bytes ? bytes : made->bytes - at;
      mark(s, made->key + at, made->key + at + first, left->by);
      mark(s, made->key, made->key + bytes - first, left->by);
    } else {
      uint64_t start = left->start * made->bytes / left->all, end = left->end * made->bytes / left->all;
      mark(s, made->key + start, made->key + end, left->by);
    }
  }
}

// A store, or scalar code, takes bytes.
static void take_leftovers(State* s, uint64_t start, uint64_t end, int64_t operand) {
  Range *path[LEVELS], *at = before(&s->leftovers, start, path);
  if (at == s->leftovers.head || at->end <= start) at = at->next[0];
  if (!at || at->start >= end) return;
  uint64_t low = at->start > start ? at->start : start, high = at->end < end ? at->end : end;
  note(s, LEFTOVER, s->index, at->tile, low, high - low, operand);
}

// Scalar code takes the little that is left of a load beside a longer, later one.
static void take_rest(State* s, const Range* rest, const Range* beside, int64_t operand) {
  if (!rest->tile || beside->tile <= rest->tile || beside->end - beside->start <= rest->end - rest->start) return;
  const Record* before = &s->work->records[rest->tile - 1];
  if (!far_operand(s->work, before) || !is_new(s, beside, rest)) return;
  note(s, LEFTOVER, s->index, beside->tile - 1, rest->start, rest->end - rest->start, operand);
}
