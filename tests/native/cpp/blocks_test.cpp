#include "blocks.h"

#include "process.h"
#include "python.h"
#include "ranges.h"
#include "test.h"

using namespace mlusim;

namespace {

// Memory of the running task with flags, and what was asked about.
struct Scene {
  alignas(8) uint8_t bytes[64] = {};
  uint8_t flags[64] = {};
  mlusim_holes holes;
  mlusim_range range;
  mlusim_task task{};

  Scene()
      : holes{(uint64_t)bytes, (uint64_t)(bytes + 64), flags, 0, 0, 0x3f},
        range{(uint64_t)bytes, (uint64_t)(bytes + 64), &holes, 0, 0, 0, UINT64_MAX, 0} {
    mlusim_callbacks answers{};
    answers.unwritten = [](uint64_t address, uint64_t size, int64_t) {
      asked = address;
      asked_size = size;
    };
    answers.drain = [](const mlusim_run*, uint64_t, mlusim_rows*, int32_t) {};
    process.in_kernel = 0;  // a test before has gone back to the code of its kernel
    mlusim_connect(&answers, nullptr, 0, 0, 0, 1);
    task.ranges = &range;
    task.range_count = 1;
    mlusim_current = &task;
    asked = asked_size = 0;
    blocks.forget_task();
  }
  uint64_t at(uint64_t offset) const { return range.start + offset; }

  static uint64_t asked, asked_size;
};
uint64_t Scene::asked, Scene::asked_size;

}  // namespace

TEST(a_copy_takes_along_which_bytes_are_missing) {
  Scene scene;
  memset(scene.flags, 1, 12);
  blocks.wait(scene.range, scene.at(0), 16, 1);
  CHECK(scene.bytes[12] == 0x3f);  // as all fresh memory of this launch
  blocks.begin_access(scene.at(32), 16, true);
  CHECK(blocks.need_flags());
  blocks.end_access(scene.range, scene.at(32), 16, true);
  CHECK(!blocks.need_flags() && !Scene::asked);
  for (int i = 0; i < 16; i++) CHECK(scene.flags[32 + i] == (i < 12));
  CHECK(memory.touched == MLUSIM_TAKEN_AWAY);
}

TEST(a_gap_of_a_structure_is_no_missing_byte) {
  Scene scene;
  memset(scene.flags, 1, 16);
  scene.flags[1] = scene.flags[2] = scene.flags[3] = 0;  // a char, then an int
  blocks.wait(scene.range, scene.at(0), 16, 1);
  blocks.is_whole();
  blocks.leave();
  CHECK(!blocks.need_flags() && !Scene::asked);
}

TEST(what_goes_to_a_local_variable_and_never_comes_back_was_used) {
  Scene scene;
  memset(scene.flags, 1, 8);
  blocks.wait(scene.range, scene.at(0), 16, 1);
  blocks.leave();
  CHECK(blocks.need_flags() && !Scene::asked);
  blocks.release(0, UINT64_MAX);
  CHECK(Scene::asked == scene.at(8) && Scene::asked_size == 8);
}

TEST(a_block_that_comes_back_takes_what_is_missing_along) {
  Scene scene;
  memset(scene.flags, 1, 8);
  memset(scene.bytes, 7, 8);
  blocks.wait(scene.range, scene.at(0), 16, 1);
  blocks.leave();
  memcpy(scene.bytes + 32, scene.bytes, 16);
  blocks.end_access(scene.range, scene.at(32), 16, true);
  blocks.leave();
  for (int i = 0; i < 16; i++) CHECK(scene.flags[32 + i] == (i < 8));
  blocks.release(0, UINT64_MAX);
  CHECK(!Scene::asked);
}
