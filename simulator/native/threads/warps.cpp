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

void Warps::end_block(std::vector<simt_row>& rows) {
  flush();
  for (uint32_t number : in_block_) rows.push_back(places_[number].row);
  in_block_.clear();
}

}  // namespace simt
