"""CUDA kernels and the MLU engine give the same results, element by element, on the same arrays."""

import ctypes
import itertools
from math import prod

import ml_dtypes
import numpy as np
import pytest
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise import cuda
from mlusim.simulator import Device

from tests.support.paths import KERNELS_C

pytestmark = pytest.mark.slow

FLOAT, HALF, BFLOAT16 = np.dtype(np.float32), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
INT8, INT32, BOOL = np.dtype(np.int8), np.dtype(np.int32), np.dtype(np.bool_)
CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "variants.cu"
ARITHMETIC = ("add", "sub", "mul", "div", "maximum", "minimum", "pow", "prelu", "mod")
TRUTH = (
    "logical_and", "logical_or", "logical_xor", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal",
)  # fmt: skip
SPECIAL = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-40, 3e38, 0.5, -2.5, 7], np.float32)


@pytest.fixture(scope="module")
def mlu():
    return Device.load("mlu370-x4")


def values(shape, dtype, seed):
    """Numbers of a type; special ones among floats."""
    random = np.random.default_rng(seed)
    if dtype.kind in "bi":
        return random.integers(0 if dtype == BOOL else -128, 2 if dtype == BOOL else 128, shape).astype(dtype)
    found = random.standard_normal(shape) * np.exp2(random.integers(-8, 8, shape))
    with np.errstate(over="ignore"):
        return np.where(random.random(shape) < 0.2, random.choice(SPECIAL, shape), found).astype(dtype)


def same(name, of_gpu, of_mlu):
    """The same elements; the power function may err on both sides, and which zero is the greater no rule says."""
    assert (of_gpu.dtype, of_gpu.shape) == (of_mlu.dtype, of_mlu.shape)
    if name == "pow" and of_gpu.dtype != INT8:
        places = 2.0**-10 if of_gpu.dtype == HALF else 2e-5
        least = 2.0**-24 if of_gpu.dtype == HALF else 2.0**-126
        np.testing.assert_allclose(of_mlu.astype(np.float64), of_gpu.astype(np.float64), rtol=places, atol=least)
        return
    wide = np.float64 if of_gpu.dtype == BFLOAT16 else of_gpu.dtype
    np.testing.assert_array_equal(of_mlu.astype(wide), of_gpu.astype(wide))
    if name not in ("maximum", "minimum") and of_gpu.dtype.kind not in "bi":
        numbers = ~np.isnan(of_gpu.astype(np.float64))
        np.testing.assert_array_equal(np.signbit(of_mlu)[numbers], np.signbit(of_gpu)[numbers])


# --- the policies of kernels.elementwise.cuda ------------------------------------------------------------------------


def both(device, mlu, name, a, b, policy=None):
    """An operator on both devices, without findings; the run of the GPU."""
    on_gpu, on_mlu = getattr(cuda, name)(device, a, b, policy=policy), getattr(ew, name)(mlu, a, b)
    assert on_gpu.findings == on_mlu.findings == []
    same(name, on_gpu.output, on_mlu.output)
    return on_gpu


@pytest.mark.parametrize("name", cuda.OPERATORS)
def test_every_operator_under_every_policy(device, mlu, name):
    a, b = values(1543, FLOAT, 1), values(1543, FLOAT, 2)
    for policy in cuda.POLICIES:
        assert both(device, mlu, name, a, b, policy).plan.policy == policy


@pytest.mark.parametrize("dtype", [HALF, BFLOAT16, INT8, INT32, BOOL], ids=str)
def test_every_type(device, mlu, dtype):
    a, b = values((7, 83), dtype, 3), values((7, 83), dtype, 4)
    assert both(device, mlu, "mul", a, b).plan.policy == "vectorized"
    assert both(device, mlu, "mul", a[::-1, ::2], b[:, ::2]).plan.policy == "strided"
    if dtype != INT32:
        wide = values((7, 83), FLOAT, 5)
        assert both(device, mlu, "mul", a, wide).plan.policy == "contiguous_cast"
        assert both(device, mlu, "mul", a[:, ::-1], wide).plan.policy == "strided_cast"


