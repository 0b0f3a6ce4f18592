#include "warps.h"

namespace simt {

namespace {

// Each aligned segment of 128 bytes is one transaction, as small as what is touched of it allows.
void transactions(Place& place, const Window& first) {
  for (const Window* window = &first;; window = &place.spare[window->next]) {
    for (uint64_t mask = window->mask; mask; mask >>= 4) {
      unsigned part = mask & 15;
      if (part) ++place.row.units[part & 3 && part & 12 ? 2 : (part & (part - 1)) ? 1 : 0];
    }
    if (window->next < 0) return;
  }
}

// A pass serves one word of each of the 32 banks.
void passes(Place& place, const Window& first) {
  unsigned words[32] = {}, most = 0;
  for (const Window* window = &first;; window = &place.spare[window->next]) {
    for (uint64_t mask = window->mask; mask; mask &= mask - 1)
      most = std::max(most, ++words[__builtin_ctzll(mask) & 31]);
    if (window->next < 0) break;
  }
  place.row.units[2] += most;
}

}  // namespace

void Warps::flush() {
  for (uint32_t number : in_warp_) {
    Place& place = places_[number];
    for (const Window& window : place.warp) {
      if (place.space == SIMT_GLOBAL)
        transactions(place, window);
      else
        passes(place, window);
    }
    place.warp.clear();
    place.spare.clear();
  }
  in_warp_.clear();
  ++turn_;
}

void Touched::merge() {
  recent.clear();
  std::sort(ranges.begin(), ranges.end(), [](simt_range a, simt_range b) { return a.start < b.start; });
  size_t last = 0;
  for (const simt_range& range : ranges)
    if (range.start <= ranges[last].end)
      ranges[last].end = std::max(ranges[last].end, range.end);
    else
      ranges[++last] = range;
  ranges.resize(std::min(ranges.size(), last + 1));
}

void Warps::keep(Touched& touched, uint64_t row) {
  touched.merge();
  size_t first = pieces.size();
  for (const simt_range& range : touched.ranges) {
    uint64_t run = range.end - range.start;
    simt_piece* last = pieces.size() > first ? &pieces.back() : nullptr;
    uint64_t apart = last ? range.start - (last->start + (last->count - 1) * last->stride) : 0;
    if (last && last->run == run && (last->count == 1 || last->stride == apart)) {
      last->stride = apart;
      ++last->count;
    } else if (!too_many()) {
      pieces.push_back({row, range.start, run, 0, 1});
    }
  }
  touched.ranges.clear();
  touched.recent.clear();
}

void Warps::end_block(std::vector<simt_row>& rows) {
  flush();
  for (uint32_t number : in_block_) {
    if (exact) keep(places_[number].touched, rows.size());
    rows.push_back(places_[number].row);
  }
  in_block_.clear();
}

}  // namespace simt
