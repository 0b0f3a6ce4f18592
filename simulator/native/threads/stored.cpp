#include "stored.h"

#include <string.h>

#include <algorithm>

namespace simt {

void Stored::lose(int64_t pc, uint64_t number, uint32_t thread) {
  Line& line = lines_[pc];
  line.losers.set(thread);
  uint32_t value;
  memcpy(&value, (const void*)(number * WORD), WORD);
  Fate& fate = line.words[number];
  ++fate.lost;
  fate.value = value;
  line.differ |= line.any && value != line.value;
  line.any = true;
  line.value = value;
}

Stored::Page* Stored::page(uint64_t number, bool make) {
  uint64_t which = number / PAGE;
  auto& [known, page] = recent_[which % RECENT];
  if (page && known == which) return page;
  auto found = pages_.find(which);
  if (found == pages_.end()) {
    if (!make) return nullptr;
    found = pages_.emplace(which, std::make_unique<Page>()).first;
  }
  known = which;
  return page = found->second.get();
}

void Stored::clear() {
  pages_.clear();
  std::fill_n(recent_, RECENT, Recent{});
}

void Stored::note(int64_t pc, simt_access kind, uint64_t address, uint64_t size, uint32_t thread) {
  for (uint64_t number = address / WORD; number <= (address + size - 1) / WORD; ++number) {
    Page* found = page(number, kind == SIMT_STORE);
    if (!found) continue;
    int64_t& last = found->pc[number % PAGE];
    uint16_t& writer = found->thread[number % PAGE];
    if (kind == SIMT_STORE) {
      ++lines_[pc].words[number].times;
      if (last == pc) lose(pc, number, writer);
      writer = uint16_t(thread);
    } else if (last) {
      lines_[last].loaders.set(thread);
    }
    last = kind == SIMT_STORE ? pc : 0;
  }
}

void Stored::end_block() {
  for (const auto& [which, page] : pages_)
    for (uint64_t at = 0; at < PAGE; ++at)
      if (page->pc[at]) lose(page->pc[at], which * PAGE + at, page->thread[at]);
  clear();
}

// Whether all words that were lost have neighbours that were, with their value: the last element of a row, repeated.
bool Stored::Line::is_padding() const {
  auto is_lost = [&](uint64_t number, uint32_t value) {
    auto found = words.find(number);
    return found != words.end() && found->second.lost && found->second.value == value;
  };
  for (const auto& [number, fate] : words)
    if (fate.lost && !is_lost(number - 1, fate.value) && !is_lost(number + 1, fate.value)) return false;
  return true;
}

std::vector<simt_stored> Stored::lines() const {
  std::vector<simt_stored> found;
  for (const auto& [pc, line] : lines_) {
    simt_stored one{pc, line.words.size(), 0, 0, line.differ && !line.is_padding() && !line.is_kept(), 0};
    uint64_t first = ~uint64_t(0), last = 0;
    for (const auto& [number, fate] : line.words) {
      first = std::min(first, number);
      last = std::max(last, number);
      if (fate.lost) ++(fate.lost == fate.times && fate.times > 1 ? one.lost : one.some);
    }
    auto lost = [&](uint64_t number) { return line.words.count(number) && line.words.at(number).lost; };
    one.ends = lost(first) && lost(last);
    found.push_back(one);
  }
  return found;
}

}  // namespace simt
