#include "sums.h"

#include <algorithm>

#include "flushed.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // loops in vectors
#endif

namespace mlusim {
namespace {

// Elements that are made together.
constexpr int64_t TOGETHER = 128;

template <bool ADDS, bool FLUSHES>
inline __attribute__((always_inline)) void store(const double* sums, float* to, int64_t count) {
  for (int64_t i = 0; i < count; i++) {
    const double sum = ADDS ? sums[i] + flushed<FLUSHES>(to[i]) : sums[i];
    to[i] = flushed<FLUSHES>(static_cast<float>(sum));
  }
}

// Elements of a row, which have the factors `left` in common.
inline __attribute__((always_inline)) void row(const mlusim_sums& all, float* to, int64_t count, const double* left,
                                               const double* right) {
  double sums[TOGETHER];
  for (int64_t at = 0; at < count; at += TOGETHER, to += TOGETHER, right += TOGETHER) {
    const int64_t some = std::min(count - at, TOGETHER);
    for (int64_t i = 0; i < some; i++) sums[i] = 0 + left[0] * right[i];  // 0 where that is -0
    for (int64_t k = 1; k < all.products; k++) {
      const double factor = left[k], *factors = right + k * all.right_k;
      for (int64_t i = 0; i < some; i++) sums[i] += factor * factors[i];
    }
    if (all.flushes)
      all.adds ? store<true, true>(sums, to, some) : store<false, true>(sums, to, some);
    else
      all.adds ? store<true, false>(sums, to, some) : store<false, false>(sums, to, some);
  }
}

using Row = decltype(&row);

void plain_row(const mlusim_sums& all, float* to, int64_t count, const double* left, const double* right) {
  row(all, to, count, left, right);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void wide_row(const mlusim_sums& all, float* to, int64_t count, const double* left,
                                              const double* right) {
  row(all, to, count, left, right);
}

__attribute__((target("avx512f,avx512vl"))) void widest_row(const mlusim_sums& all, float* to, int64_t count,
                                                            const double* left, const double* right) {
  row(all, to, count, left, right);
}

const Row any_row = __builtin_cpu_supports("avx512vl") ? widest_row
                    : __builtin_cpu_supports("avx2")   ? wide_row
                                                       : plain_row;
#else
const Row any_row = plain_row;
#endif

}  // namespace
}  // namespace mlusim

void mlusim_store_sums(const mlusim_sums* given) {
  const mlusim_sums& all = *given;
  const auto [images, rows, lanes, height, width] = all.counts;
  const auto [of_image, of_row, of_lane, of_line] = all.strides;
  const bool together = of_line == static_cast<int64_t>(width * sizeof(float)) && all.width == width;
  const int64_t lines = together ? 1 : height, columns = together ? height * width : width;
  const auto *left = reinterpret_cast<const double*>(all.left), *right = reinterpret_cast<const double*>(all.right);
  for (int64_t n = 0; n < images; n++)
    for (int64_t r = 0; r < rows; r++)
      for (int64_t lane = 0; lane < lanes; lane++) {
        const int64_t channel = r * lanes + lane;
        const double* of_left = left + n * all.left_n + channel * all.left_channel;
        const double* of_right = right + n * all.right_n + channel * all.right_channel;
        const uint64_t at = all.floats + n * of_image + r * of_row + lane * of_lane;
        for (int64_t h = 0; h < lines; h++)
          mlusim::any_row(all, reinterpret_cast<float*>(at + h * of_line), columns, of_left, of_right + h * all.width);
      }
}
