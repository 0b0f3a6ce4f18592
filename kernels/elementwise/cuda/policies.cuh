// How a block of threads loads and stores its elements: the four policies of an elementwise operator on a GPU.
//
//                  one type throughout     types differ
//   contiguous     Vectorized, Unrolled    Unrolled with casts
//   strided        Unrolled with strides   Unrolled with strides and casts
//
// A policy says where element i of the block's part lies, how it is loaded, and how it is stored. A thread has
// PER_THREAD elements, THREADS apart, so that the threads of a warp touch neighbours.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>

constexpr int THREADS = 128, PER_THREAD = 4, PER_BLOCK = THREADS * PER_THREAD;
constexpr int MAX_DIMS = 7;

// --- element types that are known at run time only -------------------------------------------------------------------

enum Type { FLOAT32, FLOAT64, FLOAT16, BFLOAT16, INT8, UINT8, INT32, INT64, BOOL };

#define FOR_TYPE(type, statement)                                   \
  switch (type) {                                                   \
    case FLOAT32: { using E = float; statement; }                   \
    case FLOAT64: { using E = double; statement; }                  \
    case FLOAT16: { using E = half; statement; }                    \
    case BFLOAT16: { using E = __nv_bfloat16; statement; }          \
    case INT8: { using E = signed char; statement; }                \
    case UINT8: { using E = unsigned char; statement; }             \
    case INT32: { using E = int; statement; }                       \
    case INT64: { using E = long long; statement; }                 \
    case BOOL: { using E = bool; statement; }                       \
  }

// A 16-bit float becomes another type by way of float; so does what becomes one.
template <class To, class From>
__device__ inline To cast(From value) {
  if constexpr (sizeof(From) == 2 || sizeof(To) == 2) return (To)(float)value;
  else return (To)value;
}

template <class T>
__device__ inline T fetch_and_cast(Type type, const char* from) {
  FOR_TYPE(type, return cast<T>(*reinterpret_cast<const E*>(from)))
  return T();
}

template <class T>
__device__ inline void cast_and_store(Type type, char* to, T value) {
  FOR_TYPE(type, *reinterpret_cast<E*>(to) = cast<E>(value); return)
}

// --- loads and stores -------------------------------------------------------------------------------------------------

struct WithoutCast {
  template <class T>
  __device__ T load(const char* from) const { return *reinterpret_cast<const T*>(from); }
  template <class T>
  __device__ void store(char* to, T value) const { *reinterpret_cast<T*>(to) = value; }
};

struct WithCast {
  Type type;
  template <class T>
  __device__ T load(const char* from) const { return fetch_and_cast<T>(type, from); }
  template <class T>
  __device__ void store(char* to, T value) const { cast_and_store(type, to, value); }
};

// --- where an element lies --------------------------------------------------------------------------------------------

// Bytes from the first element to element `index` of a tensor.
struct Contiguous {
  int size;  // of an element
  __device__ long long operator()(long long index) const { return index * size; }
};

struct Strided {
  int dims;
  long long first;  // the element of the tensor that is element 0 of the launch
  long long shape[MAX_DIMS], stride[MAX_DIMS];  // the last dimension changes fastest; strides in bytes
  __device__ long long operator()(long long index) const {
    long long offset = 0;
    index += first;
    for (int d = dims - 1; d >= 0; --d) {
      offset += index % shape[d] * stride[d];
      index /= shape[d];
    }
    return offset;
  }
};

template <class Offset, class Access>
struct Operand {
  char* base;
  Offset offset;
  Access access;
};

// --- policies --------------------------------------------------------------------------------------------------------

// Element by element, with a test for the end: any layout, any types, and the remainder of a vectorized kernel.
template <class T, class A, class B, class Out>
struct Unrolled {
  A a;
  B b;
  Out out;
  int count;

  __device__ long long index(int i) const { return (long long)blockIdx.x * PER_BLOCK + threadIdx.x + i * THREADS; }

  __device__ void load(T (&x)[PER_THREAD], T (&y)[PER_THREAD]) const {
    for (int i = 0; i < PER_THREAD; ++i) {
      if (index(i) >= count) return;
      x[i] = a.access.template load<T>(a.base + a.offset(index(i)));
      y[i] = b.access.template load<T>(b.base + b.offset(index(i)));
    }
  }

  __device__ void store(const T (&z)[PER_THREAD]) const {
    for (int i = 0; i < PER_THREAD; ++i) {
      if (index(i) >= count) return;
      out.access.store(out.base + out.offset(index(i)), z[i]);
    }
  }
};

template <class T, int N>
struct alignas(sizeof(T) * N) Vector {
  T at[N];
};

// N elements a load, for blocks that are whole: addresses are multiples of N elements.
template <class T, int N>
struct Vectorized {
  const T *a, *b;
  T* out;

  __device__ long long index(int i) const { return (long long)blockIdx.x * (PER_BLOCK / N) + threadIdx.x + i * THREADS; }

  __device__ void load(T (&x)[PER_THREAD], T (&y)[PER_THREAD]) const {
    for (int i = 0; i < PER_THREAD / N; ++i) {
      Vector<T, N> u = reinterpret_cast<const Vector<T, N>*>(a)[index(i)];
      Vector<T, N> v = reinterpret_cast<const Vector<T, N>*>(b)[index(i)];
      for (int j = 0; j < N; ++j) x[i * N + j] = u.at[j], y[i * N + j] = v.at[j];
    }
  }

  __device__ void store(const T (&z)[PER_THREAD]) const {
    for (int i = 0; i < PER_THREAD / N; ++i) {
      Vector<T, N> v;
      for (int j = 0; j < N; ++j) v.at[j] = z[i * N + j];
      reinterpret_cast<Vector<T, N>*>(out)[index(i)] = v;
    }
  }
};
