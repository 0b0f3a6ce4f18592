#include "advices.h"

namespace mlusim {

Advices::Advices(const Scene& scene) : scene_(scene) {
  auto wanted = [&](Kind kind) { return scene.log.work.advice >> kind & 1; };
  if (wanted(LEFTOVER)) leftover_.emplace(scene);
  if (wanted(MIXED)) mixed_.emplace(scene);
  if (wanted(OVERRUN)) overrun_.emplace(scene);
  if (wanted(PARTIAL)) partial_.emplace(scene);
  if (wanted(SHIFTED)) shifted_.emplace(scene);
  if (wanted(TWICE)) twice_.emplace(scene);
  if (wanted(UNFED)) unfed_.emplace(scene);
  if (wanted(UNTAKEN)) untaken_.emplace(scene);
}

void Advices::begin() {
  const Record& r = *scene_.record;
  if (leftover_) leftover_->begin();
  if (mixed_) mixed_->takes();
  if (scene_.scalar) return;
  for (uint32_t n = 0; n < scene_.operands.count; n++) {
    const Operand& from = scene_.operands[n];
    if (scene_.operands.writes(n) || from.lanes || !from.bytes || scene_.log.on_device(from.key)) continue;
    if (scene_.log.is_scattered(r, from)) continue;
    const Taken taken{from, n, scene_.ranges.reaching(from.key)};
    const bool in_one = is_in_one(taken);  // most often it is
    if (!in_one) {
      if (shifted_) shifted_->takes(taken);
      if (overrun_) overrun_->takes(taken);
      if (twice_) twice_->takes(taken);
    }
    if (leftover_ && (!in_one || leftover_->has_some())) leftover_->takes(taken);
    if (unfed_) unfed_->takes(taken);
  }
}

// Whether all that a record takes lies in one range.
bool Advices::is_in_one(const Taken& taken) const {
  if (taken.first == scene_.ranges.none()) return false;
  const Range& first = *taken.first;
  return first.start <= taken.start() && first.end >= taken.end();
}

void Advices::end() {
  if (leftover_) leftover_->end();
}

void Advices::finish() {
  if (unfed_) unfed_->finish();
  if (untaken_) untaken_->finish();
}

void Advices::touches(const Piece& piece) {
  if (leftover_) leftover_->touches(piece);
}

void Advices::picks(uint64_t start, uint64_t end) {
  Ranges& ranges = scene_.ranges;
  for (auto at = ranges.reaching(start); at != ranges.none() && at->start < end; ++at) {
    at->vague = true;
    at->picked |= scene_.scalar;
  }
}

void Advices::look_at_parts(const Piece& piece, const Parts& parts) {
  if (untaken_) untaken_->reads(piece, parts);
  if (leftover_ && scene_.scalar) leftover_->scalar_reads(piece, parts);
  if (partial_ && parts.size() > 1) partial_->takes_parts(piece, parts, true);
}

void Advices::takes_parts(const Piece& piece, const Parts& parts, bool whole) {
  if (partial_) partial_->takes_parts(piece, parts, whole);
}

void Advices::overwrites(Ranges::At at, int64_t operand) {
  if (untaken_) untaken_->overwrites(at, operand);
  if (mixed_) mixed_->overwrites(*at);
}

}  // namespace mlusim
