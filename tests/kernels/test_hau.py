"""The HAU operators against references by lexicographic sorting and plain indexing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from mlusim.kernels import OPERATORS, argsort, embedding, sort_by_key, topk
from mlusim.kernels.hau import topk_kernel
from mlusim.simulator import Device, launch
from mlusim.simulator.cli import main

from tests.support.devices import device

DEVICES = ("bm1684x", "bm1688", "bm1690")
FP32 = 5


def order(x: np.ndarray, descending: bool) -> np.ndarray:
    """Positions that sort the last axis, NaN above every number and equal values by position, both ways."""
    wide = x.astype(np.float64)
    nan = np.isnan(wide)
    wide[nan] = 0
    position = np.broadcast_to(np.arange(x.shape[-1]), x.shape)
    keys = (position, -wide, ~nan) if descending else (position, wide, nan)
    return np.lexsort(keys, axis=-1)


def values_of(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    """Values with many ties; of float32, some NaN, infinities and zeros of both signs."""
    rng = np.random.default_rng(len(shape) * 100 + shape[-1])
    x = rng.integers(0 if dtype == "uint32" else -20, 20, shape).astype(dtype)
    if dtype == "float32":
        corners = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0], np.float32)
        x = np.where(rng.random(shape) < 0.2, rng.choice(corners, shape), x)
    return x


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint32"])
@pytest.mark.parametrize("shape", [(1,), (100,), (3, 64), (2, 5, 33), (17, 1), (1, 1, 200)], ids=str)
def test_topk_argsort_and_sort_by_key(name: str, dtype: str, shape: tuple[int, ...]) -> None:
    x = values_of(dtype, shape)
    kept = x.copy()
    for descending in (False, True):
        expected = order(x, descending)
        for k in sorted({1, min(2, shape[-1]), shape[-1]}):
            run = topk(device(name), x, k, largest=descending)
            assert run.findings == []
            assert run.output.indices.tolist() == expected[..., :k].tolist()
            assert same_bits(run.output.values, np.take_along_axis(x, expected[..., :k], -1))
        assert argsort(device(name), x, descending).output.tolist() == expected.tolist()
        given = np.arange(x.size, dtype=np.int32).reshape(shape) * 5
        output = sort_by_key(device(name), x, given, descending).output
        assert same_bits(output.keys, np.take_along_axis(x, expected, -1))
        assert same_bits(output.indices, np.take_along_axis(given, expected, -1))
    assert same_bits(x, kept)


def test_equal_keys_are_sorted_by_index() -> None:
    keys, indices = np.zeros(6, np.float32), np.array([4, -1, 7, 0, 4, 2], np.int32)
    for descending in (False, True):
        assert sort_by_key(device("bm1684x"), keys, indices, descending).output.indices.tolist() == [-1, 0, 2, 4, 4, 7]


@pytest.mark.parametrize(("rows", "cores"), [(1, 1), (5, 5), (8, 8), (9, 5), (64, 8)])
def test_rows_are_shared_out_over_the_cores(rows: int, cores: int) -> None:
    log = topk(device("bm1690"), values_of("float32", (rows, 16)), 2).log
    sorts = [index for index, op in enumerate(log.ops) if "sort" in op.name]
    working = log.records[np.isin(log.records["op"], sorts)]
    assert (len(working), len(set(working["core"].tolist()))) == (rows, cores)
    assert log.same_work(topk(device("bm1690"), values_of("float32", (rows, 16)), 2).log)


def test_arrays_of_every_memory_layout_and_device_arrays() -> None:
    x = values_of("int32", (12, 9))
    expected = order(x, True)[:, :3].tolist()
    for argument in (np.asfortranarray(x), np.repeat(x, 2, 1)[:, ::2], device("bm1684x").array(x), x.tolist()):
        if isinstance(argument, list):
            argument = np.array(argument, np.int32)
        assert topk(device("bm1684x"), argument, 3).output.indices.tolist() == expected


def test_the_kernel_in_python_does_the_same_work() -> None:
    x, rows, length, k = values_of("float32", (11, 40)), 11, 40, 6
    for name in DEVICES:
        in_c = topk(Device.load(name), x, k)
        other = Device.load(name)
        cores = other.shape.cores
        room = -(-rows // cores) * k + length - k
        source = other.array(x)
        values, indices = (other.array(np.zeros((cores, room), dtype)) for dtype in (np.float32, np.int32))
        arguments = [values, indices, source, rows, length, k, room, True, FP32]
        in_python = launch(topk_kernel, args=arguments, device=other)
        assert in_python.log.same_work(in_c.log)
        assert values.numpy()[0, :k].tobytes() == in_c.output.values[0].tobytes()


# --- embedding -------------------------------------------------------------------------------------------------------


def lookup(table: np.ndarray, indices: np.ndarray, fill: Any, padding: int | None = None) -> np.ndarray:
    """The lines one by one."""
    lines = [
        table[i] if 0 <= i < len(table) and i != padding else np.full(table.shape[1], fill, table.dtype)
        for i in indices.reshape(-1).tolist()
    ]
    return np.array(lines, table.dtype).reshape(*indices.shape, table.shape[1])


@pytest.mark.parametrize("name", DEVICES)
@pytest.mark.parametrize(
    "dtype", ["int8", "uint8", "float16", "bfloat16", "int16", "uint16", "float32", "int32", "uint32"]
)
def test_embedding(name: str, dtype: str) -> None:
    kind = np.dtype(getattr(ml_dtypes, dtype) if dtype == "bfloat16" else dtype)
    rng = np.random.default_rng(3)
    for lines, length, shape in ((10, 1, (1,)), (10, 7, (3, 67)), (3, 129, (200,))):
        table = rng.integers(0, 100, (lines, length)).astype(kind)
        indices = rng.integers(-2, lines + 2, shape)
        run = embedding(device(name), table, indices, fill=3)
        assert run.findings == []
        assert same_bits(run.output, lookup(table, indices, 3))


def test_embedding_fills_the_padding_index_and_what_no_table_has() -> None:
    table = np.arange(12, dtype=np.float32).reshape(4, 3)
    indices = np.array([[0, 3, 1], [-1, 2**40, 3]])
    for padding, line in ((3, 3), (-1, 3), (0, 0), (None, None)):
        output = embedding(device("bm1684x"), table, indices, padding_idx=padding, fill=-0.5).output
        assert same_bits(output, lookup(table, indices, -0.5, line))


# --- arguments -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "arguments", "error", "message"),
    [
        (topk, (np.zeros(4), 1), TypeError, "x has dtype float64, .*float32, int32, uint32"),
        (topk, (np.zeros(4, ">f4"), 1), TypeError, "x has dtype >f4"),
        (topk, (np.float32(4), 1), ValueError, "x is a scalar"),
        (topk, (np.zeros((2, 4), np.float32), 5), ValueError, "k is 5; pass a number from 0 to 4"),
        (topk, (np.zeros(4, np.float32), -1), ValueError, "k is -1"),
        (topk, (np.zeros(4, np.float32), 1.0), TypeError, "k is 1.0; pass a whole number"),
        (topk, (np.zeros(4, np.float32), True), TypeError, "k is True"),
        (argsort, (np.zeros(4, np.int64),), TypeError, "x has dtype int64"),
        (sort_by_key, (np.zeros(4, np.int32), np.zeros(4, np.int64)), TypeError, "indices has dtype int64"),
        (sort_by_key, (np.zeros(4, np.int32), np.zeros(3, np.int32)), ValueError, r"indices has shape \[3\]"),
        (embedding, (np.zeros((4, 2)), [0]), TypeError, "table has dtype float64"),
        (embedding, (np.zeros(4, np.int8), [0]), ValueError, r"table has shape \[4\]; pass an array of two axes"),
        (embedding, (np.zeros((4, 2), np.int8), [0.5]), TypeError, "indices has dtype float64"),
        (embedding, (np.zeros((4, 2), np.int8), [0], 4), ValueError, "padding_idx is 4; pass a number from -4 to 3"),
        (embedding, (np.zeros((4, 2), np.int8), [0], None, 200), ValueError, "fill is 200 and table has dtype int8"),
        (embedding, (np.zeros((4, 2), np.int8), [0], None, "1"), TypeError, "fill is '1'"),
    ],
)  # fmt: skip
def test_wrong_arguments(operator: Any, arguments: tuple[Any, ...], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        operator(device("bm1684x"), *arguments)


@pytest.mark.parametrize("operator", [topk, argsort, sort_by_key, embedding])
def test_a_device_without_hau(operator: Any) -> None:
    with pytest.raises(ValueError, match=r"mlu370-x4, which has no HAU; .* runs on bm1684x, bm1688, bm1690"):
        operator(device("mlu370-x4"), np.zeros((1, 1), np.int32), np.zeros((1, 1), np.int32))


def test_nothing_to_do() -> None:
    empty = np.zeros((3, 0), np.float32)
    for run, shape in (
        (topk(device("bm1684x"), np.zeros((3, 4), np.float32), 0), (3, 0)),
        (topk(device("bm1684x"), empty.T, 0), (0, 0)),
        (sort_by_key(device("bm1684x"), empty, empty.astype(np.int32)), (3, 0)),
    ):
        assert [result.shape for result in run.output] == [shape, shape]
        assert (len(run.log), run.findings) == (0, [])
    assert argsort(device("bm1684x"), empty).output.shape == (3, 0)
    assert embedding(device("bm1684x"), np.zeros((0, 2), np.int8), [1, 2], fill=7).output.tolist() == [[7, 7], [7, 7]]
    assert embedding(device("bm1684x"), np.zeros((5, 2), np.int8), []).output.shape == (0, 2)


def test_on_finding_is_passed_on() -> None:
    with pytest.raises(ValueError, match="on_finding"):
        topk(device("bm1684x"), np.zeros(3, np.float32), 1, on_finding="perhaps")


# --- the command line ------------------------------------------------------------------------------------------------


def test_op_topk_from_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    x = values_of("int32", (4, 20))
    np.save(tmp_path / "x.npy", x)
    command = ["op", "topk", f"x={tmp_path / 'x.npy'}", "k=3", "--device", "bm1684x", "--out"]
    assert main([*command, str(tmp_path / "y.npz")]) == 0
    with np.load(tmp_path / "y.npz") as saved:
        assert saved["indices"].tolist() == order(x, True)[:, :3].tolist()
        assert saved["values"].tolist() == np.take_along_axis(x, saved["indices"], 1).tolist()
    assert main([*command, str(tmp_path / "y.npy")]) == 2
    assert "name a .npz file" in capsys.readouterr().err


def test_operators_are_registered() -> None:
    assert {"topk", "argsort", "sort_by_key", "embedding"} <= set(OPERATORS)
