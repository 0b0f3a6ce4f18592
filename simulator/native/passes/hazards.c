// Which accesses of a log are not ordered by its edges: the order of a queue, waits, barriers, the tasks of a core. One
// pass over the records; `compiled.py` fills in `Work`. What is not in a record has happened in the order of the log.
#include "hazards.h"
#include "shifted.h"

// Whether the edges of the log put an access before the record that is looked at.
static int comes_before(State* s, const Access* access, int on_device) {
  if (access->group != s->group) return !on_device;
  if (access->slot == s->slot_now) return s->start[access->pipe] >= access->seq;
  return known(s, s->slot_now, access->slot)[access->pipe] >= access->seq;
}

// Whether a memory core does at a line what another core does there: of its stores another rule speaks.
static int repeats(State* s, const Access* earlier, int on_device) {
  const Record *a = s->record, *b = &s->work->records[earlier->record];
  int64_t plain = s->work->plain_cores;
  return on_device && a->loc == b->loc && (a->core >= plain) != (b->core >= plain);
}

// Compares with an earlier access to bytes of which one of the two has changed some.
static void compare(State* s, const Access* earlier, uint64_t start, uint64_t end, int on_device, int64_t operand) {
  if (on_device && earlier->is_atomic && s->record->flags & ATOMIC) return;
  if (earlier->record == s->index || comes_before(s, earlier, on_device)) return;
  int flags = s->record->flags, same = earlier->group == s->group && earlier->slot == s->slot_now;
  if (same) {
    Core* core = &s->cores[s->slot_now];
    if (flags & BLOCKING) {  // it waits for what it depends on
      learn(core->front, core->end[earlier->pipe], s->work->pipes);
      return;
    }
    if (earlier->is_atomic || ((flags & ATOMIC) && !earlier->is_async)) return;
  } else if (!s->work->whole || repeats(s, earlier, on_device)) {
    return;
  }
  note(s, same ? HAZARD : RACE, s->index, earlier->record, start, end - start, operand);
}

static void look(State* s, Range* range, Access now, uint64_t start, uint64_t end, int on_device, int64_t operand) {
  if (range->start > start) start = range->start;
  if (range->end < end) end = range->end;
  if (range->write.seq) compare(s, &range->write, start, end, on_device, operand);
  for (uint32_t i = 0; i < range->count; i++)
    if (now.kind == WRITE || range->others[i].kind != now.kind)
      compare(s, &range->others[i], start, end, on_device, operand);
}

// A load overwrites all that a load has brought, and nobody has read any of it.
static void lose(State* s, const Range* range, int64_t operand) {
  if (!range->tile || range->count || range->changed || !far_operand(s->work, s->record)) return;
  const Record* load = &s->work->records[range->tile - 1];
  const Operand *made = result_of(s->work, load), *far = far_operand(s->work, load);
  if (!far || far == made || made->key != range->start || made->key + made->bytes != range->end) return;
  if (load->task == s->record->task) note(s, UNUSED, s->index, range->tile - 1, made->key, made->bytes, operand);
}

// Keeps a read or an atomic update; what comes before it, and all but one of other groups, need not be compared again.
static void add(State* s, Range* range, Access now, int on_device) {
  uint32_t kept = 0;
  int older = 0;
  for (uint32_t i = 0; i < range->count; i++) {
    Access* other = &range->others[i];
    if (other->kind == now.kind && (other->record == now.record || comes_before(s, other, on_device))) continue;
    if (other->kind == now.kind && other->group != now.group && older++) continue;
    range->others[kept++] = *other;
  }
  range->count = kept;
  keep(&s->ranges, range, now);
}

