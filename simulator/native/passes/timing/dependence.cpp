#include "dependence.h"

#include <cstddef>
#include <new>
#include <vector>

namespace mlusim::timing {
namespace {

// The bytes that an instruction writes first of all, by their keys.
struct Made {
  uint64_t begin = 0, end = 0;
};

Made made_by(const mlusim_dependence& w, const mlusim_record& record) {
  for (int64_t k = w.places[record.op]; k < w.places[record.op + 1]; k++) {
    if (!w.writes[k]) continue;
    const mlusim_operand& row = w.operands[record.first + (k - w.places[record.op])];
    return {row.key, row.key + row.bytes};
  }
  return {};
}

bool takes(const mlusim_dependence& w, const mlusim_record& record, const Made& made) {
  for (int64_t k = w.places[record.op]; k < w.places[record.op + 1]; k++) {
    if (w.writes[k]) continue;
    const mlusim_operand& row = w.operands[record.first + (k - w.places[record.op])];
    if (row.key < made.end && row.key + row.bytes > made.begin) return true;
  }
  return false;
}

void find(const mlusim_dependence& w) {
  std::vector<Made> last(static_cast<size_t>(w.cores * w.pipes));
  for (int64_t i = 0; i < w.count; i++) {
    const mlusim_record& record = w.records[i];
    Made& before = last[record.core * w.pipes + record.pipe];
    w.found[i] = w.asked[record.op] && takes(w, record, before);
    before = made_by(w, record);
  }
}

}  // namespace
}  // namespace mlusim::timing

int64_t mlusim_find_dependence(const mlusim_dependence* given) {
  try {
    mlusim::timing::find(*given);
    return 0;
  } catch (const std::bad_alloc&) {
    return 1;
  }
}
