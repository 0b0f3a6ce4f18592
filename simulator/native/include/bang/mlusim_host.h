// What the host's part of a `.mlu` source sees in place of mlu.h: types, and launches. Functions for the device are gone when
// it is compiled, and the body of a kernel is what launches it; see host/source.py.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>
#include <utility>

#include "cnrt.h"
#include "mlusim_half.h"

#define __mlu_func__ __device__
#define __mlu_device__ __device__
#define __mlu_vector__ __device__
#define __mlu_builtin__ __device__
#define __mlu_const__ const

extern "C" {
struct mlusim_argument {
  const void* value;
  uint64_t bytes;
};
void mlusim_register_image(const void* image);
void mlusim_forget_image(const void* image);
void mlusim_configure(cnrtDim3_t dim, int type, cnrtQueue_t queue);
void mlusim_enter_kernel(const struct mlusim_argument* arguments, uint64_t count);
}

namespace mlusim {

template <class D>
__attribute__((always_inline)) inline cnrtDim3_t dimensions(const D& dim) {
  if constexpr (std::is_arithmetic_v<D> || std::is_enum_v<D>)
    return {(unsigned)dim, 1, 1};
  else
    return {(unsigned)dim.x, (unsigned)dim.y, (unsigned)dim.z};
}

// `kernel<<<dim, type, queue>>>(...)`, dim in braces too; the call of the kernel picks up what is said here.
template <class D = cnrtDim3_t, class T, class F>
__attribute__((always_inline)) inline void launch(const D& dim, T type, cnrtQueue_t queue, F&& call) {
  mlusim_configure(dimensions(dim), (int)type, queue);
  call();
}
template <class D = cnrtDim3_t, class T, class F>
__attribute__((always_inline)) inline void launch(const D& dim, T type, F&& call) {
  launch(dim, type, (cnrtQueue_t) nullptr, call);
}
template <class D = cnrtDim3_t, class T, class S, class F>
__attribute__((always_inline)) inline void launch(const D& dim, T type, cnrtQueue_t queue, S&&, F&& call) {
  launch(dim, type, queue, call);
}

}  // namespace mlusim
