// What a BANG C source sees: types, qualifiers, built-in variables and, generated from the declarations, the instructions.
#pragma once
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <type_traits>

#include "../mlusim_rt.h"
#include "mlusim_half.h"
#include "mlusim_storage.h"

#define __mlu_func__
#define __mlu_device__
#define __mlu_host__
#define __mlu_vector__
#define __mlu_builtin__
#define __mlu_const__ const

// The built-in variables, read past the view of scalar accesses.
#define MLUSIM_BUILTIN(name) \
  static __attribute__((noinline, unused, pure, no_sanitize("thread"))) int mlusim_##name() { return mlusim_current->name; }
MLUSIM_BUILTIN(taskId)
MLUSIM_BUILTIN(taskIdX)
MLUSIM_BUILTIN(taskIdY)
MLUSIM_BUILTIN(taskIdZ)
MLUSIM_BUILTIN(taskDim)
MLUSIM_BUILTIN(taskDimX)
MLUSIM_BUILTIN(taskDimY)
MLUSIM_BUILTIN(taskDimZ)
MLUSIM_BUILTIN(clusterId)
MLUSIM_BUILTIN(clusterDim)
MLUSIM_BUILTIN(coreId)
MLUSIM_BUILTIN(coreDim)
#define taskId (mlusim_taskId())
#define taskIdX (mlusim_taskIdX())
#define taskIdY (mlusim_taskIdY())
#define taskIdZ (mlusim_taskIdZ())
#define taskDim (mlusim_taskDim())
#define taskDimX (mlusim_taskDimX())
#define taskDimY (mlusim_taskDimY())
#define taskDimZ (mlusim_taskDimZ())
#define clusterId (mlusim_clusterId())
#define clusterDim (mlusim_clusterDim())
#define coreId (mlusim_coreId())
#define coreDim (mlusim_coreDim())

namespace mlusim {

// A vector register; its lanes lie in the core's register memory.
template <class T>
struct Register;
template <class T>
void copy_register(Register<T>& to, const Register<T>& from);
template <class T>
struct Register {
  uint64_t address;
  __attribute__((no_sanitize("thread"), noinline)) Register() : address(mlusim_take_register()) {}
  __attribute__((no_sanitize("thread"))) Register(const Register& other) : Register() { *this = other; }
  __attribute__((no_sanitize("thread"))) Register& operator=(const Register& other) {
    copy_register(*this, other);
    return *this;
  }
  __attribute__((no_sanitize("thread"))) ~Register() { mlusim_give_register(); }
};

}  // namespace mlusim

#include "mlusim_unmodelled.h"

typedef mlusim::Register<float> vv_float;
typedef mlusim::Register<half> vv_half;
typedef mlusim::Register<int16_t> vv_int16;
typedef mlusim::Register<uint16_t> vv_uint16;
typedef mlusim::Register<int32_t> vv_int32;
typedef mlusim::Register<uint32_t> vv_uint32;

MLUSIM_OP int __vv_get_length() { return (int)mlusim_current->register_bytes; }
static inline bool __is_mpu() { return coreId == 0x80; }
static inline bool __is_ipu() { return coreId != 0x80; }
#define __bang_printf(...) printf(__VA_ARGS__)
#define __assert_fail_mlu(...) abort()

// An instruction that is known and not modelled: any arguments, any result.
#define MLUSIM_KNOWN(name)                    \
  template <class... A>                       \
  MLUSIM_OP mlusim::Unmodelled name(A&&...) { \
    mlusim_not_modelled(#name, MLUSIM_PC);    \
    return {};                                \
  }

#include "cnrt.h"
#include "mlusim_entry.h"
#include "mlusim_fusion.h"
#include "mlusim_ops.h"
#include "mlusim_scalar.h"

template <class T>
__attribute__((always_inline)) inline void mlusim::copy_register(Register<T>& to, const Register<T>& from) {
  __vv_move(to, from);  // like every other change of simulated memory, an instruction
}
