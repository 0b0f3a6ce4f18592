"""Random tables of calls: most are legal, some break rules, read what nobody has written, or overlap."""

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
_ODD_COUNTS = (0, -1, -64, 3000, 1 << 20, (1 << 31) - 1)


def draw(rng: random.Random, overloads: Sequence[Overload], rows: int) -> np.ndarray:
    """A table of calls, int64 [rows, FIELDS]."""
    table = np.zeros((rows, FIELDS), np.int64)
    faults = rng.choice((0.0, 0.1, 0.4))
    used = [rng.randrange(len(overloads)) for _ in range(rng.randint(1, 8))]  # the same ones again and again
    if rng.random() < 0.4:
        used += [number for name in _ORDERED for number, overload in enumerate(overloads) if overload.name == name]
    for row in table:
        call = rng.choice([*used, len(overloads)])
        row[0], row[1] = call, rng.choice((1, 1, 2, 3))
        if call == len(overloads):  # a scalar load and a store
            row[2:4] = [_pointer(rng, rng.choice(("nram", "gdram")), 4, 0) for _ in range(2)]
            continue
        row[2 : 2 + len(overloads[call].parameters)] = _arguments(rng, overloads[call], rng.random() < faults)
    return np.concatenate((_loads(overloads), table)) if rng.random() < 0.7 else table


def _loads(overloads: Sequence[Overload]) -> np.ndarray:
    """Copies that give on-chip memory contents."""
    copy = next(n for n, o in enumerate(overloads) if o.name == "__memcpy" and len(o.parameters) == 4)
    select = overloads[copy].instruction.select
    assert select
    directions = {case.label: value for value, case in select.cases.items()}
    names = [name for arrays in ARRAYS.values() for name, _ in arrays]
    rows = [
        (copy, 1, names.index(name) << 32, 0, size, directions[f"GDRAM2{space.upper()}"])
        for space in ("nram", "wram")
        for name, size in ARRAYS[space]
    ]
    return np.array([row + (0,) * (FIELDS - len(row)) for row in rows], np.int64)


def _arguments(rng: random.Random, overload: Overload, odd: bool) -> list[int]:
    entry, found = overload.instruction, list[int]()
    select = rng.choice(list(entry.select.cases.items())) if entry.select else None
    spaces = dict(select[1].spaces) if select else {}
    for p in overload.parameters:
        if p.is_memory:
            space = spaces.get(p.name) or entry.space_of(p)
            same = [value for q, value in zip(overload.parameters, found, strict=False) if q.is_memory]
            coincide = same and rng.random() < 0.2
            found.append(rng.choice(same) if coincide else _pointer(rng, space, overload.element(p).size, odd))
        elif select and entry.select and p.name == entry.select.argument:
            found.append(select[0] if rng.random() < 0.99 else 99)
        else:
            found.append(_number(rng, overload, p, odd))
    return found


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
