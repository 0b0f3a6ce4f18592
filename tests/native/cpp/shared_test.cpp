#include "shared.h"

#include "test.h"

using namespace simt;

namespace {

// A launch of a block with one variable in shared memory; it was never accessed.
struct Scene {
  Shared memory;
  uint64_t start;

  explicit Scene(uint64_t bytes) {
    memory.begin_launch(0, 0x3f);
    start = memory.variable("tile", "k.cu", 7, bytes, &memory);
    memory.begin_block(0);
  }
};

}  // namespace

TEST(a_variable_has_one_place_in_all_blocks) {
  Scene scene(64);
  CHECK(scene.memory.variable("tile", "k.cu", 7, 64, &scene.memory) == scene.start);
  uint64_t other = scene.memory.variable("tile", "k.cu", 8, 64, &scene.memory);
  CHECK(other >= scene.start + 64 + APART);
  CHECK(scene.memory.find(scene.start + 63)->start == scene.start);
  CHECK(scene.memory.find(other)->start == other);
}

TEST(an_access_passes_the_end_of_no_variable) {
  Scene scene(64);
  CHECK(scene.memory.inside(scene.start, 64));
  CHECK(*(const uint8_t*)(scene.start + 63) == 0x3f);  // as all fresh memory of this launch
  CHECK(!scene.memory.inside(scene.start + 60, 8));
  CHECK(!scene.memory.inside(scene.start + 64, 1));
  CHECK(!scene.memory.inside(scene.memory.dynamic_start(), 1));  // the launch has asked for none
  CHECK(scene.memory.bytes == 64);
}

TEST(what_this_block_has_not_written_is_uninitialized) {
  Scene scene(64);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 0, 1).what == Clash::UNINITIALIZED);
  CHECK(scene.memory.access(scene.start, 4, SIMT_STORE, 0, 1).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 0, 1).what == Clash::NONE);
  scene.memory.begin_block(1);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 0, 1).what == Clash::UNINITIALIZED);
}

TEST(two_threads_race_until_a_barrier) {
  Scene scene(64);
  scene.memory.access(scene.start, 4, SIMT_STORE, 0, 1);
  Clash clash = scene.memory.access(scene.start + 3, 4, SIMT_LOAD, 5, 2);
  CHECK(clash.what == Clash::RACE && clash.address == scene.start + 3 && clash.thread == 0 && clash.place == 1);
  scene.memory.barrier();
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 5, 2).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 6, 2).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_STORE, 6, 3).what == Clash::RACE);  // thread 5 reads it
}

TEST(atomics_do_not_race_with_one_another) {
  Scene scene(64);
  scene.memory.access(scene.start, 4, SIMT_STORE, 0, 1);
  scene.memory.barrier();
  CHECK(scene.memory.access(scene.start, 4, SIMT_ATOMIC, 0, 1).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_ATOMIC, 1, 1).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_STORE, 0, 2).what == Clash::RACE);
}

TEST(a_fence_orders_the_threads_of_its_warp_alone) {
  Scene scene(64);
  scene.memory.access(scene.start, 4, SIMT_STORE, 0, 1);
  scene.memory.fence(0);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 5, 2).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_STORE, 6, 3).what == Clash::RACE);  // thread 5 reads it in this phase
  scene.memory.fence(0);
  CHECK(scene.memory.access(scene.start, 4, SIMT_STORE, 7, 4).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 40, 5).what == Clash::RACE);  // of another warp
}

TEST(readers_of_two_warps_are_kept) {
  Scene scene(64);
  scene.memory.access(scene.start, 4, SIMT_STORE, 0, 1);
  scene.memory.barrier();
  for (uint16_t thread : {0, 40, 1}) scene.memory.access(scene.start, 4, SIMT_LOAD, thread, 2);
  scene.memory.fence(0);
  Clash clash = scene.memory.access(scene.start, 4, SIMT_STORE, 2, 3);
  CHECK(clash.what == Clash::RACE && clash.thread == 40);
}

TEST(atomics_of_a_warp_come_before_its_fence) {
  Scene scene(64);
  scene.memory.access(scene.start, 4, SIMT_STORE, 0, 1);
  scene.memory.fence(0);
  for (uint16_t thread : {0, 1, 2})
    CHECK(scene.memory.access(scene.start, 4, SIMT_ATOMIC, thread, 2).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 3, 3).what == Clash::RACE);
  scene.memory.fence(0);
  CHECK(scene.memory.access(scene.start, 4, SIMT_LOAD, 3, 3).what == Clash::NONE);
  CHECK(scene.memory.access(scene.start, 4, SIMT_ATOMIC, 40, 2).what == Clash::RACE);  // thread 3 reads it
}
