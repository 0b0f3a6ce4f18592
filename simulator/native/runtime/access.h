// Scalar loads and stores of kernels.
#pragma once
#include <string.h>

#include <vector>

#include "runs.h"
#include "show.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// A load or store of the running kernel: see `Access`. Its parts go in registers.
void scalar_access(uint64_t address, uint64_t size, int how, int64_t pc);

// The flags of what lies at an address are needed from now on.
void keep_flags(uint64_t address);

// The bytes that a store without effect is about to overwrite: they come back before they are read.
class Muted {
 public:
  void keep(uint64_t address, uint64_t size) {
    address_ = address;
    bytes_.assign((const char*)address, (const char*)address + size);
  }
  void restore() {
    if (waits()) memcpy((void*)address_, bytes_.data(), bytes_.size());
    bytes_.clear();
  }
  bool waits() const { return !bytes_.empty(); }

 private:
  uint64_t address_ = 0;
  std::vector<char> bytes_;
};
extern Muted muted;

}  // namespace mlusim
