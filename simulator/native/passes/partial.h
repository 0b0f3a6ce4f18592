// Tiles that an instruction in place has changed in part, and that are used as a whole. Part of hazards.c.
#pragma once
#include "knowledge.h"

// What the record does with an operand that it writes: it has read the same bytes, or makes a tile of what it reads.
static void explain(const State* s, const Operand* written, Access* now) {
  const Work* w = s->work;
  const Record* r = s->record;
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++) {
    const Operand* other = w->operand + r->first + n;
    if (w->writes[w->first_write[r->op] + n]) continue;
    now->is_tile = 1;
    if (other->key == written->key && other->bytes == written->bytes && !other->lanes) now->in_place = 1;
  }
}

// Whether an operand of a record is of separate runs of bytes.
static int is_scattered(const Work* w, const Record* r, const Operand* operand) {
  uint32_t wanted = (uint32_t)(operand - w->operand);
  int64_t low = 0, high = r->gaps ? w->runs : 0;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (w->run[middle].operand < wanted) low = middle + 1;
    else high = middle;
  }
  return r->gaps && low < w->runs && w->run[low].operand == wanted;
}

// The operand of a record on the device, NULL if it has none.
static const Operand* far_operand(const Work* w, const Record* r) {
  for (const Operand *o = w->operand + r->first, *end = o + w->operand_count[r->op]; o < end; o++)
    if (o->bytes && w->on_device[o->key >> (OFFSET_BITS + OWNER_BITS)]) return o;
  return NULL;
}

// Whether a store takes bytes back to where a load has found them, on the device.
static int takes_back(const State* s, const Record* load) {
  const Operand *from = far_operand(s->work, load), *to = far_operand(s->work, s->record);
  const Operand *there = s->work->operand + load->first, *here = s->work->operand + s->record->first;
  return from && to && from == there + 1 && to == here && from->key - there->key == to->key - here[1].key;
}

enum { MOST_TOGETHER = 64 };  // ranges that are looked at together
enum { LINE = 128, ROUND = 64, MOST_PADDING = 256 };  // bytes of a line of vector units; of 64 elements, to which counts are rounded up

// Whether another operand of a record, as long as one that begins at `start`, has an edge of what is in it as far behind
// its beginning: both tiles are so long, and a wrong count would be that of one.
static int ends_alike(State* s, uint64_t start, uint64_t bytes, uint64_t used) {
  const Operand* operand = s->work->operand + s->record->first;
  for (uint32_t n = 0; n < s->work->operand_count[s->record->op]; n++, operand++) {
    if (operand->key == start || operand->bytes != bytes) continue;
    Range* path[LEVELS];
    const Range* at = before(&s->ranges, operand->key + used + 1, path);
    if (at != s->ranges.head && at->start == operand->key + used) return 1;
  }
  return 0;
}

// Whether the last bytes of what is used only fill up its last line: counts are rounded up, and what is computed of the
// rest is dropped.
static int is_padding(State* s, uint64_t start, uint64_t end, const Range* rest) {
  uint64_t used = rest->start - start, left = end - rest->start;
  uint64_t most = (end - start) % (2 * MOST_PADDING) ? MOST_PADDING : 2 * MOST_PADDING;  // or to 128
  if (rest->end < end || left >= most || (end - start) % LINE != 0 || used % LINE == 0) return 0;
  return left < used || (left == used && ends_alike(s, start, end - start, used));
}

// Scalar code accesses elements of a tile in no pattern: as many as it likes are left of the tile then.
static void pick(State* s, uint64_t start, uint64_t end) {
  Range *path[LEVELS], *at = before(&s->ranges, start, path);
  if (at == s->ranges.head || at->end <= start) at = at->next[0];
  for (; at && at->start < end; at = at->next[0]) at->picked = 1;
}

// Whether a tile is short: the little that there is of it has been computed, and nobody looks at the rest.
static int is_short(const Operand* changed, const Range* rest) {
  return rest->end - rest->start > changed->bytes;
}

// The first operand that a record writes.
static const Operand* result_of(const Work* w, const Record* r) {
  uint32_t n = 0;
  while (n + 1 < w->operand_count[r->op] && !w->writes[w->first_write[r->op] + n]) n++;
  return &w->operand[r->first + n];
}

// Whether the tile that a range is of has bytes outside of some.
static int reaches_beyond(const State* s, const Range* range, uint64_t start, uint64_t end) {
  if (!range->tile) return 0;
  const Operand* tile = result_of(s->work, &s->work->records[range->tile - 1]);
  return tile->key < start || tile->key + tile->bytes > end;
}

// Of two pieces of one tile that are used together, one is as an instruction in place has left it, the other is not.
static void compare_pieces(State* s, const Range* one, const Range* other, uint64_t start, uint64_t end,
                           int64_t operand) {
  const Record* all = s->work->records;
  if (!one->tile || one->tile != other->tile || one->changed == other->changed) return;
  const Range* less = one->changed < other->changed ? one : other;
  const Record *last = &all[(less == one ? other : one)->changed - 1], *before = &all[less->changed - (less->changed > 0)];
  const Record* now = s->record;
  if (is_padding(s, start, end, other)) return;
  if (less->changed && last->op == before->op && last->loc == before->loc) return;  // piece by piece
  if (last->op == now->op && last->loc == now->loc) return;                         // a window that moves
  const Operand *tile = result_of(s->work, &all[one->tile - 1]), *part = result_of(s->work, last);
  const Range* more = less == one ? other : one;
  if (less->start < more->start) return;  // the first elements begin a recurrence
  if (part->key >= tile->key && is_short(part, less)) return;
  if (all[one->tile - 1].task != now->task || takes_back(s, &all[one->tile - 1])) return;
  note(s, PARTIAL, s->index, (int64_t)(last - all), less->start, less->end - less->start, operand);
}

// Whether an instruction has written exactly these bytes.
static int wrote(const State* s, uint32_t tile, uint64_t start, uint64_t end) {
  const Work* w = s->work;
  const Record* r = &w->records[tile - 1];
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++) {
    const Operand* o = w->operand + r->first + n;
    if (w->writes[w->first_write[r->op] + n] && o->key == start && o->key + o->bytes == end) return 1;
  }
  return 0;
}

// Pieces of bytes that are used together: one that is left of a tile that was all of them, one that has come later.
typedef struct {
  const Range *whole, *later;
} Together;

static void put_together(const State* s, Together* t, const Range* range, uint64_t start, uint64_t end) {
  if (!range->tile) return;
  if (!t->whole && wrote(s, range->tile, start, end)) t->whole = range;
  else if (!t->whole || t->whole->tile != range->tile) t->later = range;
}

static void compare_together(State* s, const Together* t, uint64_t start, uint64_t end, int64_t operand) {
  if (!t->whole || !t->later || t->later->tile < t->whole->tile || t->whole->picked) return;
  const Record *whole = &s->work->records[t->whole->tile - 1], *later = &s->work->records[t->later->tile - 1];
  if (whole->task != s->record->task || (later->op == s->record->op && later->loc == s->record->loc)) return;
  if (takes_back(s, whole) || is_padding(s, start, end, t->whole) || is_short(result_of(s->work, later), t->whole)) return;
  if (later->gaps) return;  // rows, which are shorter than the tile's and leave the end of each
  if (s->work->flow[later->op] == BY_DATA) return;  // as many as there are
  note(s, PARTIAL, s->index, t->later->tile - 1, t->whole->start, t->whole->end - t->whole->start, operand);
}
