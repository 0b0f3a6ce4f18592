// The heap of kernels: memory of this process, which they may use as far as they have taken it.
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <map>

namespace [[gnu::visibility("hidden")]] mlusim {

// The size of so many elements: more than a heap has where the product overflows.
inline size_t bytes_of(size_t count, size_t size) {
  size_t bytes;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

class Heap {
 public:
  static constexpr uint64_t LIMIT = 1ull << 30;  // bytes that a kernel may have taken

  // A block of so many bytes, `old` moved to it, nullptr where there is no room; `alignment` 0: the usual one.
  void* take(void* old, size_t bytes, bool zero, size_t alignment = 0);
  // Gives a block back: nothing twice, and nothing that is not a kernel's.
  void give(void* block);

  bool holds(uint64_t address, uint64_t size) const;
  // Gives back what the launch has left.
  void empty();
  // What has been taken is kept for as long as the process lives: static initialisers have.
  void keep();

 private:
  using Taken = std::map<uint64_t, uint64_t>;  // start and end of each block

  bool forget(uint64_t block);

  Taken own_;      // of the launch
  Taken lasting_;  // of static initialisers
  uint64_t bytes_ = 0;
};
extern Heap heap;  // of tasks

}  // namespace mlusim
