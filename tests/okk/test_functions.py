"""Elementary functions, conversions, windows and matrices against NumPy and plain loops."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from tests.okk.lanes import LANE_BYTES, SHAPES, Outside, Room, addresses, ceiling, differences, float32, flushed, run

#: Arguments of functions: small, large, the ends of what an exponential takes.
CURVE = (-103.0, 88.0, 0.0, -0.0, 1.0, -1.0, 0.5, 1e-40, 20.25, -20.75, 3.0, np.nan)


def curve_values(room: Room, shape: tuple[int, ...]) -> np.ndarray:
    values = room.chance.uniform(-8, 8, shape).astype(np.float32)
    values.ravel()[: len(CURVE)] = CURVE[: values.size]
    return values


def terms(x: np.ndarray, count: int) -> np.ndarray:
    """Sum of x**k / k! for k to count, by Horner's rule."""
    total = np.ones_like(x)
    for k in range(count, 0, -1):
        total = 1 + total * x / k
    return total


def by_terms(x: np.ndarray, count: int) -> np.ndarray:
    """e**x, of the whole part exactly."""
    return np.exp(np.trunc(x)) * terms(x - np.trunc(x), count)


CURVES = {"exp": np.exp, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "tanh": np.tanh}
TUNED = {
    "exp": by_terms,
    "sigmoid": lambda x, n: 1 / (1 + by_terms(-x, n)),
    "tanh": lambda x, n: 2 / (1 + by_terms(-2 * x, n)) - 1,
}


@pytest.mark.parametrize("op", CURVES)
@pytest.mark.parametrize("count", [0, 4, 12])
def test_curves(op: str, count: int) -> None:
    """``count`` terms; 0: as many as the function takes by itself. The work tensor means nothing afterwards."""
    for seed, (start, shape) in enumerate(SHAPES):
        room = Room(seed, start)
        dst, work = room.tensor(shape), room.tensor(shape)
        src = room.tensor(shape, "aligned", curve_values(room, shape))
        x = flushed(room.read(src)).astype(np.float64)
        wanted = room.image.copy()
        with np.errstate(all="ignore"):
            wanted[dst.places()] = float32(TUNED[op](x, count) if count else CURVES[op](x)).view(np.uint32)
        name, more = (f"{op}_tunable", [count]) if count else (op, [])

        calls = [
            (f"okk_bdc_{name}", *addresses(dst, src, work), shape, *more),
            ("okk_bdc_32bit_set_C", work.address, 7, shape, None),
        ]

        wanted[work.places()] = 7
        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted, dst, 4) == "", (op, start, shape)


@pytest.mark.parametrize("count", [1, 2, 7, 64])
def test_taylor_series(count: int) -> None:
    room, shape = Room(count, 3), (2, 70, 1, 9)
    dst, src = room.tensor(shape), room.tensor(shape, "aligned")
    room.put(src, room.chance.uniform(-1, 1, shape).astype(np.float32))
    wanted = room.image.copy()
    wanted[dst.places()] = float32(terms(room.read(src).astype(np.float64), count)).view(np.uint32)
    findings, image, _ = run(room.image, ("okk_bdc_taylor_exp", *addresses(dst, src), shape, count))
    assert findings == []
    assert differences(image, wanted, dst, 1) == ""


@pytest.mark.parametrize("op", ["sqrt", "rsqrt"])
def test_roots_and_what_the_vendors_model_gives_at_the_ends(op: str) -> None:
    room, shape = Room(5, 60), (1, 70, 2, 5)
    values = np.abs(room.chance.standard_normal(shape)).astype(np.float32) + np.float32(1e-3)
    values.ravel()[:5] = [0, -0.0, np.inf, 4, -1]
    dst, src = room.tensor(shape), room.tensor(shape, "aligned", values)
    with np.errstate(all="ignore"):
        expected = np.sqrt(values.astype(np.float64)) if op == "sqrt" else 1 / np.sqrt(values.astype(np.float64))
    of_zero = float(np.array(0x5F3759DF, np.uint32).view(np.float32)) * 3.375
    expected.ravel()[:3] = [1 / of_zero, 1 / of_zero, -np.inf] if op == "sqrt" else [of_zero, of_zero, -np.inf]
    wanted = room.image.copy()
    wanted[dst.places()] = float32(expected).view(np.uint32)
    findings, image, _ = run(room.image, (f"okk_bdc_{op}", *addresses(dst, src), shape))
    assert findings == []
    assert differences(image, wanted, dst, 1) == ""
    assert of_zero == pytest.approx(4.46e19, rel=1e-3)


