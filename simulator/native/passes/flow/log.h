// The rows of a log, and what is asked of them in several places.
#pragma once
#include "flow.h"

namespace mlusim {

using Record = mlusim_record;
using Operand = mlusim_operand;
using Run = mlusim_runs;

class Log {
 public:
  explicit Log(const Work& work) : work(work) {}

  const Record& record(int64_t index) const { return work.record[index]; }
  Way way(const Record& r) const { return static_cast<Way>(work.way[r.op]); }
  bool is_scalar(const Record& r) const { return way(r) == SCALAR; }
  mlusim_message message(const Record& r) const { return static_cast<mlusim_message>(work.message[r.op]); }
  uint64_t waits(const Record& r) const { return work.waits[r.op]; }
  uint64_t queues(const Record& r) const { return work.queues[r.op]; }

  uint32_t operand_count(const Record& r) const { return work.operand_count[r.op]; }
  const Operand& operand(const Record& r, uint32_t number) const { return work.operand[r.first + number]; }
  bool writes(const Record& r, uint32_t number) const { return work.writes[work.first_write[r.op] + number]; }
  static uint64_t space(uint64_t key) { return key >> (OFFSET_BITS + OWNER_BITS); }
  bool on_device(uint64_t key) const { return work.on_device[space(key)]; }

  // The operand of a record on the device, the first if it has several, nullptr if it has none.
  const Operand* far_operand(const Record& r) const;
  // The first operand that a record writes.
  const Operand& result(const Record& r) const;
  // Whether an operand of a record is of separate runs of bytes.
  bool is_scattered(const Record& r, const Operand& operand) const;

  const Work& work;
};

inline const Operand* Log::far_operand(const Record& r) const {
  for (uint32_t n = 0; n < operand_count(r); n++)
    if (operand(r, n).bytes && on_device(operand(r, n).key)) return &operand(r, n);
  return nullptr;
}

inline const Operand& Log::result(const Record& r) const {
  uint32_t n = 0;
  while (n + 1 < operand_count(r) && !writes(r, n)) n++;
  return operand(r, n);
}

inline bool Log::is_scattered(const Record& r, const Operand& operand) const {
  if (!r.gaps) return false;
  uint32_t wanted = static_cast<uint32_t>(&operand - work.operand);
  int64_t low = 0, high = work.runs;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (work.run[middle].operand < wanted)
      low = middle + 1;
    else
      high = middle;
  }
  return low < work.runs && work.run[low].operand == wanted;
}

inline bool same_line(const Record& one, const Record& other) { return one.op == other.op && one.loc == other.loc; }

}  // namespace mlusim
