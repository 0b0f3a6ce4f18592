// The rows of a log, and what is asked of them in several places.
#pragma once
#include <algorithm>

#include "flow.h"

namespace mlusim {

using Record = mlusim_record;
using Operand = mlusim_operand;
using Run = mlusim_runs;

// The operands of a record.
class Operands {
 public:
  Operands() = default;
  Operands(const Operand* first, const Instruction& instruction, const Work& work)
      : count(instruction.operands),
        first_(first),
        writes_(work.writes + instruction.first),
        reads_(work.reads + instruction.first) {}

  const Operand& operator[](uint32_t number) const { return first_[number]; }
  const Operand* begin() const { return first_; }
  const Operand* end() const { return first_ + count; }
  bool writes(uint32_t number) const { return writes_[number]; }
  bool reads(uint32_t number) const { return reads_[number]; }

  uint32_t count = 0;

 private:
  const Operand* first_ = nullptr;
  const uint8_t *writes_ = nullptr, *reads_ = nullptr;
};

class Log {
 public:
  explicit Log(const Work& work) : work(work) {}

  const Record& record(int64_t index) const { return work.record[index]; }
  const Instruction& instruction(const Record& r) const { return work.instruction[r.op]; }
  Step step(const Record& r) const { return static_cast<Step>(instruction(r).step); }
  Way way(const Record& r) const { return static_cast<Way>(instruction(r).way); }
  bool is_scalar(const Record& r) const { return way(r) == SCALAR; }
  mlusim_message message(const Record& r) const { return static_cast<mlusim_message>(instruction(r).message); }
  uint64_t waits(const Record& r) const { return instruction(r).waits; }
  uint64_t queues(const Record& r) const { return instruction(r).queues; }

  Operands operands(const Record& r) const { return {work.operand + r.first, instruction(r), work}; }
  static uint64_t space(uint64_t key) { return key >> (MLUSIM_OFFSET_BITS + MLUSIM_OWNER_BITS); }
  static uint64_t last_of_space(uint64_t key) {
    return key | ((uint64_t(1) << (MLUSIM_OFFSET_BITS + MLUSIM_OWNER_BITS)) - 1);
  }
  bool on_device(uint64_t key) const { return work.on_device[space(key)]; }

  // The operand of a record on the device, the first if it has several, nullptr if it has none.
  const Operand* far_operand(const Record& r) const;
  // The first operand that a record writes.
  const Operand& result(const Record& r) const;
  // Whether a record fills memory with a value.
  bool is_fill(const Record& r) const { return instruction(r).operands == 1 && !is_scalar(r); }
  // The first run of an operand of a record, or of one behind it.
  const Run* runs_of(const Record& r, const Operand& operand) const;
  // Whether an operand of a record is of separate runs of bytes.
  bool is_scattered(const Record& r, const Operand& operand) const { return r.gaps && has_runs(r, operand); }

  const Work work;  // what is given; what is found is none of its business

 private:
  bool has_runs(const Record& r, const Operand& operand) const;
};

inline const Operand* Log::far_operand(const Record& r) const {
  for (const Operand& one : operands(r))
    if (one.bytes && on_device(one.key)) return &one;
  return nullptr;
}

inline const Operand& Log::result(const Record& r) const {
  const Operands all = operands(r);
  uint32_t n = 0;
  while (n + 1 < all.count && !all.writes(n)) n++;
  return all[n];
}

inline const Run* Log::runs_of(const Record& r, const Operand& operand) const {
  const Run *begin = work.run, *end = work.run + work.runs;
  if (!r.gaps) return end;
  auto wanted = static_cast<uint32_t>(&operand - work.operand);
  return std::lower_bound(begin, end, wanted, [](const Run& run, uint32_t number) { return run.operand < number; });
}

inline bool Log::has_runs(const Record& r, const Operand& operand) const {
  const Run* run = runs_of(r, operand);
  return run != work.run + work.runs && run->operand == static_cast<uint32_t>(&operand - work.operand);
}

inline bool same_line(const Record& one, const Record& other) { return one.op == other.op && one.loc == other.loc; }

}  // namespace mlusim
