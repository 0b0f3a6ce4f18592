#include "heap.h"

#include <string.h>

#include "test.h"

using mlusim::Heap;

TEST(a_block_is_held_from_its_first_to_its_last_byte) {
  Heap heap;
  uint64_t block = (uint64_t)heap.take(nullptr, 24, false);
  CHECK(heap.holds(block, 24));
  CHECK(heap.holds(block + 23, 1));
  CHECK(!heap.holds(block + 20, 5));
  CHECK(!heap.holds(block - 1, 1));
  heap.give((void*)block);
  CHECK(!heap.holds(block, 1));
  heap.empty();
}

TEST(nothing_is_given_back_twice_and_nothing_else) {
  Heap heap;
  char other[8];
  void* block = heap.take(nullptr, 8, false);
  heap.give(block);
  heap.give(block);
  heap.give(other);
  heap.give(nullptr);
  heap.empty();
}

TEST(there_is_a_limit_to_all_that_is_taken) {
  Heap heap;
  CHECK(!heap.take(nullptr, Heap::LIMIT + 1, false));
  void* large = heap.take(nullptr, Heap::LIMIT - 100, false);
  CHECK(large);
  CHECK(!heap.take(nullptr, 101, false));
  heap.give(large);
  void* small = heap.take(nullptr, 101, true);
  CHECK(small && !((char*)small)[100]);
  heap.empty();
}

TEST(a_block_that_moves_takes_its_bytes_along) {
  Heap heap;
  void* block = heap.take(nullptr, 4, false);
  memcpy(block, "abc", 4);
  void* larger = heap.take(block, 1 << 16, false);
  CHECK(!memcmp(larger, "abc", 4));
  CHECK(heap.holds((uint64_t)larger, 1 << 16));
  CHECK(larger == block || !heap.holds((uint64_t)block, 4));
  heap.empty();
  CHECK(!heap.holds((uint64_t)larger, 1));
}

TEST(what_static_initialisers_take_outlives_a_launch) {
  Heap heap;
  void* block = heap.take(nullptr, 16, false, 64);
  CHECK((uint64_t)block % 64 == 0);
  heap.keep();
  heap.empty();
  CHECK(heap.holds((uint64_t)block, 16));
  heap.give(block);
  CHECK(!heap.holds((uint64_t)block, 16));
}
