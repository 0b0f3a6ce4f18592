#include "warps.h"

#include "test.h"

using namespace simt;

namespace {

// The row of one load of a warp; thread i loads `bytes` at `address(i)`.
template <class Address>
simt_row loaded(simt_space space, uint64_t bytes, Address address) {
  Warps warps;
  uint32_t place = warps.place(77, space, SIMT_LOAD);
  for (uint64_t thread = 0; thread < 32; thread++) {
    warps.turn((uint32_t)thread);
    warps.access(place, 4, address(thread), bytes, false);
  }
  std::vector<simt_row> rows;
  warps.end_block(rows);
  CHECK(rows.size() == 1 && rows[0].pc == 77 && rows[0].block == 4);
  return rows[0];
}

}  // namespace

TEST(neighbours_share_a_transaction) {
  simt_row row = loaded(SIMT_GLOBAL, 4, [](uint64_t thread) { return 4096 + 4 * thread; });
  CHECK(row.units[0] == 0 && row.units[1] == 0 && row.units[2] == 1);
  CHECK(row.requested == 128 && row.address == 4096);
}

TEST(threads_far_apart_have_one_each) {
  simt_row row = loaded(SIMT_GLOBAL, 4, [](uint64_t thread) { return 4096 + 512 * thread; });
  CHECK(row.units[0] == 32 && row.units[1] == 0 && row.units[2] == 0);
}

TEST(half_a_segment_is_one_of_64_bytes) {
  simt_row row = loaded(SIMT_GLOBAL, 2, [](uint64_t thread) { return 4096 + 2 * thread; });
  CHECK(row.units[0] == 0 && row.units[1] == 1 && row.units[2] == 0);
}

TEST(words_of_one_bank_are_one_pass_each) {
  CHECK(loaded(SIMT_SHARED, 4, [](uint64_t thread) { return 4096 + 4 * thread; }).units[2] == 1);
  CHECK(loaded(SIMT_SHARED, 4, [](uint64_t thread) { return 4096 + 8 * thread; }).units[2] == 2);
  CHECK(loaded(SIMT_SHARED, 4, [](uint64_t thread) { return 4096 + 128 * thread; }).units[2] == 32);
  CHECK(loaded(SIMT_SHARED, 4, [](uint64_t) { return 4096; }).units[2] == 1);  // all read the same word
}

TEST(bytes_that_are_touched_become_ranges_in_order) {
  Touched touched;
  for (uint64_t thread = 0; thread < 4; thread++) {  // two loads each, of halves of an array that lie side by side
    touched.add(64 + 4 * thread, 68 + 4 * thread, 0);
    touched.add(16 + 4 * thread, 20 + 4 * thread, 1);
  }
  touched.add(100, 104, 2);
  touched.merge();
  CHECK(touched.ranges.size() == 3);
  CHECK(touched.ranges[0].start == 16 && touched.ranges[0].end == 32);
  CHECK(touched.ranges[1].start == 64 && touched.ranges[1].end == 80);
  CHECK(touched.ranges[2].start == 100 && touched.ranges[2].end == 104);
}
