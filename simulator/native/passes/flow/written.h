// Which memory of the device a log writes at all, in blocks: what it only reads needs no order, however often.
#pragma once
#include <vector>

#include "log.h"

namespace mlusim {

class Written {
 public:
  explicit Written(const Log& log) {
    for (int64_t i = 0; i < log.work.count; i++) {
      const Operands operands = log.operands(log.record(i));
      for (uint32_t n = 0; n < operands.count; n++)
        if (operands.writes(n) && operands[n].bytes && log.on_device(operands[n].key)) add(operands[n]);
    }
  }

  // Whether some block of these bytes is written; there is one of them at least.
  bool meets(uint64_t start, uint64_t end) const {
    const size_t last = std::min(block(end - 1) + 1, blocks_.size());
    for (size_t at = block(start); at < last; at++)
      if (blocks_[at]) return true;
    return false;
  }

 private:
  static constexpr int BITS = 14;  // of the bytes of a block

  static size_t block(uint64_t key) { return (key & ((uint64_t(1) << MLUSIM_OFFSET_BITS) - 1)) >> BITS; }
  void add(const Operand& operand) {
    const size_t first = block(operand.key), last = block(operand.key + operand.bytes - 1);
    if (last >= blocks_.size()) blocks_.resize(last + 1);
    for (size_t at = first; at <= last; at++) blocks_[at] = true;
  }

  std::vector<uint8_t> blocks_;
};

}  // namespace mlusim
