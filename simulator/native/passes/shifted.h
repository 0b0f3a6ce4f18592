// Tiles that are taken beside where they begin or end, and results that nobody takes. Part of hazards.c.
#pragma once
#include "leftover.h"

enum { HOLE = 8, FEW_HOLES = 2, MANY_PIECES = 8, MOST_LOOKED_AT = 256 };

// The bytes of a range were made so late that those of another are what lay there before.
static int is_older(const Range* one, const Range* other) { return !one->write.seq || maker_of(one) < maker_of(other); }

// Whether a tile fills an operand up: its bytes are as many or more, or are if they are rounded up to whole lines.
static int fits(const Operand* tile, const Operand* from, const Range* range, uint64_t late, int loads) {
  if (tile->bytes == from->bytes || (!range->tile && tile->bytes > from->bytes)) return 1;
  return range->tile && tile->bytes < from->bytes && tile->bytes + late != from->bytes && from->bytes % ROUND == 0 &&
         (loads ? from->bytes - tile->bytes < 2 * MOST_PADDING : from->bytes < 2 * tile->bytes);
}

// What a record takes begins a little before a tile that would fill it up: with what is left of an older tile there, or
// with what nobody has written.
static void find_late_tile(State* s, const Operand* from, const Range* first, const Range* tile, int64_t operand) {
  const Work* w = s->work;
  uint64_t late = tile->start - from->key;
  if (!late || late >= LINE || late >= from->bytes || !tile->write.seq) return;
  const Record* maker = &w->records[maker_of(tile)];
  const Operand* made = result_of(w, maker);
  if (w->flow[maker->op] == SCALAR || made->key != tile->start) return;
  int slot = tile->next[0] && tile->next[0]->start == tile->end && tile->end == from->key + made->bytes;  // of a row
  if (!slot && !fits(made, from, tile, late, far_operand(w, maker) != NULL)) return;
  if (is_scattered(w, maker, made)) return;
  if (first->write.seq) {
    const Operand* old = result_of(w, &w->records[maker_of(first)]);
    if (!is_older(first, tile) || old->key + old->bytes <= tile->start) return;  // as long as it is: the head of a tile
  }
  if (maker->op == s->record->op && maker->loc == s->record->loc) return;  // a window that moves
  note(s, SHIFTED, s->index, maker_of(tile), from->key, late, operand);
}

// What a record takes is a tile and the beginning of the next one, which another instruction has made.
static void find_overread(State* s, const Operand* from, const Range* first, const Range* next, int64_t operand) {
  const Work* w = s->work;
  uint64_t end = from->key + from->bytes;
  if (!first->tile || !next->tile || next->changed || first->end != next->start) return;
  const Record *one = &w->records[first->tile - 1], *other = &w->records[next->tile - 1];
  const Operand *tile = result_of(w, one), *beyond = result_of(w, other);
  if (tile->key != from->key || tile->key + tile->bytes != first->end) return;
  if (beyond->key != next->start || beyond->key + beyond->bytes <= end || next->end < end) return;
  if (one->loc == other->loc || is_scattered(w, one, tile) || is_scattered(w, other, beyond)) return;
  note(s, OVERREAD, s->index, next->tile - 1, next->start, end - next->start, operand);
}

// What a record takes is a tile, all of the next one, and bytes behind it that nobody has written, and is no whole number
// of tiles as far apart as these.
static void find_next_tile(State* s, const Operand* from, const Range* first, const Range* next, int64_t operand) {
  const Work* w = s->work;
  uint64_t end = from->key + from->bytes, apart = next->start - from->key;
  if (!first->tile || !next->tile || next->end >= end || (from->bytes % apart) == 0) return;
  if (next->next[0] && next->next[0]->start < end) return;
  const Record *one = &w->records[first->tile - 1], *other = &w->records[next->tile - 1];
  const Operand *tile = result_of(w, one), *beyond = result_of(w, other);
  if (tile->key != from->key || tile->key + tile->bytes != first->end || one->loc == other->loc) return;
  if (beyond->key != next->start || beyond->key + beyond->bytes != next->end) return;
  note(s, OVERREAD, s->index, next->tile - 1, next->start, next->end - next->start, operand);
}

// Whether somebody has taken what a range holds: who has made it in place has taken what it held before.
static int was_read(const Range* range) {
  for (uint32_t i = 0; i < range->count; i++)
    if (range->others[i].record != range->write.record) return 1;
  return 0;
}