// A write in place, which begins where a range does, to a part of a tile: its ranges stay, so that it is known what has
// made each. 0: all that it changes is a tile of its own then, or there are too many.
static int change(State* s, uint64_t start, uint64_t end, Access now, int64_t operand) {
  Range *path[LEVELS], *at = before(&s->ranges, start, path)->next[0], *last = NULL;
  int count = 0, beyond = 0;
  uint64_t reached = start;
  Together together = {NULL, NULL};
  for (Range* range = at; range && range->start < end; last = range, reached = range->end, range = range->next[0]) {
    if (range->start != reached || range->end > end || ++count > MOST_TOGETHER) return 0;
    beyond |= reaches_beyond(s, range, start, end);
    if (last) compare_pieces(s, last, range, start, end, operand);
    put_together(s, &together, range, start, end);
  }
  if (last != at) compare_together(s, &together, start, end, operand);
  if (!beyond) return 0;
  for (Range* range = at; range && range->start < end; range = range->next[0]) {
    look(s, range, now, start, end, 0, operand);
    range->write = now;
    range->count = 0;
    range->changed = now.record + 1;
  }
  if (reached < end) {
    before(&s->ranges, reached, path);
    Range* made = insert(&s->ranges, path, reached, end);
    if (made) made->write = now;
  }
  return 1;
}

// `now.in_place` and `now.is_tile` are of writes on the chip.
static void touch(State* s, uint64_t start, uint64_t end, Access now, int on_device, int64_t operand) {
  Ranges* all = &s->ranges;
  Range* path[LEVELS];
  if (start >= end) return;
  if (!on_device && s->leftovers.head->next[0]) {
    if (now.kind == WRITE) forget_leftovers(s, start, end);
    else if (s->stores) take_leftovers(s, start, end, operand);
  }
  Range* at = before(all, start, path);
  Range* next = at->next[0];
  if (now.kind == WRITE && next && next->start == start && next->end == end) {  // most often
    look(s, next, now, start, end, on_device, operand);
    lose(s, next, operand);
    if (!on_device) retire(s, at, next, s->index);
    next->write = now;
    next->count = 0;
    if (now.in_place && reaches_beyond(s, next, start, end)) next->changed = now.record + 1;
    else next->tile = now.is_tile ? now.record + 1 : 0, next->changed = next->picked = 0;
    return;
  }
  if (at != all->head && at->end > start && !cut(all, path, at, start)) return;
  if (now.kind == WRITE && !on_device) {
    Range *edge = before(all, end, path);
    if (edge != all->head && edge->end > end && !cut(all, path, edge, end)) return;
    retire_all(s, before(all, start, path), start, end);
  }
  if (now.in_place) {
    Range *edge = before(all, end, path), *first = before(all, start, path)->next[0];
    if (first && first->start == start && edge->end > end && before(all, end, path) == edge && !cut(all, path, edge, end))
      return;
    if (change(s, start, end, now, operand)) return;
  }
  before(all, start, path);
  uint64_t done = start;
  Range* last = NULL;
  Together together = {NULL, NULL};
  while (done < end && !all->failed) {
    Range* range = path[0]->next[0];
    if (!range || range->start >= end || range->start > done) {  // nobody has touched it
      uint64_t until = range && range->start < end ? range->start : end;
      if (now.kind != WRITE) {
        Range* made = insert(all, path, done, until);
        if (made) keep(all, made, now);
      }
      done = until;
      continue;
    }
    if (range->end > end) {
      Range* here[LEVELS];
      memcpy(here, path, sizeof here);
      if (!cut(all, here, range, end)) return;
    }
    look(s, range, now, start, end, on_device, operand);
    if (s->scalar && !on_device && now.kind == READ) {
      if (path[0]->end == range->start) take_rest(s, range, path[0], operand);
      if (range->next[0] && range->next[0]->start == range->end) take_rest(s, range, range->next[0], operand);
    }
    done = range->end;
    if (now.kind == WRITE) {
      lose(s, range, operand);
      take_out(all, path);
    } else {
      add(s, range, now, on_device);
      if (last && !on_device) compare_pieces(s, last, range, start, end, operand);
      if (!on_device && (last || range->end < end)) put_together(s, &together, range, start, end);
      last = range;
      for (int level = 0; level < range->levels; level++) path[level] = range;
    }
  }
  if (now.kind == READ) compare_together(s, &together, start, end, operand);
  if (now.kind == WRITE && !all->failed) {
    Range* made = insert(all, path, start, end);
    if (made) made->write = now, made->tile = now.is_tile ? now.record + 1 : 0;
  }
}

