// Increasing sequences of indices, as float, in NRAM.
#pragma once
#include <mlu.h>

#define INDICES_SEED_LENGTH 64         // elements that scalar stores write before doubling starts
#define INDICES_EXACT_BLOCK (1 << 23)  // so many indices, and one tile more, are exact floats

// dst[i] = start_index + i for len elements; exact while every index lies within +-2^24.
// Seeds a few elements one by one, then doubles the sequence: log2(len) vector instructions.
__mlu_func__ void __mluop_get_indices(float *dst, float start_index, uint32_t len) {
  uint32_t done = len < INDICES_SEED_LENGTH ? len : INDICES_SEED_LENGTH;
  for (uint32_t i = 0; i < done; ++i) {
    dst[i] = start_index + (float)i;
  }
  while (done < len) {
    const uint32_t num = len - done < done ? len - done : done;
    __bang_add_scalar(dst + done, dst, (float)done, num);
    done += num;
  }
}

// dst[i] = (float)(start_index + i), rounded once, for |start_index| < 2^47.
// The start is split into a multiple of 2^23 and a remainder. The sequence from the remainder is exact, so is the
// multiple, and the sum of two exact floats is rounded to nearest: what a cast of the whole index gives.
__mlu_func__ void getWideIndices(float *dst, int64_t start_index, uint32_t len) {
  int64_t remainder = start_index % INDICES_EXACT_BLOCK;
  if (start_index > -INDICES_EXACT_BLOCK && start_index + len < INDICES_EXACT_BLOCK) {
    remainder = start_index;
  } else if (remainder < 0) {
    remainder += INDICES_EXACT_BLOCK;
  }
  __mluop_get_indices(dst, (float)remainder, len);
  if (remainder != start_index) {
    __bang_add_scalar(dst, dst, (float)(start_index - remainder), len);
  }
}