// What a record takes begins an element or two behind what instructions of one line have made, which nobody has taken, and
// goes on as far behind the end of that.
static void find_slip(State* s, const Operand* from, const Range* previous, const Range* first, int64_t operand) {
  const Work* w = s->work;
  uint64_t start = first->start, end = from->key + from->bytes;
  if (!first->write.seq) return;
  const Record* maker = &w->records[first->write.record];
  if (is_scattered(w, maker, result_of(w, maker))) return;
  if (start == from->key) {
    if (previous == s->ranges.head || previous->end != start || !previous->write.seq) return;
    const Record* other = &w->records[previous->write.record];
    if (other->op != maker->op || other->loc != maker->loc) return;
    start = previous->start;
  }
  uint64_t late = from->key - start;
  if (late > HOLE || late >= from->bytes || was_read(previous)) return;
  Range *path[LEVELS], *last = before(&s->ranges, end - late, path), *rest = last->next[0];
  if (last == s->ranges.head || last->end != end - late || !last->write.seq) return;
  if (rest && rest->start < end && (rest->start != end - late || !is_older(rest, last) || !is_older(rest, first))) return;
  note(s, SHIFTED, s->index, first->write.record, end - late, late, operand);
}

// Between the tiles that a store takes there is a hole of an element or two, in which an older one shows.
static void find_hole(State* s, const Operand* from, const Range* first, int64_t operand) {
  uint64_t end = from->key + from->bytes;
  const Range *previous = first, *hole = NULL, *behind = NULL;
  int holes = 0, pieces = 1;
  for (const Range* at = first->next[0]; at && at->start < end; previous = at, at = at->next[0]) {
    const Range* next = at->next[0];
    if (at->start != previous->end || ++pieces > MOST_LOOKED_AT) return;
    if (at->end - at->start > HOLE || !next || next->start != at->end || next->end > end) continue;
    if (!at->write.seq || !previous->write.is_tile || !next->write.is_tile) continue;
    if (!is_older(at, previous) || !is_older(at, next)) continue;
    holes++;
    hole = at;
    behind = next;
  }
  if (!holes || holes > FEW_HOLES || pieces < MANY_PIECES * holes) return;
  note(s, SHIFTED, s->index, maker_of(behind), hole->start, hole->end - hole->start, operand);
}

// Whether a result is the last one of a row of pieces, which may be rounded up.
static int is_last_piece(State* s, const Record* r, const Operand* made) {
  Range *path[LEVELS], *at = before(&s->ranges, made->key, path);
  if (at == s->ranges.head || at->end != made->key || !at->write.seq) return 0;
  const Record* other = &s->work->records[at->write.record];
  return other->op == r->op && other->loc == r->loc;
}

// What a record takes begins with the end of a result that has begun before it, and goes on with the tile that was there.
static void find_overrun(State* s, const Operand* from, const Range* first, const Range* rest, int64_t operand) {
  const Work* w = s->work;
  uint64_t end = from->key + from->bytes;
  if (!first->write.seq || !rest->write.seq || first->end != rest->start) return;
  if (rest->write.record >= first->write.record) return;
  const Record *last = &w->records[first->write.record], *before = &w->records[maker_of(rest)];
  const Operand *over = result_of(w, last), *tile = result_of(w, before);
  if (over->key >= from->key || over->key + over->bytes != first->end) return;
  if (tile->key != from->key || tile->key + tile->bytes <= first->end || rest->end > end) return;
  if (w->flow[last->op] == SCALAR || (last->op == before->op && last->loc == before->loc)) return;
  if (last->op == s->record->op && last->loc == s->record->loc) return;
  if (is_last_piece(s, last, over)) return;
  note(s, OVERRUN, s->index, first->write.record, from->key, first->end - from->key, operand);
}

// Looks at how an operand on the chip begins, before the record changes anything.
static void look_at_beginning(State* s, const Operand* from, int64_t operand) {
  Range *path[LEVELS], *at = before(&s->ranges, from->key + 1, path);
  static const Range nobody;
  if (at != s->ranges.head && at->end > from->key && at->end < from->key + from->bytes) {
    const Range* previous = at->start == from->key ? before(&s->ranges, from->key, path) : at;
    find_slip(s, from, previous, at, operand);
  }
  if (at == s->ranges.head || at->end <= from->key) {
    if ((at = at->next[0])) find_late_tile(s, from, &nobody, at, operand);
    return;
  }
  if (at->end >= from->key + from->bytes || !at->next[0]) return;
  const Range* next = at->next[0];
  find_late_tile(s, from, at, next, operand);
  if (s->stores) find_hole(s, from, at, operand);
  if (at->start != from->key) return;
  find_overrun(s, from, at, next, operand);
  find_overread(s, from, at, next, operand);
  find_next_tile(s, from, at, next, operand);
}

