"""HAU on many values and in orderly ones, and what it leaves undefined; the registry of references has the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, DeviceArray, KernelError, Run, launch

from tests.isa.references.hau import order

CHIP = "bm1684x"

FLOAT, INT, UINT = np.dtype(np.float32), np.dtype(np.int32), np.dtype(np.uint32)
CODES = {FLOAT: 5, INT: 9, UINT: 8}
#: The rule of reading uninitialized memory.
UNINITIALIZED = "uninitialized"
EVERY_TYPE = pytest.mark.parametrize("dtype", [FLOAT, INT, UINT], ids=str)
BOTH_ORDERS = pytest.mark.parametrize("descended", [False, True], ids=["ascending", "descending"])


def large_order(values: np.ndarray, descended: bool) -> np.ndarray:
    """`references.hau.order` for many values without NaN, by a lexicographic sort in float64."""
    wide = values.astype(np.float64)
    return np.lexsort((np.arange(len(values)), -wide if descended else wide))


def execute(device: Device, body: Callable[..., None], *arrays: np.ndarray) -> tuple[Run, list[np.ndarray]]:
    """Run a Python kernel on device arrays; what they hold then, the inputs included."""
    held = [device.array(array) for array in arrays]
    run = launch(lambda t, *pointers: body(t, *pointers), args=held, device=device)
    return run, [array.numpy() for array in held]


def lengths_of_k(length: int) -> list[int]:
    return sorted({1, min(2, length), max(length // 2, 1), max(length - 1, 1), length})


def check_all_sorts(device: Device, x: np.ndarray, positions: Any, count: int, descended: bool) -> None:
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
    wanted = np.asarray(positions)[:count]
    expected = x[wanted].view(np.uint32).tolist()
    assert run.findings == []
    assert [result[:count].view(np.uint32).tolist() for result in (a, b, c)] == [expected] * 3
    assert bi[:count].tolist() == wanted.tolist()
    assert ci[:count].tolist() == carried[wanted].tolist()
    assert source.tobytes() == x.tobytes()
    assert indices.tobytes() == carried.tobytes()


@EVERY_TYPE
@BOTH_ORDERS
def test_sorts_of_many_values(device: Device, dtype: np.dtype[Any], descended: bool) -> None:
    x = np.random.default_rng(5).integers(-9000, 9000, 65536).astype(dtype)
    positions = large_order(x, descended)
    for count in lengths_of_k(len(x)):
        check_all_sorts(device, x, positions, count, descended)


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
    wanted = order(x.tolist(), descended)
    for count in lengths_of_k(200):
        check_all_sorts(device, x, wanted, count, descended)


@BOTH_ORDERS
@pytest.mark.parametrize("count", [1, 50, 199, 200])
def test_only_nan_and_zeros_of_both_signs(device: Device, descended: bool, count: int) -> None:
    bits = np.random.default_rng(8).choice(np.array([0x7FC00000, 0xFFC12345, 0, 0x80000000], np.uint32), 200)
    x = bits.view(np.float32)
    check_all_sorts(device, x, order(x.tolist(), descended), count, descended)


def test_what_one_sort_leaves_undefined_was_read_before_by_an_earlier_one(device: Device) -> None:
    x, y = (np.random.default_rng(seed).standard_normal(100).astype(np.float32) for seed in (11, 12))

    def kernel(t: Any, first: Any, x: Any, y: Any) -> None:
        t.tpu_hau_sort(first, x, 100, 100, False, t.DT_FP32)
        t.tpu_hau_sort(x, y, 100, 1, False, t.DT_FP32)
        t.tpu_poll()

    run, (first, second, _) = execute(device, kernel, x * 0, x, y)
    assert run.findings == []
    assert first.tolist() == sorted(x.tolist())
    assert second[0] == y.min()


# --- rows ------------------------------------------------------------------------------------------------------------


def rows_kernel(t: Any, a: Any, b: Any, bi: Any, c: Any, ci: Any, x: Any, given: Any) -> None:
    t.tpu_hau_sort_2d(a, x, 4, 50, 20, True, t.DT_INT32)
    t.tpu_hau_sort_natural_index_2d(b, bi, x, 4, 50, 20, True, t.DT_INT32)
    t.tpu_hau_sort_specific_index_2d(c, ci, x, given, 4, 50, 20, True, t.DT_INT32)


def test_rows_are_of_newer_architectures(device: Device) -> None:
    arrays = [device.array(np.zeros((4, 50), np.int32)) for _ in range(7)]
    with pytest.raises(KernelError) as caught:
        launch(rows_kernel, args=arrays, device=device)
    finding = caught.value.finding
    assert (finding.rule, finding.instruction) == ("arch", "tpu_hau_sort_2d")
    assert "1684" in finding.message


# --- gathering lines -------------------------------------------------------------------------------------------------


def test_gather_of_long_lines(device: Device) -> None:
    table = np.random.default_rng(2).standard_normal((20, 50000)).astype(np.float32)
    indices = [19, 0, 7, 19]

    def kernel(t: Any, output: Any, param: Any, index: Any) -> None:
        t.tpu_hau_line_gather(output, param, index, 0, 20, 50000, 4, 0, 19, t.DT_FP32, True)

    before = np.zeros((4, 50000), np.float32)
    _, (after, source, _) = execute(device, kernel, before, table, np.array(indices, np.uint32))
    assert source.tobytes() == table.tobytes()
    assert [line.tobytes() for line in after] == [table[index].tobytes() for index in indices]


def undefined_reads(device: Device, array: DeviceArray, positions: list[int]) -> list[int]:
    """The positions whose scalar load is reported as a read of undefined memory, each tried in a launch of its own."""

    def kernel(t: Any, pointer: Any, position: int) -> None:
        pointer[position]

    runs = [launch(kernel, args=[array, position], device=device, on_finding="collect") for position in positions]
    return [p for p, run in zip(positions, runs, strict=True) if UNINITIALIZED in {f.rule for f in run.findings}]


def test_what_a_gather_leaves_untouched_stays_undefined(device: Device) -> None:
    values, table, index = (
        device.array(array)
        for array in (np.zeros(64, np.float32), np.ones((4, 16), np.float32), np.array([9, 1, 9, 2], np.uint32))
    )

    def kernel(t: Any, values: Any, table: Any, index: Any) -> None:
        t.tpu_hau_sort(values, table, 64, 1, False, t.DT_FP32)  # leaves elements 1..63 undefined
        t.tpu_hau_line_gather(values, table, index, 0, 4, 16, 4, 0, 3, t.DT_FP32, False)
        t.tpu_poll()

    run = launch(kernel, args=[values, table, index], device=device)
    assert run.findings == []
    assert undefined_reads(device, values, [0, 1, 15, 16, 31, 32, 48, 63]) == [1, 15, 32]


@pytest.mark.parametrize(("row", "said"), [(0, False), (1, True), (3, True)])
def test_a_gather_of_lines_that_are_undefined(device: Device, row: int, said: bool) -> None:
    """Lines 1 to 3 of the table are; what is not gathered is no fault."""
    values, table, index = (
        device.array(array)
        for array in (np.zeros((2, 16), np.float32), np.ones(64, np.float32), np.array([0, row], np.uint32))
    )

    def kernel(t: Any, values: Any, table: Any, index: Any) -> None:
        t.tpu_hau_sort(table, table, 64, 16, False, t.DT_FP32)
        t.tpu_poll()
        t.tpu_hau_line_gather(values, table, index, 0, 4, 16, 2, 0, 3, t.DT_FP32, False)
        t.tpu_poll()

    run = launch(kernel, args=[values, table, index], device=device, on_finding="collect")
    assert [(f.rule, f.instruction) for f in run.findings] == [(UNINITIALIZED, "tpu_hau_line_gather")] * said


def test_elements_beyond_k_are_undefined_in_later_launches_too(device: Device) -> None:
    values, source = device.array(np.zeros(64, np.float32)), device.array(np.arange(64, dtype=np.float32))

    def kernel(t: Any, values: Any, source: Any) -> None:
        t.tpu_hau_sort(values, source, 64, 5, False, t.DT_FP32)
        t.tpu_poll()

    assert launch(kernel, args=[values, source], device=device).findings == []
    assert undefined_reads(device, values, [0, 4, 5, 63]) == [5, 63]
