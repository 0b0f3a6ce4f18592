// Events in the order of time, ties by core and then by record. Part of walk.c.
#pragma once
#include <stdint.h>
#include <stdlib.h>

typedef struct {
  double time;
  int64_t core, record;
} Event;  // a request, a user of a server, or the next departure of a server: its number, its version

typedef struct {
  Event* items;
  int64_t count, room;
} Heap;

static int before(const Event* a, const Event* b) {
  if (a->time != b->time) return a->time < b->time;
  if (a->core != b->core) return a->core < b->core;
  return a->record < b->record;
}

static int push(Heap* heap, double time, int64_t core, int64_t record) {
  if (heap->count == heap->room) {
    int64_t room = heap->room ? 2 * heap->room : 64;
    Event* items = realloc(heap->items, (size_t)room * sizeof *items);
    if (!items) return 0;
    heap->items = items;
    heap->room = room;
  }
  Event new = {time, core, record};
  int64_t at = heap->count++;
  while (at && before(&new, &heap->items[(at - 1) / 2])) {
    heap->items[at] = heap->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->items[at] = new;
  return 1;
}

static Event pop(Heap* heap) {
  Event top = heap->items[0], last = heap->items[--heap->count];
  int64_t at = 0, child;
  while ((child = 2 * at + 1) < heap->count) {
    if (child + 1 < heap->count && before(&heap->items[child + 1], &heap->items[child])) child++;
    if (!before(&heap->items[child], &last)) break;
    heap->items[at] = heap->items[child];
    at = child;
  }
  heap->items[at] = last;
  return top;
}
