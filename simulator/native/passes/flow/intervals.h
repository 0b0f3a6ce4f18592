// Intervals of bytes that share none, each with what is known of it, in order.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace mlusim {

// `Interval` has `start` and `end`, and can be copied.
template <class Interval>
class Intervals {
 public:
  using Map = std::map<uint64_t, Interval>;
  using At = typename Map::iterator;

  Intervals() { near_.fill(none()); }
  Intervals(const Intervals&) = delete;
  Intervals& operator=(const Intervals& other) {
    map_ = other.map_;
    made_ = none();
    near_.fill(none());
    return *this;
  }

  bool empty() const { return map_.empty(); }
  At begin() { return map_.begin(); }
  At none() { return map_.end(); }
  // The first that does not begin before a byte.
  At from(uint64_t byte) {
    if (At at = near(byte); at != none() && at->first == byte) return at;
    if (made_ != none() && made_->first < byte) {  // bytes are often written one behind the other
      At next = std::next(made_);
      if (next == none() || next->first >= byte) return next;
    }
    return keep(map_.lower_bound(byte), byte);
  }
  // The first that ends behind a byte: it holds it, or begins behind it.
  At reaching(uint64_t byte) {
    if (At at = near(byte); at != none() && at->first == byte) return at;
    return keep(holding(byte, map_.upper_bound(byte)), byte);
  }
  // The one before; none for the first.
  At before(At at) { return at == map_.begin() ? map_.end() : std::prev(at); }

  // Puts in one that shares no byte with any; `next` comes behind it.
  At insert(At next, Interval made) {
    uint64_t start = made.start;
    return near(start) = made_ = map_.emplace_hint(next, start, std::move(made));
  }
  At erase(At at) {
    if (at == made_) made_ = none();
    if (at == near(at->first)) near(at->first) = none();
    return map_.erase(at);
  }
  // Cuts one in two at a byte inside of it; the second part.
  At cut(At at, uint64_t byte) {
    Interval rest = at->second;
    rest.start = byte;
    at->second.end = byte;
    return insert(std::next(at), std::move(rest));
  }
  // The first that does not begin before a byte; what holds the byte and begins before it is cut there.
  At cut_at(uint64_t byte) {
    At next = from(byte), last = before(next);
    return last != none() && last->second.end > byte ? cut(last, byte) : next;
  }

 private:
  At holding(uint64_t byte, At next) {
    At last = before(next);
    return last != none() && last->second.end > byte ? last : next;
  }

  // Where one that begins at a byte may stand: instructions use the same few operands again and again.
  At& near(uint64_t byte) { return near_[byte * 0x9e3779b97f4a7c15u >> (64 - NEAR_BITS)]; }
  At keep(At at, uint64_t byte) {
    if (at != none() && at->first == byte) near(byte) = at;
    return at;
  }

  static constexpr int NEAR_BITS = 6;
  Map map_;
  At made_ = map_.end();  // the one that was put in last
  std::array<At, size_t(1) << NEAR_BITS> near_;
};

}  // namespace mlusim
