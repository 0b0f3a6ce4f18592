// The kernels of an operator library: one for each way in which the shorter input of a binary operator is read. What they
// compute is an argument, and the types are those of namespaces, so that one build serves all operators.
#include <cuda_fp16.h>
#include <cstdint>

constexpr int MAX_DIMS = 7;

enum Op { ADD, SUB, MUL, DIV, MAX, MIN, POW, PRELU, MOD, AND, OR, XOR, EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS, LESS_EQUAL };

struct What {
  int32_t op;
  float scales[3];  // of int8; 0 without them
  float tolerance;  // of EQUAL; 0 without one
};

struct Strides {
  uint32_t in0[MAX_DIMS], in1[MAX_DIMS], out[MAX_DIMS];  // elements
};

struct alignas(16) half8 {
  half at[8];
};

template <class C>
__device__ C arithmetic(int op, C a, C b) {
  switch (op) {
    case ADD: return a + b;
    case SUB: return a - b;
    case MUL: return a * b;
    case DIV: return a / b;
    case MAX: return a != a || b != b ? a + b : a > b ? a : b;
    case MIN: return a != a || b != b ? a + b : a < b ? a : b;
    case POW: return pow((double)(float)a, (double)(float)b);
    case PRELU: return a > 0 ? a : a * b;
    case MOD: return fmod(a, b);
    case AND: return a != 0 && b != 0;
    case OR: return a != 0 || b != 0;
    case XOR: return (a != 0) != (b != 0);
    case NOT_EQUAL: return a != b;
    case GREATER: return a > b;
    case GREATER_EQUAL: return a >= b;
    case LESS: return a < b;
    case LESS_EQUAL: return a <= b;
    default: return a == b;
  }
}

// Half is computed in float and rounded once.
template <class Out, class T>
__device__ Out compute(const What& what, T a, T b) {
  if (what.op == EQUAL && what.tolerance > 0) return fabsf((float)a - (float)b) < what.tolerance;
  return (Out)arithmetic<float>(what.op, (float)a, (float)b);
}

// (a * s0 op b * s1) / s_out, rounded to nearest even, saturated; nan is 0.
template <>
__device__ signed char compute<signed char>(const What& what, signed char a, signed char b) {
  double exact = arithmetic<double>(what.op, (double)a * what.scales[0], (double)b * what.scales[1]) / what.scales[2];
  if (exact != exact) return 0;
  return (signed char)rint(exact < -128 ? -128 : exact > 127 ? 127 : exact);
}

namespace of_float32 {
using T = float;
using Out = float;
#include "variants.cuh"
}
namespace of_float16 {
using T = half;
using Out = half;
#include "variants.cuh"
}
namespace of_int8 {
using T = signed char;
using Out = signed char;
#include "variants.cuh"
}
namespace of_bool {
using T = bool;
using Out = bool;
#include "variants.cuh"
}
namespace of_float32_to_bool {
using T = float;
using Out = bool;
#include "variants.cuh"
}
namespace of_float16_to_bool {
using T = half;
using Out = bool;
#include "variants.cuh"
}

// Eight halfs a thread, by way of shared memory, in blocks of at most 256: each thread works on its own vectors. Strides count vectors.
__global__ void half_vectors(uint64_t count, int dims, What what, Strides by, const half8* in0, const half8* in1, half8* out) {
  __shared__ half8 held[2 * 256];
  uint64_t index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  uint64_t rest = index, offset0 = 0, offset1 = 0;
  for (int i = 0; i < dims; i++) {
    offset0 += rest / by.out[i] * by.in0[i];
    offset1 += rest / by.out[i] * by.in1[i];
    rest %= by.out[i];
  }
  half8 &left = held[threadIdx.x], &right = held[threadIdx.x + 256];
  left = in0[offset0];
  right = in1[offset1];
  for (int i = 0; i < 8; i++) left.at[i] = compute<half>(what, left.at[i], right.at[i]);
  out[index] = left;
}
