// What becomes of words of shared memory that a line stores: whether they are loaded before it stores them again, or
// their block ends.
#pragma once
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "simt.h"

namespace [[gnu::visibility("hidden")]] simt {

constexpr uint64_t WORD = 4;  // bytes

class Stored {
 public:
  void begin_launch(bool asked) {
    asked_ = asked;
    clear();
    lines_.clear();
  }

  // A thread stores bytes, or loads them; an atomic counts as a load.
  void access(int64_t pc, simt_access kind, uint64_t address, uint64_t size) {
    if (asked_) note(pc, kind, address, size);
  }

  void end_block();

  // Of each place that stores, in the order of their numbers.
  std::vector<simt_stored> lines() const;

 private:
  static constexpr uint64_t PAGE = 256, RECENT = 16;
  // Which place has stored each word of the running block; 0: none, or the word has been loaded.
  struct Page {
    int64_t pc[PAGE];
  };
  struct Recent {
    uint64_t which;
    Page* page;
  };
  struct Fate {
    uint32_t times, lost, value;  // the last value that was lost
  };
  struct Line {
    std::unordered_map<uint64_t, Fate> words;
    uint32_t value = 0;
    bool any = false, differ = false;  // of the values that were lost

    bool is_padding() const;
  };

  void note(int64_t pc, simt_access kind, uint64_t address, uint64_t size);
  void lose(int64_t pc, uint64_t number);
  Page* page(uint64_t number, bool make);
  void clear();

  bool asked_ = false;
  std::map<uint64_t, std::unique_ptr<Page>> pages_;  // of words, whose numbers are addresses / WORD
  Recent recent_[RECENT] = {};
  std::map<int64_t, Line> lines_;
};

}  // namespace simt