def test_conversions() -> None:
    shape = (2, 70, 1, 4)
    room = Room(6, 3)
    to_int, looked, exponent = (room.tensor(shape) for _ in range(3))
    floats = room.chance.uniform(-3e9, 3e9, shape).astype(np.float32)
    floats.ravel()[:8] = [0.9, -0.9, -1.5, np.nan, np.inf, -np.inf, 2147483647, 1e-40]
    src = room.tensor(shape, "aligned", floats)
    bytes_ = room.tensor(shape, "aligned", room.chance.integers(-128, 128, shape, np.int32))
    powers = room.tensor(shape, "aligned", room.chance.integers(-103, 89, shape, np.int32))
    wanted = room.image.copy()
    limit = (1 << 31) - 1
    whole = [limit if math.isnan(x) else int(min(max(x, -limit - 1), limit)) for x in floats.ravel().tolist()]
    wanted[to_int.places()] = np.array(whole, np.int64).astype(np.int32).reshape(shape).view(np.uint32)
    wanted[looked.places()] = room.read(bytes_, "int32").astype(np.float32).view(np.uint32)
    exact = np.exp(room.read(powers, "int32").astype(np.float64)).astype(np.float32)  # a table has subnormal numbers
    wanted[exponent.places()] = exact.view(np.uint32)

    calls = [
        ("okk_bdc_fp32_to_int32", *addresses(to_int, src), shape),
        ("okk_bdc_lookup_int32_to_fp32", *addresses(looked, bytes_), shape),
        ("okk_bdc_lookup_exp", *addresses(exponent, powers), shape),
    ]

    findings, image, _ = run(room.image, *calls)
    assert findings == []
    assert differences(image, wanted, exponent, 1) == ""


@pytest.mark.parametrize(("name", "value"), [("lookup_exp", 89), ("lookup_exp", -104), ("lookup_int32_to_fp32", 128)])
def test_what_a_table_lacks_is_a_finding(name: str, value: int) -> None:
    room, shape = Room(1, 0), (1, 3, 1, 1)
    dst, src = room.tensor(shape), room.tensor(shape, "aligned", np.array([0, value, 1], np.int32).reshape(shape))
    (finding,), _, _ = run(room.image, (f"okk_bdc_{name}", *addresses(dst, src), shape))
    assert (finding.instruction, finding.operand) == (f"okk_bdc_{name}", "src_addr")
    assert f"src_addr[1] is {value}" in finding.message


# --- windows ---------------------------------------------------------------------------------------------------------

GEOMETRY = (  # input h, w; kernel; padding top, bottom, left, right; stride; dilation
    ((5, 6), (3, 2), (1, 0, 2, 1), (2, 1), (1, 2)),
    ((4, 4), (1, 1), None, None, None),
    ((7, 3), (2, 3), (0, 0, 1, 1), (3, 2), (2, 1)),
    ((1, 40), (1, 5), (0, 0, 15, 3), (1, 15), None),
)


def size(given: int, kernel: int, before: int, after: int, step: int, apart: int) -> int:
    return (given + before + after - (kernel - 1) * apart - 1) // step + 1


class Windows:
    """The elements of each window, point by point."""

    def __init__(self, x: np.ndarray, geometry: Any, fill: float = 0) -> None:
        (h, w), self.kernel, padding, stride, dilation = geometry
        top, bottom, left, right = padding or (0, 0, 0, 0)
        self.step, self.apart = stride or (1, 1), dilation or (1, 1)
        self.h = size(h, self.kernel[0], top, bottom, self.step[0], self.apart[0])
        self.w = size(w, self.kernel[1], left, right, self.step[1], self.apart[1])
        self.padded = np.full((*x.shape[:2], h + top + bottom, w + left + right), fill, np.float64)
        self.padded[:, :, top : top + h, left : left + w] = x

    def at(self, kh: int, kw: int) -> np.ndarray:
        """For every output point the element under one point of the kernel."""
        y, x = kh * self.apart[0], kw * self.apart[1]
        rows = [y + self.step[0] * n for n in range(self.h)]
        columns = [x + self.step[1] * n for n in range(self.w)]
        return self.padded[:, :, rows][:, :, :, columns]

    def points(self) -> Any:
        return itertools.product(range(self.kernel[0]), range(self.kernel[1]))


