"""Operands that are not tensors against a plain loop over their elements: places, contents, flags, order of copies."""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

import numpy as np
import pytest
from mlusim.isa import ORDERS
from mlusim.simulator.chip import Space
from mlusim.simulator.core.memory import Allocation, ByteMap, Footprint, Memory, PackedView, View
from mlusim.simulator.core.memory.precise import CELL, PreciseMemory
from mlusim.simulator.core.memory.scattered import Places
from mlusim.simulator.core.memory.strided import Segments, Slices

BYTES, AT = 4096, 1024
BYTE, HALF, WORD = (np.dtype(name) for name in ("u1", "f2", "i4"))


@dataclass(frozen=True)
class Case:
    """A footprint, the first byte of each of its elements from the address on, and the shape of its contents."""

    name: str
    footprint: Footprint
    places: list[int]
    shape: tuple[int, ...]


def at_strides(counts: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """The definition: the last axis is the fastest."""
    return [sum(i * step for i, step in zip(index, strides, strict=True)) for index in np.ndindex(*counts)]


def in_slices(rows: int, row: int, apart: int, pitch: int) -> list[int]:
    """The definition: row r lies in slice r % 64, behind those of it that come before."""
    return [r % 64 * apart + r // 64 * pitch + 2 * i for r in range(rows) for i in range(row)]


PLACES = np.array([40, 0, 100, 7])
CASES = [
    Case("apart", Segments.of(WORD, (True, False), 3, 40, 5), at_strides((3, 5), (40, 4)), (3, 5)),
    Case("touching", Segments.of(WORD, (True, False), 3, 20, 5), at_strides((3, 5), (20, 4)), (3, 5)),
    Case("down", Segments.of(HALF, (True, False), 4, -30, 6), at_strides((4, 6), (-30, 2)), (4, 6)),
    Case("both", Segments.of(BYTE, (True, True, False), 2, 9, 3, 50, 5), at_strides((2, 3, 5), (9, 50, 1)), (2, 3, 5)),
    Case("rows", Places(BYTE, PLACES, 6), [int(p) + i for p in PLACES for i in range(6)], (4, 6)),
    Case("sliced", Slices.of_rows(HALF, ORDERS["filter"], 128, 20, 3, False, 3), in_slices(20, 3, 128, 64), (1, 20, 3)),
    Case("dealt", Slices.of_rows(HALF, ORDERS["filter"], 9, 128, 3, True, 3), in_slices(128, 3, 12, 6), (2, 64, 3)),
]  # fmt: skip
EVERY_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
EVERY_KIND = pytest.mark.parametrize("map", [False, True], ids=["shadow", "map"])


def block(map: bool = False) -> Allocation:
    """Fresh memory full of random bytes, none of them written."""
    memory = Memory(Space("nram", BYTES, 0, "core"), 0, 1)
    entry = memory.allocate(0, BYTES)
    if map:
        entry.uninitialized = ByteMap(entry.start, entry.end)
    entry.clear()
    entry.view(BYTE)[:] = np.frombuffer(random.Random(7).randbytes(BYTES), np.uint8)
    return entry


def packed(entry: Allocation, start: int, count: int, dtype: np.dtype = WORD) -> PackedView:
    address, bytes = entry.start + start, count * dtype.itemsize
    return PackedView(entry, address, address + bytes, entry.strided(address, dtype, (count,), (dtype.itemsize,)))


def bytes_of(case: Case) -> list[int]:
    """Every byte of its elements in the memory, in order."""
    return [AT + place + byte for place in case.places for byte in range(case.footprint.dtype.itemsize)]


def unwritten(entry: Allocation) -> set[int]:
    return {at - entry.start for start, end in entry.uninitialized for at in range(start, end)}


@EVERY_CASE
def test_contents_are_where_the_footprint_says(case: Case) -> None:
    entry, kind, where = block(), case.footprint.dtype, bytes_of(case)
    view, raw = case.footprint.at(entry, entry.start + AT), entry.view(BYTE)
    before = raw.tobytes()
    assert view.read().shape == case.shape
    assert view.read().tobytes() == bytes(before[at] for at in where)
    assert (view.low - entry.start, view.end - entry.start) == (min(where), max(where) + 1)
    assert (case.footprint.count, case.footprint.bytes) == (len(case.places), len(where))
    values = np.frombuffer(random.Random(9).randbytes(len(where)), kind).reshape(case.shape)
    if case.name not in ("sliced", "dealt"):  # these are only read
        view.write(values)
        wanted = bytearray(before)
        for at, byte in zip(where, values.tobytes(), strict=True):
            wanted[at] = byte
        assert raw.tobytes() == wanted
    gathered = view.gather(lambda array: array, kind)
    assert gathered.tobytes() == view.read().tobytes()


@EVERY_KIND
@EVERY_CASE
def test_flags_are_of_its_elements_alone(case: Case, map: bool) -> None:
    entry, where = block(map), bytes_of(case)
    view = case.footprint.at(entry, entry.start + AT)
    assert view.stale()
    view.written()
    assert unwritten(entry) == set(range(BYTES)) - set(where)
    assert view.flags().shape == (*case.shape, case.footprint.dtype.itemsize)
    assert not view.stale()
    assert view.hole() is None
    lost = where[len(where) // 2]
    entry.uninitialized.add(entry.start + lost, entry.start + lost + 1)
    assert view.hole() == (entry.start + lost, entry.start + lost + 1)
    assert view.stale()
    assert entry.view(BYTE)[lost] == 0xFF
    view.forgive()
    assert view.hole() is None
    view.define(np.False_)
    assert unwritten(entry) >= set(where)
    seen = np.zeros(view.flags().shape, np.bool_)
    seen[..., : case.shape[-1] // 2 or 1, :] = True
    view.define(seen)
    assert [at for at, flag in zip(where, view.flags().ravel(), strict=True) if not flag] == [
        at for at, flag in zip(where, seen.ravel(), strict=True) if not flag
    ]


@pytest.mark.parametrize(
    ("case", "written", "hole"),
    [
        ("apart", 20, (40, 60)),
        ("touching", 20, (20, 40)),
        ("down", 12, (-30, -18)),
        ("rows", 6, (0, 6)),
        ("sliced", 6, (128, 134)),
        ("dealt", 6, (6, 768)),  # one slice's rows behind the other's: packed
    ],
)
def test_the_first_hole_is_one_segment(case: str, written: int, hole: tuple[int, int]) -> None:
    """The first segment has been written, and ``hole`` are the bytes of the second one."""
    entry, found = block(), next(one for one in CASES if one.name == case)
    address = entry.start + AT
    first = address + found.places[0]
    entry.uninitialized.remove(first, first + written)
    assert found.footprint.at(entry, address).hole() == (address + hole[0], address + hole[1])


@pytest.mark.parametrize(
    ("one", "other"), list(itertools.combinations_with_replacement(CASES, 2)), ids=lambda case: case.name
)
def test_operands_share_bytes_if_elements_do(one: Case, other: Case) -> None:
    """Those that interleave do not."""
    entry, mine, found = block(), set(bytes_of(one)), set()
    for shift in range(-60, 61):
        theirs = {at + shift for at in bytes_of(other)}
        views = (case.footprint.at(entry, entry.start + at) for case, at in ((one, AT), (other, AT + shift)))
        shares = next(views).shares(next(views))
        # Rows that the last slices do not have count as theirs.
        assert shares == bool(mine & theirs) or (shares and "sliced" in (one.name, other.name)), shift
        found.add(shares)
    assert True in found


def test_packed_bytes_between_segments() -> None:
    entry = block()
    apart = CASES[0].footprint.at(entry, entry.start + AT)  # 3 segments of 20 bytes, 40 from one to the next
    for start in range(AT - 30, AT + 110):
        theirs = set(range(start, start + 12))
        assert packed(entry, start, 3).shares(apart) == bool(theirs & set(bytes_of(CASES[0]))), start


def test_gaps_and_order_of_segments() -> None:
    """What a record says of an operand, and the runs that tell more."""
    facts = {case.name: (case.footprint.gaps, case.footprint.crossed) for case in CASES}
    assert facts == {
        "apart": (2, False), "touching": (0, False), "down": (3, True), "both": (5, True), "rows": (0, False),
        "sliced": (19, False), "dealt": (0, False),
    }  # fmt: skip
    runs = {case.name: case.footprint.at(entry := block(), entry.start + AT).runs() for case in CASES}
    assert runs["apart"] == (((20, 0, (40, 0, 0), (3, 1, 1), 0, 0),),)
    assert runs["touching"] == runs["dealt"] == ()
    assert runs["sliced"] == (((6, 0, (128, 0, 0), (20, 1, 1), 0, 0),),)
    places, row = runs["rows"]
    assert (places.tolist(), row) == ((PLACES + AT).tolist(), 6)


@pytest.mark.parametrize(
    ("target", "source"),
    [
        (Segments.of(WORD, (True, False), 4, 12, 3), Segments.of(WORD, (True, False), 4, 12, 3)),
        (Segments.of(WORD, (True, False), 4, 4, 3), Segments.of(WORD, (True, False), 4, 20, 3)),
        (Segments.of(WORD, (True, False), 4, 0, 3), Segments.of(WORD, (True, False), 4, 16, 3)),
    ],
)
@pytest.mark.parametrize("shift", [0, 8, -8, 400])
def test_copies_go_segment_by_segment(target: Segments, source: Segments, shift: int) -> None:
    """Contents, and which of the bytes are initialized."""
    entry = block()
    address = entry.start + AT
    memory = bytearray(entry.view(BYTE).tobytes())
    known = [random.Random(shift).random() < 0.5 for _ in range(BYTES)]
    entry.uninitialized.flags[:] = known
    entry.uninitialized.changed(entry.start, entry.end)
    for segment in range(4):
        to, from_ = AT + shift + segment * target.strides[0], AT + segment * source.strides[0]
        memory[to : to + 12] = bytes(memory[from_ : from_ + 12])
        known[to : to + 12] = known[from_ : from_ + 12]
    views = target.at(entry, address + shift), source.at(entry, address)
    views[0].pass_on(views[1])
    views[0].copy(views[1])
    assert entry.view(BYTE).tobytes() == memory
    assert entry.uninitialized.flags.tolist() == known


def test_packed_elements_that_are_written_in_part() -> None:
    entry = block()
    view = packed(entry, 64, 8)
    view.written()
    assert unwritten(entry) == set(range(BYTES)) - set(range(64, 96))
    rest = view.undefine(5)
    assert rest.shape == (3,)
    assert unwritten(entry) & set(range(64, 96)) == set(range(84, 96))
    assert view.hole() == (entry.start + 84, entry.start + 96)
    rows = np.array([True, False, False, True, True, False, False, True])
    view.forget()
    assert (view.read() == -1).all()
    view.write_rows(rows, np.arange(8, dtype=np.int32))
    assert view.read().tolist() == [0, -1, -1, 3, 4, -1, -1, 7]
    assert unwritten(entry) & set(range(64, 96)) == {64 + 4 * row + byte for row in (1, 2, 5, 6) for byte in range(4)}
    view.written()
    view.lose(2)
    assert view.read().tolist()[-2:] == [-1, -1]
    assert view.hole() == (entry.start + 88, entry.start + 96)


@pytest.mark.parametrize("other", [0, 1, 3])
def test_rows_of_packed_elements(other: int) -> None:
    """Of a matrix, what is behind the first columns of each row."""
    entry = block()
    array = packed(entry, 0, 12).read().reshape(3, 4)
    view = PackedView(entry, entry.start, entry.start + 48, array)
    view.written()
    assert view.undefine(other).shape == (3, 4 - other)
    wanted = {16 * row + 4 * column + byte for row in range(3) for column in range(other, 4) for byte in range(4)}
    assert unwritten(entry) & set(range(48)) == wanted


def test_nothing_at_all() -> None:
    """An operand that its arguments leave out."""
    nothing = Allocation(5000, 5000, "nram", 0, 0)
    for footprint in (Segments.of(WORD, (True, False), 0, 8, 4), Places(BYTE, np.zeros(0, np.int64), 6)):
        view = footprint.at(nothing, 5000)
        assert (view.low, view.end, view.read().size, view.stale()) == (5000, 5000, 0, False)


@pytest.mark.parametrize("case", [case for case in CASES if case.footprint.dtype == HALF], ids=lambda case: case.name)
def test_precise_values_of_what_lies_at_strides(case: Case) -> None:
    """They come back in the shape of the contents, as long as nothing else was written there."""
    entry, memory = block(), PreciseMemory()
    entry.view(HALF)[:] = 1
    view: View = case.footprint.at(entry, entry.start + AT)
    cells = memory.fresh(view)
    assert cells.shape == case.shape
    cells["precise"], cells["unit"] = np.arange(cells.size).reshape(case.shape), 1
    memory.write(view, cells)
    assert memory.read(view).dtype == CELL
    assert memory.read(view)["precise"].ravel().tolist() == list(range(cells.size))
    for at in itertools.islice(bytes_of(case), 0, None, 2):
        entry.view(HALF)[at // 2] = 2
    assert (memory.read(view)["precise"] == 2).all()
