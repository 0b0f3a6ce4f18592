// The walk of replay.py for long logs: the same steps, the same order of every sum, so that both give equal bytes.
// Names are those of replay.py and channels.py, which say what the steps mean.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "walk.h"

static int64_t core_of(const Walk* w, int64_t i) { return w->core_index[w->records[i].core]; }

static void make_ready(State* s, int64_t core) {
  if (s->ready_count == s->ready_room) {
    int64_t room = s->ready_room ? 2 * s->ready_room : 64;
    int64_t* grown = realloc(s->ready, (size_t)room * sizeof *grown);
    if (!grown) {
      s->failed = 1;
      return;
    }
    s->ready = grown;
    s->ready_room = room;
  }
  s->ready[s->ready_count++] = core;
}

static double speed(const Server* server) {
  double share = server->rate / (double)server->users.count;
  return server->core_rate < share ? server->core_rate : share;
}

static void announce(State* s, int64_t number) {
  Server* server = &s->servers[number];
  server->version++;
  if (server->users.count) {
    double left = server->users.items[0].time - server->served;
    double wait = (left > 0.0 ? left : 0.0) / speed(server);
    if (!push(&s->departures, server->at + wait, number, server->version)) s->failed = 1;
  }
}

static void line_up(State* s, Core* core, int64_t i, int own) {
  s->next[i] = -1;
  if (core->head[own] < 0) core->head[own] = i;
  else s->next[core->tail[own]] = (int32_t)i;
  core->tail[own] = i;
  core->open++;
}

static void leave_line(State* s, Core* core, int own) {
  core->head[own] = s->next[core->head[own]];
  core->open--;
}

static void through(State* s, int64_t index, int64_t i, double time) {
  const Walk* w = s->w;
  Core* core = &s->cores[index];
  if (--s->flying[i]) return;
  double done = w->start[i] + w->alone[i];
  w->end[i] = (done > time ? done : time) + w->latency[i];
  if (core->held == i) {
    core->held = -1;
    make_ready(s, index);
    return;
  }
  int own = w->records[i].pipe;
  core->free[own] = w->end[i];
  core->last[own] = i;
  leave_line(s, core, own);
  while ((i = core->head[own]) >= 0) {
    double begin = w->start[i];
    if (core->free[own] > begin) {
      begin = core->free[own];
      w->reason[i] = PIPE;
      w->cause[i] = core->last[own];
    }
    if (w->shared[i]) {
      if (!push(&s->requests, begin, core->number, i)) s->failed = 1;
      break;
    }
    w->start[i] = begin;
    w->end[i] = begin + (w->alone[i] + w->latency[i]);
    core->free[own] = w->end[i];
    core->last[own] = i;
    leave_line(s, core, own);
  }
  if (core->held < 0) make_ready(s, index);
}

static void begin(State* s, int64_t index, int64_t i, double time) {
  const Walk* w = s->w;
  Core* core = &s->cores[index];
  w->start[i] = time;
  for (int64_t k = 0; k < core->servers; k++) {
    int64_t number = w->server_list[core->first_server + k];
    Server* server = &s->servers[number];
    if (server->moved[i] == 0.0) continue;
    s->flying[i]++;
  }
  for (int64_t k = 0; k < core->servers; k++) {
    int64_t number = w->server_list[core->first_server + k];
    Server* server = &s->servers[number];
    if (server->moved[i] == 0.0) continue;
    if (server->users.count) server->served += (time - server->at) * speed(server);
    else server->served = 0.0;
    server->at = time;
    if (!push(&server->users, server->served + server->moved[i], core->number, i)) s->failed = 1;
    announce(s, number);
  }
}

static int lines_of(const Core* core, uint64_t pipes, int64_t count) {
  for (int64_t p = 0; p < count; p++)
    if ((pipes >> p & 1) && core->head[p] >= 0) return 1;
  return 0;
}

static int64_t barrier_of(const Walk* w, int64_t i) {
  int64_t low = 0, high = w->barriers - 1;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (w->barrier_numbers[middle] < w->records[i].work) low = middle + 1;
    else high = middle;
  }
  return low;
}