enum { MOST_PIECES = 1 << 16 };

// The pieces of an operand in one lane, or where there are no lanes; `run` are those of it in the table of runs.
static void touch_runs(State* s, uint64_t key, uint64_t bytes, const Run* run, const Run* end, Access now, int on_device,
                       int64_t operand) {
  if (run == end) touch(s, key, key + bytes, now, on_device, operand);
  for (; run < end; run++) {
    double pieces = (double)run->count[0] * run->count[1] * run->count[2];
    if (!run->run || pieces > MOST_PIECES) {
      if (s->scalar && !on_device) pick(s, key, key + bytes);
      touch(s, key, key + 1, now, on_device, operand);
      if (bytes > 1) touch(s, key + bytes - 1, key + bytes, now, on_device, operand);
      continue;
    }
    for (uint32_t i = 0; i < run->count[2]; i++)
      for (uint32_t j = 0; j < run->count[1]; j++)
        for (uint32_t k = 0; k < run->count[0]; k++) {
          uint64_t at = key + run->start + i * run->stride[2] + j * run->stride[1] + k * run->stride[0];
          touch(s, at, at + run->run, now, on_device, operand);
        }
  }
}

// Whether the task of a record has ended at a fault: what it would have waited for afterwards is not known.
static int gave_up(const Work* w, const Record* last) {
  for (int64_t i = 0; i < w->faults; i++)
    if (w->fault[i][0] == last->core && w->fault[i][1] == last->task) return 1;
  return 0;
}

static void finish_group(State* s) {
  Work* w = s->work;
  for (int64_t slot = 0; slot < s->slots; slot++) {
    Core* core = &s->cores[slot];
    for (int64_t p = 0; p < w->pipes && w->whole; p++)
      if (core->async_seq[p] > core->front[p] && !gave_up(w, &w->records[core->last_async[p]]))
        note(s, UNWAITED, core->last_async[p], core->last_async[p], 0, 0, 0);
    s->slot[core->core] = -1;
  }
  s->slots = 0;
}

static int64_t slot_of(State* s, int64_t core) {
  if (s->slot[core] >= 0) return s->slot[core];
  int64_t slot = s->slot[core] = (int32_t)s->slots++;
  memset(&s->cores[slot], 0, sizeof s->cores[slot]);
  s->cores[slot].waited = -1;
  s->cores[slot].core = core;
  for (int64_t other = 0; other < s->slots; other++) {
    memset(known(s, slot, other), 0, s->work->pipes * sizeof(uint32_t));
    memset(known(s, other, slot), 0, s->work->pipes * sizeof(uint32_t));
  }
  return slot;
}

// The first record of a barrier: all its members have arrived, and know then what any of them knew.
static void meet(State* s, uint64_t number) {
  Work* w = s->work;
  int32_t *from = s->member + s->first_of[number], *to = s->member + s->first_of[number + 1];
  for (int32_t* m = from; m < to; m++) {
    Core* core = &s->cores[slot_of(s, *m)];
    for (int64_t p = 0; p < w->pipes; p++) learn(core->front, core->end[p], w->pipes);
  }
  for (int64_t other = 0; other < s->slots; other++) {
    uint32_t most[PIPES] = {0};
    for (int32_t* m = from; m < to; m++) {
      int64_t slot = s->slot[*m];
      learn(most, slot == other ? s->cores[slot].front : known(s, slot, other), w->pipes);
    }
    for (int32_t* m = from; m < to; m++)
      if (s->slot[*m] != other) memcpy(known(s, s->slot[*m], other), most, w->pipes * sizeof(uint32_t));
  }
}

