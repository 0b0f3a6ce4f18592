#include "exponential.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")  // loops in vectors
#endif

namespace mlusim {

namespace {

// Elements that are made together.
constexpr intptr_t BLOCK = 64;

// e to the power of a block, and which of them are in doubt; whether any is.
inline __attribute__((always_inline)) bool exp_block(const double* from, double* to, uint64_t* doubts) {
  // Of doubles with so many bits behind those of a float, 1 << 28 is the middle between two floats. The error is below
  // 2^-46 of the value, 64 of these.
  constexpr uint64_t REST = (1u << 29) - 1, MIDDLE = 1u << 28, NEAR = 1u << 10;
  constexpr double LEAST = -104.5, LOW = -87, HIGH = 88;  // below the first all become 0; between the others normal
  constexpr double SHIFTER = 0x1.8p52, PER_LOG = 0x1.71547652b82fep0;
  constexpr double LOG_HIGH = 0x1.62e42feep-1, LOG_LOW = 0x1.a39ef35793c76p-33;
  uint64_t any = 0;
  for (intptr_t i = 0; i < BLOCK; i++) {
    const double x = from[i], shifted = x * PER_LOG + SHIFTER, whole = shifted - SHIFTER;
    const double r = (x - whole * LOG_HIGH) - whole * LOG_LOW, square = r * r;
    // The series of e to the power of r, at most 0.35, up to the power of 12.
    const double even =
        1. / 2 +
        square * (1. / 24 +
                  square * (1. / 720 + square * (1. / 40320 + square * (1. / 3628800 + square * (1. / 479001600)))));
    const double odd =
        1. / 6 + square * (1. / 120 + square * (1. / 5040 + square * (1. / 362880 + square * (1. / 39916800))));
    const double near = 1 + (r + (square * even + r * square * odd));
    uint64_t bits, power;
    memcpy(&bits, &near, sizeof bits);
    memcpy(&power, &shifted, sizeof power);
    bits += power << 52;
    // Without branches, which no vector has.
    const uint64_t is_zero = x < LEAST ? ~0ull : 0, is_normal = (x > LOW ? 1 : 0) & (x < HIGH ? 1 : 0);
    const uint64_t is_middle = ((bits - (MIDDLE - NEAR)) & REST & ~(2 * NEAR - 1)) == 0 ? 1 : 0;
    const uint64_t is_nan = x != x ? ~0ull : 0;  // of which the C library gives what it was given
    const double twice = x + x;
    uint64_t given;
    memcpy(&given, &twice, sizeof given);
    doubts[i] = ~(is_zero | is_nan) & ((is_normal ^ 1) | is_middle);
    any |= doubts[i];
    bits = (bits & ~(is_zero | is_nan)) | (given & is_nan);
    memcpy(&to[i], &bits, sizeof bits);
  }
  return any != 0;
}

#if defined(__x86_64__) && !defined(MLUSIM_PLAIN_EXP)  // which a test says
#define MLUSIM_WIDE_EXP
__attribute__((target("avx2,fma"))) bool exp_block_wide(const double* from, double* to, uint64_t* doubts) {
  return exp_block(from, to, doubts);
}
const bool has_wide = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#endif

bool exp_block_anywhere(const double* from, double* to, uint64_t* doubts) {
#ifdef MLUSIM_WIDE_EXP
  if (has_wide) return exp_block_wide(from, to, doubts);
#endif
  return exp_block(from, to, doubts);
}

}  // namespace

void exp_for_floats(NumpyLoop exact, void* data, char** arguments, intptr_t count) {
  const intptr_t strides[] = {sizeof(double), sizeof(double)}, whole = count - count % BLOCK;
  const double* from = (const double*)arguments[0];
  double *to = (double*)arguments[1], made[BLOCK], doubtful[BLOCK];
  uint64_t doubts[BLOCK];
  for (intptr_t at = 0; at < whole; at += BLOCK) {
    if (exp_block_anywhere(from + at, made, doubts)) {
      intptr_t some = 0;
      for (intptr_t i = 0; i < BLOCK; i++)
        if (doubts[i]) doubtful[some++] = from[at + i];
      char* places[] = {(char*)doubtful, (char*)doubtful};
      exact(places, &some, strides, data);
      some = 0;
      for (intptr_t i = 0; i < BLOCK; i++)
        if (doubts[i]) made[i] = doubtful[some++];
    }
    memcpy(to + at, made, sizeof made);
  }
  const intptr_t rest = count - whole;
  char* places[] = {(char*)(from + whole), (char*)(to + whole)};
  if (rest) exact(places, &rest, strides, data);
}

}  // namespace mlusim
