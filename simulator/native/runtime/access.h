// Scalar loads and stores of kernels.
#pragma once
#include <string.h>

#include "runs.h"

namespace [[gnu::visibility("hidden")]] mlusim {

// A load or store of the running kernel: see `Access`. Its parts go in registers.
void scalar_access(uint64_t address, uint64_t size, int how, int64_t pc);

// The bytes that a store without effect is about to overwrite: they come back before anybody looks.
class Muted {
 public:
  void keep(uint64_t address, uint64_t size) {
    address_ = address;
    size_ = size < sizeof bytes_ ? size : sizeof bytes_;
    memcpy(bytes_, (const void*)address_, size_);
  }
  void restore() {
    if (size_) memcpy((void*)address_, bytes_, size_);
    size_ = 0;
  }
  bool waits() const { return size_; }

 private:
  uint64_t address_ = 0, size_ = 0;
  char bytes_[16]{};
};
extern Muted muted;

}  // namespace mlusim
