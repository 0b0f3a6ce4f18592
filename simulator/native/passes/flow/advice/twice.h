// Elements that are added to a sum a second time: a shorter load has left them behind its own, and nothing has cleared
// them.
#pragma once
#include "tiles.h"

namespace mlusim {

class Twice {
 public:
  explicit Twice(const Scene& scene) : scene_(scene) {}

  void takes(const Taken& taken) const;

 private:
  bool is_added(const Record& r, const Operand& sum, uint64_t from) const;
  bool goes_on(const Operand& sum, uint64_t at, uint32_t since) const;

  const Scene& scene_;
};

}  // namespace mlusim