EDGES = [
    ((), ()), ((1,), (1, 1)), ((0,), (1,)), ((3, 0, 2), (2,)), ((1,), (611,)), ((509,), (509,)), ((3, 1, 5), (1, 4, 1)),
    ((2, 1, 3, 1, 2, 1, 5), (1, 2, 1, 3, 1, 2, 1)), ((65537,), ()), ((3, 30011), (30011,)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second"), EDGES)
def test_shapes(device, mlu, first, second):
    a, b = values(first, FLOAT, 6), values(second, FLOAT, 7)
    both(device, mlu, "add", a, b)
    both(device, mlu, "add", b, a)


def test_views(device, mlu):
    a, b = values((40, 37), FLOAT, 8), values((40, 37), FLOAT, 9)
    for view in (
        lambda x: x.T, lambda x: x[::-1, ::-3], lambda x: x[3:, 1:], lambda x: np.broadcast_to(x[:, :1], (40, 37)),
        lambda x: x[5], lambda x: x.ravel()[1:], lambda x: x.ravel()[2:], lambda x: x[:, 36:35:-1],
    ):  # fmt: skip
        both(device, mlu, "sub", view(a), view(b))
        both(device, mlu, "sub", view(a), np.ascontiguousarray(view(b)))


# --- the kernels of an operator library ------------------------------------------------------------------------------


class What(ctypes.Structure):
    _fields_ = [("op", ctypes.c_int32), ("scales", ctypes.c_float * 3), ("tolerance", ctypes.c_float)]


class Strides(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint32 * 7) for name in ("in0", "in1", "out")]


def strides_of(shape, plan, unit=None):
    """The strides of a plan in elements, or in units of bytes; and those of an output in C order."""
    by, dense = Strides(), Strides()
    for field, walk in zip(("in0", "in1", "out"), (*plan.inputs, plan.output), strict=True):
        size = unit or walk.dtype.itemsize
        getattr(by, field)[: len(shape)] = [step // size for step in walk.strides]
    dense.out[: len(shape)] = [prod(shape[axis + 1 :]) for axis in range(len(shape))]
    return by, dense


def launch(program, plan, what, a, b, out):
    """Run the kernel that a plan of the MLU engine names, with the plan's parameters."""
    types = str(a.dtype) if a.dtype == out.dtype else f"{a.dtype}_to_{out.dtype}"
    kernel, count, shape = f"of_{types}::{plan.variant}", out.size, plan.shape
    named = plan.parameters
    between = [named[key] for key in ("axis_lgt", "outer_stride", "inner_dim") if key in named]
    if "first_shorter" in named:
        between.append(named["first_shorter"])
    if plan.variant == "half8":
        kernel, count, shape = "half_vectors", count // 8, (*shape[:-1], shape[-1] // 8)
        by, dense = strides_of(shape, plan, unit=16)
        for field in ("in0", "in1"):
            getattr(by, field)[len(shape) - 1] = 1
        by.out[: len(shape)] = dense.out[: len(shape)]
        between = [len(shape), what, by]
    elif plan.variant in ("stride", "limit_nhwc"):
        by, dense = strides_of(shape, plan)
        between = [len(shape), what, *((dense, by) if plan.variant == "limit_nhwc" else (by,))]
    else:
        between.append(what)
    memory = out if out.flags.c_contiguous else out.transpose(0, 2, 3, 1)
    run = program.launch(kernel, -(-count // 256), args=[count, *between, a, b, memory], block=256)
    assert run.findings == []


#: A variant with shapes of two inputs that it takes, of some of them edges.
SHAPES = {
    "nobroadcast": [((6, 17), (6, 17)), ((1,), (1,)), ((257,), (257,))],
    "one_scalar": [((5, 7), ()), ((1021,), (1,))],
    "one_dimension": [((4, 33), (33,)), ((2, 3, 5, 7), (5, 7))],
    "one_not_broadcast": [((2, 3, 11), (3, 1)), ((3, 2), (3, 1))],
    "one_broadcast": [((3, 4, 5), (3, 1, 5)), ((2, 3, 4, 5), (2, 1, 1, 5))],
    "limit_nhwc": [((2, 3, 4, 5), (2, 3, 4, 5)), ((2, 3, 1, 5), (3, 1, 1))],
    "half8": [((3, 2, 16), (2, 16)), ((2, 1, 8), (1, 3, 8))],
    "stride": [((3, 1, 5), (1, 4, 5)), ((2, 1, 3, 1, 2, 1, 5), (1, 2, 1, 3, 1, 2, 1))],
}
FORMS = [
    *((dtype, variant, ARITHMETIC) for dtype in (FLOAT, HALF, INT8) for variant in SHAPES),
    *((dtype, variant, TRUTH) for dtype in (FLOAT, HALF) for variant in SHAPES),
    *((BOOL, variant, TRUTH[:3]) for variant in SHAPES),
]


@pytest.mark.parametrize(
    ("dtype", "variant", "names"),
    [form for form in FORMS if form[1] != "half8" or (form[0] == HALF and form[2] == ARITHMETIC)],
    ids=lambda value: None if isinstance(value, tuple) else str(value),
)
def test_library_kernels_under_plans_of_the_engine(program, mlu, dtype, variant, names):
    scales = (0.25, 0.37, 1.5) if dtype == INT8 else None
    for shapes, name in itertools.product(SHAPES[variant], names):
        arrays = [values(shape, dtype, seed) for seed, shape in enumerate(shapes)]
        for a, b in (arrays, arrays[::-1]):
            more = {} if scales is None else {"scales": scales}
            run = getattr(ew, name)(mlu, a, b, variant=variant, **more)
            assert (run.findings, run.plan.variant, run.plan.int8_form) == ([], variant, dtype == INT8)
            what = What((ARITHMETIC + TRUTH).index(name), scales or (0, 0, 0))
            out = np.empty_like(run.output)
            launch(program, run.plan, what, a, b, out)
            same(name, out, run.output)


def test_equality_with_the_tolerance_of_the_library(program, mlu):
    a = values(500, FLOAT, 1)
    b = a + np.float32(1e-6) * np.random.default_rng(2).integers(-3, 4, 500).astype(np.float32)
    run = ew.equal(mlu, a, b, tolerance=1e-6)
    out = np.empty_like(run.output)
    launch(program, run.plan, What((ARITHMETIC + TRUTH).index("equal"), (0, 0, 0), 1e-6), a, b, out)
    assert 0 < out.sum() < 500
    np.testing.assert_array_equal(run.output, out)
