"""The operator library: what its functions compute, against NumPy written out or loops, and how they fail."""

import json
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Device
from mlusim.simulator.host.cnnl.cost import assumed_us
from mlusim.simulator.host.cnnl.functions import call
from mlusim.simulator.host.cnnl.operation import DTYPES, NotModelled, Operation
from mlusim.simulator.host.programs.program import build_program, run_program
from mlusim.simulator.kernelc.options import Options

NUMBERS = {dtype: number for number, dtype in DTYPES.items()}


def carry_out(function, tensors, **given):
    """Call a function on arrays; a number of host memory is a NumPy scalar."""
    said = {"function": function, "tensors": {}}
    places = {}
    for name, array in tensors.items():
        strides = [stride // array.itemsize for stride in array.strides]
        address = array.__array_interface__["data"][0]
        said["tensors"][name] = [address, NUMBERS[array.dtype], list(array.shape), strides]
        places[address] = array
    for name, value in given.items():
        scalar = isinstance(value, np.generic)
        said[name] = [NUMBERS[value.dtype], list(value.tobytes())] if scalar else value
    operation = Operation.parse(json.dumps(said).encode())

    def memory(address, bytes):
        whole = places[address]
        return np.lib.stride_tricks.as_strided(whole, (bytes // whole.itemsize,), (whole.itemsize,)).view(np.uint8)

    call(operation, operation.views(memory))
    return operation


def ramp(*shape, dtype=np.float32):
    return np.arange(1, np.prod(shape) + 1).reshape(shape).astype(dtype)


def test_fill_and_copy_and_cast():
    out = np.zeros((2, 3), np.int32)
    carry_out("cnnlFill_v3", {"output": out}, value=np.int32(-7))
    assert (out == -7).all()
    half = np.zeros((2, 3), np.float16)
    carry_out("cnnlCastDataType", {"input": np.array([[1, 2, 70000], [0.1, -3, 4]], np.float32), "output": half})
    assert half.tolist() == [[1, 2, np.inf], [float(np.float16(0.1)), -3, 4]]
    wide = np.zeros((3, 4), np.float32)
    carry_out("cnnlCopy_v2", {"input": ramp(3, 2), "output": wide[:, ::2]})
    assert wide.tolist() == [[1, 0, 2, 0], [3, 0, 4, 0], [5, 0, 6, 0]]


def test_transpose():
    out = np.zeros((4, 2, 3), np.float32)
    x = ramp(2, 3, 4)
    carry_out("cnnlTranspose_v2", {"input": x, "output": out}, permute=[2, 0, 1])
    assert all(out[k, i, j] == x[i, j, k] for i in range(2) for j in range(3) for k in range(4))
    with pytest.raises(ValueError, match=r"cnnlTranspose_v2 does not take .*permutation \[0, 0, 1\]"):
        carry_out("cnnlTranspose_v2", {"input": x, "output": out}, permute=[0, 0, 1])


@pytest.mark.parametrize(("op", "expected"), [(0, [7, 16]), (1, [-1, -8]), (2, [12, 48])])
def test_op_tensor(op, expected):
    out = np.zeros(2, ml_dtypes.bfloat16)
    a, b = np.array([3, 4], ml_dtypes.bfloat16), np.array([2, 6], ml_dtypes.bfloat16)
    one, two, none = np.float32(1), np.float32(2), np.float32(0)
    carry_out("cnnlOpTensor", {"a": a, "b": b, "output": out}, op=op, alpha1=one, alpha2=two, beta=none)
    assert out.astype(float).tolist() == expected
    carry_out("cnnlOpTensor", {"a": a, "b": b, "output": out}, op=op, alpha1=one, alpha2=two, beta=one)
    assert out.astype(float).tolist() == [2 * value for value in expected]


def test_transform_and_sum_of_many():
    out = np.zeros(3, np.float32)
    carry_out("cnnlTransform_v2", {"input": ramp(3), "output": out}, alpha=np.float32(2), beta=np.float32(-1))
    assert out.tolist() == [1, 3, 5]
    carry_out("cnnlAddN_v2", {"0": ramp(3), "1": ramp(3), "2": ramp(3), "output": out}, count=3)
    assert out.tolist() == [3, 6, 9]


@pytest.mark.parametrize(("flip_a", "flip_b"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_product(flip_a, flip_b):
    a, b, c, out = ramp(2, 3), ramp(3, 4), ramp(2, 4), np.zeros((2, 4), np.float32)
    expected = [[2 * sum(a[i, k] * b[k, j] for k in range(3)) + 3 * c[i, j] for j in range(4)] for i in range(2)]
    given = {"a": a.T.copy() if flip_a else a, "b": b.T.copy() if flip_b else b, "c": c, "output": out}
    done = carry_out(
        "cnnlMatMul_v2", given, transposed=[flip_a, flip_b], alpha=np.float32(2), beta=np.float32(3)
    )  # fmt: skip
    np.testing.assert_array_equal(out, expected)
    assert done.inputs == [done.tensors[name] for name in "abc"]


def test_a_product_to_which_nothing_is_added():
    """The summand may hold anything, and it is not read."""
    given = {"a": ramp(2, 3), "b": ramp(3, 4), "c": np.full((2, 4), np.nan, np.float32), "output": ramp(2, 4)}
    done = carry_out("cnnlMatMul_v2", given, transposed=[0, 0], alpha=np.float32(1), beta=np.float32(0))
    np.testing.assert_array_equal(given["output"], [[38, 44, 50, 56], [83, 98, 113, 128]])
    assert done.inputs == [done.tensors[name] for name in "ab"]


def test_gather_and_scatter():
    params, indices = ramp(3, 2), np.array([[2], [0], [9]], np.int32)
    out = np.full((3, 2), -1, np.float32)
    carry_out("cnnlGatherNd_v2", {"params": params, "indices": indices, "output": out}, batch_dims=0)
    assert out.tolist() == [[5, 6], [1, 2], [0, 0]]
    out = np.full((3, 2), 8, np.float32)
    carry_out("cnnlScatterNd_v2", {"indices": indices, "updates": ramp(3, 2), "output": out}, mode=3)
    assert out.tolist() == [[3, 4], [0, 0], [1, 2]]
    twice = np.array([[1], [1]], np.int64)
    carry_out("cnnlScatterNd_v2", {"indices": twice, "updates": ramp(2, 2), "input": out, "output": out}, mode=0)
    assert out.tolist() == [[3, 4], [4, 6], [1, 2]]


def test_reduce_unique_pad_slice_and_concat():
    out = np.zeros((1, 3), np.int32)
    carry_out("cnnlReduce_v2", {"input": ramp(2, 3, dtype=np.int32), "output": out}, axes=[0], op=0)
    assert out.tolist() == [[5, 7, 9]]
    found, count = np.zeros(5, np.int32), np.zeros(1, np.int32)
    carry_out("cnnlUnique_v2", {"input": np.array([5, 1, 5, 1, 3], np.int32), "output": found, "count": count}, dim=0)
    assert (found[: count[0]].tolist(), count[0]) == ([1, 3, 5], 3)
    rows, back, times = np.zeros((4, 2), np.int32), np.zeros(4, np.int32), np.zeros(4, np.int32)
    given = np.array([[2, 1], [-1, 5], [2, 1], [2, 0]], np.int32)
    carry_out(
        "cnnlUnique_v2", {"input": given, "output": rows, "count": count, "inverse": back, "counts": times}, dim=0
    )
    assert (rows[:3].tolist(), count[0]) == ([[-1, 5], [2, 0], [2, 1]], 3)
    assert (back.tolist(), times[:3].tolist()) == ([2, 0, 2, 1], [1, 1, 2])
    with pytest.raises(ValueError, match="3 different entries do not fit into output, which holds 2"):
        carry_out("cnnlUnique_v2", {"input": given, "output": rows[:2], "count": count}, dim=0)
    padded = np.zeros((3, 3), np.float32)
    carry_out("cnnlPad", {"input": ramp(2, 1), "output": padded}, paddings=[0, 1, 1, 1], value=np.float32(9))
    assert padded.tolist() == [[9, 1, 9], [9, 2, 9], [9, 9, 9]]
    cut = np.zeros((1, 2), np.float32)
    carry_out("cnnlStridedSlice_v2", {"input": ramp(2, 4), "output": cut}, begin=[1, 0], end=[2, 4], stride=[1, 2])
    assert cut.tolist() == [[5, 7]]
    carry_out("cnnlStridedSlice_v2", {"input": ramp(1, 2), "output": cut}, begin=[0, 1], end=[1, -3], stride=[1, -1])
    assert cut.tolist() == [[2, 1]]
    joined = np.zeros((2, 3), np.float32)
    carry_out("cnnlConcat", {"0": ramp(2, 1), "1": ramp(2, 2), "output": joined}, count=2, axis=1)
    assert joined.tolist() == [[1, 1, 2], [2, 3, 4]]


def test_what_is_not_modelled_says_so():
    with pytest.raises(NotModelled, match="cnnlNothing is not modelled"):
        carry_out("cnnlNothing", {})
    with pytest.raises(NotModelled, match="the dtype 15 of input is not modelled"):
        Operation.parse(json.dumps({"function": "f", "tensors": {"input": [0, 15, [1], [1]]}}).encode())
    with pytest.raises(ValueError, match=r"cnnlCopy_v2 does not take input \[3\], output \[2\]"):
        carry_out("cnnlCopy_v2", {"input": ramp(3), "output": ramp(2)})


def test_time_is_that_of_bytes_or_of_multiply_adds():
    device = Device.load("mlu370-x4")

    side = 768
    tensors = {"a": ramp(side, side), "b": ramp(side, side), "output": ramp(side, side)}
    done = carry_out("cnnlMatMul_v2", tensors, transposed=[0, 0], alpha=np.float32(1), beta=np.float32(0))
    rate = device.rates.engines["tensor"].rate * device.rates.clock_mhz * device.shape.cores
    assert assumed_us(done, device.rates, device.shape) == pytest.approx(
        device.rates.launch_overhead_us + side**3 / rate
    )
    filled = carry_out("cnnlFill_v3", {"output": ramp(1 << 20)}, value=np.float32(0))
    channel = device.rates.channels["dram"]
    assert assumed_us(filled, device.rates, device.shape) == pytest.approx(
        device.rates.launch_overhead_us + (4 << 20) / channel.rate
    )


def test_products_in_batches_from_a_program(tmp_path, capfd):
    device = Device.load("mlu370-x4")
    program = build_program([Path(__file__).parent / "programs" / "products.mlu"], Options.of([], [], [], None), device)
    code, (report,) = run_program(program, [], [device])
    flips = ("0 0", "0 1", "1 0", "1 1")
    assert capfd.readouterr().out.splitlines() == [f"{flip}: status 0, 0 wrong" for flip in flips]
    assert (code, report.findings) == (0, [])


def test_conjugates():
    x, out = np.array([1 + 2j, -3j], np.complex64), np.zeros(2, np.complex64)
    carry_out("cnnlConj", {"input": x, "output": out})
    assert out.tolist() == [1 - 2j, 3j]
