// What is found, by its cause: two instructions at two lines.
#pragma once
#include <cstddef>
#include <unordered_map>

#include "log.h"

namespace mlusim {

class Causes {
 public:
  explicit Causes(Work& work) : work_(work) {}

  // Counts a finding about bytes that an operand of the later record touches. Causes beyond the room there is are left
  // out.
  void note(Kind kind, int64_t later, int64_t earlier, uint64_t key, uint64_t bytes, int64_t operand);

 private:
  struct Key {
    uint64_t kind, one, other;  // a line each
    bool operator==(const Key& key) const { return kind == key.kind && one == key.one && other == key.other; }
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      constexpr uint64_t mix = 0x9e3779b97f4a7c15u;
      return ((key.kind * mix ^ key.one) * mix ^ key.other) * mix >> 16;
    }
  };

  // A record is of a cause: so are its core and its task.
  void mark(int64_t cause, int64_t record);

  Work& work_;
  std::unordered_map<Key, int64_t, Hash> known_;
};

}  // namespace mlusim
