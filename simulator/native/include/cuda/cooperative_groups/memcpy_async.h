// Copies to shared memory that the threads of a group share, and that go on beside them.
#pragma once
#include "../cooperative_groups.h"

#include "../../bang/mlusim_letters.h"

namespace cooperative_groups {

// `bytes` is a number or an aligned_size_t. Each call is a batch.
template <class Group, class T, class Bytes, class = std::enable_if_t<std::is_convertible_v<Bytes, size_t>>>
__attribute__((noinline)) void memcpy_async(const Group& group, T* to, const T* from, const Bytes& bytes) {
  mlusim::copy_part(to, from, bytes, group.thread_rank(), group.size(), MLUSIM_PC);
  mlusim_copies_commit();
}
// Of arrays of so many elements, the smaller number.
template <class Group, class T, class To, class From>
__attribute__((noinline)) void memcpy_async(const Group& group, T* to, const To& room, const T* from, const From& many) {
  size_t count = (size_t)room < (size_t)many ? (size_t)room : (size_t)many;
  mlusim::copy_part(to, from, count * sizeof(T), group.thread_rank(), group.size(), MLUSIM_PC);
  mlusim_copies_commit();
}
template <unsigned Batches, class Group>
__forceinline__ void wait_prior(const Group& group, int line = __builtin_LINE()) {
  mlusim_copies_wait(Batches);
  sync(group, line);
}
template <class Group>
__forceinline__ void wait(const Group& group, int line = __builtin_LINE()) {
  wait_prior<0>(group, line);
}

}  // namespace cooperative_groups

#include "../../bang/mlusim_letters_end.h"