def numbers(room: Room, tensor: Any) -> np.ndarray:
    """Small whole numbers: sums of products are exact."""
    values = room.chance.integers(-5, 6, tensor.shape).astype(np.float32)
    room.put(tensor, values)
    return values.astype(np.float64)


@pytest.mark.parametrize("geometry", GEOMETRY)
@pytest.mark.parametrize(("bias", "add"), [(False, False), (True, False), (False, True), (True, True)])
def test_conv2d(geometry: Any, bias: bool, add: bool) -> None:
    (h, w), (kh, kw), *_ = geometry
    for n, ic, oc, start, other, layout in (
        (1, 1, 1, 0, 9, "aligned"),
        (2, 5, 70, 60, 3, "apart"),
        (1, 67, 130, 3, 3, "aligned"),
    ):
        room = Room(n + oc, start)
        pairs = (ic + 1) // 2
        x_at = room.tensor((n, ic, h, w), layout, start=other)
        x = numbers(room, x_at)
        weight_at = room.tensor((pairs, oc, kh, 2 * kw), "compact")
        both = numbers(room, weight_at).reshape(pairs, oc, kh, kw, 2)
        weights = both.transpose(0, 4, 1, 2, 3).reshape(2 * pairs, oc, kh, kw)[:ic]
        bias_at = room.tensor((1, oc, 1, 1), "compact")
        found = Windows(x, geometry)
        out_at = room.tensor((n, oc, found.h, found.w))
        before = numbers(room, out_at)
        added = numbers(room, bias_at)
        sums = before if add else np.zeros_like(before)
        for i, j in found.points():
            sums = sums + np.einsum("nchw,co->nohw", found.at(i, j), weights[:, :, i, j])
        wanted = room.image.copy()
        wanted[out_at.places()] = (sums + added * bias).astype(np.float32).view(np.uint32)
        rows = (start + oc + 63) // 64
        kernel_stride = (rows * kh * kw, kh * kw, kw, 1)

        calls = [
            (
                "okk_bdc_conv2d",
                *addresses(out_at, x_at, weight_at, bias_at),
                x_at.shape,
                oc,
                kh,
                kw,
                x_at.stride,
                kernel_stride,
                bias,
                add,
                *geometry[2:],
            ),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted) == "", (n, ic, oc)


@pytest.mark.parametrize("geometry", GEOMETRY)
@pytest.mark.parametrize("bias", [False, True])
def test_depthwise2d(geometry: Any, bias: bool) -> None:
    (h, w), (kh, kw), *_ = geometry
    for n, c, start in ((1, 1, 0), (2, 70, 60), (1, 130, 3)):
        room = Room(c, start)
        x_at, weight_at = room.tensor((n, c, h, w)), room.tensor((1, c, kh, kw), "compact")
        x, weights = numbers(room, x_at), numbers(room, weight_at)
        bias_at = room.tensor((1, c, 1, 1), "compact")
        added = numbers(room, bias_at)
        found = Windows(x, geometry)
        out_at = room.tensor((n, c, found.h, found.w))
        sums = sum(found.at(i, j) * weights[:, :, i : i + 1, j : j + 1] for i, j in found.points())
        wanted = room.image.copy()
        wanted[out_at.places()] = (sums + added * bias).astype(np.float32).view(np.uint32)

        calls = [
            (
                "okk_bdc_depthwise2d",
                *addresses(out_at, x_at, weight_at, bias_at),
                x_at.shape,
                kh,
                kw,
                bias,
                *geometry[2:],
            ),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted) == "", (n, c)


