// What is known of each element of an array, from the first one on that is asked for.
#pragma once
#include <stdint.h>
#include <sys/mman.h>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

// Arrays of more elements are left out: sums, tables and the results of blocks are short.
constexpr uint64_t MOST_ELEMENTS = 1 << 22;

// Elements are as long as the first access to the array; of others nothing is known. All are zeros at first.
template <class Known>
class PerElement {
 public:
  bool kept() const { return elements_; }

  // What is known of an element; NULL of none.
  Known* at(const simt_range& array, uint64_t address, uint64_t size) {
    if (!size_) keep(array.end - array.start, size);
    if (!elements_ || size != size_ || (address - array.start) % size) return nullptr;
    return elements_ + (address - array.start) / size;
  }

  void drop() {
    if (elements_) munmap(elements_, count_ * sizeof(Known));
    *this = {};
  }

 private:
  void keep(uint64_t bytes, uint64_t size) {
    size_ = size;
    count_ = bytes / size;
    if (!count_ || count_ > MOST_ELEMENTS) return;
    void* found = mmap(nullptr, count_ * sizeof(Known), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found != MAP_FAILED) elements_ = (Known*)found;
  }

  uint64_t size_ = 0, count_ = 0;  // of elements, and how many
  Known* elements_ = nullptr;
};

}  // namespace simt