static void meet(State* s, int64_t index, int64_t i) {
  const Walk* w = s->w;
  int64_t barrier = barrier_of(w, i);
  s->cores[index].held = i;
  s->next[i] = (int32_t)s->arrived_head[barrier];
  s->arrived_head[barrier] = i;
  if (++s->arrived_count[barrier] < w->members[barrier]) return;
  int64_t last = i;
  for (int64_t other = i; other >= 0; other = s->next[other])
    if (w->start[other] > w->start[last] || (w->start[other] == w->start[last] && other > last)) last = other;
  double latest = w->start[last], done = latest + (w->alone[i] + w->latency[i]);
  for (int64_t other = i, after; other >= 0; other = after) {
    after = s->next[other];
    w->end[other] = done;
    if (w->start[other] < latest) {
      w->reason[other] = BARRIER;
      w->cause[other] = last;
    }
    Core* member = &s->cores[core_of(w, other)];
    member->resume_now = done;
    member->resume_why = BARRIER;
    member->resume_who = last;
    member->held = -1;
    make_ready(s, core_of(w, other));
  }
}

// The cores take turns, each at its own place of a log that no cache holds.
static void fetch_ahead(const Walk* w, const Core* core) {
  if (core->end - core->at <= AHEAD) return;
  int64_t i = w->order[core->at + AHEAD];
  __builtin_prefetch(&w->records[i]);
  __builtin_prefetch(&w->alone[i]);
  __builtin_prefetch(&w->latency[i]);
  __builtin_prefetch(&w->start[i], 1);
  __builtin_prefetch(&w->end[i], 1);
  __builtin_prefetch(&w->cause[i], 1);
  for (int64_t k = 0; k < core->servers; k++)
    __builtin_prefetch(&w->moved[w->server_list[core->first_server + k]][i]);
}

// Runs the front end of a core until it has to wait.
static void front(State* s, int64_t index) {
  const Walk* w = s->w;
  Core* core = &s->cores[index];
  if (core->stage == DONE) return;
  if (core->stage != RUNNING) {
    int64_t i = w->order[core->at++];
    if (core->stage == AT_BARRIER) {
      core->now = core->resume_now;
      core->why = core->resume_why;
      core->who = core->resume_who;
    } else {
      core->now = w->end[i];
      core->why = WAIT;
      core->who = i;
      const Record* r = &w->records[i];
      if (!w->waits[r->op]) {
        core->free[r->pipe] = core->now;
        core->last[r->pipe] = i;
      }
    }
    core->stage = RUNNING;
  }
  for (; core->at < core->end; core->at++) {
    int64_t i = w->order[core->at];
    fetch_ahead(w, core);
    const Record* r = &w->records[i];
    int o = r->op, own = r->pipe, flags = r->flags;
    double length = w->alone[i] + (w->shared[i] ? 0.0 : w->latency[i]);
    if ((int64_t)r->task != core->running) {
      if (core->open) return;
      double handed = (double)r->task * w->task_us;
      if (core->running < 0) {
        core->now = handed;
      } else {
        int64_t busiest = 0;
        for (int64_t p = 1; p < w->pipes; p++)
          if (core->free[p] > core->free[busiest]) busiest = p;
        double latest = core->free[busiest], bar = core->now > handed ? core->now : handed;
        core->why = LAUNCH;
        core->who = latest > bar ? core->last[busiest] : -1;
        core->now = latest > bar ? latest : bar;
      }
      core->running = r->task;
    }
    if (flags & SERIAL) {
      uint64_t queues = w->queues[o];
      if (lines_of(core, queues, w->pipes)) return;
      int64_t busiest = -1;
      for (int64_t p = 0; p < w->pipes; p++)
        if ((queues >> p & 1) && (busiest < 0 || core->free[p] > core->free[busiest])) busiest = p;
      for (int64_t p = 0; p < w->pipes; p++)
        if ((queues >> p & 1) && core->free[p] < core->free[busiest]) {
          core->free[p] = core->free[busiest];
          core->last[p] = core->last[busiest];
        }
    }
    if (w->mark[o]) {
      w->start[i] = w->end[i] = core->now;
      w->reason[i] = (uint8_t)core->why;
      w->cause[i] = core->who;
      continue;
    }
    int blocking = flags & BLOCKING, meets = w->meets[o];
    if (!blocking && !w->waits[o] && !meets) {
      w->reason[i] = (uint8_t)core->why;
      w->cause[i] = core->who;
      if (core->head[own] >= 0) {
        w->start[i] = core->now;
        line_up(s, core, i, own);
      } else {
        double from = core->now;
        if (core->free[own] > from) {
          from = core->free[own];
          w->reason[i] = PIPE;
          w->cause[i] = core->last[own];
        }
        w->start[i] = from;
        if (w->shared[i]) {
          line_up(s, core, i, own);
          if (!push(&s->requests, from, core->number, i)) s->failed = 1;
        } else {
          w->end[i] = core->free[own] = from + length;
          core->last[own] = i;
        }
      }
      core->now += w->issue_us;
      core->why = ISSUE;
      core->who = i;
      continue;
    }
    uint64_t gate = blocking ? ~(uint64_t)0 : w->waits[o];
    if (core->open && lines_of(core, gate, w->pipes)) return;
    for (int64_t p = 0; p < w->pipes; p++)
      if ((gate >> p & 1) && core->free[p] > core->now) {
        core->now = core->free[p];
        core->why = p == own && blocking ? PIPE : WAIT;
        core->who = core->last[p];
      }
    w->start[i] = core->now;
    w->reason[i] = (uint8_t)core->why;
    w->cause[i] = core->who;
    if (meets) {
      core->stage = AT_BARRIER;
      meet(s, index, i);
      return;
    }
    if (w->shared[i]) {
      core->stage = HELD;
      core->held = i;
      if (!push(&s->requests, core->now, core->number, i)) s->failed = 1;
      return;
    }
    core->now = w->end[i] = core->now + length;
    core->why = WAIT;
    core->who = i;
    if (!w->waits[o]) {
      core->free[own] = core->now;
      core->last[own] = i;
    }
  }
  core->stage = DONE;
}

