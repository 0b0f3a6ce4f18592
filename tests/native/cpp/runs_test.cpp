#include "runs.h"

#include <string>
#include <vector>

#include "process.h"
#include "python.h"
#include "ranges.h"
#include "test.h"

using namespace mlusim;

namespace {

std::vector<mlusim_run> drained;
std::vector<mlusim_row> rows;
mlusim_task task;

void take(const mlusim_run* given, const mlusim_row* records, uint64_t count, uint64_t row_count, int32_t) {
  drained.assign(given, given + count);
  rows.insert(rows.end(), records, records + row_count);
}

// A launch with one task, of which nothing is drained yet.
void begin() {
  mlusim_callbacks answers{};
  answers.drain = take;
  mlusim_connect(&answers, nullptr, 0, 3, 9);
  mlusim_current = &task;
  mlusim_scalar_work = 0;
  mlusim_strict = 0;
  mlusim_seen = 1;
  drained.clear();
  rows.clear();
  runs.begin();
}

mlusim_range memory_at(uint64_t start) { return {start, start + 4096, nullptr, 1 << 20, 5, 6, UINT64_MAX, 0}; }

}  // namespace

TEST(accesses_at_one_stride_are_one_run) {
  begin();
  mlusim_range range = memory_at(1000);
  for (uint64_t i = 0; i < 10; i++) runs.add({1000 + 8 * i, 4, 1, 77}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 1 && rows.size() == 1);
  CHECK(drained[0].times == 10 && drained[0].stride == 8 && drained[0].apart && !drained[0].uneven);
  CHECK(rows[0].op == 6 && rows[0].pipe == 3 && rows[0].work == 10);
  CHECK(rows[0].operands[0].key == 1 << 20 && rows[0].operands[0].bytes == 76);
  CHECK(rows[0].operands[1].key == 8 && rows[0].operands[1].bytes == 4);
}

TEST(a_run_grows_to_both_sides) {
  begin();
  mlusim_range range = memory_at(1000);
  for (uint64_t address : {1040u, 1044u, 1036u}) runs.add({address, 4, 0, 77}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 1 && drained[0].low == 1036 && drained[0].high == 1048 && drained[0].uneven);
  CHECK(rows[0].op == 5 && rows[0].operands[0].key == (1 << 20) + 36 && rows[0].operands[0].bytes == 12);
}

TEST(places_ranges_and_kinds_of_access_are_apart) {
  begin();
  mlusim_range one = memory_at(1000), other = memory_at(9000);
  runs.add({1000, 4, 0, 77}, one);
  runs.add({1000, 4, 1, 77}, one);
  runs.add({1000, 4, 0, 78}, one);
  runs.add({9000, 4, 0, 77}, other);
  runs.add({1004, 4, 1 | ATOMICALLY, 77}, one);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 5 && rows.size() == 5);
  CHECK(rows[4].flags == MLUSIM_ATOMIC && !rows[3].flags);
}

TEST(what_a_place_had_before_a_drain_is_no_open_run) {
  begin();
  mlusim_range one = memory_at(1000), other = memory_at(9000);
  other.key = one.key + 8000;  // of the same owner
  runs.add({1000, 4, 0, 77}, one);
  runs.add({9000, 4, 0, 77}, other);
  runs.drain(UINT64_MAX, 0);
  rows.clear();
  runs.add({9000, 4, 0, 77}, other);
  runs.add({1000, 4, 0, 77}, one);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 2 && rows.size() == 2);
}

TEST(an_instruction_stands_behind_the_runs_before_it) {
  begin();
  mlusim_range range = memory_at(1000);
  mlusim_seen = 0;
  runs.add({1000, 4, 1, 77}, range);
  runs.issued(12, 2, MLUSIM_BLOCKING, 80, 64).operands[0].bytes = 256;
  runs.add({1000, 4, 1, 77}, range);
  CHECK(rows.empty());
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.empty() && rows.size() == 3 && rows[0].op == 6 && rows[2].op == 6);
  CHECK(rows[1].op == 12 && rows[1].pipe == 2 && rows[1].flags == MLUSIM_BLOCKING && rows[1].pc == 80);
  CHECK(rows[1].work == 64 && rows[1].operands[0].bytes == 256);
}

TEST(where_runs_are_watched_runs_go_without_what_was_before_them) {
  begin();
  mlusim_range range = memory_at(1000);
  runs.issued(12, 2, 0, 80, 64);
  runs.add({1000, 4, 1, 77}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 1 && rows.size() == 2 && rows[0].op == 12 && rows[1].op == 6);
}

TEST(many_instructions_are_handed_over_in_parts) {
  begin();
  for (uint64_t i = 0; i < 3000; i++) runs.issued(12, 2, 0, 80, i);
  CHECK(rows.size() >= 2000);
  runs.drain(UINT64_MAX, 0);
  CHECK(rows.size() == 3000);
  for (uint64_t i = 0; i < rows.size(); i++) CHECK(rows[i].work == i);
}

TEST(where_runs_are_watched_each_run_keeps_to_one_stride) {
  begin();
  mlusim_strict = 1;
  mlusim_range range = memory_at(1000);
  for (uint64_t address : {1000u, 1004u, 1008u, 1100u}) runs.add({address, 4, 0, 77}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 2 && drained[0].times == 3 && drained[1].times == 1);
}

TEST(operations_belong_to_the_line_behind_them) {
  begin();
  mlusim_range range = memory_at(1000);
  mlusim_scalar_work = 12;
  runs.add({1000, 4, 0, 77}, range);
  mlusim_scalar_work += 5;
  runs.drain(WORTH, 99);  // too few for a record
  CHECK(rows.size() == 2 && rows[1].op == 9 && rows[1].pc == 77 && rows[1].work == 12);
  mlusim_scalar_work += WORTH;
  rows.clear();
  runs.drain(WORTH, 99);
  CHECK(drained.empty() && rows.size() == 1 && rows[0].pc == 99 && rows[0].work == WORTH + 5);
}

TEST(a_load_right_behind_a_load_is_under_way_with_it) {
  begin();
  mlusim_range range = memory_at(1000);
  runs.add({1000, 4, 0, 77}, range);
  runs.add({1100, 4, 0, 78}, range);
  runs.add({1200, 4, 1, 79}, range);
  runs.add({1300, 4, 0, 80}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(rows[0].gaps == 0 && rows[1].gaps == 1 && rows[2].gaps == 0 && rows[3].gaps == 0);
}

TEST(which_runs_there_are_does_not_depend_on_where_the_code_lies) {
  for (uint64_t code = 0; code < 50; code++) {
    begin();
    mlusim_range range = memory_at(4096 * code);
    uint64_t place = code;
    for (int time = 0; time < 4; time++, place = code)
      for (int position = 0; position < 200; position++) {
        place = place * 6364136223846793005u + 1442695040888963407u;
        runs.add({range.start + 4 * (uint64_t)time, 4, 0, (int64_t)(place >> 16)}, range);
      }
    runs.drain(UINT64_MAX, 0);
    CHECK(drained.size() == 200 && rows.size() == 200);
  }
}

TEST(more_runs_than_there_is_room_for_are_handed_over) {
  begin();
  mlusim_range range = memory_at(0);
  for (int64_t pc = 1; pc <= Runs::MOST + 1; pc++) runs.add({8, 4, 0, pc}, range);
  CHECK(drained.size() == Runs::MOST);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 1 && drained[0].pc == Runs::MOST + 1);
}
