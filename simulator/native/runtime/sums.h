// Sums of products that become floats.
#pragma once
#include <stdint.h>

// Where floats lie, an array [n, row, lane, h, w] in which w is packed, and what they become: of the doubles left
// [n, channel, k] and right [n, channel, k, h * width + w] the sum of the products over k, and of what they hold where
// `adds`. Channels are rows of lanes. Strides of floats count bytes, those of doubles elements.
struct mlusim_sums {
  uint64_t floats;
  int64_t counts[5], strides[4];
  uint64_t left, right;
  int64_t products, width, left_n, left_channel, right_n, right_channel, right_k;
  int64_t adds;
  int64_t flushes;  // subnormal floats are zeros, before and after
};

// Forms the sums in order and rounds each once.
extern "C" void mlusim_store_sums(const struct mlusim_sums* sums);
