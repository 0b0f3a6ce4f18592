// Instructions that take nothing but fills where another line does the same with data: a load between is missing.
#pragma once
#include <map>
#include <tuple>
#include <unordered_map>

#include "tiles.h"

namespace mlusim {

class Unfed {
 public:
  explicit Unfed(const Scene& scene) : scene_(scene) {}

  void takes(const Taken& taken);
  void finish() const;

 private:
  // How often a line has taken fills alone, and data; a record of the first.
  struct Line {
    int64_t fills = 0, data = 0, record = -1;
  };

  bool is_changed(const Taken& taken) const;

  const Scene& scene_;
  // By the instruction and the operand, its place and its bytes; then by the line.
  std::map<std::tuple<uint16_t, int64_t, uint64_t, uint64_t>, std::unordered_map<uint32_t, Line>> lines_;
};

}  // namespace mlusim
