"""References of the matrix product and of the order in which its weights lie in WRAM."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import FORMATS, INTEGERS, is_floating, round_to, size_of
from .values import mixed

#: Slices of WRAM.
SLICES = 64


def slot(row: int, rows: int) -> int:
    """Where a row of weights lies in WRAM order: rows of equal remainder by `SLICES` one after the other."""
    return row % SLICES * (rows // SLICES) + row // SLICES


def finish(memory: Memory, place: Pointer, total: Fraction) -> None:
    """A sum in the type of dst: floats rounded once, integers to nearest, ties away from zero, and saturated."""
    if is_floating(place.kind):
        memory.write(place, [float(total)], 2, zeros=False)
        return
    bits, _ = INTEGERS[place.kind]
    whole = round_to(total, "rd")
    memory.write(place, [max(-(1 << bits - 1), min((1 << bits - 1) - 1, whole))])


def reshape_filter(memory: Memory, dst: Pointer, src: Pointer, n: int, h: int, w: int, c: int) -> None:
    """`__bang_reshape_filter`: ``n`` rows of h * w * c elements into WRAM order; n is a multiple of `SLICES`."""
    if n % SLICES:
        raise ValueError(f"n is {n}, not a multiple of {SLICES}")
    length = h * w * c
    rows = [memory.raw(src + row * length, length * size_of(src.kind)) for row in range(n)]
    for row, elements in enumerate(rows):
        memory.put(dst + slot(row, n) * length, elements)


def matmul(memory: Memory, dst: Pointer, left: Pointer, right: Pointer, m: int, k: int, n: int) -> None:
    """`__bang_matmul`: dst[i][j] = sum over l of left[i][l] * right[j][l], right in WRAM order.

    In which order hardware adds is not known; a sum of k products may be off by k/2 rounding steps of the sum of
    their absolute values.
    """
    a, b = memory.read(left, m * k), memory.read(right, n * k)
    for i in range(m):
        for j in range(n):
            row = slot(j, n) * k
            products = [a[i * k + step] * b[row + step] for step in range(k)]
            total, bound = sum(products), sum(map(abs, products))
            steps = k / 2 * (bound / abs(total) if total else 1) + 1
            memory.write(dst + (i * n + j), [total], ulps=steps)


def _filter_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    for n, h, w, c in ((64, 1, 1, 3), (192, 2, 3, 1), (128, 1, 2, 5), (64, 1, 1, 1)):
        values = mixed(kind, n * h * w * c, n)
        contents = packed([(kind, values), (kind, [0] * len(values))], "nram")
        (src, _), (dst, _) = contents
        yield Call((dst, src, n, h, w, c), tuple(contents[:1]), f"{n} {h} {w} {c}", length_of(contents))


def scaled_matmul(memory: Memory, dst: Pointer, left: Pointer, right: Pointer, *given: Any) -> None:
    """`__bang_matmul` of whole numbers: the same, times 2**position, plus an addend; the sum is rounded once."""
    addend, (m, k, n, position) = (None, given) if len(given) == 4 else (given[0], given[1:])
    added = memory.read(addend, m * n) if addend else [0] * m * n
    a, b = memory.read(left, m * k), memory.read(right, n * k)
    for i in range(m):
        for j in range(n):
            row = slot(j, n) * k
            total = sum(int(a[i * k + step]) * int(b[row + step]) for step in range(k))
            finish(memory, dst + (i * n + j), total * Fraction(2) ** position + Fraction(added[i * n + j]))


def _matrices(kind: str, m: int, k: int, n: int) -> Iterator[tuple[str, list[float], list[float]]]:
    """Whole numbers, whose sums are exact in any order; then any numbers, one of them infinite."""
    chance = random.Random(f"{m} {k} {n}")
    yield "whole", *([float(chance.randrange(-9, 10)) for _ in range(count)] for count in (m * k, n * k))
    left, right = ([FORMATS[kind].round(chance.uniform(-4, 4)) for _ in range(count)] for count in (m * k, n * k))
    yield "any", [*left[:-1], float("inf")], right


def _whole_matrices(left: str, right: str, m: int, k: int, n: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Whole numbers over the whole range of their types, and its ends."""
    chance = random.Random(f"{left} {right} {m} {k} {n}")
    tops = [1 << INTEGERS[kind][0] - 1 for kind in (left, right)]
    yield (
        "any",
        *(
            [-top, top - 1, *(chance.randrange(-top, top) for _ in range(count))][:count]
            for top, count in zip(tops, (m * k, n * k), strict=True)
        ),
    )


_PRODUCTS = ((1, 1, 64), (3, 5, 128), (2, 33, 64), (5, 2, 192))


def _matmul_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    dst_kind, left_kind, right_kind = kinds[:3]
    positions, added = [0, -3, -12, 2] if len(kinds) > 6 else [None] * 4, len(kinds) == 8
    for (m, k, n), position in zip(_PRODUCTS, positions, strict=True):
        floats = position is None
        pairs = _matrices(left_kind, m, k, n) if floats else _whole_matrices(left_kind, right_kind, m, k, n)
        for label, left, right in pairs:
            more = [FORMATS[dst_kind].round(i / 4) for i in range(m * n)] if added else []
            contents = packed([(left_kind, left), (dst_kind, more), (dst_kind, [0] * (m * n))], "nram")
            (a, _), (addend, _), (dst, _) = contents
            weights = packed([(right_kind, right)], "wram")
            arguments = (dst, a, weights[0][0], *([addend] * added), m, k, n, *([] if floats else [position]))
            length = length_of([*contents, *weights])
            yield Call(arguments, (*contents[: 1 + added], *weights), f"{label} {m} {k} {n}", length)


FORMS = [
    Form("__bang_reshape_filter", ("dst", "src", "n", "h", "w", "c"), reshape_filter, _filter_calls),
    Form("__bang_matmul", ("dst", "src_left", "src_right", "m", "k", "n"), matmul, _matmul_calls),
    Form("__bang_matmul", ("dst", "src_left", "src_right", "m", "k", "n", "position"), scaled_matmul, _matmul_calls),
    Form(
        "__bang_matmul", ("dst", "src_left", "src_right", "src_addend", "m", "k", "n", "position"), scaled_matmul,
        _matmul_calls,
    ),
]  # fmt: skip
