"""Elementwise operators on arrays of any layout: random shapes and strides, outputs, overlap, what is refused."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mlusim.kernels import elementwise as ew
from mlusim.kernels.elementwise.operators import OPERATORS
from mlusim.simulator import Device, KernelError

from tests.kernels.elementwise_reference import check

FLOAT, HALF, BFLOAT16 = np.dtype(np.float32), np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)
INT8, INT32, BOOL = np.dtype(np.int8), np.dtype(np.int32), np.dtype(bool)
DEVICE = Device.load("mlu370-x4")
#: The same examples in every run; a machine may be slow.
DETERMINISTIC = settings(derandomize=True, deadline=None, database=None, max_examples=150)


@st.composite
def views(draw, shape, dtype):
    """An array of a shape as a view of a larger one: steps of either sign, axes exchanged, axes of stride 0."""
    order = draw(st.permutations(range(len(shape))))
    steps = [draw(st.sampled_from([1, 1, 1, 2, 3, -1, -2, 0])) for _ in shape]
    starts = [draw(st.integers(0, 2)) for _ in shape]
    base_shape = [(1 if not steps[axis] else max(shape[axis], 1) * abs(steps[axis])) + starts[axis] for axis in order]
    bits = np.random.default_rng(draw(st.integers(0, 9))).integers(-99, 99, base_shape)
    base = np.asarray(bits > 0 if dtype == BOOL else bits / (4 if dtype.kind != "i" else 1)).astype(dtype)
    found = base.transpose(np.argsort(order)) if shape else base
    for axis, (length, step, start) in enumerate(zip(shape, steps, starts, strict=True)):
        index = [slice(None)] * len(shape)
        index[axis] = slice(start, None)
        found = found[tuple(index)]
        if step == 0:
            found = np.broadcast_to(found, [*found.shape[:axis], length, *found.shape[axis + 1 :]])
        else:
            index[axis] = slice(None, None, step)
            found = found[tuple(index)]
            index[axis] = slice(0, length)
            found = found[tuple(index)]
    assert found.shape == tuple(shape)
    return found


@st.composite
def calls(draw):
    """An operator, its operands, and an output or none."""
    name = draw(st.sampled_from(["add", "mul", "maximum", "less", "prelu", "neg", "div"]))
    dtype = draw(st.sampled_from([FLOAT, HALF, BFLOAT16, INT32, INT8]))
    shape = draw(st.lists(st.sampled_from([0, 1, 1, 2, 3, 5, 7, 11]), max_size=5))
    operands = []
    for _ in range(OPERATORS[name].inputs):
        own = [draw(st.sampled_from([length, length, length, 1])) for length in shape]
        operands.append(draw(views(own[draw(st.integers(0, len(own))) if draw(st.booleans()) else 0 :], dtype)))
    full = np.broadcast_shapes(*(operand.shape for operand in operands))
    result = BOOL if name == "less" else dtype
    return name, operands, draw(st.none() | views(full, result).filter(lambda out: 0 not in out.strides))


@pytest.mark.slow
@given(calls())
@DETERMINISTIC
def test_random_shapes_and_strides(call):
    name, operands, out = call
    around = None
    if out is not None:
        out = out.copy(order="K") if not out.flags.writeable else out
        base = out if out.base is None else out.base
        around = base.copy()
    run = getattr(ew, name)(DEVICE, *operands, out=out)
    assert run.findings == []
    if out is not None:
        assert run.output is out
        # What lies between the elements of the output is as it was.
        elements = np.zeros(base.size, bool)
        np.ndarray(out.shape, bool, elements, _offset(out, base), tuple(s // out.itemsize for s in out.strides))[
            ...
        ] = True
        np.testing.assert_array_equal(base.ravel(order="K")[~elements], around.ravel(order="K")[~elements])
    check(name, np.array(run.output), tuple(map(np.array, operands)))


def _offset(view, base):
    return (view.ctypes.data - base.ctypes.data) // view.itemsize if view.size else 0


@given(st.data())
@settings(DETERMINISTIC, max_examples=40)
def test_random_layouts_on_all_cores(data):
    # Large enough for several cores and tiles: the same strides, repeated along an axis.
    shape = data.draw(st.permutations([41, 13, 37]))
    a, b = data.draw(views(shape, FLOAT)), data.draw(views(shape[data.draw(st.integers(0, 2)) :], FLOAT))
    for operands in ((a, b), (b, a)):
        run = ew.sub(DEVICE, *operands)
        assert run.findings == []
        check("sub", run.output, operands)


@pytest.mark.parametrize("start", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("dtype", [FLOAT, HALF, INT8], ids=str)
def test_unaligned_starts(start, dtype):
    base = np.arange(100).astype(dtype)
    out = np.zeros(100, dtype)
    run = ew.add(DEVICE, base[start : start + 50], base[:50], out=out[start : start + 50])
    assert run.findings == []
    np.testing.assert_array_equal(out[start : start + 50], base[start : start + 50] + base[:50])
    assert not out[:start].any()
    assert not out[start + 50 :].any()


def test_outputs_of_other_types_and_layouts():
    a = np.arange(24, dtype=np.float32).reshape(2, 3, 4) * 1000.25
    for out in (
        np.zeros((2, 3, 4), np.float16), np.zeros((2, 3, 4), ml_dtypes.bfloat16), np.zeros((4, 3, 2), np.float32).T,
        np.zeros((2, 3, 8), np.float16)[..., ::2], np.zeros((2, 3, 4), np.float32)[::-1, :, ::-1],
        np.zeros((5, 2, 3, 4), np.float32),
    ):  # fmt: skip
        run = ew.mul(DEVICE, a, 2.0, out=out)
        assert (run.output is out, run.findings) == (True, [])
        np.testing.assert_array_equal(
            out.astype(np.float32), np.broadcast_to(a * 2, out.shape).astype(out.dtype).astype(np.float32)
        )
    whole = np.array([100, -100, 300], np.int32)
    for dtype, wanted in ((np.int8, [-56, 56, 88]), (np.float32, [200, -200, 600]), (np.float16, [200, -200, 600])):
        assert ew.add(DEVICE, whole, whole, out=np.zeros(3, dtype)).output.tolist() == wanted
    # The result of int8 wraps before it is widened, as in NumPy.
    assert ew.add(DEVICE, np.int8([100]), np.int8([100]), out=np.zeros(1, np.int32)).output.tolist() == [-56]
    truth = ew.less(DEVICE, whole, 0, out=np.zeros(3, np.float32)).output
    assert truth.tolist() == [0, 1, 0]


def test_arrays_on_the_device_stay_there():
    a, b = (np.random.default_rng(n).random((300, 200), np.float32) for n in (1, 2))
    on_device, out = DEVICE.array(a), DEVICE.array(np.zeros_like(a))
    assert ew.add(DEVICE, on_device, b, out=out).output is out
    np.testing.assert_array_equal(out.numpy(), a + b)
    np.testing.assert_array_equal(ew.mul(DEVICE, on_device, out).output, a * (a + b))
    assert ew.neg(DEVICE, on_device, out=on_device).output is on_device
    np.testing.assert_array_equal(on_device.numpy(), -a)


def test_in_place():
    for shape in ((70_000,), (300, 7)):
        a, b = np.arange(np.prod(shape), dtype=np.float32).reshape(shape), np.ones(shape, np.float32)
        wanted = a + b
        assert ew.add(DEVICE, a, b, out=a).output is a
        np.testing.assert_array_equal(a, wanted)
        view = b[::-1]
        ew.add(DEVICE, view, view, out=view)
        assert (b == 2).all()


def test_overlap_that_shares_no_element_is_allowed():
    a = np.arange(20, dtype=np.float32)
    ew.mul(DEVICE, a[::2], 10.0, out=a[1::2])
    np.testing.assert_array_equal(a[1::2], a[::2] * 10)


def of(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


LINE = np.ones(20, np.float32)
READ_ONLY = np.broadcast_to(np.float32(1), (4,))
DENSE = DEVICE.array(of(8))


@pytest.mark.parametrize(("name", "operands", "more", "error", "words"), [
    ("add", (of(2, 3), of(4)), {}, ValueError, ["shapes [2, 3] and [4] do not broadcast"]),
    ("add", (of(3), of(3)), {"out": of(4)}, ValueError, ["out has shape [4] and the result [3]"]),
    ("add", (of(2, 3), of(3)), {"out": of(3)}, ValueError, ["out has shape [3] and the result [2, 3]"]),
    ("add", (LINE[:10], of(10)), {"out": LINE[1:11]}, ValueError, ["out overlaps a in part", "pass out=a itself"]),
    ("add", (of(10), LINE[:10]), {"out": LINE[9::-1]}, ValueError, ["out overlaps b in part"]),
    ("add", (LINE[:1], LINE[1:5]), {"out": LINE[:4]}, ValueError, ["out overlaps a in part"]),
    ("neg", (DENSE,), {"out": DENSE, "variant": "one_scalar"}, ValueError, ["does not apply to neg"]),
    ("add", (of(4), of(4)), {"out": READ_ONLY}, ValueError, ["out cannot be written"]),
    ("add", (of(4), of(4)), {"out": [0, 0]}, TypeError, ["out is of type list"]),
    ("add", (of(4, dtype=np.float64), of(4)), {}, TypeError, ["a has dtype float64", "float32"]),
    ("add", (of(4), np.array([object()])), {}, TypeError, ["b has dtype object"]),
    ("add", (of(4), np.ma.ones(4, np.float32)), {}, TypeError, ["b is a masked array", "pass b.filled"]),
    ("add", (of(4), "x"), {}, TypeError, ["b has dtype <U1"]),
    ("add", (of(4, dtype=np.int32), of(4)), {}, TypeError, ["int32 and float32", "float64", "cast"]),
    ("add", (of(4, dtype=np.float16), of(4, dtype=ml_dtypes.bfloat16)), {}, TypeError, ["no type in common"]),
    ("add", (of(4, dtype=np.int32), 1.5), {}, TypeError, ["1.5 and an array of int32 make float64"]),
    ("add", (of(4, dtype=np.int8), 300), {}, ValueError, ["300 does not fit in int8"]),
    ("sub", (of(4, dtype=bool), of(4, dtype=bool)), {}, TypeError, ["sub does not take bool"]),
    ("exp", (of(4, dtype=np.int32),), {}, TypeError, ["exp of int32 is float64"]),
    ("add", (of(4), of(4)), {"out": of(4, dtype=np.int32)}, TypeError, ["no same_kind cast"]),
    ("add", (of(4), of(4)), {"out": of(4, dtype=np.float64)}, TypeError, ["out has dtype float64"]),
    ("mul", (of(4), of(4)), {"scales": (1, 1, 1)}, TypeError, ["scales are for int8; mul was given float32"]),
    ("mul", (of(4, dtype=np.int8),) * 2, {"scales": (1, 0, 1)}, ValueError, ["scales has 0", "above 0"]),
    ("mul", (of(4, dtype=np.int8),) * 2, {"scales": (1, 1e-60, 1)}, ValueError, ["above 0 that float32 holds"]),
    ("mul", (of(4, dtype=np.int8),) * 2, {"scales": (1, 1)}, ValueError, ["2 numbers; mul takes 3, (s0, s1, s_out)"]),
    ("mul", (of(4, dtype=np.int8),) * 2, {"scales": 1}, TypeError, ["pass (s0, s1, s_out)"]),
    ("mul", (of(4, dtype=np.int8),) * 2, {"scales": ("1", 1, 1)}, TypeError, ["pass 3 numbers"]),
    ("add", (of(4), of(4)), {"variant": "fast"}, ValueError, ["variant is 'fast'", "nobroadcast", "stride"]),
    ("add", (of(4), of(3, 4)), {"variant": "nobroadcast"}, ValueError, ["apply to add of shapes [4] and [3, 4]"]),
    ("add", (of(*(2, 1) * 4), of(*(1, 2) * 4)), {}, ValueError, ["8 axes after merging", "at most 7"]),
    ("equal", (of(4), of(4)), {"tolerance": -1}, ValueError, ["tolerance is -1"]),
    ("equal", (of(4), of(4)), {"tolerance": np.nan}, ValueError, ["tolerance is nan"]),
    ("equal", (of(4), of(4)), {"tolerance": np.inf}, ValueError, ["tolerance is inf"]),
    ("equal", (of(4), of(4)), {"tolerance": "x"}, TypeError, ["tolerance is 'x'"]),
    ("equal", (of(4, dtype=np.int32),) * 2, {"tolerance": 0.5}, ValueError, ["tolerance is for floats"]),
    ("clip", (of(4), "low"), {}, TypeError, ["low is 'low'"]),
    ("clip", (of(4, dtype=np.int8), 0, 300), {}, ValueError, ["high is 300, which int8 does not hold"]),
    ("clip", (of(4, dtype=np.int8), 0.5), {}, TypeError, ["pass a whole number"]),
    ("cast", (of(4), "int64"), {}, TypeError, ["dtype is 'int64', which is not computed"]),
    ("cast", (of(4), "floaty"), {}, TypeError, ["names no element type"]),
    ("add", (of(4),), {}, TypeError, ["add(device, a, b", "missing a required argument: 'b'"]),
    ("sqrt", (of(4),), {"tolerance": 1}, TypeError, ["unexpected keyword argument 'tolerance'"]),
    ("logical_and", (of(4, dtype=np.int8),) * 2, {"scales": (1, 1, 1)}, TypeError, ["keyword argument 'scales'"]),
])  # fmt: skip
def test_what_is_refused_is_said_in_a_sentence_and_writes_nothing(name, operands, more, error, words):
    out = more.get("out")
    before = out.copy() if isinstance(out, np.ndarray) else None
    with pytest.raises(error) as caught:
        getattr(ew, name)(DEVICE, *operands, **more)
    assert all(word in str(caught.value) for word in words), caught.value
    assert "\n" not in str(caught.value)
    if before is not None:
        np.testing.assert_array_equal(out, before)
    with pytest.raises(error, match=r".*"):
        ew.plan(DEVICE, name, *operands, **more)


def test_an_output_whose_elements_coincide_is_refused():
    base = np.zeros(64, np.float32)
    for strides in ((0, 4), (4, 4), (8, 4), (12, 4), (4, -4), (2, 20)):
        out = np.ndarray((3, 4), np.float32, base.data, 64, strides)
        with pytest.raises(ValueError, match=r"out has shape .* so that elements coincide"):
            ew.add(DEVICE, of(3, 4), of(3, 4), out=out)
        assert not base.any()
    # Apart, though neither axis lies within a step of the other.
    out = np.ndarray((2, 4), np.float32, base.data, 0, (12, 8))
    ew.add(DEVICE, of(2, 4), of(2, 4), out=out)
    assert (out == 2).all()


def test_overlap_that_takes_too_long_to_find_is_refused():
    base = np.zeros(192_163_377, np.int8)  # not touched
    wide = np.lib.stride_tricks.as_strided(base, (1049, 1049, 1049), (36674, 61119, 85569))
    narrow = np.lib.stride_tricks.as_strided(base[64_023_025:], (1049, 1049, 1), (12223, 12224, 1))
    with pytest.raises(ValueError, match="out overlaps a in part"):
        ew.neg(DEVICE, narrow, out=wide)


def test_other_devices_are_refused():
    for name in ("bm1684x", "mlu270"):
        with pytest.raises(ValueError, match=f"device is {name}; add runs on a Cambricon device of architecture 322"):
            ew.add(Device.load(name), of(4), of(4))
    with pytest.raises(TypeError, match=r"device is 'mlu370-x4'; pass a Device, say Device.load\('mlu370-x4'\)"):
        ew.add("mlu370-x4", of(4), of(4))
    with pytest.raises(ValueError, match="no operator 'plus'; there are add, sub"):
        ew.plan(DEVICE, "plus", of(4), of(4))


def test_a_failed_launch_leaves_the_output(monkeypatch):
    a, out = DEVICE.array(of(64)), np.full(64, 7, np.float32)
    foreign = Device.load("mlu370-x4").array(of(64))
    with pytest.raises(KernelError):
        ew.add(DEVICE, a, foreign, out=out)
    assert (out == 7).all()


def test_two_runs_give_equal_logs():
    a = np.random.default_rng(3).standard_normal((90, 70)).astype(np.float32)
    first, second = (ew.gelu(DEVICE, a[::2, ::-1]) for _ in range(2))
    assert first.log.ops == second.log.ops
    assert len(first.log) == len(second.log)
    assert first.time_us == second.time_us


def test_every_operator_has_a_signature_and_a_docstring():
    assert set(ew.FUNCTIONS) == set(OPERATORS) <= set(ew.__all__)
    for name, function in ew.FUNCTIONS.items():
        assert getattr(ew, name) is function
        assert function.__name__ == name
        assert function.__doc__.startswith(OPERATORS[name].doc)
        assert ("scales" in function.__doc__) == OPERATORS[name].scalable
