// Binary elementwise operators on a GPU: one kernel for each policy of policies.cuh, every operator a function object.
#include "policies.cuh"

// 16-bit floats are computed in float and rounded once.
template <class T>
struct Computed { using type = T; };
template <>
struct Computed<half> { using type = float; };
template <>
struct Computed<__nv_bfloat16> { using type = float; };

#define OPERATOR(name, expression)                             \
  struct name {                                                \
    template <class T>                                         \
    __device__ T operator()(T left, T right) const {           \
      using C = typename Computed<T>::type;                    \
      C a = (C)left, b = (C)right;                             \
      return (T)(expression);                                  \
    }                                                          \
  };
OPERATOR(Add, a + b)
OPERATOR(Sub, a - b)
OPERATOR(Mul, a * b)
OPERATOR(Div, a / b)
OPERATOR(Maximum, a != a ? a : b != b ? b : a > b ? a : b)
OPERATOR(Minimum, a != a ? a : b != b ? b : a < b ? a : b)

template <class T, class Op, class Policy>
__device__ inline void elementwise(Op op, const Policy& policy) {
  T x[PER_THREAD], y[PER_THREAD], z[PER_THREAD];
  policy.load(x, y);
  for (int i = 0; i < PER_THREAD; ++i) z[i] = op(x[i], y[i]);
  policy.store(z);
}

template <class T, class Offset, class Access>
__device__ inline auto operand(const void* base, Offset offset, Access access) {
  return Operand<Offset, Access>{(char*)base, offset, access};
}

template <class T, class Op, class A, class B, class Out>
__device__ inline void unrolled(A a, B b, Out out, int count) {
  elementwise<T>(Op(), Unrolled<T, A, B, Out>{a, b, out, count});
}

template <class Op, class T, int N>
__global__ void vectorized(int count, const T* a, const T* b, T* out) {
  if ((long long)(blockIdx.x + 1) * PER_BLOCK <= count) {
    elementwise<T>(Op(), Vectorized<T, N>{a, b, out});
  } else {
    Contiguous all{sizeof(T)};
    WithoutCast plain;
    unrolled<T, Op>(operand<T>(a, all, plain), operand<T>(b, all, plain), operand<T>(out, all, plain), count);
  }
}

template <class Op, class T>
__global__ void contiguous_cast(int count, const void* a, const void* b, void* out, Type a_type, Type b_type,
                                Type out_type, int a_size, int b_size, int out_size) {
  unrolled<T, Op>(operand<T>(a, Contiguous{a_size}, WithCast{a_type}), operand<T>(b, Contiguous{b_size}, WithCast{b_type}),
                  operand<T>(out, Contiguous{out_size}, WithCast{out_type}), count);
}

template <class Op, class T>
__global__ void strided(int count, const void* a, const void* b, void* out, Strided of_a, Strided of_b, Strided of_out) {
  WithoutCast plain;
  unrolled<T, Op>(operand<T>(a, of_a, plain), operand<T>(b, of_b, plain), operand<T>(out, of_out, plain), count);
}

template <class Op, class T>
__global__ void strided_cast(int count, const void* a, const void* b, void* out, Strided of_a, Strided of_b,
                             Strided of_out, Type a_type, Type b_type, Type out_type) {
  unrolled<T, Op>(operand<T>(a, of_a, WithCast{a_type}), operand<T>(b, of_b, WithCast{b_type}),
                  operand<T>(out, of_out, WithCast{out_type}), count);
}
