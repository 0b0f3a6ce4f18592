// Sums and the like of what the threads of a group give.
#pragma once
#include "../cooperative_groups.h"

#include "../../bang/mlusim_letters.h"

namespace cooperative_groups {

#define MLUSIM_OPERATION(name, expression)                                     \
  template <class T>                                                           \
  struct name {                                                                \
    __forceinline__ T operator()(T a, T b) const { return (T)(expression); }   \
  };
MLUSIM_OPERATION(plus, a + b)
MLUSIM_OPERATION(less, b < a ? b : a)
MLUSIM_OPERATION(greater, a < b ? b : a)
MLUSIM_OPERATION(bit_and, a & b)
MLUSIM_OPERATION(bit_or, a | b)
MLUSIM_OPERATION(bit_xor, a ^ b)
#undef MLUSIM_OPERATION

// Of a tile, each thread joins what it has with that of its partner, at half the tile's size, at a quarter, and so on.
template <unsigned Size, class Parent, class T, class Operation>
__attribute__((noinline)) T reduce(const thread_block_tile<Size, Parent>& tile, T value, Operation&& operation) {
  for (unsigned apart = Size / 2; apart; apart /= 2)
    value = operation(value, tile.of("reduce", value, tile.thread_rank() ^ apart, MLUSIM_PC));
  return value;
}
template <class T, class Operation>
__attribute__((noinline)) T reduce(const coalesced_group& group, T value, Operation&& operation) {
  T all = group.of("reduce", value, 0, MLUSIM_PC);
  for (unsigned rank = 1; rank < group.size(); ++rank)
    all = operation(all, group.of("reduce", value, rank, MLUSIM_PC));
  return all;
}

}  // namespace cooperative_groups

#include "../../bang/mlusim_letters_end.h"
