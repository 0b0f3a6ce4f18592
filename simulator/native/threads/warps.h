// How the accesses of the threads of a warp become transactions.
//
// The threads of a warp run one after the other. The k-th access that each of them makes at one place counts as one
// access of the warp. Of global memory, a warp's access is the set of 32-byte sectors that it touches; of shared
// memory, the set of 4-byte words.
#pragma once
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

constexpr uint64_t WINDOW = 64;  // units of memory that one mask stands for
constexpr uint64_t UNIT[] = {32, 4};
constexpr size_t MOST_PIECES = 1 << 20;  // that a launch keeps

struct Window {
  uint64_t base, mask;
  int32_t next;  // in the spare windows of its place, or -1
};

// Bytes of arrays that a block touches at a place.
struct Touched {
  std::vector<simt_range> ranges;
  std::vector<size_t> recent;  // the range that the k-th access of a thread went into last
  size_t room = 1 << 12;

  // The k-th access of a thread: most often it goes on where its last one, or that of the thread before, has ended.
  void add(uint64_t start, uint64_t end, size_t k) {
    if (ranges.size() >= room) {
      merge();
      room = std::max(room, 2 * ranges.size());
    }
    if (k >= recent.size()) recent.resize(k + 1, ranges.size());
    size_t last = ranges.size() - 1;
    if (!ranges.empty() && goes_on(last, start)) {
      recent[k] = last;
    } else if (recent[k] >= ranges.size() || !goes_on(recent[k], start)) {
      recent[k] = ranges.size();
      ranges.push_back({start, end});
    }
    ranges[recent[k]].end = std::max(ranges[recent[k]].end, end);
  }

  bool goes_on(size_t range, uint64_t start) const {
    return ranges[range].start <= start && start <= ranges[range].end;
  }

  // In the order of their addresses, none beside another.
  void merge();
};

// One place of the source that accesses one space in one way.
struct Place {
  int64_t pc = 0;
  simt_space space = SIMT_GLOBAL;
  simt_access access = SIMT_LOAD;
  uint64_t thread = 0;  // the turn of a thread that accessed it last, and how often it has in this turn
  uint64_t times = 0;
  std::vector<Window> warp;   // the accesses of the running warp, the first window of each
  std::vector<Window> spare;  // their further windows
  uint64_t used = 0;          // the block that it has a row of, plus 1
  simt_row row{};
  Touched touched;
};

class Warps {
 public:
  // The place of an instruction; the number stays the same for the launch.
  uint32_t place(int64_t pc, simt_space space, simt_access access) {
    uint64_t key = (uint64_t)pc << 3 | (uint64_t)space << 2 | (uint64_t)access;
    Known& known = recent_[(key * 0x9e3779b97f4a7c15u) >> 54];
    if (known.key == key) return known.number;
    auto found = numbers_.find(key);
    if (found == numbers_.end()) {
      found = numbers_.emplace(key, (uint32_t)places_.size()).first;
      places_.emplace_back();
      places_.back().pc = pc;
      places_.back().space = space;
      places_.back().access = access;
    }
    known = {key, found->second};
    return known.number;
  }

  const Place& at(uint32_t number) const { return places_[number]; }

  // Another thread runs, or the same one goes on after a barrier; `warp` is that of the block which it is in.
  void turn(uint32_t thread) {
    uint32_t warp = thread / SIMT_WARP;
    if (warp != warp_) flush();
    warp_ = warp;
    ++turn_;
  }

  // `array`: the bytes are those of an array.
  void access(uint32_t number, uint64_t block, uint64_t address, uint64_t size, bool array) {
    Place& place = places_[number];
    if (place.used != block + 1) {
      place.used = block + 1;
      place.row = simt_row{place.pc, block, address, 0, {0, 0, 0}, place.space, place.access};
      in_block_.push_back(number);
    }
    place.row.requested += size;
    place.row.address = std::min(place.row.address, address);
    if (place.thread != turn_) {
      place.thread = turn_;
      place.times = 0;
    }
    if (place.warp.empty()) in_warp_.push_back(number);
    uint64_t index = place.times++;
    if (array && exact) place.touched.add(address, address + size, index);
    uint64_t unit = address / UNIT[place.space], last = (address + size - 1) / UNIT[place.space];
    if (index == place.warp.size()) place.warp.push_back({unit / WINDOW, 0, -1});
    for (; unit <= last; ++unit) mark(place, index, unit);
  }

  // The threads of a block have come to a barrier, or to their end; or threads of a warp have seen each other's values.
  void flush();

  // Its rows of all places, one for each.
  void end_block(std::vector<simt_row>& rows);

  bool exact = false;              // keep which bytes of arrays are touched
  std::vector<simt_piece> pieces;  // by the numbers of their rows
  bool too_many() const { return pieces.size() > MOST_PIECES; }

 private:
  struct Known {
    uint64_t key;
    uint32_t number;
  };

  static void mark(Place& place, uint64_t index, uint64_t unit) {
    uint64_t base = unit / WINDOW, bit = uint64_t(1) << (unit % WINDOW);
    Window* window = &place.warp[index];
    while (window->base != base && window->next >= 0) window = &place.spare[window->next];
    if (window->base == base) {
      window->mask |= bit;
      return;
    }
    window->next = (int32_t)place.spare.size();
    place.spare.push_back({base, bit, -1});
  }

  void keep(Touched& touched, uint64_t row);

  std::unordered_map<uint64_t, uint32_t> numbers_;
  Known recent_[1024] = {};
  std::vector<Place> places_;
  std::vector<uint32_t> in_warp_, in_block_;
  uint32_t warp_ = 0;
  uint64_t turn_ = 0;
};

}  // namespace simt