// Whether the record that overwrites a range takes it itself.
static int is_read_now(const State* s, const Range* range) {
  const Work* w = s->work;
  const Record* r = s->record;
  if (!r) return 0;
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++) {
    const Operand* o = w->operand + r->first + n;
    if (!w->writes[w->first_write[r->op] + n] && o->key < range->end && range->start < o->key + o->bytes) return 1;
  }
  return 0;
}

// Whether a record makes bits of elements: the last byte of them may be there for a whole one.
static int packs(const Work* w, const Record* r, const Operand* made) {
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++)
    if (w->operand[r->first + n].bytes > 4 * made->bytes) return 1;
  return 0;
}

// What is known of the results of instructions at a line; NULL where there are too many lines.
static Place* place_of(State* s, const Record* r) {
  uint64_t hash = ((uint64_t)r->op << 32 | r->loc) * 0x9e3779b97f4a7c15u;
  for (uint32_t at = hash >> (64 - PLACES_BITS), tries = 0; tries < MOST_TRIES; at = (at + 1) % PLACES, tries++) {
    Place* place = &s->places[at];
    if (!place->used) *place = (Place){.used = 1, .op = r->op, .loc = r->loc};
    if (place->op == r->op && place->loc == r->loc) return place;
  }
  return NULL;
}

// Counts what becomes of an end of a result, or of all of it.
static void count(Fate* fate, int taken, int64_t later, int64_t earlier, uint64_t key, uint64_t bytes) {
  if (taken) fate->taken = 1;
  else if (!fate->lost++) fate->later = later, fate->earlier = earlier, fate->key = key, fate->bytes = bytes;
}

// The last instruction but the scalar unit's that has taken a range, -1 for none.
static int64_t reader_of(const State* s, const Range* range) {
  const Work* w = s->work;
  for (uint32_t i = range->count; i-- > 0;) {
    uint32_t record = range->others[i].record;
    if (record != range->write.record && w->flow[w->records[record].op] != SCALAR) return record;
  }
  return -1;
}

// A range is gone, at a record or (-1) at the end: how it has fared, where it is an end of a result, or all of it.
static void retire(State* s, const Range* previous, const Range* range, int64_t later) {
  const Work* w = s->work;
  if (!range->write.seq) return;
  const Record* r = &w->records[range->write.record];
  const Operand* made = result_of(w, r);
  uint64_t end = made->key + made->bytes;
  if (made->lanes || (range->start != made->key && range->end != end) || w->flow[r->op] >= SCALAR) return;
  Place* place = place_of(s, r);
  if (!place) return;
  int taken = was_read(range) || is_read_now(s, range);
  uint32_t by = range->write.record;
  if (range->start == made->key && range->end == end) {
    int unused = range->write.is_tile && (w->flow[r->op] != LANES || far_operand(w, r));
    if (taken || unused) count(&place->all, taken, later < 0 ? by : later, by, made->key, made->bytes);
    if (taken) place->head.taken = place->tail.taken = 1;
    return;
  }
  if (taken) place->all.taken = 1;
  const Range* other = range->start == made->key ? range->next[0] : previous;
  Fate* fate = range->start == made->key ? &place->head : &place->tail;
  if (taken) fate->taken = 1;
  uint64_t bytes = range->end - range->start;
  if (taken || (bytes > HOLE && 2 * bytes != made->bytes) || !other || other == s->ranges.head) return;
  if (!range->write.is_tile || (fate == &place->tail && packs(w, r, made))) return;
  if (other->write.record != by || (other->start != range->end && other->end != range->start)) return;
  if (fate == &place->tail && made->bytes % ROUND == 0) return;  // rounded up
  int64_t reader = reader_of(s, other);
  if (reader >= 0) count(fate, 0, reader, by, range->start, range->end - range->start);
}

// All that a write puts an end to.
static void retire_all(State* s, Range* previous, uint64_t start, uint64_t end) {
  for (Range* range = previous->next[0]; range && range->start < end; previous = range, range = range->next[0])
    if (range->start >= start) retire(s, previous, range, s->index);
}

// Notes the lines of whose results nobody has ever taken an end, or anything.
static void tell_places(State* s) {
  Work* w = s->work;
  s->record = NULL;
  for (Range *previous = s->ranges.head, *range; (range = previous->next[0]); previous = range)
    if (!w->on_device[range->start >> (OFFSET_BITS + OWNER_BITS)]) retire(s, previous, range, -1);
  for (int n = 0; n < PLACES; n++) {
    const Place* place = &s->places[n];
    const Fate* fates[] = {&place->all, &place->head, &place->tail};
    for (int i = 0; i < 3; i++)
      if (fates[i]->lost > !i && !fates[i]->taken)  // one may be the last of a loop
        note(s, i ? UNTAKEN : UNUSED, fates[i]->later, fates[i]->earlier, fates[i]->key, fates[i]->bytes, 0);
  }
}
