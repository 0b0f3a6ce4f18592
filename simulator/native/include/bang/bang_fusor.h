// A chain of operations on one vector, which the vendor's compiler fuses; here each is an instruction (inferred).
#pragma once
#include "mlu.h"

#include "mlusim_letters.h"

namespace bang {
namespace experimental {

template <class T>
struct fusor {
  T* dst;
  const T* src;  // of the next operation: the vector, then what the one before it has left
  int count;

  __attribute__((always_inline)) fusor(T* dst, const T* src, int count) : dst(dst), src(src), count(count) {}
#define MLUSIM_FUSED(name)                                       \
  __attribute__((always_inline)) fusor& name(T value) {          \
    __bang_##name##_scalar(dst, src, value, count);              \
    src = dst;                                                   \
    return *this;                                                \
  }                                                              \
  __attribute__((always_inline)) fusor& name(const T* other) {   \
    __bang_##name(dst, src, other, count);                       \
    src = dst;                                                   \
    return *this;                                                \
  }
#define MLUSIM_FUSED1(name)                             \
  __attribute__((always_inline)) fusor& name() {        \
    __bang_##name(dst, src, count);                     \
    src = dst;                                          \
    return *this;                                       \
  }
  MLUSIM_FUSED(add)
  MLUSIM_FUSED(sub)
  MLUSIM_FUSED(mul)
  MLUSIM_FUSED(eq)
  MLUSIM_FUSED(ne)
  MLUSIM_FUSED(lt)
  MLUSIM_FUSED(le)
  MLUSIM_FUSED(gt)
  MLUSIM_FUSED(ge)
  MLUSIM_FUSED1(abs)
  MLUSIM_FUSED1(sqrt)
#undef MLUSIM_FUSED
#undef MLUSIM_FUSED1
};

}  // namespace experimental
}  // namespace bang

#include "mlusim_letters_end.h"
