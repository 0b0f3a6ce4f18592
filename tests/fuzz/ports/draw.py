"""Random tables of calls: most are legal, some break rules, read uninitialized memory, or overlap."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from mlusim.isa import Overload, Parameter

from .source import ARRAYS, FIELDS

#: Bytes of the largest operands of legal calls.
_LARGEST = 2048
_PLACES = [(space, size) for space, arrays in ARRAYS.items() for _, size in arrays]
_COUNTS = (1, 7, 16, 32, 64)
#: What takes effect later, and what waits for it.
_ORDERED = ("__memcpy", "__memcpy_async", "__memcpy_async", "__sync_io", "__sync_compute", "__sync_cluster")
#: How often an overload is any, where there are more likely ones.
_RARELY = 0.1
_ODD_COUNTS = (0, -1, -64, 3000, 1 << 20, (1 << 31) - 1)


def draw(
    rng: random.Random, overloads: Sequence[Overload], rows: int, native: Sequence[int] | None = None
) -> np.ndarray:
    """A table of calls, int64 [rows, FIELDS]: most of them of the overloads with ``native`` numbers."""
    likely, every = native or range(len(overloads)), range(len(overloads))
    table: list[list[int]] = []
    faults = rng.choice((0.0, 0.1, 0.4))
    # The same ones again and again.
    used = [rng.choice(every if rng.random() < _RARELY else likely) for _ in range(rng.randint(1, 8))]
    if rng.random() < 0.4:
        used += [number for name in _ORDERED for number, overload in enumerate(overloads) if overload.name == name]
    for _ in range(rows):
        call, times = rng.choice([*used, len(overloads)]), rng.choice((1, 1, 2, 3))
        if call == len(overloads):  # a scalar load and a store
            arguments = [_pointer(rng, rng.choice(("nram", "gdram")), 4, 0) for _ in range(2)]
        else:
            arguments = _arguments(rng, overloads[call], rng.random() < faults)
            if overloads[call].instruction.looks_up and rng.random() < 0.8:
                table += _positions(rng, overloads, overloads[call], arguments)
        table.append([call, times, *arguments])
    if rng.random() < 0.7:
        table = [*_loads(overloads), *table]
    return np.array([row + [0] * (FIELDS - len(row)) for row in table], np.int64)


def _positions(
    rng: random.Random, overloads: Sequence[Overload], overload: Overload, arguments: list[int]
) -> list[list[int]]:
    """A call that writes a place of a table, or one that it lacks, where another call looks for such."""
    given = dict(zip([p.name for p in overload.parameters], arguments, strict=True))
    source = next(p for p in overload.parameters if p.name == overload.instruction.looks_up)
    write = "__bang_write_value", "int32" if overload.element(source).size == 4 else "int16"
    place = rng.choice((0, 1, 63, 63, 127, 128, -1))
    count = max(given["elem_count"], 0) & 0xFFF
    return [
        [number, 1, given[source.name], count, place]
        for number, one in enumerate(overloads)
        if (one.name, one.dtypes) == write
    ]


def _loads(overloads: Sequence[Overload]) -> list[list[int]]:
    """Copies that give on-chip memory contents."""
    copy = next(n for n, o in enumerate(overloads) if o.name == "__memcpy" and len(o.parameters) == 4)
    select = overloads[copy].instruction.select
    assert select
    directions = {case.label: value for value, case in select.cases.items()}
    names = [name for arrays in ARRAYS.values() for name, _ in arrays]
    return [
        [copy, 1, names.index(name) << 32, 0, size, directions[f"GDRAM2{space.upper()}"]]
        for space in ("nram", "wram")
        for name, size in ARRAYS[space]
    ]


def _arguments(rng: random.Random, overload: Overload, odd: bool) -> list[int]:
    entry, found = overload.instruction, list[int]()
    select = rng.choice(list(entry.select.cases.items())) if entry.select else None
    spaces = dict(select[1].spaces) if select else {}
    shape = _shape(rng, overload) if rng.random() < 0.8 else {}
    for p in overload.parameters:
        if p.name in shape:
            found.append(shape[p.name])
        elif p.is_memory:
            space = spaces.get(p.name) or entry.space_of(p)
            same = [value for q, value in zip(overload.parameters, found, strict=False) if q.is_memory]
            coincide = same and rng.random() < 0.2
            found.append(rng.choice(same) if coincide else _pointer(rng, space, overload.element(p).size, odd))
        elif select and entry.select and p.name == entry.select.argument:
            found.append(select[0] if rng.random() < 0.99 else 99)
        else:
            found.append(_number(rng, overload, p, odd))
    return found


def _shape(rng: random.Random, overload: Overload) -> dict[str, int]:
    """Counts and strides of a copy of segments that fit, mostly; none of what is packed."""
    names = {p.name for p in overload.parameters}
    found = {"size": rng.choice((1, 8, 16, 64)) if rng.random() < 0.9 else rng.choice((0, -8))}
    steps = (*(rng.choice((0, 16, 64, 72, 128)) for _ in range(3)), rng.choice((-64, 512, 8, 0)))
    if "segnum" in names:
        found["segnum"] = rng.choice((0, 1, 3, 7)) if rng.random() < 0.9 else -1
    elif "dst_segnum1" in names:
        inner, outer = (rng.choice((0, 1, 3)) if rng.random() < 0.9 else -1 for _ in range(2))
        found |= {"dst_segnum1": inner, "dst_segnum2": outer}
        turned = rng.random() < 0.5
        found |= {"src_segnum1": outer if turned else inner, "src_segnum2": inner if turned else outer}
    else:
        return {}
    strides = [name for name in names if "stride" in name]
    return found | {name: rng.choice((*steps, 64 * (1 + int(name[-1:] == "1")))) for name in sorted(strides)}


def _pointer(rng: random.Random, space: str, size: int, odd: bool) -> int:
    if odd and rng.random() < 0.4:
        space = rng.choice(list(ARRAYS))
    numbers = [number for number, (kept, _) in enumerate(_PLACES) if kept == space] or [0]
    number = rng.choice(numbers if rng.random() < 0.1 else [n for n in numbers if _PLACES[n][1] > _LARGEST])
    most = _PLACES[number][1]
    offset = rng.choice((0, 0, 512, rng.randrange(0, max(most - _LARGEST, 128), 128)))
    if odd and rng.random() < 0.6:
        offset = rng.choice((rng.randrange(0, most, size), rng.randrange(most), most, most - 4, -4))
    return number << 32 | offset & 0x7FFFFFFF


def _number(rng: random.Random, overload: Overload, p: Parameter, odd: bool) -> int:
    if p.type in overload.binding or overload.element(p).is_float:  # a value; floats are eighths of it
        return rng.choice((0, 1, 2, 3, 8, 12, 100, rng.randrange(128)))
    if odd and rng.random() < 0.5:
        return rng.choice(_ODD_COUNTS)
    return rng.choice(_COUNTS) if rng.random() < 0.1 else rng.choice((128, 256))
