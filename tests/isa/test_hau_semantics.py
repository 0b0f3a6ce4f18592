"""What the HAU instructions compute, against references in plain Python and by lexicographic sorting."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlusim.simulator import Device, DeviceArray, KernelError, Run, launch

FLOAT, INT, UINT = np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.uint32)
CODES = {FLOAT: 5, INT: 9, UINT: 8}
LINE_CODES = {
    "int8": 1, "uint8": 0, "float16": 3, "bfloat16": 11, "int16": 7, "uint16": 6, "float32": 5, "int32": 9, "uint32": 8,
}  # fmt: skip
#: Values at which orders go wrong, by their bits.
CORNERS = {
    FLOAT: [0x7FC00000, 0xFFC00001, 0x7F800000, 0xFF800000, 0, 0x80000000, 1, 0x80000001, 0x7F7FFFFF, 0xFF7FFFFF],
    INT: [0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0, 1],
    UINT: [0x80000000, 0x7FFFFFFF, 0xFFFFFFFF, 0, 1],
}
EVERY_TYPE = pytest.mark.parametrize("dtype", [FLOAT, INT, UINT], ids=str)
BOTH_ORDERS = pytest.mark.parametrize("descended", [False, True], ids=["ascending", "descending"])


@pytest.fixture(scope="module")
def device() -> Device:
    return Device.load("bm1684x")


def plain_order(values: np.ndarray, descended: bool, ties: Any = None) -> list[int]:
    """Positions in order by Python's own sort: NaN above every number, equal values by ``ties`` (default: position)."""

    def key(position: int) -> tuple[bool, float, int]:
        value = values[position].item()
        nan = isinstance(value, float) and math.isnan(value)
        rank = 0 if nan else -value if descended else value
        return (nan != descended, rank, position if ties is None else int(ties[position]))

    return sorted(range(len(values)), key=key)


def large_order(values: np.ndarray, descended: bool) -> np.ndarray:
    """`plain_order` for many values without NaN, by a lexicographic sort in float64."""
    wide = values.astype(np.float64)
    return np.lexsort((np.arange(len(values)), -wide if descended else wide))


def mixed(dtype: np.dtype[Any], length: int, seed: int) -> np.ndarray:
    """Values with ties and, where there is room, with every corner twice."""
    rng = np.random.default_rng(seed)
    if dtype == FLOAT:
        found = (rng.integers(-40, 40, length) / 8).astype(dtype)
    else:
        found = rng.integers(0, 2**32, length, dtype=np.uint64).astype(np.uint32).view(dtype) >> dtype.type(24)
    corners = np.array(CORNERS[dtype] * 2, np.uint32).view(dtype)
    places = rng.permutation(length)[: len(corners)]
    found[places] = corners[: len(places)]
    return found


def execute(device: Device, body: Callable[..., None], *arrays: np.ndarray) -> tuple[Run, list[np.ndarray]]:
    """Run a Python kernel on device arrays; what they hold then, the inputs included."""
    held = [device.array(array) for array in arrays]
    run = launch(lambda t, *pointers: body(t, *pointers), args=held, device=device)
    return run, [array.numpy() for array in held]


