// Cooperative groups: the block, the grid, tiles of up to 32 threads, and threads that are at the same place. What the
// threads of a tile do together is done by the functions of a warp, with the tile's threads as the mask.
#pragma once

#include "../bang/mlusim_letters.h"

namespace cooperative_groups {

namespace details {

inline unsigned threads_of(dim3 a) { return a.x * a.y * a.z; }
inline unsigned rank_in(dim3 size, uint3 at) { return (at.z * size.y + at.y) * size.x + at.x; }
inline unsigned first_lanes(unsigned count) { return count < SIMT_WARP ? (1u << count) - 1 : ~0u; }

}  // namespace details

#define MLUSIM_MEMBER __attribute__((noinline, no_sanitize("thread")))

// Threads of a warp, or those of the block.
class thread_group {
 public:
  unsigned size() const { return mask_ ? __popc(mask_) : details::threads_of(blockDim); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return mask_ ? __popc(mask_ & details::first_lanes(mlusim_lane())) : details::rank_in(blockDim, threadIdx);
  }
  __forceinline__ void sync(int line = __builtin_LINE()) const {
    if (mask_)
      __syncwarp(mask_);
    else
      mlusim_barrier(line);
  }

 protected:
  explicit thread_group(unsigned mask) : mask_(mask) {}

  // Of so many threads in turn those that the running one is among.
  thread_group part(unsigned count) const {
    unsigned rank = mask_ ? thread_rank() : mlusim_lane(), first = rank - rank % count, lanes = 0;
    for (unsigned i = first; i < first + count && lane_of(i) < SIMT_WARP; ++i) lanes |= 1u << lane_of(i);
    return thread_group(lanes);
  }

  // The place in the warp of the thread with this rank; that of no thread where the group is smaller.
  unsigned lane_of(unsigned rank) const {
    unsigned lanes = mask_ ? mask_ : ~0u;
    for (; lanes && rank; --rank) lanes &= lanes - 1;
    return lanes ? __ffs(lanes) - 1 : SIMT_WARP;
  }

  unsigned mask_;  // 0: the block

  friend thread_group tiled_partition(const thread_group& parent, unsigned count);
};

class thread_block : public thread_group {
 public:
  thread_block() : thread_group(0) {}
  static unsigned size() { return details::threads_of(blockDim); }
  static unsigned num_threads() { return size(); }
  static unsigned thread_rank() { return details::rank_in(blockDim, threadIdx); }
  static dim3 group_index() { return blockIdx; }
  static dim3 thread_index() { return threadIdx; }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};

class grid_group {
 public:
  static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  static unsigned long long block_rank() { return details::rank_in(gridDim, blockIdx); }
  static unsigned long long size() { return num_blocks() * thread_block::size(); }
  static unsigned long long num_threads() { return size(); }
  static unsigned long long thread_rank() { return block_rank() * thread_block::size() + thread_block::thread_rank(); }
  static dim3 block_index() { return blockIdx; }
  static dim3 dim_blocks() { return gridDim; }
  static dim3 group_dim() { return gridDim; }
  // Blocks run one after the other.
  __forceinline__ bool is_valid() const { return mlusim::not_modelled("grid_group::is_valid"); }
  __forceinline__ void sync() const { mlusim::not_modelled("grid_group::sync"); }
};

namespace details {

// Threads of one warp, which exchange values. Those of a vote have the places of their ranks.
class lanes : public thread_group {
 public:
  template <class T>
  MLUSIM_MEMBER T shfl(T value, int rank) const {
    return of("shfl", value, (unsigned)rank, MLUSIM_PC);
  }
  template <class T>
  MLUSIM_MEMBER T shfl_up(T value, unsigned by) const {
    unsigned rank = thread_rank();
    return of("shfl_up", value, by > rank ? rank : rank - by, MLUSIM_PC);
  }
  template <class T>
  MLUSIM_MEMBER T shfl_down(T value, unsigned by) const {
    unsigned rank = thread_rank();
    return of("shfl_down", value, by >= size() - rank ? rank : rank + by, MLUSIM_PC);
  }
  __forceinline__ int any(int predicate) const { return __any_sync(mask_, predicate); }
  __forceinline__ int all(int predicate) const { return __all_sync(mask_, predicate); }
  __forceinline__ unsigned ballot(int predicate) const { return by_rank(__ballot_sync(mask_, predicate)); }
  template <class T>
  __forceinline__ unsigned match_any(T value) const {
    return by_rank(like(value));
  }
  template <class T>
  __forceinline__ unsigned match_all(T value, int& all) const {
    return by_rank(__match_all_sync(mask_, value, &all));
  }
  // Those that give the same value as the running one.
  template <class T>
  __forceinline__ unsigned like(T value) const {
    return __match_any_sync(mask_, value);
  }

