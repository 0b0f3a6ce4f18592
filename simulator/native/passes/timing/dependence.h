// Which instructions take what the one right before them in their pipe has made.
#pragma once
#include <cstddef>
#include <vector>

#include "costs.h"

namespace mlusim::timing {

class Dependence {
 public:
  explicit Dependence(const mlusim_costs& given) : w(given), last_(static_cast<size_t>(given.cores * given.pipes)) {}

  // Whether a record, the next one of the log, reads of what the one before it in its pipe has written; of several
  // outputs the first one counts.
  bool follows(const mlusim_record& record) {
    Made& last = last_[record.core * w.pipes + record.pipe];
    const Made before = last;
    last = {};
    bool takes = false;
    const mlusim_operand* operand = w.operands + record.first;
    for (int64_t place = w.places[record.op]; place < w.places[record.op + 1]; place++, operand++) {
      const uint64_t begin = operand->key, end = begin + operand->bytes;
      if (!w.writes[place])
        takes |= begin < before.end && end > before.begin;
      else if (!last.end)
        last = {begin, end};
    }
    return takes;
  }

 private:
  // Bytes by their keys.
  struct Made {
    uint64_t begin = 0, end = 0;
  };

  const mlusim_costs& w;
  std::vector<Made> last_;
};

}  // namespace mlusim::timing
