// What becomes of subnormal floats where an instruction takes them for zeros.
#pragma once
#include <math.h>

namespace [[gnu::visibility("hidden")]] mlusim {

template <bool FLUSHES>
inline __attribute__((always_inline)) float flushed(float x) {
  constexpr float least = 0x1p-126f;  // that is no subnormal number
  return FLUSHES && fabsf(x) < least ? copysignf(0, x) : x;
}

}  // namespace mlusim
