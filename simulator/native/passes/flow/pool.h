// Objects that are used again, in large pieces of memory.
#pragma once
#include <cstddef>
#include <memory>
#include <vector>

namespace mlusim {

template <class T>
class Pool {
 public:
  // One that holds what the one before it has left in it.
  T* take() {
    if (!given_.empty()) {
      T* again = given_.back();
      given_.pop_back();
      return again;
    }
    if (used_ == PIECE) {
      pieces_.push_back(std::make_unique<T[]>(PIECE));
      used_ = 0;
    }
    return &pieces_.back()[used_++];
  }
  void give(T* old) { given_.push_back(old); }

 private:
  static constexpr size_t PIECE = 128;
  std::vector<std::unique_ptr<T[]>> pieces_;
  std::vector<T*> given_;
  size_t used_ = PIECE;  // of the last piece
};

}  // namespace mlusim
