"""Kernels of benchmark suites that have one definition, and the last step of scans of several blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .factors import packed
from .fields import shifted
from .problem import Formula, Input, Problem, function, of_all_results
from .stencils import grids
from .vectors import solved, square_of

#: Lengths of blocks that may be constants of a kernel: of threads, and of sides of tiles.
_THREADS, _TILES = tuple(1 << at for at in range(5, 13)), (8, 16, 32, 64)
#: The ratio of heats of a gas, the stages of a step, how fast weights learn and what they keep of the last step.
_GAMMA, _STAGES, _RATE, _MOMENTUM = 1.4, 3, 0.3, 0.3
#: Pairs of atoms and neighbours, at most.
_MOST_PAIRS = 1 << 22
#: What is added to squares of distances of bodies, where it is a constant of the kernel.
_SOFT = (1e-9, 1e-10, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.0025, 0.1, 0.01**2, 1.0)
#: Bodies that act on each other, at most.
_MOST_BODIES = 1024


@function(
    "add block sums", "add block sum", "uniform add", "uniform update", "expand partial sums", "add partial sums",
    "add block offsets", "add offsets",
)  # fmt: skip
def _sums_added(problem: Problem) -> Iterator[Formula]:
    """To each block of an array its sum, or that of the block before, of which the first one has none."""
    for x, sums in permutations(problem.inputs, 2):
        if x.size != problem.size or x.size < 2 or sums.size >= x.size:
            continue
        widths = (-(-x.size // sums.size), *_THREADS, *(n for n in problem.whole if 1 < n < x.size))
        for width in dict.fromkeys(widths):
            block = np.arange(x.size) // width
            for how, at in (("its own", block), ("the one before", block - 1)):
                if at[-1] < sums.size:
                    made = x.flat + np.where(at >= 0, sums.flat[np.maximum(at, 0)], 0)
                    yield Formula(f"{x.name} + {sums.name} by blocks of {width}, {how}", made)
                    rest = np.where(block == 0, x.flat, made)
                    yield Formula(f"{x.name} + {sums.name} by blocks of {width}, {how}, but for the first", rest)


def _blocks(problem: Problem) -> Iterator[tuple[str, np.ndarray, slice, slice]]:
    """A square matrix, a block on its diagonal and what is behind it, from an offset that is passed."""
    for a in problem.like:
        matrix = square_of(a)
        if matrix is None:
            continue
        for side, first in product(dict.fromkeys((*_TILES, *problem.whole)), problem.whole):
            if 0 <= first <= len(matrix) - side and side > 1 and len(matrix) % side == 0 == first % side:
                inside, behind = slice(first, first + side), slice(first + side, None)
                yield f"{a.name}, block of {side} at {first}", matrix.copy(), inside, behind


@function("lud diagonal")
def _diagonal_block(problem: Problem) -> Iterator[Formula]:
    """The factors L and U of a block."""
    for text, a, inside, _ in _blocks(problem):
        a[inside, inside] = packed(a[inside, inside])
        yield Formula(f"L and U of {text}", a.reshape(-1))


@function("lud perimeter")
def _blocks_beside(problem: Problem) -> Iterator[Formula]:
    """The blocks beside and below one that is factorized."""
    for text, a, inside, behind in _blocks(problem):
        low, high = np.tril(a[inside, inside], -1), np.triu(a[inside, inside])
        if not np.diag(high).all():
            continue
        a[inside, behind] = solved(low + np.eye(len(low)), a[inside, behind])
        a[behind, inside] = solved(high.T, a[behind, inside].T).T
        yield Formula(f"beside and below {text}", a.reshape(-1))


@function("lud internal")
def _blocks_behind(problem: Problem) -> Iterator[Formula]:
    """The blocks behind one, less the products of those beside and below it."""
    for text, a, inside, behind in _blocks(problem):
        a[behind, behind] -= a[behind, inside] @ a[inside, behind]
        yield Formula(f"behind {text}", a.reshape(-1))


of_all_results("srad", "adjust weights", "bpnn adjust weights")


@function("srad")
def _smoothed(problem: Problem) -> Iterator[Formula]:
    """Differences of an image, how far they spread, and the image after that: diffusion that keeps edges."""
    for one in problem.like:
        for image in grids(problem, one):
            if image.ndim != 2:
                continue
            around = [shifted(image, axis, by) - image for axis, by in ((0, -1), (0, 1), (1, -1), (1, 1))]
            for name, off in zip(("above", "below", "left", "right"), around, strict=True):
                yield Formula(f"{name} {one.name} - {one.name}", off.reshape(-1))
            squares, total = sum(off**2 for off in around) / image**2, sum(around) / image
            size = (0.5 * squares - total**2 / 16) / (1 + 0.25 * total) ** 2
            for q in problem.factors:
                spread = 1 / (1 + (size - q) / (q * (1 + q))) if q > 0 else size
                yield Formula(f"how far {one.name} spreads, by {q:g}", np.clip(spread, 0, 1).reshape(-1))
            yield from _spread(problem, one, image.shape)


def _spread(problem: Problem, one: Input, shape: tuple[int, ...]) -> Iterator[Formula]:
    """The image after a step, by differences in directions that arguments are named after."""
    found: dict[str, Input] = {}
    for array in problem.like:
        side = next((letter for letter in array.name if letter in "NSWE"), "")
        if side:
            found.setdefault(side, array)
    others = [array for array in problem.like if array is not one and array not in found.values()]
    if len(found) < 4 or one in found.values():
        return
    n, s, w, e = (found[side].flat.reshape(shape) for side in "NSWE")
    for c, rate in product(others, problem.factors):
        by = c.flat.reshape(shape)
        made = one.flat.reshape(shape) + rate / 4 * (by * (n + w) + shifted(by, 0, 1) * s + shifted(by, 1, 1) * e)
        yield Formula(f"{one.name} + {rate:g} / 4 * what {c.name} spreads", made.reshape(-1))


def _diagonal(count: int, wide: int) -> Iterator[Sequence[tuple[int, int]]]:
    """The blocks [row, column] of a diagonal of so many, before and behind the longest one."""
    yield [(count - 1 - at, at) for at in range(count)]
    yield [(wide - at - 1, at + wide - count) for at in range(count)]


@function("needle")
def _aligned(problem: Problem) -> Iterator[Formula]:
    """A diagonal of the blocks of a table of scores, of which the first row and column are borders."""
    penalties = problem.named("penalty") or problem.whole
    for table, scores in permutations(problem.like, 2):
        matrix = square_of(table)
        if matrix is None:
            continue
        points = scores.flat.reshape(matrix.shape)
        for side, penalty, count in product(_TILES[:3], penalties, problem.whole):
            wide = (len(matrix) - 1) // side
            if (len(matrix) - 1) % side or not 0 < count <= wide:
                continue
            for blocks in _diagonal(count, wide):
                made = matrix.copy()
                for row, column in blocks:
                    for y, x in np.ndindex(side, side):
                        i, j = row * side + y + 1, column * side + x + 1
                        made[i, j] = max(
                            made[i - 1, j - 1] + points[i, j], made[i, j - 1] - penalty, made[i - 1, j] - penalty
                        )
                text = f"{table.name} by {scores.name}, {count} blocks of {side}, penalty {penalty}"
                yield Formula(text, made.reshape(-1))


@function("compute step factor")
def _factor_of_step(problem: Problem) -> Iterator[Formula]:
    """0.5 / (root of the area * (speed + speed of sound)) of density, momentum [3] and energy of each cell."""
    for state, areas in permutations(problem.floats, 2):
        if areas.size == problem.size and state.size == 5 * areas.size:
            density, x, y, z, energy = state.flat.reshape(5, -1)
            squares = (x**2 + y**2 + z**2) / density**2
            pressure = (_GAMMA - 1) * (energy - 0.5 * density * squares)
            sound = np.sqrt(_GAMMA * pressure / density)
            made = 0.5 / (np.sqrt(areas.flat) * (np.sqrt(squares) + sound))
            yield Formula(f"steps of {state.name} by {areas.name}", made)


@function("time step")
def _step_of_time(problem: Problem) -> Iterator[Formula]:
    """old + factor / (4 - stage) * flux, of five numbers of each cell."""
    for old, flux in permutations(problem.like, 2):
        for factors, stage in product(problem.floats, range(_STAGES + 1)):
            if 5 * factors.size == problem.size and stage in (0, *problem.whole):
                made = old.flat + np.tile(factors.flat, 5) / (_STAGES + 1 - stage) * flux.flat
                yield Formula(f"{old.name} + {factors.name} / {_STAGES + 1 - stage} * {flux.name}", made)


@function("adjust weights", "bpnn adjust weights")
def _learned(problem: Problem) -> Iterator[Formula]:
    """Weights [inputs + 1, units + 1] and their last changes after a step; the first input is 1, no unit is first."""
    for delta, ly, old in permutations(problem.floats, 3):
        if not problem.size == old.size == delta.size * ly.size:
            continue
        inputs = ly.flat.copy()
        inputs[0] = 1
        change = _RATE * np.outer(inputs, delta.flat) + _MOMENTUM * old.flat.reshape(ly.size, -1)
        last = change.copy()
        last[:, 0] = old.flat.reshape(change.shape)[:, 0]
        yield Formula(f"changes by {delta.name}, {ly.name} and {old.name}", last.reshape(-1))
        for w in (one for one in problem.like if one is not old):
            made = w.flat.reshape(change.shape) + change
            made[:, 0] = w.flat.reshape(change.shape)[:, 0]
            yield Formula(f"{w.name} changed by {delta.name}, {ly.name} and {old.name}", made.reshape(-1))


@function("md", "compute lj force", "lj force")
def _forces(problem: Problem) -> Iterator[Formula]:
    """Of Lennard-Jones, by the neighbours [neighbour, atom] of each atom, two constants and the square of a range."""
    for at, near, wide in product(problem.floats, problem.integers, (3, 4)):
        count = at.size // wide
        if at.size % wide or count < 2 or near.size % count or problem.size // count not in (3, 4):
            continue
        index = near.values.reshape(-1, count).astype(np.int64)
        if near.size > _MOST_PAIRS or index.min() < 0 or index.max() >= count or problem.size % count:
            continue
        places = at.flat.reshape(count, wide)[:, :3]
        off = places[None] - places[index]
        squares = (off**2).sum(axis=2)
        for first, second, most in permutations(problem.factors, 3):
            sixth = squares**-3
            force = np.where((squares > 0) & (squares < most), sixth / squares * (first * sixth - second), 0)
            made = np.zeros((count, problem.size // count))
            made[:, :3] = np.where(force[..., None], off * force[..., None], 0).sum(axis=0)
            text = f"forces on {at.name} by {near.name}, {first:g}, {second:g}, below {most:g}"
            yield Formula(text, made.reshape(-1))


#: Products of complex numbers.
PRODUCTS = ("complex pointwise mul and scale", "complex mul and scale", "pointwise mul and scale")


@function(*PRODUCTS)
def _scaled_products(problem: Problem) -> Iterator[Formula]:
    """Of complex numbers, which may be pairs of an array, times a factor that is passed."""
    for a, b in permutations(problem.like, 2):
        pairs = a.values.dtype.kind != "c" and a.size % 2 == 0
        x, y = (one.flat[::2] + 1j * one.flat[1::2] if pairs else one.flat for one in (a, b))
        for scale in problem.factors:
            made = x * y * scale
            values = np.stack([made.real, made.imag], axis=1).reshape(-1) if pairs else made
            yield Formula(f"{a.name} * {b.name} * {scale:g}", values)


def _bodies(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """Bodies (x, y, z, vx, vy, vz), of one array, of two with three numbers or four each, or of one for each number."""
    arrays = problem.floats
    names = ", ".join(one.name for one in arrays)
    if len(arrays) == 1 and arrays[0].size % 6 == 0:
        yield names, arrays[0].flat.reshape(-1, 6)
    for wide in (3, 4) if len(arrays) == 2 and arrays[0].size == arrays[1].size else ():
        if arrays[0].size % wide == 0:
            for p, v in permutations(arrays):
                parts = [one.flat.reshape(-1, wide)[:, :3] for one in (p, v)]
                yield f"{p.name} and {v.name}", np.concatenate(parts, axis=1)
    if len(arrays) == 6 and len({one.size for one in arrays}) == 1:
        yield names, np.stack([one.flat for one in arrays], axis=1)


@function("body force", "bodyforce")
def _pushed(problem: Problem) -> Iterator[Formula]:
    """Velocities after a step by the forces of all bodies, of a step that is passed."""
    for name, bodies in _bodies(problem) if len(problem.factors) in (1, 2) else ():
        if not 1 < len(bodies) <= _MOST_BODIES:
            continue
        off = bodies[None, :, :3] - bodies[:, None, :3]
        squares = (off**2).sum(axis=2)
        for soft, dt in product(dict.fromkeys((*_SOFT, *problem.factors)), problem.factors):
            speeds = bodies[:, 3:] + dt * (off / (squares[..., None] + soft) ** 1.5).sum(axis=1)
            text = f"a step of {dt:g} of {name}, softened by {soft:g}"
            if problem.size == bodies.size:
                yield Formula(text, np.concatenate([bodies[:, :3], speeds], axis=1).reshape(-1))
            elif problem.size == len(bodies):
                yield from (Formula(f"{text}, along {axis}", speeds[:, at]) for at, axis in enumerate("xyz"))
            else:
                yield from _wider(problem, text, speeds)


def _wider(problem: Problem, text: str, speeds: np.ndarray) -> Iterator[Formula]:
    """Velocities of three numbers, or with a fourth one that is kept."""
    if problem.size == speeds.size:
        yield Formula(text, speeds.reshape(-1))
    for v in problem.like if problem.size == 4 * len(speeds) else ():
        yield Formula(text, np.concatenate([speeds, v.flat.reshape(-1, 4)[:, 3:]], axis=1).reshape(-1))
