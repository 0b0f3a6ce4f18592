// Objects that are used again, in large pieces of memory.
#pragma once
#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace mlusim {

template <class T>
class Pool {
 public:
  Pool() = default;
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() {
    for (const Piece& piece : pieces_) std::destroy_n(piece.first.get(), piece.used);
  }

  // One that holds what the one before it has left in it.
  T* take() {
    if (!given_.empty()) {
      T* again = given_.back();
      given_.pop_back();
      return again;
    }
    if (pieces_.empty() || pieces_.back().used == pieces_.back().room) add();
    Piece& piece = pieces_.back();
    return new (piece.first.get() + piece.used++) T();
  }
  void give(T* old) { given_.push_back(old); }

 private:
  static constexpr size_t FEW = 128, HUGE_PAGE = size_t(2) << 20, MOST_PAGES = 8;
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  struct Piece {
    std::unique_ptr<T[], Free> first;
    size_t room, used;
  };

  // Each piece is twice as long as the one before, up to a limit. Long ones ask for huge pages: of millions of objects
  // that are used in any order, few others have their address at hand.
  void add() {
    size_t bytes = (pieces_.empty() ? FEW : 2 * pieces_.back().room) * sizeof(T);
    const bool is_long = bytes >= HUGE_PAGE;
    if (is_long) bytes = std::min((bytes + HUGE_PAGE - 1) / HUGE_PAGE, MOST_PAGES) * HUGE_PAGE;
    void* memory = is_long ? std::aligned_alloc(HUGE_PAGE, bytes) : std::malloc(bytes);
    if (!memory) throw std::bad_alloc();
    std::unique_ptr<T[], Free> first(static_cast<T*>(memory));
#ifdef MADV_HUGEPAGE
    if (is_long) madvise(memory, bytes, MADV_HUGEPAGE);
#endif
    pieces_.push_back({std::move(first), bytes / sizeof(T), 0});
  }

  std::vector<Piece> pieces_;
  std::vector<T*> given_;
};

}  // namespace mlusim
