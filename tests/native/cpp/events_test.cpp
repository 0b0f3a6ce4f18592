#include "events.h"

#include "test.h"

using namespace simt;

namespace {

simt_event at(uint64_t address, simt_access access, uint64_t block = 0) {
  return {77, address, 4, block, 0, SIMT_GLOBAL, access};
}

}  // namespace

TEST(of_blocks_that_write_a_byte_what_comes_up_to_their_last_write_is_kept) {
  Events events;
  CHECK(!events.asked());
  events.begin_launch(4098);
  CHECK(events.asked());
  for (uint64_t block = 0; block < 3; ++block) {
    events.add(at(8192, SIMT_LOAD, block));
    events.add(at(block == 1 ? 4100 : 4096, SIMT_STORE, block));
    events.add(at(4096, SIMT_LOAD, block));
    events.end_block();
  }
  CHECK(events.all().size() == 4);
  for (const simt_event& event : events.all()) CHECK(event.block != 1);
  CHECK(events.all()[0].access == SIMT_LOAD && events.all()[3].access == SIMT_STORE);
  events.begin_launch(4098);
  CHECK(events.all().empty());
}

TEST(of_many_events_the_last_are_kept) {
  Events events;
  events.begin_launch(4096);
  for (uint64_t i = 0; i < 3 * MOST_EVENTS; ++i) events.add(at(8192 + i, SIMT_LOAD));
  events.add(at(4096, SIMT_ATOMIC));
  CHECK(events.all().size() <= 2 * MOST_EVENTS && events.all().size() >= MOST_EVENTS);
  CHECK(events.all().back().address == 4096);
  CHECK(events.all()[events.all().size() - 2].address == 8192 + 3 * MOST_EVENTS - 1);
}
