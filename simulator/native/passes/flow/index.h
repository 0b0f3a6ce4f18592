// Keys in order, each with a place: a B+ tree. Its pages are small and stay in the cache where a binary tree of
// millions of keys waits for memory at each step.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "pool.h"

namespace mlusim {

// Places are linked: `next` is the one with the next key.
template <class Place>
class Index {
 public:
  // The place of the first key that is not below one; nullptr: there is none.
  Place* from(uint64_t key) {
    const Page& leaf = *find(key);
    size_t at = leaf.below(key);
    if (at < leaf.count) return leaf.child[at].place;
    return at ? leaf.child[at - 1].place->next : nullptr;
  }

  void insert(uint64_t key, Place* place) {
    Child made{};
    made.place = place;
    const Page* leaf = find(key);
    put(height_, leaf->below(key), key, made);
  }

  // Takes out a key that is in it.
  void erase(uint64_t key) {
    Page* page = find(key);
    page->remove(page->below(key));
    size_t depth = height_;
    while (!page->count && depth) {
      pages_.give(page);
      page = way_[--depth].page;
      page->leave(way_[depth].at);
      forget();
    }
    while (height_ && root_->count == 1) {
      pages_.give(root_);
      root_ = root_->child[0].page;
      height_--;
      forget();
    }
  }

 private:
  static constexpr size_t MOST = 40, PART = 8;  // keys of a page, and those that are compared at once
  static_assert(MOST % PART == 0);
  static constexpr uint64_t NONE = ~uint64_t(0);
  struct Page;
  union Child {
    Page* page;
    Place* place;
  };
  // A leaf has places. Any other has pages, each with keys from its own on: the first has all below the second, too.
  struct Page {
    uint32_t count;
    uint64_t key[MOST];  // behind its last one NONE
    Child child[MOST];

    // How many of its keys are below one.
    size_t below(uint64_t wanted) const {
      size_t at = 0;
      for (size_t n = PART - 1; n < MOST - 1; n += PART) at += PART * (key[n] < wanted);  // no jumps
      const uint64_t* part = key + at;
      for (size_t n = 0; n < PART; n++) at += part[n] < wanted;
      return at;
    }
    // Its keys lie in several lines of the cache: memory brings them at the same time.
    void fetch() const {
      for (const uint64_t* line = key; line < key + MOST; line += 8) __builtin_prefetch(line);
    }
    // The page of it that has a key: the last that begins at it or below, or the first.
    size_t with(uint64_t wanted) const {
      size_t at = 0;
      for (size_t n = PART; n < MOST; n += PART) at += PART * (key[n] <= wanted);
      const uint64_t* part = key + at;
      for (size_t n = 1; n < PART; n++) at += part[n] <= wanted;
      return at;
    }
    void insert(size_t at, uint64_t made, Child its) {
      std::move_backward(key + at, key + count, key + count + 1);
      std::move_backward(child + at, child + count, child + count + 1);
      count++;
      key[at] = made;
      child[at] = its;
    }
    void remove(size_t at) {
      std::move(key + at + 1, key + count, key + at);
      std::move(child + at + 1, child + count, child + at);
      key[--count] = NONE;
    }
    // Takes out a page. The first one that is left has the keys of one before it, too.
    void leave(size_t at) {
      uint64_t low = key[0];
      remove(at);
      if (count) key[0] = low;
    }
  };
  struct Step {
    Page* page;
    size_t at;
  };

  Page* page() {
    Page* made = pages_.take();
    made->count = 0;
    std::fill(made->key, made->key + MOST, NONE);
    return made;
  }

  // The leaf that has a key, or is to have it. The way to it is kept, and the keys that it is for: the next one is
  // often among them.
  Page* find(uint64_t key) {
    if (first_ <= key && key <= last_) return way_[height_].page;
    first_ = 0;
    last_ = NONE;
    Page* page = root_;
    for (size_t depth = 0; depth < height_; depth++) {
      size_t at = page->with(key);
      way_[depth] = {page, at};
      if (at) first_ = page->key[at];
      if (at + 1 < page->count) last_ = page->key[at + 1] - 1;
      page = page->child[at].page;
      page->fetch();
    }
    way_[height_].page = page;
    return page;
  }
  void forget() { first_ = 1, last_ = 0; }

  // Puts a key into the page at a depth of the way. A full one is cut in two, behind its last key if that is where the
  // new one goes: keys that come in order fill their pages.
  void put(size_t depth, size_t at, uint64_t key, Child its) {
    Page* full = way_[depth].page;
    if (full->count < MOST) return full->insert(at, key, its);
    size_t kept = at == MOST ? MOST : MOST / 2;
    Child rest{};
    rest.page = page();
    for (size_t n = kept; n < MOST; n++) rest.page->insert(n - kept, full->key[n], full->child[n]);
    full->count = static_cast<uint32_t>(kept);
    std::fill(full->key + kept, full->key + MOST, NONE);
    if (at > kept || kept == MOST)
      rest.page->insert(at - kept, key, its);
    else
      full->insert(at, key, its);
    if (depth) {
      put(depth - 1, way_[depth - 1].at + 1, rest.page->key[0], rest);
    } else {
      Child low{};
      low.page = full;
      root_ = page();
      root_->insert(0, 0, low);
      root_->insert(1, rest.page->key[0], rest);
      height_++;
    }
    forget();
  }

  Pool<Page> pages_;
  Page* root_ = page();
  size_t height_ = 0;              // pages above a leaf
  uint64_t first_ = 1, last_ = 0;  // keys of the leaf that was found last
  Step way_[64];                   // to it, and itself
};

}  // namespace mlusim
