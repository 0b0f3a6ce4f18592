// Cooperative groups, as they are used right, and with mistakes.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

// Column k: one number of a group.
__global__ void numbers(unsigned *out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  cg::thread_group eight = cg::tiled_partition(block, 8);
  cg::grid_group grid = cg::this_grid();
  unsigned *row = out + 16 * grid.thread_rank();
  row[0] = block.thread_rank();
  row[1] = block.size();
  row[2] = block.group_index().x;
  row[3] = block.thread_index().y;
  row[4] = warp.thread_rank();
  row[5] = warp.meta_group_rank();
  row[6] = warp.meta_group_size();
  row[7] = tile.thread_rank();
  row[8] = tile.num_threads();
  row[9] = tile.meta_group_rank();
  row[10] = tile.meta_group_size();
  row[11] = eight.thread_rank();
  row[12] = eight.size();
  row[13] = grid.size();
  row[14] = grid.block_rank();
  row[15] = block.dim_threads().x;
}

// Column k: what the threads of a tile of 8 say to each other.
__global__ void exchanged(int *out, const int *in) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int t = threadIdx.x, v = in[t], all;
  int *row = out + 12 * t;
  row[0] = tile.shfl(v, 3);
  row[1] = tile.shfl_up(v, 2);
  row[2] = tile.shfl_down(v, 2);
  row[3] = tile.shfl_xor(v, 5);
  row[4] = tile.ballot(v > 4);
  row[5] = tile.any(v > 8);
  row[6] = tile.all(v > 0);
  row[7] = tile.match_any(v & 1);
  row[8] = tile.match_all(v & 16, all);
  row[9] = cg::reduce(tile, v, cg::plus<int>());
  row[10] = cg::reduce(tile, v, cg::greater<int>());
  row[11] = cg::reduce(tile, v, [](int a, int b) { return a ^ b; });
}

struct Best {
  double value;
  int at;
};

// Values of more than eight bytes.
__global__ void best(double *value, int *at, const double *in) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  Best mine{in[threadIdx.x], (int)threadIdx.x};
  mine = cg::reduce(warp, mine, [](Best a, Best b) { return a.value < b.value ? b : a; });
  if (warp.thread_rank() == 0) *value = mine.value, *at = mine.at;
}

// The threads that a condition sends somewhere, and those of them that say the same.
__global__ void sent(int *out, const int *in) {
  int t = threadIdx.x;
  if (in[t] < 0) return;
  cg::coalesced_group here = cg::coalesced_threads();
  cg::coalesced_group same = cg::labeled_partition(here, in[t]);
  cg::coalesced_group odd = cg::binary_partition(here, in[t] & 1);
  int *row = out + 6 * t;
  row[0] = here.size();
  row[1] = here.shfl(t, 1);
  row[2] = same.thread_rank();
  row[3] = cg::reduce(same, t, cg::plus<int>());
  row[4] = odd.size();
  row[5] = cg::reduce(odd, t, cg::less<int>());
}

template <class Group>
__device__ int sum(Group group, int *shared, int value) {
  int rank = group.thread_rank();
  for (int i = group.size() / 2; i > 0; i /= 2) {
    shared[rank] = value;
    group.sync();
    if (rank < i) value += shared[rank + i];
    group.sync();
  }
  return value;
}

// The same function for the block, for a tile, and for a group of any kind.
__global__ void in_shared(int *out, int kind) {
  extern __shared__ int shared[];
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int t = threadIdx.x, *part = shared + t / 16 * 16;
  if (kind == 0) out[t] = sum(block, shared, t);
  if (kind == 1) out[t] = sum(tile, part, t);
  if (kind == 2) out[t] = sum<cg::thread_group>(tile, part, t);
}

// Each thread of a warp stores the same.
__global__ void alike(float *out, const float *in, int differs) {
  __shared__ float sums[32];
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  float all = cg::reduce(warp, in[threadIdx.x], cg::plus<float>());
  sums[warp.meta_group_rank()] = all + (threadIdx.x == differs);  // line: alike
  __syncthreads();
  if (threadIdx.x < warp.meta_group_size()) out[threadIdx.x] = sums[threadIdx.x];
}

__global__ void hints(float *out, const float *in) {
  int t = threadIdx.x;
  __stcs(out + t, __ldcs(in + t) + __ldg(in + t) + __ldcg(in + t) + __ldcv(in + t));
}

// --- mistakes --------------------------------------------------------------------------------------------------------

__global__ void half_a_tile(int *out) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (tile.thread_rank() < 8) tile.sync();  // line: half a tile
  cg::sync(cg::this_thread_block());        // line: the block
  out[threadIdx.x] = 1;
}

__global__ void half_a_block(int *out) {
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x < 32)
    block.sync();  // line: first half
  else
    block.sync();  // line: second half
  out[threadIdx.x] = 1;
}

__global__ void uneven(int *out) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  out[threadIdx.x] = cg::reduce(warp, 1, cg::plus<int>());  // line: uneven
}

__global__ void not_modelled(int *out, int which) {
  cg::thread_block block = cg::this_thread_block();
  if (which == 0) cg::this_grid().sync();
  if (which == 1) cg::tiled_partition<64>(block).sync();
  if (which == 2) cg::tiled_partition(block, 64).sync();
}

// Row t: sums up to thread t and before it, in its tile; the largest up to it; the sum among threads of its sign.
__global__ void scanned(int *out, const int *given) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = threadIdx.x, mine = given[t];
  out[4 * t] = cg::inclusive_scan(tile, mine);
  out[4 * t + 1] = cg::exclusive_scan(tile, mine, cg::plus<int>());
  out[4 * t + 2] = cg::inclusive_scan(tile, mine, cg::greater<int>());
  out[4 * t + 3] = cg::exclusive_scan(cg::binary_partition(tile, mine > 0), mine);
}

// What all threads of a block say, one round after the other.
__global__ void voted(int *out, const int *given, int rounds) {
  for (int i = 0; i < rounds; ++i) {
    const int mine = given[i * blockDim.x + threadIdx.x];
    int *row = out + (i * blockDim.x + threadIdx.x) * 3;
    row[0] = __syncthreads_count(mine);
    row[1] = __syncthreads_and(mine);
    row[2] = __syncthreads_or(mine);
  }
}
