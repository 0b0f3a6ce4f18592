#include "ranges.h"

#include <stdint.h>

#include "test.h"

using namespace mlusim;

TEST(a_range_is_found_by_every_address_in_it) {
  mlusim_range rows[] = {{16, 32, nullptr, 0, 0, 0, 0, 0}, {64, 80, nullptr, 0, 0, 0, 0, 0}};
  CHECK(range_of(rows, 2, 16, 16) == &rows[0]);
  CHECK(range_of(rows, 2, 31, 1) == &rows[0]);
  CHECK(range_of(rows, 2, 79, 1) == &rows[1]);
  CHECK(!range_of(rows, 2, 15, 1));
  CHECK(!range_of(rows, 2, 31, 2));  // passes its end
  CHECK(!range_of(rows, 2, 32, 1));
  CHECK(!range_of(rows, 2, 40, 30));  // between two, into the second
  CHECK(!range_of(rows, 0, 16, 1));
}

TEST(no_size_overflows) {
  CHECK(holds(32, 16, 16));
  CHECK(!holds(32, 16, UINT64_MAX));
  CHECK(!holds(32, 33, 0));
  mlusim_range row = {16, 32, nullptr, 0, 0, 0, 0, 0};
  CHECK(!range_of(&row, 1, 31, UINT64_MAX - 8));
}

TEST(flags_of_all_sizes) {
  uint8_t flags[16];
  memset(flags, 1, sizeof flags);
  for (uint64_t size = 1; size <= 16; size++) CHECK(all_written(flags, size));
  flags[3] = 0;
  for (uint64_t size = 1; size <= 16; size++) CHECK(all_written(flags, size) == (size < 4));
}

TEST(first_writes_are_noted_with_their_bounds) {
  uint8_t flags[16] = {};
  mlusim_holes holes = {100, 116, flags, 0, 0, 0};
  mlusim_range row = {100, 116, &holes, 0, 0, 0, UINT64_MAX, 0};
  Memory noted{};
  noted.note_first_write(row, 104, 4);
  noted.note_first_write(row, 102, 1);
  CHECK(row.touched == 102 && row.until == 108);
  CHECK(!flags[1] && flags[2] && !flags[3] && flags[4] && flags[7] && !flags[8]);
  CHECK(noted.touched == MLUSIM_WRITTEN);
  noted.touched = MLUSIM_TAKEN_AWAY;
  noted.note_first_write(row, 100, 1);
  CHECK(noted.touched == MLUSIM_TAKEN_AWAY);
}

TEST(bytes_may_lack_a_write_between_the_bounds_alone_and_these_follow_what_is_taken_away) {
  uint8_t flags[16] = {};
  mlusim_holes holes = {104, 108, flags, 0, 0, 0};
  mlusim_range row = {100, 116, &holes, 0, 0, 0, UINT64_MAX, 0};
  CHECK(!is_doubtful(row, 100, 4) && is_doubtful(row, 100, 5) && is_doubtful(row, 107, 9) && !is_doubtful(row, 108, 8));
  Memory noted{};
  noted.note_change(row, 110, 2);
  CHECK(holes.lo == 104 && holes.hi == 112 && noted.touched == MLUSIM_TAKEN_AWAY);
  holes.lo = holes.hi = 0;
  CHECK(!is_doubtful(row, 100, 16));
  noted.note_change(row, 110, 2);
  CHECK(holes.lo == 110 && holes.hi == 112);
}

TEST(stores_that_follow_one_another_need_no_flags) {
  mlusim_holes holes = {100, 200, nullptr, 0, 0, 0};
  mlusim_range row = {100, 200, &holes, 0, 0, 0, UINT64_MAX, 0};
  Memory noted{};
  CHECK(!noted.in_order(row, 100, 4, false));  // a load of uninitialized bytes
  CHECK(noted.in_order(row, 120, 4, true));
  noted.note_in_order(row, 120, 4);
  CHECK(noted.in_order(row, 124, 4, true));
  noted.note_in_order(row, 124, 4);
  CHECK(noted.in_order(row, 120, 8, false));
  CHECK(noted.in_order(row, 122, 2, true));    // on what is written
  CHECK(!noted.in_order(row, 132, 4, true));   // leaves a gap
  CHECK(!noted.in_order(row, 126, 4, false));  // passes what is written
  CHECK(row.touched == 120 && row.until == 128);
}
