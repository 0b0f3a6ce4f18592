#include "sums.h"

#include <algorithm>

#include "flushed.h"

#if defined(__GNUC__) && !defined(__clang__)
#define LOOPS optimize("O3")  // in vectors; a pragma does not hold for templates
#else
#define LOOPS
#endif

namespace mlusim {
namespace {

// So many vectors of sums stay in registers if they are of so many products, those of so many channels where they have
// factors in common. Of at most so many elements, all channels are made before the next elements, and of so many
// factors, which stay in the cache.
constexpr int64_t SUMS = 8, MANY = 6, CHANNELS = 4, TOGETHER = 512, FACTORS = 16384;

// Elements of a line of an image, the same ones of each channel.
struct Part {
  const mlusim_sums& all;
  int64_t image, line, column, count;

  const double* left(int64_t channel) const {
    return reinterpret_cast<const double*>(all.left) + image * all.left_n + channel * all.left_channel;
  }
  const double* right(int64_t channel) const {
    const auto* first = reinterpret_cast<const double*>(all.right);
    return first + image * all.right_n + channel * all.right_channel + line * all.width + column;
  }
  float* floats(int64_t channel) const {
    const int64_t row = channel / all.counts[2], lane = channel % all.counts[2];
    const auto [of_image, of_row, of_lane, of_line] = all.strides;
    return reinterpret_cast<float*>(all.floats + image * of_image + row * of_row + lane * of_lane + line * of_line) +
           column;
  }
};

namespace plain {
#define TARGET __attribute__((LOOPS))
#define VECTOR_BYTES 16
#include "sums_of_channels.inc"
}  // namespace plain

#if defined(__x86_64__)
namespace wide {
#define TARGET __attribute__((target("avx2"), LOOPS))
#define VECTOR_BYTES 32
#include "sums_of_channels.inc"
}  // namespace wide

namespace widest {
#define TARGET __attribute__((target("avx512f,avx512vl"), LOOPS))
#define VECTOR_BYTES 64
#include "sums_of_channels.inc"
}  // namespace widest

const auto part_of = __builtin_cpu_supports("avx512vl") ? widest::part_of
                     : __builtin_cpu_supports("avx2")   ? wide::part_of
                                                        : plain::part_of;
#else
using plain::part_of;
#endif

}  // namespace
}  // namespace mlusim

void mlusim_store_sums(const mlusim_sums* given) {
  const mlusim_sums& all = *given;
  const int64_t images = all.counts[0], height = all.counts[3], width = all.counts[4];
  const bool together = all.strides[3] == static_cast<int64_t>(width * sizeof(float)) && all.width == width;
  const int64_t lines = together ? 1 : height, columns = together ? height * width : width;
  const int64_t fit = mlusim::FACTORS / std::max<int64_t>(all.products, 1);
  const int64_t some = std::clamp<int64_t>(fit / 64 * 64, 64, mlusim::TOGETHER);
  for (int64_t n = 0; n < images; n++)
    for (int64_t h = 0; h < lines; h++)
      for (int64_t at = 0; at < columns; at += some) mlusim::part_of({all, n, h, at, std::min(columns - at, some)});
}