// 0; 1 where memory is short; 2 + a core that waits for ever.
int64_t mlusim_walk(const Walk* w) {
  State s = {.w = w};
  int64_t slots = w->cores * w->pipes, result = 0;
  size_t cores = (size_t)(w->cores ? w->cores : 1), servers = (size_t)(w->servers ? w->servers : 1);
  size_t barriers = (size_t)(w->barriers ? w->barriers : 1), records = (size_t)(w->count ? w->count : 1);
  double* frees = calloc((size_t)slots + 1, sizeof *frees);
  int64_t* lists = malloc(((size_t)slots * 3 + 1) * sizeof *lists);
  s.cores = calloc(cores, sizeof *s.cores);
  s.servers = calloc(servers, sizeof *s.servers);
  s.next = malloc(records * sizeof *s.next);
  s.flying = calloc(records, 1);
  s.arrived_count = calloc(barriers, sizeof *s.arrived_count);
  s.arrived_head = malloc(barriers * sizeof *s.arrived_head);
  if (!frees || !lists || !s.cores || !s.servers || !s.next || !s.flying || !s.arrived_count || !s.arrived_head) {
    s.failed = 1;
    goto end;
  }
  for (int64_t k = 0; k < slots * 3; k++) lists[k] = -1;
  for (size_t k = 0; k < barriers; k++) s.arrived_head[k] = -1;
  for (int64_t k = 0; k < w->servers; k++) {
    s.servers[k].rate = w->rate[k];
    s.servers[k].core_rate = w->core_rate[k];
    s.servers[k].moved = w->moved[k];
  }
  for (int64_t k = 0; k < w->cores; k++) {
    Core* core = &s.cores[k];
    core->number = w->core_numbers[k];
    core->at = w->core_records[k];
    core->end = w->core_records[k + 1];
    core->who = core->held = core->running = -1;
    core->why = LAUNCH;
    core->free = frees + k * w->pipes;
    core->last = lists + k * w->pipes * 3;
    core->head = core->last + w->pipes;
    core->tail = core->head + w->pipes;
    core->first_server = w->core_servers[k];
    core->servers = w->core_servers[k + 1] - w->core_servers[k];
    make_ready(&s, k);
  }
  while (!s.failed) {
    while (s.ready_count && !s.failed) front(&s, s.ready[--s.ready_count]);
    while (s.departures.count &&
           s.departures.items[0].record != s.servers[s.departures.items[0].core].version)
      pop(&s.departures);
    double leaves = s.departures.count ? s.departures.items[0].time : INFINITY;
    if (s.requests.count && s.requests.items[0].time < leaves) {
      Event request = pop(&s.requests);
      begin(&s, core_of(w, request.record), request.record, request.time);
    } else if (s.departures.count) {
      Event leaving = pop(&s.departures);
      Server* server = &s.servers[leaving.core];
      Event user = pop(&server->users);
      server->served = user.time;
      server->at = leaving.time;
      announce(&s, leaving.core);
      through(&s, core_of(w, user.record), user.record, leaving.time);
    } else {
      break;
    }
  }
  for (int64_t k = w->cores; k-- > 0;)
    if (s.cores[k].stage != DONE) result = 2 + w->core_numbers[k];
end:
  if (s.failed) result = 1;
  for (int64_t k = 0; s.servers && k < w->servers; k++) free(s.servers[k].users.items);
  free(frees);
  free(lists);
  free(s.cores);
  free(s.servers);
  free(s.next);
  free(s.flying);
  free(s.arrived_count);
  free(s.arrived_head);
  free(s.ready);
  free(s.requests.items);
  free(s.departures.items);
  return result;
}
