// What advice on tiles has in common.
#pragma once
#include "../scene.h"

namespace mlusim {

// Ranges that an access takes together, in order.
using Parts = std::vector<Ranges::At>;

// An operand on the chip, without gaps, that a record is about to read.
struct Taken {
  const Operand& from;
  int64_t operand;   // its number
  Ranges::At first;  // the first range that reaches behind its first byte

  uint64_t start() const { return from.key; }
  uint64_t end() const { return from.key + from.bytes; }
};

// Bytes to which counts of elements are rounded up: of a line of the vector units; of 64 elements of a byte.
constexpr uint64_t LINE = 128, ROUND = 64;
// Bytes of an element or two: what a count leaves out that is one too small.
constexpr uint64_t FEW = 8;
// Bytes by which a tile is rounded up at most: 64 elements of four bytes.
constexpr uint64_t MOST_PADDING = 256;

inline uint64_t end_of(const Operand& operand) { return operand.key + operand.bytes; }

}  // namespace mlusim
