// The last writers of bytes, and who has read them since.
#pragma once
#include <algorithm>
#include <memory>
#include <vector>

#include "intervals.h"

namespace mlusim {

enum Manner : uint8_t { READ, WRITE, ATOMIC_UPDATE };

// An access: its record, who made it, the number of the record on its pipe (from 1 on; 0: none). `is_cut`: it ends
// where neither what it is made of nor what lies there ends, and all of these end together.
struct Access {
  uint32_t record, group, seq;
  uint16_t slot;
  uint8_t pipe, manner : 2, is_async : 1, is_atomic : 1, in_place : 1, is_tile : 1, is_cut : 1;
};

// Accesses in the order in which they were made. Most often it is one, which needs no memory of its own.
class Accesses {
 public:
  Accesses() = default;
  Accesses(Accesses&&) = default;
  Accesses& operator=(Accesses&&) = default;
  Accesses(const Accesses& other)
      : one_(other.one_), many_(other.many_ ? std::make_unique<Many>(*other.many_) : nullptr) {}

  size_t size() const { return many_ ? many_->size() : one_.seq != 0; }
  bool empty() const { return !size(); }
  Access* begin() { return many_ ? many_->data() : &one_; }
  Access* end() { return begin() + size(); }
  const Access* begin() const { return many_ ? many_->data() : &one_; }
  const Access* end() const { return begin() + size(); }

  // The one there is, most often; nullptr: there is none, or there were more.
  Access* only() { return !many_ && one_.seq ? &one_ : nullptr; }
  void clear() {
    one_.seq = 0;
    if (many_) many_.reset();
  }
  void add(const Access& access) {
    if (many_)
      many_->push_back(access);
    else if (one_.seq)
      many_ = std::make_unique<Many>(Many{one_, access});
    else
      one_ = access;
  }
  template <class Gone>
  void remove(Gone gone) {
    Access* kept = std::remove_if(begin(), end(), gone);
    if (many_)
      many_->resize(kept - begin());
    else if (kept == begin())
      one_.seq = 0;
  }

 private:
  using Many = std::vector<Access>;
  Access one_{};
  std::unique_ptr<Many> many_;  // has all of them then
};

// Bytes that are alike in what was last done to them.
struct Range {
  uint64_t start, end;
  Access write{};  // the last one
  uint32_t tile = 0,
           changed = 0;  // records, from 1 on: what has made it of what it read, and changed it in place since
  bool picked = false;   // scalar code has picked elements of what the range is a part of
  bool vague = false;    // elements of it were read, and it is unknown which
  Accesses others{};     // reads and atomic updates since, as many as no other one comes after

  bool written() const { return write.seq != 0; }
  uint64_t bytes() const { return end - start; }
  // What has made the bytes: the instruction in place that has changed them does not count.
  uint32_t maker() const { return tile ? tile - 1 : write.record; }
  // Whether what it holds was used: who has made it in place has taken what it held before.
  bool was_read() const {
    for (const Access& other : others)
      if (other.record != write.record) return true;
    return false;
  }
};
using Ranges = Intervals<Range>;

// Whether the bytes of one were made before those of the other, or not at all.
inline bool is_older(const Range& one, const Range& other) { return !one.written() || one.maker() < other.maker(); }

}  // namespace mlusim
