#include "../../../simulator/native/passes/flow/intervals.h"

#include <map>
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
    for (uint64_t byte = at->start; byte < at->end; byte++) found[byte] = at->by;
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
  CHECK(all.reaching(0)->by == 1);
  CHECK(all.reaching(7)->by == 1);
  CHECK(all.reaching(8)->by == 2);
  CHECK(all.reaching(12) == all.none());
  CHECK(all.from(5)->by == 2);
  CHECK(all.before(all.from(4)) == all.none());
}

TEST(a_cut_leaves_two_with_the_same) {
  All all;
  give(all, 0, 10, 3);
  CHECK(all.cut_at(4)->start == 4);
  CHECK(all.begin()->end == 4);
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
    CHECK(all.reaching(start)->by == by);
  }
}

// So many that pages are cut, emptied and taken out, in pages of pages.
TEST(thousands_that_come_and_go) {
  All all;
  std::map<uint64_t, int> wanted;
  uint64_t random = 1;
  auto draw = [&](uint64_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % below;
  };
  for (int by = 1; by <= 60000; by++) {
    bool shrinks = by / 20000 == 1;
    uint64_t start = by > 40000 ? 8 * (by - 40000) : 8 * draw(20000);
    auto known = wanted.find(start);
    if (shrinks && known == wanted.end()) known = wanted.lower_bound(start);
    if (shrinks && known != wanted.end()) {
      all.erase(all.from(known->first));
      wanted.erase(known);
    } else if (!shrinks && known == wanted.end()) {
      all.insert(all.from(start), {start, start + 8, by});
      wanted[start] = by;
    }
    auto found = all.from(start + 1);
    auto next = wanted.upper_bound(start);
    CHECK((found == all.none()) == (next == wanted.end()));
    if (next != wanted.end()) CHECK(found->by == next->second);
  }
  auto at = all.begin();
  for (const auto& [start, by] : wanted) {
    CHECK(at->start == start && at->by == by);
    ++at;
  }
  CHECK(at == all.none());
  while (!all.empty()) all.erase(all.begin());
  give(all, 0, 8, 1);
  CHECK(all.from(0)->by == 1);
}

// What is taken out at the front of a page of pages and comes again there: keys below all that the page has kept.
TEST(windows_that_empty_and_fill) {
  All all;
  std::map<uint64_t, int> wanted;
  uint64_t random = 7;
  auto draw = [&](uint64_t below) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    return (random >> 33) % below;
  };
  for (int wave = 1; wave < 300; wave++) {
    uint64_t low = draw(40000), high = low + 1 + draw(20000);
    bool fills = draw(2), down = draw(2);
    for (uint64_t n = low; n < high; n++) {
      uint64_t start = 8 * (down ? high - 1 - (n - low) : n);
      bool known = wanted.count(start);
      if (fills && !known) {
        all.insert(all.from(start), {start, start + 8, wave});
        wanted[start] = wave;
      } else if (!fills && known) {
        auto at = all.from(start);
        CHECK(at != all.none() && at->start == start);
        if (at == all.none()) return;
        all.erase(at);
        wanted.erase(start);
      }
    }
    for (uint64_t start = 0; start < 8 * 60000; start += 8 * 61) {
      auto found = all.from(start);
      auto next = wanted.lower_bound(start);
      if ((found == all.none()) != (next == wanted.end()) || (next != wanted.end() && found->start != next->first)) {
        CHECK(!"what was put in is found");
        return;
      }
    }
  }
}