@pytest.mark.parametrize("geometry", [(*g[:4], None) for g in GEOMETRY])
@pytest.mark.parametrize("op", ["avg", "max"])
def test_pooling(geometry: Any, op: str) -> None:
    (h, w), (kh, kw), *_ = geometry
    for n, c, start in ((1, 1, 0), (2, 70, 60), (1, 130, 3)):
        room = Room(c, start)
        x_at = room.tensor((n, c, h, w))
        x = numbers(room, x_at)
        found = Windows(x, geometry, 0 if op == "avg" else float(np.finfo(np.float32).min))
        out_at = room.tensor((n, c, found.h, found.w))
        taken = [found.at(i, j) for i, j in found.points()]
        value = sum(taken) / (kh * kw) if op == "avg" else np.maximum.reduce(taken)
        wanted = room.image.copy()
        wanted[out_at.places()] = np.asarray(value).astype(np.float32).view(np.uint32)

        calls = [
            (f"okk_bdc_{op}_pool2d", *addresses(out_at, x_at), x_at.shape, kh, kw, *geometry[2:4]),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted, out_at, 1) == "", (n, c)


# --- matrices --------------------------------------------------------------------------------------------------------


def matrix(room: Room, rows: int, columns: int, each: int, start: int) -> tuple[int, Any]:
    """The address of a matrix, and lane and word of each of its elements, column by column."""
    channels = ceiling(columns, each) // each
    offset = ceiling(room.used, 32)
    group, image = ceiling(each, 32), ceiling(start + channels, 64) // 64 * ceiling(each, 32)
    row, column = np.ix_(range(rows), range(columns))
    channel, within = np.divmod(column, each)
    word = offset + row * image + (start + channel) // 64 * group + within
    room.used = offset + rows * image
    return start * LANE_BYTES + 4 * offset, (np.broadcast_to((start + channel) % 64, word.shape), word)


MATRICES = (  # rows, inner, columns; columns of a channel left and right; lanes
    (3, 10, 12, 4, 5, 0, 0), (5, 70, 100, 1, 1, 60, 3), (2, 7, 6, 7, 6, 3, 60), (9, 90, 130, 80, 2, 0, 60),
    (70, 3, 1, 2, 1, 3, 0),
)  # fmt: skip


@pytest.mark.parametrize("sizes", MATRICES)
@pytest.mark.parametrize(("bias", "add"), [(False, False), (True, False), (True, True)])
def test_matmul(sizes: Any, bias: bool, add: bool) -> None:
    m, k, n, left_each, right_each, start, left_start = sizes
    room = Room(m, start)
    held = [matrix(room, *shape) for shape in (
        (m, n, right_each, start), (m, k, left_each, left_start), (k, n, right_each, start), (1, n, right_each, start)
    )]  # fmt: skip
    (before, left, right, added) = (room.chance.integers(-5, 6, at[1].shape).astype(np.float32) for _, at in held)
    for (_, at), values in zip(held, (before, left, right, added), strict=True):
        room.image[at] = values.view(np.uint32)
    wanted = room.image.copy()
    wanted[held[0][1]] = (left @ right + added * bias + before * add).astype(np.float32).view(np.uint32)
    findings, image, _ = run(
        room.image,
        ("okk_bdc_matmul", *(a for a, _ in held), m, k, n, left_each, right_each, bias, add),
    )
    assert findings == []
    assert differences(image, wanted) == ""


@pytest.mark.parametrize("sizes", MATRICES)
def test_matrices_to_and_from_system_memory(sizes: Any) -> None:
    m, k, _, each, _, start, _ = sizes
    room = Room(k, start)
    row = k + 3
    system = room.chance.integers(0, 256, 8 * m * row, np.uint8)
    address, at = matrix(room, m, k, each, start)
    source = system[: 4 * m * row].view(np.uint32).reshape(m, row)
    wanted = room.image.copy()
    wanted[at] = source[:, :k]

    calls = [
        ("okk_gdma_32bit_matrix_S2L", address, Outside(0, "float"), m, k, each, row),
        ("okk_gdma_32bit_matrix_L2S", Outside(4 * m * row, "int32"), address, m, k, each, row),
    ]

    findings, image, outside = run(room.image, *calls, system=system)
    assert findings == []
    assert differences(image, wanted) == ""
    after = outside[4 * m * row :].view(np.uint32).reshape(m, row)
    assert (after[:, :k] == source[:, :k]).all()
    assert (after[:, k:] == system[4 * m * row :].view(np.uint32).reshape(m, row)[:, k:]).all()
