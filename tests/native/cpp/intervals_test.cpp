#include "../../../simulator/native/passes/flow/intervals.h"

#include <vector>

#include "test.h"

namespace {

struct Owned {
  uint64_t start, end;
  int by;
};
using All = mlusim::Intervals<Owned>;

// What each of the first bytes is of, 0 for none.
std::vector<int> bytes(All& all, uint64_t count) {
  std::vector<int> found(count);
  for (auto at = all.begin(); at != all.none(); ++at)
    for (uint64_t byte = at->second.start; byte < at->second.end; byte++) found[byte] = at->second.by;
  return found;
}

// Gives bytes to an owner, whoever had them.
void give(All& all, uint64_t start, uint64_t end, int by) {
  auto behind = all.cut_at(end);
  for (auto at = all.cut_at(start); at != behind;) at = all.erase(at);
  all.insert(behind, {start, end, by});
}

}  // namespace

TEST(what_holds_a_byte_or_begins_behind_it) {
  All all;
  give(all, 4, 8, 1);
  give(all, 8, 12, 2);
  CHECK(all.reaching(0)->second.by == 1);
  CHECK(all.reaching(7)->second.by == 1);
  CHECK(all.reaching(8)->second.by == 2);
  CHECK(all.reaching(12) == all.none());
  CHECK(all.from(5)->second.by == 2);
  CHECK(all.before(all.from(4)) == all.none());
}

TEST(a_cut_leaves_two_with_the_same) {
  All all;
  give(all, 0, 10, 3);
  CHECK(all.cut_at(4)->second.start == 4);
  CHECK(all.begin()->second.end == 4);
  CHECK(bytes(all, 12) == (std::vector<int>{3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0}));
}

TEST(bytes_that_are_given_again_and_again) {
  constexpr uint64_t COUNT = 64;
  All all;
  std::vector<int> wanted(COUNT);
  uint32_t random = 1;
  for (int by = 1; by < 2000; by++) {
    random = random * 1664525 + 1013904223;
    uint64_t start = random >> 8 & 63, end = start + 1 + (random >> 16 & 7);
    if (end > COUNT) continue;
    give(all, start, end, by);
    for (uint64_t byte = start; byte < end; byte++) wanted[byte] = by;
    CHECK(bytes(all, COUNT) == wanted);
    CHECK(all.reaching(start)->second.by == by);
  }
}
