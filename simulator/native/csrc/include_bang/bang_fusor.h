// A chain of operations on one vector, which the vendor's compiler fuses. Known, and not modelled yet.
#pragma once
#include "mlu.h"

namespace bang {
namespace experimental {

template <class T>
struct fusor {
  __attribute__((always_inline)) fusor(T*, const T*, int) { mlusim::not_modelled("bang::experimental::fusor"); }
#define MLUSIM_FUSED(name)   \
  template <class... A>      \
  fusor& name(A&&...) {      \
    return *this;            \
  }
  MLUSIM_FUSED(add)
  MLUSIM_FUSED(sub)
  MLUSIM_FUSED(mul)
  MLUSIM_FUSED(div)
  MLUSIM_FUSED(abs)
  MLUSIM_FUSED(sqrt)
#undef MLUSIM_FUSED
};

}  // namespace experimental
}  // namespace bang
