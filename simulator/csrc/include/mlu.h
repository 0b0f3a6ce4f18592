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
#include <utility>

#include "../mlusim_rt.h"
#include "mlusim_half.h"

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

// A file-scope variable in on-chip memory: a reference that the simulator points into the running core's memory.
struct Slot {
  const char *name, *space;
  int line;
  const char* file;
  const void* initial = nullptr;
  template <class U>
  operator U&() const {
    return *static_cast<U*>(mlusim_slot(name, space, line, file, initial, sizeof(U)));
  }
};

// A block-scope variable in on-chip memory: taken on entry, returned on exit.
struct Local {
  const char *name, *space;
  int line;
  const char* file;
  uint64_t address = 0;
  template <class U>
  __attribute__((always_inline)) inline operator U&() {
    return *reinterpret_cast<U*>(take(sizeof(U), nullptr));
  }
  template <class U>
  __attribute__((always_inline)) inline U& init(U& value) {
    return *reinterpret_cast<U*>(take(sizeof(U), &value));
  }
  __attribute__((no_sanitize("thread"), noinline)) uint64_t take(uint64_t bytes, const void* initial) {
    return address = mlusim_local(space, name, bytes, initial, MLUSIM_PC);
  }
  __attribute__((no_sanitize("thread"), noinline)) ~Local() {
    if (address) mlusim_release(address, MLUSIM_PC);
  }
};

// A vector register; its lanes lie in the core's register memory.
template <class T>
struct Register;
template <class T>
void copy_register(Register<T>& to, const Register<T>& from);
template <class T>
struct Register {
  uint64_t address;
  __attribute__((no_sanitize("thread"))) Register() : address(mlusim_take_register()) {}
  __attribute__((no_sanitize("thread"))) Register(const Register& other) : Register() { *this = other; }
  __attribute__((no_sanitize("thread"))) Register& operator=(const Register& other) {
    copy_register(*this, other);
    return *this;
  }
  __attribute__((no_sanitize("thread"))) ~Register() { mlusim_give_register(); }
};

// The value of an instruction that is known and not modelled: fits wherever a number or a pointer is expected.
struct Unmodelled {
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T> || std::is_pointer_v<T> || std::is_same_v<T, half>>>
  operator T() const {
    return T{};
  }
};

// What is computed with such a value is never used: the instruction that gave it has ended the launch, or is in its findings.
#define MLUSIM_UNMODELLED(op)                                                                                       \
  template <class T, class = if_number<T>>                                                                          \
  T& operator op##=(T& left, Unmodelled) {                                                                          \
    return left;                                                                                                    \
  }                                                                                                                 \
  template <class T, class = if_number<T>>                                                                          \
  T operator op(T left, Unmodelled) {                                                                               \
    return left;                                                                                                    \
  }                                                                                                                 \
  template <class T, class = if_number<T>>                                                                          \
  T operator op(Unmodelled, T right) {                                                                              \
    return right;                                                                                                   \
  }
MLUSIM_UNMODELLED(+)
MLUSIM_UNMODELLED(-)
MLUSIM_UNMODELLED(*)
MLUSIM_UNMODELLED(/)
#undef MLUSIM_UNMODELLED

template <class... A>
__attribute__((noinline, no_sanitize("thread"))) Unmodelled not_modelled(const char* name, A&&...) {
  mlusim_not_modelled(name, MLUSIM_PC);
  return {};
}

// A launch in host code. Host code compiles and is not run: kernels are launched from Python.
template <class D, class T, class Q, class F>
void launch(D&&, T&&, Q&&, F&& kernel) {
  (void)kernel;
  fprintf(stderr, "mlusim: host code cannot launch kernels; launch them from Python\n");
  abort();
}

template <class T>
constexpr char code() {
  using U = std::remove_cv_t<T>;
  if (std::is_same_v<U, half>) return 'e';
  if (std::is_same_v<U, bfloat16_t>) return 'y';
  if (std::is_same_v<U, bool>) return '?';
  if (std::is_void_v<U>) return 'v';
  if (std::is_floating_point_v<U>) return sizeof(std::conditional_t<std::is_void_v<U>, char, U>) == 4 ? 'f' : 'd';
  if constexpr (std::is_integral_v<U> || std::is_enum_v<U>) {
    constexpr bool is_signed = std::is_signed_v<U> || std::is_enum_v<U>;
    constexpr char codes[] = {'b', 'h', 'i', 'q', 'B', 'H', 'I', 'Q'};
    return codes[(sizeof(U) == 1 ? 0 : sizeof(U) == 2 ? 1 : sizeof(U) == 4 ? 2 : 3) + (is_signed ? 0 : 4)];
  }
  return 's';
}

template <class T>
int describe(char* out) {
  if constexpr (std::is_pointer_v<T>)
    return sprintf(out, "P%c,", code<std::remove_pointer_t<T>>());
  else
    return sprintf(out, "%c%zu,", code<T>(), sizeof(T));
}

template <class... A, size_t... I>
__attribute__((no_sanitize("thread"))) void invoke(void (*kernel)(A...), void** arguments, std::index_sequence<I...>) {
  kernel(*static_cast<std::remove_reference_t<A>*>(arguments[I])...);
}

template <class... A>
void invoke(void (*kernel)(A...), void** arguments) {
  invoke(kernel, arguments, std::index_sequence_for<A...>{});
}

template <class... A>
void signature(void (*)(A...), char* out) {
  *out = 0;
  ((out += describe<std::remove_cv_t<std::remove_reference_t<A>>>(out)), ...);
}

}  // namespace mlusim

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
#include "mlusim_fusion.h"
#include "mlusim_ops.h"
#include "mlusim_scalar.h"

template <class T>
__attribute__((always_inline)) inline void mlusim::copy_register(Register<T>& to, const Register<T>& from) {
  __vv_move(to, from);  // like every other change of simulated memory, an instruction
}
