#include "hazards.h"

#include <algorithm>

namespace mlusim {

// Two accesses have no order: whether that is a fault.
void Hazards::tell(const Access& earlier, const Range& range, const Piece& piece) {
  bool same_core = earlier.group == piece.now.group && earlier.slot == piece.now.slot;
  if (same_core) {
    if (scene_.record->flags & MLUSIM_BLOCKING) {  // it waits for what it depends on
      order_.wait_for(earlier.pipe);
      return;
    }
    if (earlier.is_atomic || (piece.now.is_atomic && !earlier.is_async)) return;
  } else if (!scene_.log.work.whole || repeats(earlier, piece.on_device)) {
    return;
  }
  uint64_t start = std::max(range.start, piece.start), end = std::min(range.end, piece.end);
  scene_.note(same_core ? HAZARD : RACE, earlier.record, start, end - start, piece.operand);
}

// Whether a memory core does at a line what another core does there: of its stores another rule speaks.
bool Hazards::repeats(const Access& earlier, bool on_device) const {
  const Record &now = *scene_.record, &before = scene_.log.record(earlier.record);
  int64_t plain = scene_.log.work.plain_cores;
  return on_device && now.loc == before.loc && (now.core >= plain) != (before.core >= plain);
}

}  // namespace mlusim
