#include "races.h"

#include <string.h>

#include <algorithm>

namespace simt {

uint32_t value_of(uint64_t address, uint64_t size) {
  uint64_t low = 0, high = 0;
  if (size == 4) {
    memcpy(&low, (const void*)address, 4);
  } else {
    memcpy(&low, (const void*)address, std::min<uint64_t>(size, 8));
    if (size > 8) memcpy(&high, (const void*)(address + 8), size - 8);
  }
  uint64_t mixed = (low ^ (high * 0xff51afd7ed558ccdu)) * 0x9e3779b97f4a7c15u;
  return uint32_t(mixed >> 32) | 1;
}

void Races::begin_launch(size_t ranges, uint64_t blocks, uint32_t threads) {
  for (Range& range : ranges_) range.elements.drop();
  bool kept = blocks * threads < UINT32_MAX;
  ranges_.assign(kept ? ranges : 0, {});
  warps_.assign((threads + SIMT_WARP - 1) / SIMT_WARP, 0);
  threads_ = threads;
  clock_ = 0;
}

void Races::begin_block(uint64_t block) {
  first_ = block * threads_ + 1;
  barrier_ = told_ = told_by_all_ = 0;
  std::fill(warps_.begin(), warps_.end(), 0);
}

bool Races::apart(uint32_t thread, uint32_t then, uint32_t now) const {
  if (!thread || thread == now || then < told_by_all_) return false;
  if (block_of(thread) != block_of(now)) return true;
  uint32_t warp = in_block(now) / SIMT_WARP;
  return then >= told_ && then >= barrier_ && (in_block(thread) / SIMT_WARP != warp || then >= warps_[warp]);
}

Race Races::load(size_t number, const simt_range& array, uint64_t address, uint64_t size, uint32_t thread,
                 uint16_t place) {
  Range& range = ranges_[number];
  Element* element = range.elements.at(array, address, size);
  if (!element) return {};
  uint32_t now = uint32_t(first_ + thread);
  if (apart(element->reader, element->read, now)) {
    element->another = element->reader;
    element->another_place = element->read_place;
  } else if (!apart(element->another, element->read, now)) {
    element->another = 0;
  }
  element->reader = now;
  element->read = clock_;
  element->read_place = place;
  bool foreign = element->was && apart(element->writer, element->written, now);
  if (!foreign || range.atomic || element->was == value_of(address, size)) return {};
  bool asked = element->asked_place == place || element->asked_place == ANY_PLACE;
  return {Race::LOADS, element->writer, element->write_place, asked};
}

Race Races::store(size_t number, const simt_range& array, uint64_t address, uint64_t size, uint32_t thread,
                  uint16_t place, bool atomic) {
  Range& range = ranges_[number];
  uint16_t unknown = range.loaded && !range.elements.kept() ? ANY_PLACE : NO_PLACE;
  Element* element = range.elements.at(array, address, size);
  if (!element) return {};
  uint32_t now = uint32_t(first_ + thread);
  Element before = *element;
  bool updates = before.reader == now;
  uint16_t asked = updates ? before.read_place : unknown;
  *element = {now, clock_, atomic ? 0 : value_of(address, size), updates ? now : 0, before.read, 0, place, asked,
              0,   asked};  // its own load comes in no order with what others will store
  if (atomic) return {};
  if (updates && apart(before.writer, before.written, now))
    return {Race::UPDATE, before.writer, before.write_place, false};
  if (range.atomic) return {};
  if (apart(before.reader, before.read, now)) return {Race::STORES, before.reader, before.read_place, false};
  if (apart(before.another, before.read, now))
    return {Race::STORES, before.another, before.another_place, before.another_place == asked};
  return {};
}

}  // namespace simt
