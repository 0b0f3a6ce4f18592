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
    uint32_t operands = 0, blocks = 0;
    for (uint32_t& block : before_) {
      operands += block;
      block = blocks;
      blocks += operands > 0;
    }
  }

  // Whether some block of these bytes is written; there is one of them at least.
  bool meets(uint64_t start, uint64_t end) const { return before(block(end - 1) + 1) > before(block(start)); }

 private:
  static constexpr int BITS = 16;  // of the bytes of a block

  static size_t block(uint64_t key) { return (key & ((uint64_t(1) << MLUSIM_OFFSET_BITS) - 1)) >> BITS; }
  uint32_t before(size_t block) const { return before_.empty() ? 0 : before_[std::min(block, before_.size() - 1)]; }
  void add(const Operand& operand) {
    const size_t first = block(operand.key), last = block(operand.key + operand.bytes - 1);
    if (last + 2 > before_.size()) before_.resize(last + 2);
    before_[first]++;
    before_[last + 1]--;
  }

  // Of every block, and of the one behind the last: how many are written before it; at first, how many more operands
  // that are written have it than the one before.
  std::vector<uint32_t> before_;
};

}  // namespace mlusim
