"""Padding that is computed on and never used stays silent; whatever looks at it is named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Program, launch

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "padding.mlu"

SIZE, ROWS, WIDTH = 256, 8, 32


@pytest.mark.parametrize("count", [1, 100, 255, 256])
def test_padding_through_arithmetic_and_conversions(program: Program, count: int) -> None:
    data, out = np.arange(SIZE, dtype=np.float32), np.zeros(count, np.float32)
    run = program.launch("padded", args=[out, data[:count].copy(), count, count], on_finding="collect")
    assert run.findings == []
    assert out[:count].tolist() == (2 * data + 1)[:count].tolist()


@pytest.mark.parametrize("count", [1, 100, 255])
def test_a_store_of_padding_that_the_host_sees(program: Program, count: int) -> None:
    run = program.launch("padded", args=[np.zeros(SIZE, np.float32), np.zeros(count, np.float32), count, count + 1])
    (finding,) = run.findings
    assert (finding.rule, finding.instruction, finding.region.bytes) == ("uninitialized", "__memcpy", 4)
    assert "'result'" in finding.message


@pytest.mark.parametrize(("width", "used"), [(20, 20), (20, 21), (31, 32), (32, 32)])
def test_padding_of_rows_through_shared_memory(program: Program, width: int, used: int) -> None:
    data, out = np.random.default_rng(1).random((ROWS, width), np.float32), np.zeros((ROWS, used), np.float32)
    run = program.launch("in_rows", (4, 1, 1), "union1", args=[out, data, width, used], on_finding="collect")
    assert [(f.rule, f.instruction) for f in run.findings] == ([("uninitialized", "__memcpy")] if used > width else [])
    assert (out[:, :width] == data).all()


@pytest.mark.parametrize(
    ("how", "instruction"),
    [(0, "__bang_count"), (1, "scalar.load"), (2, "scalar.load"), (3, "__bang_maxpool"), (4, "")],
)
def test_who_uses_padding_is_named(program: Program, how: int, instruction: str) -> None:
    arrays = [np.zeros(1, np.float32), np.ones(100, np.float32)]
    run = program.launch("use", args=[*arrays, 100, how], on_finding="collect")
    named = {(f.rule, f.instruction) for f in run.findings if f.rule != "unwritten"}  # one use stores nothing
    assert named == ({("uninitialized", instruction)} if instruction else set())


@pytest.mark.parametrize(
    ("left", "begin", "first", "last"),
    [(SIZE, 0, 0, 0), (SIZE, 16, 0, 4), (SIZE, 13, 0, 4), (250, 0, 250, SIZE), (SIZE - 1, 4, 0, 1), (0, 4, 0, SIZE)],
)
def test_an_element_needs_all_bytes_of_both_sources(
    program: Program, left: int, begin: int, first: int, last: int
) -> None:
    """Sources whose padding differs; the warning names the first piece, and of what is undefined a sum is made."""
    out = np.zeros(SIZE, np.float32)
    run = program.launch("two_sources", args=[out, np.zeros(SIZE, np.float32), left, begin], on_finding="collect")
    found = [f.region for f in run.findings if f.region and f.rule != "unread"]  # padding of a source is not loaded
    pieces = [(region.offset // 4, (region.offset + region.bytes) // 4) for region in found]
    assert pieces == ([(first, last)] if last else [])
    assert np.count_nonzero(out) == (begin + 3) // 4 + (SIZE - left) - (left == 0)


def _undefined(how: int, left: int) -> list[int]:
    """The bytes of the result of `through` that come from elements behind ``left``, element by element."""
    missing = range(left, SIZE)
    columns = SIZE // ROWS
    floats = {
        0: lambda i: [i],
        1: lambda i: [at for at in range(SIZE) if at % 64 == i],
        2: lambda i: [i % columns * ROWS + i // columns],
        3: lambda i: [SIZE - 1 - i],
        5: lambda i: [(i // columns + 1) * (columns + 2) + i % columns],
        7: lambda i: [i],
        8: lambda i: [i],
        9: lambda i: [i],
        10: lambda i: [i + 32],
    }
    if how == 4:  # halves, of which a float is two
        halves = [half for i in missing for half in (2 * i, 2 * i + 1)]
        turned = [half // 64 * 64 + 63 - half % 64 for half in halves]
        return sorted(byte for half in turned for byte in (2 * half, 2 * half + 1))
    if how == 6:
        return sorted({i // 8 for i in missing if i % 8 == 0})  # not a byte that padding shares with data
    return sorted(4 * at + byte for i in missing for at in floats[how](i) for byte in range(4))


@pytest.mark.parametrize("how", range(11))
@pytest.mark.parametrize("left", [SIZE, 250, 60, 0])
def test_padding_goes_where_its_elements_go(program: Program, how: int, left: int) -> None:
    """What is stored in front of it is silent; with the first byte of it, that byte is named."""
    missing = _undefined(how, left)
    first = missing[0] if missing else {5: 4 * (ROWS + 1) * (SIZE // ROWS + 2), 6: SIZE // 8, 10: 4}.get(how, 4 * SIZE)
    used = min(first, 4) if how == 10 else first  # behind the number of elements there is nothing
    for bytes_, silent in ((used, True), (used + 1, False)):
        if bytes_:
            arrays = [np.zeros(bytes_, np.uint8), np.ones(SIZE, np.float32)]
            run = program.launch("through", args=[*arrays, left, how, bytes_], on_finding="collect")
            named = [(f.instruction, f.region.bytes) for f in run.findings if f.rule != "unread"]  # of none none is
            assert named == ([] if silent else [("__memcpy", 1)]), (left, bytes_)


def test_what_is_selected_behind_its_number(program: Program) -> None:
    """Of 250 elements all are selected and 256 written: the last six are padding, and zeros up to 128 bytes are not."""
    out = np.zeros(128 + 4 * SIZE, np.uint8)
    run = program.launch("through", args=[out, np.ones(250, np.float32), 250, 10, out.size], on_finding="collect")
    values = out[128:].view(np.float32)
    assert values[:250].tolist() == [1] * 250
    assert np.isnan(values[250:]).all()
    assert [f.instruction for f in run.findings] == ["__memcpy"]


@pytest.mark.parametrize(("count", "size"), [(64, 64), (63, 64), (50, 64), (1, 64), (70, 128), (128, 128), (20, 20)])
def test_padding_that_a_wider_output_overwrites(program: Program, count: int, size: int) -> None:
    """Halves are read one after the other; what comes of those that floats have overwritten before is undefined."""
    data = np.arange(1, count + 1).astype(np.float16)
    for used, silent in ((count, True), (min(count + 1, size), True), (min(count + 2, size), count + 2 > size)):
        out = np.full(used, 5, np.float32)
        run = program.launch("widened", args=[out, data, count, size, used], on_finding="collect")
        named = [f.instruction for f in run.findings if f.rule != "leftover"]  # which the element behind is
        assert named == ([] if silent else ["__memcpy"])
        assert out[: count + 1].tolist() == [*data, 0][:used]  # behind the data stands a float 1, whose first half is 0
        assert np.isnan(out[count + 1 :]).all()


@pytest.mark.parametrize(("count", "size"), [(64, 129), (0, 64), (0, 1), (63, 128)])
def test_more_than_padding_that_a_wider_output_overwrites(program: Program, count: int, size: int) -> None:
    run = program.launch(
        "widened", args=[np.zeros(1, np.float32), np.zeros(64, np.float16), count, size, 0], on_finding="collect"
    )
    assert [(f.rule, f.instruction) for f in run.findings] == [("overlap", "__bang_half2float")]


@pytest.mark.parametrize(
    ("how", "value", "missing"),
    [(0, 4, 0), (1, 3, 0), (2, 4, 0), (3, 3, 0), (4, None, 8), (5, None, 4), (6, 1, 0), (7, None, 4), (8, None, 4)],
)
def test_blocks_that_the_scalar_unit_copies(program: Program, how: int, value: float | None, missing: int) -> None:
    """Gaps in structures go along in silence; what is missing is said where one scalar of the copy is used."""
    out = np.full(1, 9, np.float32)
    run = program.launch("blocks", args=[out, np.array([1, 2, 3, 4], np.float32), how], on_finding="collect")
    said = [(f.rule, f.instruction, f.region.bytes) for f in run.findings if f.region]
    assert said == [("uninitialized", "scalar.load", missing)] * (missing > 0)
    if value is not None:
        assert out.tolist() == [value]


@pytest.mark.parametrize(
    ("how", "at", "value"),
    [(0, 0, 4), (1, 4, 14), (1, 5, None), (2, 5, None), (3, 5, 8), (3, 4, 14), (4, 4, 14), (4, 5, None)],
)
def test_a_structure_in_a_local_variable(program: Program, how: int, at: int, value: float | None) -> None:
    """What is missing goes there and back with it; who uses it there, or never brings it back, is told."""
    out = np.full(1, 9, np.float32)
    run = program.launch("through_locals", args=[out, how, at], on_finding="collect")
    named = [(f.rule, f.instruction, f.region.bytes) for f in run.findings if f.region]
    assert named == ([] if value is not None else [("uninitialized", "scalar.load", 4)])
    if value is not None:
        assert out.tolist() == [value]


@pytest.mark.parametrize("seed", range(20))
def test_each_uninitialized_byte_is_named_once(program: Program, seed: int) -> None:
    """Scalar code and instructions in turn, against a set of bytes: stores in order need no flags, others do."""
    rng, size = np.random.default_rng(seed), 64
    written, missing, steps, end = set[int](), 0, [], 0
    for _ in range(6):
        how, count = int(rng.choice([0, 0, 0, 1, 2])), int(rng.integers(1, 16))
        at = end if how == 0 and rng.random() < 0.5 and end + count <= size else int(rng.integers(0, size - count))
        steps.append((how, at, count))
        end, touched = at + count, set(range(at, at + count))
        missing += len(touched - written) if how == 1 else 0
        written |= touched
    missing += size - len(written)
    run = program.launch("by_hand", args=[np.zeros(1, np.int32), np.int32(steps), len(steps)], on_finding="collect")
    assert sum(f.count for f in run.findings if f.rule == "uninitialized") == missing


@pytest.mark.parametrize("turned", [False, True], ids=["data first", "mask first"])
@pytest.mark.parametrize(("name", "keeps", "drops"), [("__bang_band", -1, 0), ("__bang_bor", 0, -1)])
def test_a_mask_of_bits_defines_what_it_drops(name: str, keeps: int, drops: int, turned: bool) -> None:
    """Eight bytes of sixteen are there; of the others those that the mask drops are no fault, and none is kept."""

    def kernel(mlu: Any, out: Any, data: Any, mask: Any) -> None:
        tile, bits = mlu.nram("int8", 16), mlu.nram("int8", 16)
        mlu.__memcpy(tile, data, 8, mlu.GDRAM2NRAM)
        mlu.__memcpy(bits, mask, 16, mlu.GDRAM2NRAM)
        getattr(mlu, name)(tile, *((bits, tile) if turned else (tile, bits)), 16)
        mlu.__memcpy(out, tile, 16, mlu.NRAM2GDRAM)

    data, device = np.arange(1, 9, dtype=np.int8), Device.load("mlu370-x4")
    out, mask = np.zeros(16, np.int8), np.array([keeps, drops] * 4 + [drops] * 8, np.int8)
    assert launch(kernel, args=[out, data, mask], device=device).findings == []
    assert out.tolist() == [d if m == keeps else drops for d, m in zip([*data, *data], mask, strict=True)]
    mask[11] = keeps
    (found,) = launch(kernel, args=[out, data, mask], device=device, on_finding="collect").findings
    assert found.rule == "uninitialized"
    assert found.region is not None
    assert found.region.bytes == 1
