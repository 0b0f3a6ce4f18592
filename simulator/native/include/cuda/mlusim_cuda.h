// What a CUDA source sees without including anything, as with nvcc: qualifiers, built-in variables, the barrier, and
// what the other headers here hold. It is read for the device, for the host's part of such a source (MLUSIM_HOST), and by
// other sources of host code, which have the runtime and the types alone.
#pragma once
#ifndef __CUDACC__
#define __host__
#define __device__
#define __global__
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#include "mlusim_cudart.h"
#else
#include "../bang/mlusim_letters.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <limits>
#include <type_traits>
#include <utility>

#include "../../threads/simt.h"
#include "../bang/mlusim_half.h"

#define MLUSIM_PC ((int64_t)__builtin_return_address(0))
#ifdef MLUSIM_HOST
#define MLUSIM_OP inline
#else
#define MLUSIM_OP static __attribute__((noinline, unused, no_sanitize("thread")))
#endif

// __global__, __device__, __shared__, __constant__ and __managed__ are the rewriter's, and __host__ is in the host's part.
#ifndef MLUSIM_HOST
#define __host__
#endif
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__  // nothing, since C++ libraries write __attribute__((__noinline__)), and the macro is known there
#define __launch_bounds__(...)
#define __maxnreg__(...)
#define __align__(n) __attribute__((aligned(n)))
#define __grid_constant__
#define __inline__ inline

#include "mlusim_cudart.h"

// The runtime sets them before a thread runs, and whenever it goes on.
extern const uint3 threadIdx __attribute__((visibility("hidden")));
extern const uint3 blockIdx __attribute__((visibility("hidden")));
extern const uint3 blockDim __attribute__((visibility("hidden")));
extern const uint3 gridDim __attribute__((visibility("hidden")));
extern const int warpSize __attribute__((visibility("hidden")));

// Each place in the source is a barrier of its own.
#define __syncthreads() mlusim_barrier(__COUNTER__)
#define __syncthreads_count(predicate) ((int)mlusim_vote(__COUNTER__, (predicate) != 0))
#define __syncthreads_or(predicate) (__syncthreads_count(predicate) != 0)
#define __syncthreads_and(predicate) (__syncthreads_count((predicate) == 0) == 0)
MLUSIM_OP void __threadfence() { mlusim_fence(); }
MLUSIM_OP void __threadfence_block() {}
MLUSIM_OP void __threadfence_system() { mlusim_fence(); }

#ifndef MLUSIM_HOST
namespace mlusim {

// Its address stands for a type.
template <class T>
inline char type_tag;

// A variable at file scope, in shared memory or the module's own.
struct Slot {
  const char *name, *space;
  int line;
  const char* file;
  const void* initial = nullptr;
  template <class U>
  operator U&() const {
    return *reinterpret_cast<U*>(mlusim_variable_in(name, space, file, line, sizeof(U), initial));
  }
};

// A shared variable in a function: one for all threads of a block.
struct Local {
  const char *name, *space;
  int line;
  const char* file;
  template <class U>
  __attribute__((no_sanitize("thread"), noinline)) operator U&() const {
    return *reinterpret_cast<U*>(mlusim_shared(name, file, line, sizeof(U), &type_tag<U>));
  }
  template <class U>
  U& init(U& value) {
    static_assert(sizeof(U) == 0, "a __shared__ variable cannot have an initialiser; assign it in the kernel");
    return value;
  }
};

// `extern __shared__`: the memory that the launch asks for, under any name and type.
struct Dynamic {
  template <class U>
  operator U&() const {
    return *reinterpret_cast<U*>(mlusim_dynamic_shared());
  }
};

}  // namespace mlusim

// The heap of the device by the names of the runtime: for a kernel they are malloc and free.
inline cudaError_t cudaMalloc(mlusim::PointerTo pointer, size_t bytes) {
  *pointer.at = malloc(bytes);
  return *pointer.at || !bytes ? cudaSuccess : cudaErrorMemoryAllocation;
}
inline cudaError_t cudaFree(void* pointer) {
  free(pointer);
  return cudaSuccess;
}

namespace mlusim {

// A kernel that launches another one.
template <class F>
void launch(dim3, dim3, size_t, cudaStream_t, F&&) {
  mlusim_not_modelled("dynamic parallelism: a launch by a kernel", MLUSIM_PC);
}
template <class F>
void launch(dim3 grid, dim3 block, size_t shared, F&& call) {
  launch(grid, block, shared, nullptr, call);
}
template <class F>
void launch(dim3 grid, dim3 block, F&& call) {
  launch(grid, block, 0, nullptr, call);
}

}  // namespace mlusim
#else
#include "mlusim_cuda_host.h"
#endif

#include "../bang/mlusim_unmodelled.h"

#ifndef MLUSIM_HOST
#include "../bang/mlusim_entry.h"
#endif
#include "mlusim_cuda_atomics.h"
#include "mlusim_cuda_math.h"
#include "mlusim_cuda_convert.h"
#include "mlusim_cuda_copies.h"
#include "mlusim_cuda_half.h"
#include "mlusim_cuda_integers.h"
#include "mlusim_cuda_warp.h"
#ifndef MLUSIM_HOST
#include "mlusim_ops.h"

// The same with the type of the element: tex2D<float>(texture, x, y).
#define MLUSIM_TEXTURE(name)                                 \
  template <class T, class... A>                             \
  T name(cudaTextureObject_t texture, A... at) {             \
    return name(texture, at...);                             \
  }
MLUSIM_TEXTURE(tex1Dfetch)
MLUSIM_TEXTURE(tex1D)
MLUSIM_TEXTURE(tex2D)
MLUSIM_TEXTURE(tex3D)
#undef MLUSIM_TEXTURE
#endif

#include "../bang/mlusim_letters_end.h"
#endif