  // What the thread of a rank gives to the function `name`, eight bytes at a time.
  template <class T>
  MLUSIM_MEMBER T of(const char* name, T value, unsigned rank, int64_t pc) const {
    static_assert(std::is_trivially_copyable_v<T>, "threads exchange values that can be copied byte by byte");
    uint64_t words[(sizeof(T) + 7) / 8] = {};
    unsigned lane = lane_of(rank);
    __builtin_memcpy(words, &value, sizeof value);
    for (uint64_t& word : words) word = mlusim_shuffle(name, mask_, word, lane < SIMT_WARP ? lane : mlusim_lane(), pc);
    __builtin_memcpy(&value, words, sizeof value);
    return value;
  }

 protected:
  using thread_group::thread_group;

  unsigned by_rank(unsigned of_lanes) const {
    unsigned packed = 0, rank = 0;
    for (unsigned lane = 0; lane < SIMT_WARP; ++lane)
      if (mask_ >> lane & 1) packed |= (of_lanes >> lane & 1) << rank++;
    return packed;
  }
};

}  // namespace details

class coalesced_group : public details::lanes {
 public:
  explicit coalesced_group(unsigned mask) : lanes(mask) {}
};

template <unsigned Size, class Parent = void>
class thread_block_tile : public details::lanes {
  static_assert(Size && !(Size & (Size - 1)), "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  template <class Group>
  explicit thread_block_tile(const Group& parent)
      : lanes(details::first_lanes(Size) << (mlusim_lane() & -Size)),
        meta_rank_(parent.thread_rank() / Size),
        meta_size_((parent.size() + Size - 1) / Size) {}
  template <class Other>
  thread_block_tile(const thread_block_tile<Size, Other>& other)
      : lanes(other), meta_rank_(other.meta_group_rank()), meta_size_(other.meta_group_size()) {}

  static constexpr unsigned size() { return Size; }
  static constexpr unsigned num_threads() { return Size; }
  unsigned thread_rank() const { return mlusim_lane() & (Size - 1); }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

  template <class T>
  MLUSIM_MEMBER T shfl(T value, int rank) const {
    return of("shfl", value, (unsigned)rank & (Size - 1), MLUSIM_PC);
  }
  template <class T>
  MLUSIM_MEMBER T shfl_xor(T value, unsigned by) const {
    unsigned rank = thread_rank();
    return of("shfl_xor", value, (rank ^ by) < Size ? rank ^ by : rank, MLUSIM_PC);
  }

 private:
  unsigned meta_rank_, meta_size_;  // among the tiles of the group that it is a part of
};

#undef MLUSIM_MEMBER

// Tiles of more than a warp may have such memory to exchange values in.
template <unsigned Threads = 1024>
struct block_tile_memory {
  char unused;
};

inline thread_block this_thread_block() { return {}; }
template <unsigned Threads>
thread_block this_thread_block(block_tile_memory<Threads>&) {
  return {};
}
inline grid_group this_grid() { return {}; }
__forceinline__ coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

#define MLUSIM_LARGE_TILE "tiled_partition of more than 32 threads"
template <unsigned Size, class Parent>
__forceinline__ thread_block_tile<Size, Parent> tiled_partition(const Parent& parent) {
  if constexpr (Size > SIMT_WARP)
    return mlusim::not_modelled(MLUSIM_LARGE_TILE);
  else
    return thread_block_tile<Size, Parent>(parent);
}
__forceinline__ thread_group tiled_partition(const thread_group& parent, unsigned count) {
  if (count > SIMT_WARP) return mlusim::not_modelled(MLUSIM_LARGE_TILE);
  return parent.part(count);
}
#undef MLUSIM_LARGE_TILE

// The threads of a group that say the same.
template <class Label>
__forceinline__ coalesced_group labeled_partition(const details::lanes& group, Label label) {
  return coalesced_group(group.like(label));
}
__forceinline__ coalesced_group binary_partition(const details::lanes& group, bool predicate) {
  return coalesced_group(group.like((int)predicate));
}

template <class Group>
__forceinline__ void sync(const Group& group, int line = __builtin_LINE()) {
  if constexpr (std::is_same_v<Group, grid_group>)
    group.sync();
  else
    group.sync(line);
}

}  // namespace cooperative_groups

#include "../bang/mlusim_letters_end.h"