// What a record takes of leftovers: it stores them, or makes new ones of them, where its operands are without gaps.
static void look_for_leftovers(State* s, const Operand* operand) {
  const Work* w = s->work;
  const Record* r = s->record;
  const Operand* far = far_operand(w, r);
  int flow = w->flow[r->op];
  s->left = 0;
  s->scalar = flow == SCALAR;
  s->stores = s->scalar || (far && w->writes[w->first_write[r->op] + (far - operand)]);
  if (s->scalar) return;
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++) {
    if (w->writes[w->first_write[r->op] + n] || operand[n].lanes || operand + n == far || !operand[n].bytes) continue;
    if (is_scattered(w, r, operand + n)) continue;
    look_at_beginning(s, operand + n, n);
    if ((flow == LANES || flow == CHANNELS) && !far && !r->gaps) find_leftovers(s, operand + n);
  }
}

static void step(State* s, const Run** run) {
  Work* w = s->work;
  const Record* r = s->record;
  int kind = w->kind[r->op];
  const Operand* operand = w->operand + r->first;
  const Run* end = w->run + w->runs;
  int64_t group = w->tasks_of_group ? r->task / w->tasks_of_group : 0;
  if (group != s->group) {
    finish_group(s);
    s->group = group;
  }
  int64_t slot = s->slot_now = slot_of(s, r->core);
  if (kind == SILENT) {
    while (*run < end && (*run)->operand < r->first + w->operand_count[r->op]) ++*run;
    return;
  }
  Core* core = &s->cores[slot];
  uint64_t waits = w->waits[r->op];
  if (kind == WAITS || kind == MEETS) {
    if (core->waited >= 0 && !(w->waits[w->records[core->waited].op] & ~waits)) w->redundant[core->waited] = 2;
    core->waited = -1;
    if (kind == WAITS) {
      int gains = 0;
      for (int64_t p = 0; p < w->pipes; p++) gains |= waits >> p & 1 && core->issued[p] > core->front[p];
      if (gains) core->waited = s->index;
      else w->redundant[s->index] = !core->unsure;
      core->unsure = 0;
    }
  } else {
    core->waited = -1;
  }
  for (int64_t p = 0; p < w->pipes; p++)
    if (waits >> p & 1) learn(core->front, core->end[p], w->pipes);
  if (kind == MEETS && s->first_of[r->work] < s->first_of[r->work + 1] && s->joined[r->work] == 0) {
    s->joined[r->work] = 1;
    meet(s, r->work);
  }
  memcpy(s->start, core->front, sizeof s->start);
  learn(s->start, core->end[r->pipe], w->pipes);
  uint64_t queues = r->flags & SERIAL ? w->queues[r->op] : 0;
  for (int64_t p = 0; p < w->pipes; p++)
    if (queues >> p & 1) learn(s->start, core->end[p], w->pipes);
  if (!(queues >> r->pipe & 1))  // the end of a section: whatever comes in its queues comes after it
    for (int64_t p = 0; p < w->pipes; p++)
      if (queues >> p & 1) learn(core->end[p], s->start, w->pipes);
  uint32_t seq = ++core->issued[r->pipe];
  Access now = {(uint32_t)s->index, (uint32_t)s->group, seq, (uint16_t)slot, r->pipe, READ,
                (r->flags & ASYNC) != 0, (r->flags & ATOMIC) != 0, 0, 0};
  look_for_leftovers(s, operand);
  for (uint32_t n = 0; n < w->operand_count[r->op]; n++, operand++) {
    const Run* mine = *run;
    while (*run < end && (*run)->operand == r->first + n) ++*run;
    uint64_t space = operand->key >> (OFFSET_BITS + OWNER_BITS);
    int on_device = w->on_device[space], writes = w->writes[w->first_write[r->op] + n];
    if (!operand->bytes) continue;
    if (w->mute && r->core >= w->plain_cores && waits && on_device && writes) continue;
    now.kind = !writes ? READ : now.is_atomic && on_device ? ATOMIC_UPDATE : WRITE;
    now.in_place = now.is_tile = 0;
    if (writes && !on_device) explain(s, operand, &now);
    if (!operand->lanes) touch_runs(s, operand->key, operand->bytes, mine, *run, now, on_device, n);
    for (uint16_t lane = 0; lane < operand->lanes; lane++)
      touch_runs(s, operand->key + (operand->lane + lane) % w->lanes * w->lane_bytes[space], operand->bytes, mine, *run, now,
                 on_device, n);
  }
  if (s->left) keep_leftovers(s, result_of(w, r), w->flow[r->op] == CHANNELS);
  learn(core->end[r->pipe], s->start, w->pipes);
  core->end[r->pipe][r->pipe] = seq;
  if (r->flags & ASYNC) {
    core->last_async[r->pipe] = s->index;
    core->async_seq[r->pipe] = seq;
    core->unsure |= w->in_order >> r->pipe & 1;
  }
  if (r->flags & (BLOCKING | RESULT) || waits) learn(core->front, core->end[r->pipe], w->pipes);
}

