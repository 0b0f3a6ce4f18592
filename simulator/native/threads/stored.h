// What becomes of words of shared memory that a line stores: whether they are loaded before it stores them again, or
// their block ends.
#pragma once
#include <bitset>
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
  void access(int64_t pc, simt_access kind, uint64_t address, uint64_t size, uint32_t thread) {
    if (asked_) note(pc, kind, address, size, thread);
  }

  void end_block();

  // Of each place that stores, in the order of their numbers.
  std::vector<simt_stored> lines() const;

 private:
  static constexpr uint64_t PAGE = 256, RECENT = 16;
  // Which place has stored each word of the running block, and in which thread; 0: none, or the word has been loaded.
  struct Page {
    int64_t pc[PAGE];
    uint16_t thread[PAGE];
  };
  using Threads = std::bitset<1024>;
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
    Threads losers, loaders;           // who has stored words that were lost, and who has loaded others

    bool is_padding() const;
    // Whether those that load what others store are those whose own words are lost: they add theirs from registers.
    bool is_kept() const { return losers == loaders; }
  };

  void note(int64_t pc, simt_access kind, uint64_t address, uint64_t size, uint32_t thread);
  void lose(int64_t pc, uint64_t number, uint32_t thread);
  Page* page(uint64_t number, bool make);
  void clear();

  bool asked_ = false;
  std::map<uint64_t, std::unique_ptr<Page>> pages_;  // of words, whose numbers are addresses / WORD
  Recent recent_[RECENT] = {};
  std::map<int64_t, Line> lines_;
};

}  // namespace simt