def lengths_of_k(length: int) -> list[int]:
    return sorted({1, min(2, length), max(length // 2, 1), max(length - 1, 1), length})


def check_all_sorts(device: Device, x: np.ndarray, order: Any, count: int, descended: bool) -> None:
    """The three sorts of one input agree with an order, to the bit, and leave the input alone."""
    code, n = CODES[x.dtype], len(x)
    carried = np.arange(n, dtype=np.int32) * 3 - 7  # ascending, so that ties by index are ties by position

    def kernel(t: Any, a: Any, b: Any, bi: Any, c: Any, ci: Any, source: Any, indices: Any) -> None:
        t.tpu_hau_sort(a, source, n, count, descended, code)
        t.tpu_hau_sort_natural_index(b, bi, source, n, count, descended, code)
        t.tpu_hau_sort_specific_index(c, ci, source, indices, n, count, descended, code)
        t.tpu_hau_poll()

    blank, index = np.zeros_like(x), np.zeros(n, np.int32)
    run, (a, b, bi, c, ci, source, indices) = execute(device, kernel, blank, blank, index, blank, index, x, carried)
    wanted = np.asarray(order)[:count]
    expected = x[wanted].view(np.uint32).tolist()
    assert run.findings == []
    assert [result[:count].view(np.uint32).tolist() for result in (a, b, c)] == [expected] * 3
    assert bi[:count].tolist() == wanted.tolist()
    assert ci[:count].tolist() == carried[wanted].tolist()
    assert source.tobytes() == x.tobytes()
    assert indices.tobytes() == carried.tobytes()


@EVERY_TYPE
@BOTH_ORDERS
@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 1000])
def test_sorts_of_mixed_values(device: Device, dtype: np.dtype[Any], descended: bool, length: int) -> None:
    x = mixed(dtype, length, length)
    order = plain_order(x, descended)
    for count in lengths_of_k(length):
        check_all_sorts(device, x, order, count, descended)


@EVERY_TYPE
@BOTH_ORDERS
def test_sorts_of_many_values(device: Device, dtype: np.dtype[Any], descended: bool) -> None:
    x = np.random.default_rng(5).integers(-9000, 9000, 65536).astype(dtype)
    order = large_order(x, descended)
    for count in lengths_of_k(len(x)):
        check_all_sorts(device, x, order, count, descended)


@pytest.mark.parametrize(
    ("dtype", "descended", "count"), [(FLOAT, False, 2**20), (FLOAT, True, 100), (INT, True, 2**19)]
)
def test_sorts_of_a_million_values(device: Device, dtype: np.dtype[Any], descended: bool, count: int) -> None:
    x = (np.random.default_rng(6).standard_normal(2**20) * 1e6).astype(dtype)
    check_all_sorts(device, x, large_order(x, descended), count, descended)


@EVERY_TYPE
@BOTH_ORDERS
@pytest.mark.parametrize("shape", ["equal", "sorted", "reversed"])
def test_sorts_of_orderly_values(device: Device, dtype: np.dtype[Any], descended: bool, shape: str) -> None:
    x = {"equal": np.full(200, 7), "sorted": np.arange(200) // 3, "reversed": np.arange(200)[::-1] // 3}[shape].astype(
        dtype
    )
    order = plain_order(x, descended)
    for count in lengths_of_k(200):
        check_all_sorts(device, x, order, count, descended)


@BOTH_ORDERS
@pytest.mark.parametrize("count", [1, 50, 199, 200])
def test_only_nan_and_zeros_of_both_signs(device: Device, descended: bool, count: int) -> None:
    bits = np.random.default_rng(8).choice(np.array([0x7FC00000, 0xFFC12345, 0, 0x80000000], np.uint32), 200)
    x = bits.view(np.float32)
    check_all_sorts(device, x, plain_order(x, descended), count, descended)


@BOTH_ORDERS
def test_equal_keys_go_by_the_value_of_their_given_index(device: Device, descended: bool) -> None:
    rng = np.random.default_rng(9)
    keys, given = rng.integers(0, 4, 300).astype(np.float32), rng.integers(-5, 5, 300).astype(np.int32)
    order = plain_order(keys, descended, given)

    def kernel(t: Any, values: Any, indices: Any, source: Any, ties: Any) -> None:
        t.tpu_hau_sort_specific_index(values, indices, source, ties, 300, 120, descended, t.DT_FP32)

    run, (values, indices, *_) = execute(device, kernel, keys * 0, given * 0, keys, given)
    assert run.findings == []
    assert values[:120].tolist() == keys[order][:120].tolist()
    assert indices[:120].tolist() == given[order][:120].tolist()


def test_results_may_take_the_place_of_the_input(device: Device) -> None:
    x = np.random.default_rng(10).standard_normal(100).astype(np.float32)

    def kernel(t: Any, data: Any, indices: Any) -> None:
        t.tpu_hau_sort_natural_index(data, indices, data, 100, 10, True, t.DT_FP32)

    _, (data, indices) = execute(device, kernel, x, np.zeros(100, np.int32))
    order = plain_order(x, True)[:10]
    assert (data[:10].tolist(), indices[:10].tolist()) == (x[order].tolist(), order)


def test_what_one_sort_leaves_undefined_was_read_before_by_an_earlier_one(device: Device) -> None:
    x, y = (np.random.default_rng(seed).standard_normal(100).astype(np.float32) for seed in (11, 12))

    def kernel(t: Any, first: Any, x: Any, y: Any) -> None:
        t.tpu_hau_sort(first, x, 100, 100, False, t.DT_FP32)
        t.tpu_hau_sort(x, y, 100, 1, False, t.DT_FP32)

    run, (first, second, _) = execute(device, kernel, x * 0, x, y)
    assert run.findings == []
    assert first.tolist() == sorted(x.tolist())
    assert second[0] == y.min()


# --- the raw command and rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "flag"), [(FLOAT, 0), (INT, 1), (UINT, 2)], ids=str)
@pytest.mark.parametrize("indexed", ["none", "natural", "given"])
def test_the_raw_command_takes_its_sources_first(device: Device, dtype: np.dtype[Any], flag: int, indexed: str) -> None:
    x, given = mixed(dtype, 90, 3), np.arange(90, dtype=np.int32)[::-1].copy()

    def kernel(t: Any, source: Any, ties: Any, values: Any, indices: Any) -> None:
        t.tpu_hau_sort_general(
            source, ties, values, indices, flag, 90, True, indexed != "none", indexed == "natural", 33
        )

    run, (_, _, values, indices) = execute(device, kernel, x, given, np.zeros_like(x), np.full(90, -9, np.int32))
    order = plain_order(x, True, given if indexed == "given" else None)[:33]
    expected = {"none": [-9] * 33, "natural": order, "given": given[order].tolist()}[indexed]
    assert run.findings == []
    assert values[:33].view(np.uint32).tolist() == x[order].view(np.uint32).tolist()
    assert indices[:33].tolist() == expected


def rows_kernel(t: Any, a: Any, b: Any, bi: Any, c: Any, ci: Any, x: Any, given: Any) -> None:
    t.tpu_hau_sort_2d(a, x, 4, 50, 20, True, t.DT_INT32)
    t.tpu_hau_sort_natural_index_2d(b, bi, x, 4, 50, 20, True, t.DT_INT32)
    t.tpu_hau_sort_specific_index_2d(c, ci, x, given, 4, 50, 20, True, t.DT_INT32)


def test_rows_are_sorted_one_by_one() -> None:
    x = np.random.default_rng(4).integers(-9, 9, (4, 50)).astype(np.int32)
    given = np.tile(np.arange(50, dtype=np.int32)[::-1], (4, 1))
    device = Device.load("bm1690")
    held = [device.array(array) for array in (x * 0, x * 0, x * 0, x * 0, x * 0, x, given)]
    run = launch(rows_kernel, (1, 1, 1), args=held, device=device)
    a, b, bi, c, ci, *_ = (array.numpy()[:, :20] for array in held)
    assert run.findings == []
    for row in range(4):
        order, by_index = plain_order(x[row], True)[:20], plain_order(x[row], True, given[row])[:20]
        assert a[row].tolist() == b[row].tolist() == c[row].tolist() == x[row][order].tolist()
        assert (bi[row].tolist(), ci[row].tolist()) == (order, given[row][by_index].tolist())


def test_rows_are_of_newer_architectures(device: Device) -> None:
    arrays = [device.array(np.zeros((4, 50), np.int32)) for _ in range(7)]
    with pytest.raises(KernelError) as caught:
        launch(rows_kernel, args=arrays, device=device)
    finding = caught.value.finding
    assert (finding.rule, finding.instruction) == ("arch", "tpu_hau_sort_2d")
    assert "1684" in finding.message


# --- gathering lines -------------------------------------------------------------------------------------------------


def gather(
    device: Device, table: np.ndarray, indices: list[int], start: int, end: int, fill: int | None, code: int
) -> tuple[Run, np.ndarray, np.ndarray]:
    """Run one gather into an output of recognisable bytes; the output before and after."""
    before = np.full((len(indices), table.shape[1]), 0x5A, np.uint8).repeat(table.itemsize, 1).view(table.dtype)
    lines, length = table.shape

    def kernel(t: Any, output: Any, param: Any, index: Any) -> None:
        t.tpu_hau_line_gather(
            output, param, index, fill or 0, lines, length, len(indices), start, end, code, fill is not None
        )  # fmt: skip

    run, (after, source, _) = execute(device, kernel, before, table, np.array(indices, np.uint32))
    assert source.tobytes() == table.tobytes()
    return run, before, after


def plain_gather(
    before: np.ndarray, table: np.ndarray, indices: list[int], start: int, end: int, fill: int | None
) -> bytes:
    """The bytes of an output, line by line."""
    lines = []
    for position, index in enumerate(indices):
        if start <= index <= end:
            lines.append(table[index - start].tobytes())
        elif fill is None:
            lines.append(before[position].tobytes())
        else:
            lines.append(fill.to_bytes(4, "little")[: table.itemsize] * table.shape[1])
    return b"".join(lines)


@pytest.mark.parametrize("dtype", LINE_CODES)
@pytest.mark.parametrize("length", [1, 37])
@pytest.mark.parametrize("fill", [None, 0x81234567], ids=["untouched", "filled"])
def test_gather_of_every_type(device: Device, dtype: str, length: int, fill: int | None) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
    table = np.random.default_rng(1).integers(0, 256, (9, length * kind.itemsize)).astype(np.uint8).view(kind)
    indices = [8, 0, 3, 3, 9, 2**32 - 1, 5, 2, 1, 3]
    for start, end in ((0, 8), (2, 5), (3, 3)):
        run, before, after = gather(device, table, indices, start, end, fill, LINE_CODES[dtype])
        assert run.findings == []
        assert after.tobytes() == plain_gather(before, table, indices, start, end, fill)


@pytest.mark.parametrize("fill", [None, 3], ids=["untouched", "filled"])
def test_gather_without_a_valid_index(device: Device, fill: int | None) -> None:
    table = np.arange(40, dtype=np.int16).reshape(8, 5)
    run, before, after = gather(device, table, [8, 100, 2**31], 0, 7, fill, LINE_CODES["int16"])
    assert run.findings == []
    assert after.tobytes() == plain_gather(before, table, [8, 100, 2**31], 0, 7, fill)


def test_gather_of_long_lines(device: Device) -> None:
    table = np.random.default_rng(2).standard_normal((20, 50000)).astype(np.float32)
    indices = [19, 0, 7, 19]
    _, before, after = gather(device, table, indices, 0, 19, 0, LINE_CODES["float32"])
    assert after.tobytes() == plain_gather(before, table, indices, 0, 19, 0)


def undefined_reads(device: Device, array: DeviceArray, positions: list[int]) -> list[int]:
    """The positions whose scalar load is reported as a read of undefined memory, each tried in a launch of its own."""

    def kernel(t: Any, pointer: Any, position: int) -> None:
        pointer[position]

    runs = [launch(kernel, args=[array, position], device=device, on_finding="collect") for position in positions]
    return [p for p, run in zip(positions, runs, strict=True) if "undefined" in {f.rule for f in run.findings}]


def test_what_a_gather_leaves_untouched_stays_undefined(device: Device) -> None:
    values, table, index = (
        device.array(array)
        for array in (np.zeros(64, np.float32), np.ones((4, 16), np.float32), np.array([9, 1, 9, 2], np.uint32))
    )

    def kernel(t: Any, values: Any, table: Any, index: Any) -> None:
        t.tpu_hau_sort(values, table, 64, 1, False, t.DT_FP32)  # leaves elements 1..63 undefined
        t.tpu_hau_line_gather(values, table, index, 0, 4, 16, 4, 0, 3, t.DT_FP32, False)

    run = launch(kernel, args=[values, table, index], device=device)
    assert run.findings == []
    assert undefined_reads(device, values, [0, 1, 15, 16, 31, 32, 48, 63]) == [1, 15, 32]


def test_elements_beyond_k_are_undefined_in_later_launches_too(device: Device) -> None:
    values, source = device.array(np.zeros(64, np.float32)), device.array(np.arange(64, dtype=np.float32))

    def kernel(t: Any, values: Any, source: Any) -> None:
        t.tpu_hau_sort(values, source, 64, 5, False, t.DT_FP32)

    assert launch(kernel, args=[values, source], device=device).findings == []
    assert undefined_reads(device, values, [0, 4, 5, 63]) == [5, 63]
