// Sums and the like of what the threads of a group up to one give, or before it.
#pragma once
#include "reduce.h"

#include "../../bang/mlusim_letters.h"

namespace cooperative_groups {

namespace details {

template <class Group, class T, class Operation>
T scan(const char* name, const Group& group, T value, Operation&& operation, int64_t pc) {
  unsigned rank = group.thread_rank();
  for (unsigned apart = 1; apart < group.size(); apart *= 2) {
    T before = group.of(name, value, rank < apart ? rank : rank - apart, pc);
    if (rank >= apart) value = operation(before, value);
  }
  return value;
}

}  // namespace details

template <class Group, class T, class Operation = plus<T>>
__attribute__((noinline)) T inclusive_scan(const Group& group, T value, Operation&& operation = {}) {
  return details::scan("inclusive_scan", group, value, operation, MLUSIM_PC);
}
// The first thread gets T().
template <class Group, class T, class Operation = plus<T>>
__attribute__((noinline)) T exclusive_scan(const Group& group, T value, Operation&& operation = {}) {
  T all = details::scan("exclusive_scan", group, value, operation, MLUSIM_PC);
  unsigned rank = group.thread_rank();
  T before = group.of("exclusive_scan", all, rank ? rank - 1 : 0, MLUSIM_PC);
  return rank ? before : T();
}

}  // namespace cooperative_groups

#include "../../bang/mlusim_letters_end.h"
