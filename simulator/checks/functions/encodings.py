"""Encodings of positions and directions: sines of doubled frequencies, spherical harmonics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise, permutations, product

import numpy as np

from .problem import Formula, Problem, function, spelled

#: Frequencies and degrees of harmonics, at most.
_MOST_FREQUENCIES, _MOST_DEGREE = 32, 8
#: What cells of a grid are hashed by, and by how much the finest one is wider than the first, as a power of two.
_PRIMES, _MOST_GROWTH = (1, 2654435761, 805459861, 3674653429), 24


def _waves(x: np.ndarray, count: int, factor: float) -> np.ndarray:
    """[n, axes, frequencies, (sine, cosine)]."""
    phases = x[:, :, None] * 2.0 ** np.arange(count) * factor
    return np.stack([np.sin(phases), np.cos(phases)], axis=3)


@function("frequency encoding")
def _encoded(problem: Problem) -> Iterator[Formula]:
    """Sines and cosines of coordinates [n, axes] times powers of two, also times pi, behind the coordinates or alone.

    Axes are the fastest, or the slowest, or the two functions are the slowest.
    """
    for one, wide in product(problem.floats, dict.fromkeys((*problem.whole, 3, 2))):
        if wide < 1 or one.size % wide or problem.size % one.size:
            continue
        x, each = one.flat.reshape(-1, wide), problem.size // one.size
        count = each // 2
        if not 0 < count <= _MOST_FREQUENCIES:
            continue
        for factor, name in ((1.0, ""), (math.pi, " * pi")):
            made = _waves(x, count, factor)
            for how, order in (
                ("fastest", (0, 2, 3, 1)),
                ("slowest", (0, 1, 2, 3)),
                ("behind functions", (0, 3, 2, 1)),
                ("in functions", (0, 3, 1, 2)),
            ):
                rows = made.transpose(order).reshape(len(x), -1)
                whole = np.concatenate([x, rows], axis=1) if each % 2 else rows
                yield Formula(f"{count} frequencies of {one.name}{name}, axes {how}", whole.reshape(-1))


@function("frequency encoding backward")
def _encoded_back(problem: Problem) -> Iterator[Formula]:
    """By what was left [n, axes + 2 * frequencies * axes]; axes are the fastest."""
    for coming, left in permutations(problem.floats, 2):
        each = coming.size // problem.size
        if coming.size != left.size or coming.size % problem.size or each % 2 == 0:
            continue
        for wide in (n for n in problem.whole if n > 0 and problem.size % n == 0):
            grad, waves = (one.flat.reshape(-1, each, wide) for one in (coming, left))
            scale = 2.0 ** np.arange(each // 2)[:, None]
            parts = scale * (grad[:, 1::2] * waves[:, 2::2] - grad[:, 2::2] * waves[:, 1::2])
            made = grad[:, 0] + parts.sum(axis=1)
            yield Formula(f"{coming.name} by {left.name}, {wide} axes", made.reshape(-1))


spelled("frequency encoding", "freq encode, freq encoding, frequency encode, freq, nerf encoding, fourier encoding")
spelled("frequency encoding backward", "freq encode backward, freq backward, frequency backward")


_Grid = tuple[int, float, bool, bool, bool]  # rows, scale, hashed, at the corners, smooth


def _interpolated(x: np.ndarray, table: np.ndarray, grid: _Grid) -> np.ndarray:
    """What lies at points [n, axes] in 0..1 of a grid whose cells are rows of a table, by places or by a hash."""
    count, scale, hashed, corners, smooth = grid
    at = x * scale + (0.0 if corners else 0.5)
    low = np.floor(at)
    part, wide, made = at - low, math.ceil(scale) + (1 if corners else 2), np.zeros((len(x), table.shape[1]))
    part = part * part * (3 - 2 * part) if smooth else part
    for corner in np.ndindex(*(2,) * x.shape[1]):
        cell = (low + corner).astype(np.int64)
        index, step = np.zeros(len(x), np.int64), 1
        for axis in range(x.shape[1]):
            if step <= count:
                index, step = index + cell[:, axis] * step, step * wide
        if hashed and step > count:
            index = np.bitwise_xor.reduce(cell * np.array(_PRIMES[: x.shape[1]]) & 0xFFFFFFFF, axis=1)
        weight = np.where(corner, part, 1 - part).prod(axis=1)
        made += weight[:, None] * table[index % count]
    return np.where(((x < 0) | (x > 1)).any(axis=1, keepdims=True), 0, made)


@function("grid encoding")
def _levels(problem: Problem) -> Iterator[Formula]:
    """[levels, n, channels] of points in grids of several widths, by offsets of their tables [cells, channels].

    A number is the logarithm of how much wider each is than the one before, another one the width of the first.
    """
    for offsets, (x, table) in product(problem.integers, permutations(problem.floats, 2)):
        ends = offsets.index
        levels, channels = len(ends) - 1, table.size // max(int(ends[-1]), 1)
        rows = problem.size // max(levels * channels, 1)
        if levels < 1 or ends[0] or (np.diff(ends) < 1).any() or channels < 1 or rows < 1 or x.size % rows:
            continue
        if problem.size != levels * rows * channels or not 0 < x.size // rows < 5 or table.size != channels * ends[-1]:
            continue
        points, cells = x.flat.reshape(rows, -1), table.flat.reshape(-1, channels)
        kinds = product(problem.factors, problem.counts, (True, False), (False, True), (False, True))
        for growth, base, *how in kinds:
            if growth * levels > _MOST_GROWTH:
                continue
            made = []
            for level, (first, end) in enumerate(pairwise(ends.tolist())):
                scale = 2.0 ** (level * growth) * base - 1
                made.append(_interpolated(points, cells[first:end], (end - first, scale, how[0], how[1], how[2])))
            kind = ("hashed" if how[0] else "tiled") + ", corners aligned" * how[1] + ", smooth" * how[2]
            text = f"{x.name} in {levels} grids {table.name}, from {base} on, {kind}"
            yield Formula(text, np.stack(made).reshape(-1))
            yield Formula(f"{text}, by points", np.stack(made, axis=1).reshape(-1))


spelled("grid encoding", "kernel grid, hash encode, hash encoding, grid encode, hash grid, multires hash encoding")


def harmonics(directions: np.ndarray, degree: int) -> np.ndarray:
    """Real spherical harmonics [n, degree^2] of directions [n, 3], as polynomials of their coordinates.

    With the sign (-1)^m, as radiance fields have them.
    """
    x, y, z = directions.T
    made = np.zeros((len(z), degree * degree))
    ring = np.ones(len(z), complex)
    for m in range(degree):
        last, now = np.zeros(len(z)), np.full(len(z), math.prod(range(1, 2 * m, 2)) * (-1.0) ** m)
        for n in range(m, degree):
            scale = math.sqrt((2 * n + 1) / (4 * math.pi) * math.factorial(n - m) / math.factorial(n + m))
            part = scale * now * (math.sqrt(2) if m else 1)
            made[:, n * n + n + m], made[:, n * n + n - m] = part * ring.real, part * (ring.imag if m else 1)
            last, now = now, ((2 * n + 1) * z * now - (n + m) * last) / (n - m + 1)
        ring = ring * (x + 1j * y)
    return made


def _directions(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """As they are, of length 1, from 0..1 to -1..1; or from a point to others, of length 1."""
    for one in problem.floats:
        if one.size % 3 == 0 and one.size > 3:
            rows = one.flat.reshape(-1, 3)
            yield one.name, rows
            yield f"{one.name} of length 1", rows / np.linalg.norm(rows, axis=1, keepdims=True)
            yield f"2 * {one.name} - 1", 2 * rows - 1
            for eye in (other for other in problem.floats if other.size == 3):
                off = rows - eye.flat
                yield f"{one.name} - {eye.name} of length 1", off / np.linalg.norm(off, axis=1, keepdims=True)


def _signed(directions: np.ndarray, degree: int, signed: bool) -> np.ndarray:
    made = harmonics(directions, degree)
    odd = np.concatenate([np.arange(-n, n + 1) for n in range(degree)]) % 2 == 1
    return made if signed else np.where(odd, -made, made)


@function("spherical harmonics")
def _harmonics(problem: Problem) -> Iterator[Formula]:
    """All of each direction [n, degree^2]; or colours [n, channels] by coefficients [n, all, channels] of these."""
    for (name, rows), sign in product(_directions(problem), ("", " without signs")):
        n = len(rows)
        for degree in range(1, _MOST_DEGREE + 1) if problem.size % n == 0 else ():
            if problem.size == n * degree**2:
                yield Formula(f"harmonics{sign} below {degree} of {name}", _signed(rows, degree, not sign).reshape(-1))
        channels = problem.size // n
        degrees = [m + 1 for m in problem.whole if 0 <= m < _MOST_DEGREE]
        for one in problem.floats if problem.size % n == 0 and channels else ():
            most = math.isqrt(one.size // problem.size)
            if one.size % problem.size or not most:
                continue
            for degree in dict.fromkeys((*degrees, most)):
                if degree > min(most, _MOST_DEGREE):
                    continue
                parts = one.flat.reshape(n, -1, channels)[:, : degree**2]
                made = (_signed(rows, degree, not sign)[:, :, None] * parts).sum(axis=1)
                text = f"harmonics{sign} below {degree} of {name} by {one.name}"
                yield Formula(text, made.reshape(-1))
                yield Formula(f"{text} + 0.5", made.reshape(-1) + 0.5)
                yield Formula(f"{text} + 0.5, not below 0", np.maximum(made.reshape(-1) + 0.5, 0))


spelled(
    "spherical harmonics",
    """sh encode, kernel sh, sh encoding, eval sh, compute sh, sh to color, sh to rgb, compute color from sh,
    sh coeffs to color, evaluate sh, spherical harmonics encode, evaluate spherical harmonics, compute sh color""",
)
