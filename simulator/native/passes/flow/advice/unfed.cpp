#include "unfed.h"

namespace mlusim {

void Unfed::takes(const Taken& taken) {
  const Log& log = scene_.log;
  bool written = false, data = false;
  for (auto at = taken.first; at != scene_.ranges.none() && at->start < taken.end(); ++at) {
    if (!at->written()) continue;
    const Record& maker = log.record(at->maker());
    written = true;
    data |= log.is_scalar(maker) || log.operands(maker).count > 1;
  }
  if (!written || is_changed(taken)) return;
  const Record& r = *scene_.record;
  Line& line = lines_[{r.op, taken.operand, taken.start(), taken.from.bytes}][r.loc];
  (data ? line.data : line.fills)++;
  if (!data && line.record < 0) line.record = scene_.index;
}

// Whether the record writes what it takes: it adds to it.
bool Unfed::is_changed(const Taken& taken) const {
  for (uint32_t n = 0; n < scene_.operands.count; n++) {
    const Operand& made = scene_.operands[n];
    if (scene_.operands.writes(n) && made.key < taken.end() && taken.start() < end_of(made)) return true;
  }
  return false;
}

// Notes lines that have taken fills alone where another one has always taken data.
void Unfed::finish() const {
  for (const auto& [place, lines] : lines_) {
    const Line *hungry = nullptr, *fed = nullptr;
    for (const auto& [loc, line] : lines) {
      if (line.fills && !line.data && (!hungry || line.record < hungry->record)) hungry = &line;
      if (line.data && !line.fills) fed = &line;
    }
    if (!hungry || !fed) continue;
    const Operand& from = scene_.log.operands(scene_.log.record(hungry->record))[std::get<1>(place)];
    scene_.causes.note(UNFED, hungry->record, hungry->record, from.key, from.bytes, std::get<1>(place));
  }
}

}  // namespace mlusim
