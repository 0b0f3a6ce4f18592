"""Kernels that share a name: each is launched by how many arguments it takes, or by its name with its parameters."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Program

CHIP = "cuda-sm80"
SOURCE = """\
template <typename T> struct Pair { T a, b; };
template <typename T> __global__ void scaled(T *out, const T *in, T factor, int n);
template <typename T> __global__ void scaled(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * 2;
}
template <typename T> __global__ void scaled(T *out, const T *in, T factor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i] * factor;
}
template <typename T> __global__ void summed(Pair<T> *pairs, float *out) { out[threadIdx.x] = pairs[threadIdx.x].a; }
template <typename T> __global__ void summed(T *values, float *out) { out[threadIdx.x] = 1; }
template <typename T> __global__ void alone(T *out) { out[threadIdx.x] = 3; }
template <> __global__ void alone<int>(int *out) { out[threadIdx.x] = 4; }
__global__ void plain(float *out) { out[threadIdx.x] = 5; }
__global__ void plain(float *out, float what) { out[threadIdx.x] = what; }
"""
X = np.arange(4, dtype=np.float32)


def left(program: Program, kernel: str, *rest: object, dtype: type = np.float32) -> list[float]:
    out = np.zeros(4, dtype)
    program.launch(kernel, 1, block=4, args=[out, *rest])
    return out.tolist()


def test_the_number_of_arguments_says_which_template_is_meant(program):
    assert left(program, "scaled<float>", X, 4) == [0, 2, 4, 6]
    assert left(program, "scaled<float>", X, 3.0, 4) == [0, 3, 6, 9]
    assert left(program, "scaled", X, 3.0, 4) == [0, 3, 6, 9]
    assert left(program, "plain") == [5] * 4
    assert left(program, "plain", 6.0) == [6] * 4


def test_a_name_with_parameters_says_it_too(program):
    assert {"scaled(T *, const T *, int)<...>", "scaled(T *, const T *, T, int)<...>"} <= set(program.kernels)
    assert left(program, "scaled(T *, const T *, int)<float>", X, 4) == [0, 2, 4, 6]
    out = np.zeros(4, np.float32)
    program.launch("summed(Pair<T> *, float *)<float>", 1, block=4, args=[np.arange(8, dtype=np.float32), out])
    assert out.tolist() == [0, 2, 4, 6]


def test_what_is_ambiguous_is_said_with_the_names(program):
    message = (
        r"2 kernels are called summed, and several of them take 2 arguments; name one: summed\(Pair<T> \*, float \*\); "
    )
    with pytest.raises(ValueError, match=message):
        left(program, "summed<float>", X)
    with pytest.raises(ValueError, match="2 kernels are called scaled, and none of them takes 1 arguments"):
        left(program, "scaled<float>")


def test_a_specialization_is_no_other_template(program):
    assert "alone<...>" in program.kernels
    assert left(program, "alone<float>") == [3] * 4
    assert left(program, "alone<int>", dtype=np.int32) == [4] * 4
