// What a BANG C source sees: types, qualifiers, built-in variables and, generated from the declarations, the instructions.
#pragma once
#if !defined(__BANG__)
#error "bang.h and mlu.h are for BANG C sources, which cncc compiles (.mlu, or with -x bang); C++ of the host includes cnrt.h"
#else
#include "mlusim_letters.h"

#include <stdint.h>

typedef int8_t int8;
typedef int16_t int16;
typedef int32_t int32;
typedef int64_t int64;
typedef uint8_t uint8;
typedef uint16_t uint16;
typedef uint32_t uint32;
typedef uint64_t uint64;

#ifdef MLUSIM_HOST
#include "mlusim_host.h"
#else
#include <assert.h>
#include <float.h>
// Names of the system's headers that C++ itself does not have: kernels use them for what is theirs.
#define gamma mlusim_system_gamma
#define index mlusim_system_index
#define rindex mlusim_system_rindex
#define j0 mlusim_system_j0
#define j1 mlusim_system_j1
#define jn mlusim_system_jn
#define y0 mlusim_system_y0
#define y1 mlusim_system_y1
#define yn mlusim_system_yn
#include <math.h>
#include <string.h>
#undef gamma
#undef index
#undef rindex
#undef j0
#undef j1
#undef jn
#undef y0
#undef y1
#undef yn
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <type_traits>

#include "../../runtime/mlusim_rt.h"
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

// What a variable argument list can carry of a value.
template <class T>
T printable(T value) {
  return value;
}
inline double printable(half value) { return (double)(float)value; }
inline double printable(bfloat16_t value) { return (double)(float)value; }

template <class... A>
int print(const char* format, A... values) {
  return printf(format, printable(values)...);
}

// Inline assembly findlast1.gpr.b32: the highest bit that is set, all ones if there is none.
template <class T>
void find_last_one(T& position, uint32_t bits) {
  position = (T)(bits ? 31 - __builtin_clz(bits) : -1);
}

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

// The memory that an address lies in; what lies in none on the chip, the stack among it, lies in DRAM.
#define MLUSIM_IS(space) \
  MLUSIM_OP bool __is_##space(const void* address) { return mlusim_in_space(address, #space, MLUSIM_PC); }
MLUSIM_IS(nram)
MLUSIM_IS(wram)
MLUSIM_IS(sram)
#undef MLUSIM_IS
static inline bool __is_dram(const void* address) {
  return !__is_nram(address) && !__is_wram(address) && !__is_sram(address);
}

#define __bang_printf(...) ::mlusim::print(__VA_ARGS__)

// Assertions of kernels, whoever's macro calls __assert_fail, which NDEBUG leaves undeclared; the runtime turns it into a finding.
extern "C" [[noreturn]] void __assert_fail(const char* text, const char* file, unsigned line, const char* function) noexcept;
extern "C" inline void __assert(const char* text, const char* file, int line) noexcept { __assert_fail(text, file, (unsigned)line, ""); }

#include "cnrt.h"
#include "mlusim_entry.h"
#include "mlusim_types.h"
#include "mlusim_ops.h"
#include "mlusim_fusion.h"
// The compiler's own name of the wait, in kernels of older toolkits (inferred).
#define __mlvm_sync() __sync()
#include "mlusim_scalar.h"

template <class T>
__attribute__((always_inline)) inline void mlusim::copy_register(Register<T>& to, const Register<T>& from) {
  __vv_move(to, from);  // like every other change of simulated memory, an instruction
}

// Inline assembly barrier.sync.local and .global: how many meet says who they are; the first operand is an id.
namespace mlusim {
__attribute__((always_inline)) inline void barrier_local(int, int count) {
  if (count == coreDim + 1)
    __sync_cluster();
  else if (count == coreDim)
    __sync_all_ipu_within_cluster();
  else
    not_modelled("asm: barrier.sync.local of some of the cores");
}
__attribute__((always_inline)) inline void barrier_global(int, int count) {
  if (count == clusterDim * (coreDim + 1))
    __sync_all();
  else if (count == clusterDim * coreDim)
    __sync_all_ipu();
  else
    not_modelled("asm: barrier.sync.global of some of the cores");
}
}  // namespace mlusim

// The build puts functions here whose names are unknown; see frontend/unknown.py.
#pragma mlusim unknown
#endif

#include "mlusim_letters_end.h"
#endif
