// Intervals of bytes that share none, each with what is known of it, in order.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "index.h"

namespace mlusim {

// `Interval` has `start` and `end`, and can be copied.
template <class Interval>
class Intervals {
  struct Node {
    Interval interval;
    Node *before, *next;
  };

 public:
  // Stays good until its interval is erased.
  class At {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = Interval;
    using difference_type = ptrdiff_t;
    using pointer = Interval*;
    using reference = Interval&;

    At() = default;
    explicit At(Node* node) : node_(node) {}
    Interval& operator*() const { return node_->interval; }
    Interval* operator->() const { return &node_->interval; }
    At& operator++() {
      node_ = node_->next;
      return *this;
    }
    At operator++(int) { return At(std::exchange(node_, node_->next)); }
    bool operator==(At other) const { return node_ == other.node_; }
    bool operator!=(At other) const { return node_ != other.node_; }

   private:
    friend Intervals;
    Node* node_ = nullptr;
  };

  Intervals() = default;
  Intervals(const Intervals&) = delete;
  Intervals& operator=(const Intervals&) = delete;

  bool empty() const { return !first_; }
  At begin() { return At(first_); }
  At none() { return At(); }
  // The first that does not begin before a byte.
  At from(uint64_t byte) {
    const Near& known = near(byte);
    return known.at != none() && known.byte == byte ? known.at : search(byte);
  }
  // The first that ends behind a byte: it holds it, or begins behind it.
  At reaching(uint64_t byte) {
    At at = from(byte);
    if (at != none() && at->start == byte) return at;
    At last = before(at);
    return last != none() && last->end > byte ? last : at;
  }
  // The one before; none for the first.
  At before(At at) { return At(at.node_ ? at.node_->before : last_); }

  // Puts in one that shares no byte with any; `next` comes behind it.
  At insert(At next, Interval made) {
    Node *node = nodes_.take(), *behind = next.node_, *last = before(next).node_;
    node->interval = std::move(made);
    node->before = last;
    node->next = behind;
    (last ? last->next : first_) = node;
    (behind ? behind->before : last_) = node;
    uint64_t start = node->interval.start;
    index_.insert(start, node);
    near(start) = {start, At(node)};
    return At(node);
  }
  // The one behind it.
  At erase(At at) {
    Node *node = at.node_, *behind = node->next, *last = node->before;
    if (Near& known = near(at->start); known.at == at) known.at = none();
    index_.erase(at->start);
    (last ? last->next : first_) = behind;
    (behind ? behind->before : last_) = last;
    nodes_.give(node);
    return At(behind);
  }
  // Cuts one in two at a byte inside of it; the second part.
  At cut(At at, uint64_t byte) {
    Interval rest = *at;
    rest.start = byte;
    at->end = byte;
    return insert(std::next(at), std::move(rest));
  }
  // The first that does not begin before a byte; what holds the byte and begins before it is cut there.
  At cut_at(uint64_t byte) { return cut_before(from(byte), byte); }
  // The same where the first that does not begin before the byte is known.
  At cut_before(At next, uint64_t byte) {
    At last = before(next);
    return last != none() && last->end > byte ? cut(last, byte) : next;
  }

 private:
  // Apart, so that what is found most often is found in place.
  [[gnu::noinline]] At search(uint64_t byte) {
    At at(index_.from(byte));
    if (at != none() && at->start == byte) near(byte) = {byte, at};
    return at;
  }

  // Where one that begins at a byte stands: instructions use the same few operands again and again.
  struct Near {
    uint64_t byte;
    At at;
  };
  Near& near(uint64_t byte) { return near_[byte * 0x9e3779b97f4a7c15u >> (64 - NEAR_BITS)]; }

  static constexpr int NEAR_BITS = 6;
  Pool<Node> nodes_;
  Index<Node> index_;
  Node *first_ = nullptr, *last_ = nullptr;
  std::array<Near, size_t(1) << NEAR_BITS> near_{};
};

}  // namespace mlusim