// The cores that meet at each barrier.
static int list_members(State* s) {
  Work* w = s->work;
  uint64_t most = 0;
  int64_t met = 0;
  for (int64_t i = 0; i < w->count; i++)
    if (w->kind[w->records[i].op] == MEETS) {
      met++;
      if (w->records[i].work > most) most = w->records[i].work;
    }
  if (most > UINT32_MAX >> 4) return NONSENSE;  // barriers are counted
  s->barriers = (int64_t)most + 2;
  s->first_of = calloc(s->barriers + 1, sizeof *s->first_of);
  s->joined = calloc(s->barriers, sizeof *s->joined);
  s->member = malloc((met + 1) * sizeof *s->member);
  if (!s->first_of || !s->joined || !s->member) return NO_MEMORY;
  for (int64_t i = 0; i < w->count; i++)
    if (w->kind[w->records[i].op] == MEETS) s->first_of[w->records[i].work + 1]++;
  for (int64_t n = 1; n <= s->barriers; n++) s->first_of[n] += s->first_of[n - 1];
  for (int64_t i = 0; i < w->count; i++)
    if (w->kind[w->records[i].op] == MEETS) {
      uint64_t number = w->records[i].work;
      s->member[s->first_of[number] + (int32_t)s->joined[number]++] = w->records[i].core;
    }
  memset(s->joined, 0, s->barriers * sizeof *s->joined);
  return 0;
}

int64_t mlusim_hazards(Work* w) {
  State s = {.work = w, .group = -1, .most = w->cores < w->count ? w->cores : w->count};
  int64_t result = NO_MEMORY;
  s.table_size = 2 * w->room + 1;
  s.cores = malloc(s.most * sizeof *s.cores + 1);
  s.slot = malloc(w->cores * sizeof *s.slot);
  s.others = malloc(s.most * s.most * w->pipes * sizeof *s.others + 1);
  s.table = malloc(s.table_size * sizeof *s.table);
  s.places = calloc(PLACES, sizeof *s.places);
  int opened = open_ranges(&s.ranges) && open_ranges(&s.leftovers);
  if (!s.cores || !s.slot || !s.others || !s.table || !s.places || !opened || (result = list_members(&s))) goto end;
  memset(s.slot, 0xff, w->cores * sizeof *s.slot);
  memset(s.table, 0xff, s.table_size * sizeof *s.table);
  const Run* run = w->run;
  for (int64_t i = 0; i < w->count && !s.ranges.failed && !s.leftovers.failed; i++) {
    s.record = &w->records[i];
    s.index = i;
    step(&s, &run);
  }
  finish_group(&s);
  if (w->whole && !w->faults) tell_places(&s);
  result = s.ranges.failed || s.leftovers.failed ? NO_MEMORY : 0;
end:
  if (s.ranges.head) close_ranges(&s.ranges);
  if (s.leftovers.head) close_ranges(&s.leftovers);
  free(s.cores), free(s.slot), free(s.others), free(s.table), free(s.places), free(s.first_of), free(s.joined), free(s.member);
  return result;
}
