#include "runs.h"

#include <string>
#include <vector>

#include "process.h"
#include "python.h"
#include "ranges.h"
#include "test.h"

using namespace mlusim;

namespace {

// A site, by its number.
struct Site {
  uint32_t op, pipe;
  int64_t pc;
};

std::vector<mlusim_run> drained;
std::vector<mlusim_record> rows;
std::vector<mlusim_operand> operands;
std::vector<mlusim_runs> left_out;
std::vector<mlusim_shape> shapes;
std::vector<Site> asked;
mlusim_task task;

void take(const mlusim_run* given, uint64_t count, mlusim_rows* held, int32_t) {
  drained.assign(given, given + count);
  for (uint64_t i = 0; i < held->run_count; i++) {
    left_out.push_back(held->runs[i]);
    left_out.back().operand += (uint32_t)operands.size();
  }
  for (uint64_t i = 0; i < held->shape_count; i++) {
    shapes.push_back(held->shapes[i]);
    shapes.back().record += (uint32_t)rows.size();
    shapes.back().operand += (uint32_t)operands.size();
  }
  rows.insert(rows.end(), held->records, held->records + held->record_count);
  operands.insert(operands.end(), held->operands, held->operands + held->operand_count);
}

uint32_t number(uint32_t op, uint32_t pipe, int64_t pc) {
  asked.push_back({op, pipe, pc});
  return (uint32_t)asked.size() - 1;
}

const Site& site(const mlusim_record& record) { return asked[record.loc]; }

// A launch with one task, of which nothing is drained yet.
void begin(int recorder = 1) {
  mlusim_callbacks answers{};
  answers.drain = take;
  answers.site = number;
  mlusim_connect(&answers, nullptr, 0, 3, 9, recorder);
  mlusim_current = &task;
  mlusim_scalar_work = 0;
  mlusim_strict = 0;
  mlusim_seen = 1;
  drained.clear();
  rows.clear();
  operands.clear();
  left_out.clear();
  shapes.clear();
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
  CHECK(site(rows[0]).op == 6 && site(rows[0]).pipe == 3 && site(rows[0]).pc == 77 && rows[0].work == 10);
  CHECK(operands.size() == 1 && operands[0].key == 1 << 20 && operands[0].bytes == 76);
  CHECK(left_out.size() == 1 && left_out[0].operand == 0 && left_out[0].run == 4 && left_out[0].start == 0);
  CHECK(left_out[0].stride[0] == 8 && left_out[0].count[0] == 10 && left_out[0].count[1] == 1);
}

TEST(a_run_grows_to_both_sides) {
  begin();
  mlusim_range range = memory_at(1000);
  for (uint64_t address : {1040u, 1044u, 1036u}) runs.add({address, 4, 0, 77}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 1 && drained[0].low == 1036 && drained[0].high == 1048 && drained[0].uneven);
  CHECK(site(rows[0]).op == 5 && operands[0].key == (1 << 20) + 36 && operands[0].bytes == 12 && left_out.empty());
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
  runs.issued(12, 2, MLUSIM_BLOCKING, 80, 64);
  runs.operand(7, 256);
  runs.add({1000, 4, 1, 77}, range);
  CHECK(rows.empty());
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.empty() && rows.size() == 3 && site(rows[0]).op == 6 && site(rows[2]).op == 6);
  CHECK(site(rows[1]).op == 12 && site(rows[1]).pipe == 2 && site(rows[1]).pc == 80);
  CHECK(rows[1].flags == MLUSIM_BLOCKING && rows[1].work == 64);
  CHECK(operands.size() == 3 && operands[1].key == 7 && operands[1].bytes == 256);
}

TEST(where_runs_are_watched_runs_go_without_what_was_before_them) {
  begin();
  mlusim_range range = memory_at(1000);
  runs.issued(12, 2, 0, 80, 64);
  runs.add({1000, 4, 1, 77}, range);
  runs.drain(UINT64_MAX, 0);
  CHECK(drained.size() == 1 && rows.size() == 2 && site(rows[0]).op == 12 && site(rows[1]).op == 6);
}

TEST(many_instructions_are_handed_over_in_parts) {
  begin();
  for (uint64_t i = 0; i < 6000; i++) {
    runs.issued(12, 2, 0, 80, i);
    if (i % 2) runs.shape().made_by = i;
    for (uint64_t operand = 0; operand < 4; operand++) runs.operand(i, operand);
  }
  CHECK(rows.size() >= 4000);
  runs.drain(UINT64_MAX, 0);
  CHECK(rows.size() == 6000 && operands.size() == 24000 && shapes.size() == 3000);
  for (uint64_t i = 0; i < rows.size(); i++) CHECK(rows[i].work == i && operands[4 * i + 3].key == i);
  for (const mlusim_shape& shape : shapes)
    CHECK(rows[shape.record].work == shape.made_by && operands[shape.operand].key == shape.made_by);
}

TEST(runs_of_many_tasks_are_handed_over_in_parts) {
  begin();
  mlusim_seen = 0;
  mlusim_range range = memory_at(0);
  for (int time = 0; time < 40; time++) {
    runs.begin();
    for (int64_t pc = 1; pc <= 200; pc++)
      for (uint64_t address : {8u, 80u}) runs.add({address, 4, 0, pc}, range);
    runs.close(WORTH, 0);
  }
  runs.drain(UINT64_MAX, 0);
  CHECK(rows.size() == 8000 && operands.size() == 8000 && left_out.size() == 8000);
  for (uint32_t i = 0; i < rows.size(); i++) CHECK(rows[i].work == 2 && left_out[i].operand == i);
}

TEST(python_is_asked_for_the_number_of_a_site_once) {
  begin();
  const size_t before = asked.size();
  for (int launch = 0; launch < 2; launch++, begin())
    for (int time = 0; time < 3; time++)
      for (int64_t pc = 5000; pc < 5100; pc++) runs.issued(12, 2, 0, pc, 1), runs.issued(13, 2, 0, pc, 1);
  CHECK(asked.size() == before + 200);
  begin(2);  // sites have other numbers there
  runs.issued(12, 2, 0, 5000, 1);
  CHECK(asked.size() == before + 201);
}

TEST(more_sites_than_are_kept_have_their_numbers) {
  begin();
  for (int time = 0; time < 2; time++)
    for (int64_t pc = 0; pc < 10000; pc++) runs.issued(12, 2, 0, pc, (uint64_t)pc);
  runs.drain(UINT64_MAX, 0);
  CHECK(rows.size() == 20000);
  for (const mlusim_record& row : rows) CHECK(site(row).pc == (int64_t)row.work && site(row).op == 12);
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
  CHECK(rows.size() == 2 && site(rows[1]).op == 9 && site(rows[1]).pc == 77 && rows[1].work == 12);
  mlusim_scalar_work += WORTH;
  rows.clear();
  runs.drain(WORTH, 99);
  CHECK(drained.empty() && rows.size() == 1 && site(rows[0]).pc == 99 && rows[0].work == WORTH + 5);
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
