// Results that are unused, or not used to their ends.
#pragma once
#include "tiles.h"

namespace mlusim {

class Untaken {
 public:
  explicit Untaken(const Scene& scene) : scene_(scene) {}

  // The record that the pass is at has read bytes, which were last written in these parts.
  void reads(const Piece& piece, const Parts& parts);
  // It overwrites a range, or there are no more records.
  void overwrites(Ranges::At at, int64_t operand);
  void finish();

 private:
  // What has become of results at a line: how often a part of them was unused, who took the rest the first time.
  struct Fate {
    bool taken = false;
    int64_t lost = 0, later = 0, earlier = 0;
    uint64_t key = 0, bytes = 0;

    void lose(int64_t by, int64_t maker, uint64_t start, uint64_t count);
  };
  struct Line {
    uint16_t op;
    Fate all, head, tail, most, again;  // `again`: results that the line itself has overwritten
    int64_t results = 0;                // that are gone, by their first bytes
    uint64_t made = 0, lost = 0;        // bytes of long results, and those that were never read
    bool is_short = false;              // one result was too short to tell
    bool is_hollow = false;             // one was made of bytes of which half are uninitialized

    void count(const Range& range, uint64_t result, bool taken);
    bool is_wasted() const;
  };

  Line& line_of(const Record& r);
  void lose_load(const Range& range, int64_t operand) const;
  void retire(Ranges::At at);
  void retire_whole(Line& line, const Range& range, bool taken) const;
  void retire_end(Line& line, Ranges::At at, const Record& r, bool taken) const;
  bool is_loaded_in_vain(const Range& range, const Record& r) const;
  bool is_filled_again(const Range& range) const;
  bool is_made_again(const Range& range) const;
  bool is_read_now(const Range& range) const;
  bool packs(const Record& r, const Operand& made) const;
  bool takes_more(int64_t reader, const Operand& made) const;
  int64_t reader_of(const Range& range) const;

  const Scene& scene_;
  std::vector<std::vector<Line>> lines_;  // by the line of the source
};

}  // namespace mlusim
