// Work that has no part in any result: the log read backwards, with the bytes that are still to be used.
#pragma once
#include <unordered_map>
#include <unordered_set>

#include "causes.h"
#include "intervals.h"
#include "lanes.h"

namespace mlusim {

class Lost {
 public:
  Lost(const Log& log, const Lanes& lanes, Causes& causes) : log_(log), lanes_(lanes), causes_(causes) {}

  // Notes the last line of whose results none, or not all, have a part in what leaves the chip or reaches scalar code.
  void find();

 private:
  struct Bytes {
    uint64_t start, end;
  };
  // The results of an instruction at a line: how many were made, one that has a part, and those that have none, the
  // last first; `early` are loads that are not the last of their task, as a loop may prepare for a round that does not
  // come.
  struct Line {
    int64_t made = 0, useful = -1;
    std::vector<int64_t> vain, early;
    std::unordered_set<uint32_t> ended;  // tasks
  };

  void look_at(int64_t index);
  bool is_wanted(const Record& r, const Operand& made);
  void want(const Record& r, const Operand& taken);
  void settle(const Record& r, const Operand& made);
  void count(int64_t index, bool useful);
  const std::vector<int64_t>* last_of(bool all) const;
  template <class Touch>
  bool pieces(const Record& r, const Operand& operand, Touch touch) const;

  const Log& log_;
  const Lanes& lanes_;
  Causes& causes_;
  Intervals<Bytes> wanted_, by_scalars_;
  std::unordered_map<uint64_t, Line> lines_;
};

}  // namespace mlusim
