// Copies and vectors of a pipeline, whose waits are its functions: other names for instructions (inferred).
#pragma once
#include "mlu.h"

#include "mlusim_letters.h"

namespace bang {

struct pipeline {
  pipeline(uint32_t) {}
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  __attribute__((always_inline)) void wait_compute() { __sync_compute(); }
  __attribute__((always_inline)) void wait_memcpy() {
    if (clusterDim) {
      __sync_cluster();
    } else {
      __sync_copy_dram_to_nram();
      __sync_copy_dram_to_sram();
    }
  }
#define MLUSIM_WAIT(name) \
  __attribute__((always_inline)) void wait_copy_##name() { __sync_copy_##name(); }
  MLUSIM_WAIT(nram_to_nram)
  MLUSIM_WAIT(nram_to_dram)
  MLUSIM_WAIT(dram_to_nram)
  MLUSIM_WAIT(wram_to_dram)
  MLUSIM_WAIT(dram_to_wram)
  MLUSIM_WAIT(sram_to_dram)
  MLUSIM_WAIT(dram_to_sram)
  MLUSIM_WAIT(nram_to_sram)
  MLUSIM_WAIT(sram_to_nram)
  MLUSIM_WAIT(wram_to_sram)
  MLUSIM_WAIT(sram_to_wram)
  MLUSIM_WAIT(sram_to_sram)
#undef MLUSIM_WAIT
};

template <class To, class From>
__attribute__((always_inline)) inline void memcpy_async(pipeline&, To* dst, From* src, int size,
                                                        mluMemcpyDirection_t direction) {
  __memcpy_async((void*)dst, (const void*)src, size, direction);
}

namespace vector {
#define MLUSIM_VECTOR(name)                                                                                  \
  template <class Element>                                                                                   \
  __attribute__((always_inline)) inline void name(pipeline&, Element* dst, Element* src0, Element* src1, int count) { \
    __bang_##name(dst, src0, src1, count);                                                                   \
  }
MLUSIM_VECTOR(add)
MLUSIM_VECTOR(sub)
MLUSIM_VECTOR(mul)
#undef MLUSIM_VECTOR
}  // namespace vector

}  // namespace bang

#include "mlusim_letters_end.h"
