"""Steps over a grid, of neighbours along each axis; and those of a system of equations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, vague

#: What stands beyond the border of a grid: zeros, the nearest element, the other end.
_BORDERS = "constant", "edge", "wrap"
#: Bodies that act on each other, at most.
_MOST_BODIES = 2048


def grids(problem: Problem, x: Input) -> Iterator[np.ndarray]:
    """An array in the shape that it may have: one, two or three axes."""
    if len(x.axes) > 1:
        yield x.real.reshape(x.axes)
        return
    lengths = dict.fromkeys(n + beyond for beyond in (0, 2) for n in problem.whole)  # with a border, too
    passed = [n for n in lengths if 1 < n < x.size and x.size % n == 0]
    pairs = [(a, x.size // a) for a in passed] + [(x.size // a, a) for a in passed]
    cubes = [(n, n, n) for n in (round(x.size ** (1 / 3)),) if n > 1 and n**3 == x.size]
    cubes += [three for three in permutations(passed, 3) if np.prod(three) == x.size]
    root = round(x.size**0.5)
    squares = [(root, root)] if root > 1 and root * root == x.size else []
    for shape in dict.fromkeys((*squares, *pairs, *cubes, (x.size,))):
        yield x.flat.reshape(shape)


def neighbours(x: np.ndarray, border: str) -> np.ndarray:
    """The sum of both neighbours along all axes."""
    padded, total = np.pad(x, 1, mode=border), np.zeros_like(x)  # type: ignore[call-overload]
    for axis, step in product(range(x.ndim), (0, 2)):
        total += padded[
            tuple(slice(step if at == axis else 1, n + (step if at == axis else 1)) for at, n in enumerate(x.shape))
        ]
    return total


def edged(made: np.ndarray, x: np.ndarray, first: int = 1) -> Iterator[tuple[str, np.ndarray]]:
    """Results inside, if anything is, from a first place on each axis, with a border that is kept or zero."""
    inside = np.zeros(x.shape, bool)
    inside[(slice(first, -1),) * x.ndim] = True
    if not inside.any():
        return
    yield "border kept", np.where(inside, made, x)
    yield "border 0", np.where(inside, made, 0)


def _with_borders(x: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """The sums of neighbours, with what stands beyond the border."""
    for border in _BORDERS:
        yield {"constant": "zeros beyond", "edge": "edge beyond", "wrap": "wrapped"}[border], neighbours(x, border)


def _factors(problem: Problem) -> Sequence[float]:
    """Numbers by which a sum of neighbours may be multiplied: what is passed, its products and quotients of squares."""
    passed = [a for a in problem.factors if np.isfinite(a) and a]
    pairs = [one for a, b in permutations(passed, 2) for one in (a * b, a / b, a / b**2, a * b / a**2)]
    return tuple(dict.fromkeys((*passed, *(1 / a**2 for a in passed), *pairs)))[:24]


def has_grid(problem: Problem) -> bool:
    """Whether one array of numbers is passed, and how long the axes of a grid are that it is."""
    alone = problem.floats[0] if len(problem.floats) == 1 else None
    if alone is None or alone.size != problem.size:
        return False
    lengths = {n + beyond for n in problem.whole for beyond in (0, 1, 2)}
    return alone.size in lengths or any(grid.ndim > 1 for grid in grids(problem, alone))


def _is_alone(problem: Problem) -> bool:
    """Whether a grid and lengths are all that is passed, so that the mean has nothing else to be of."""
    return has_grid(problem) and not problem.factors


@vague("jacobi", "laplace", "jacobi stencil", unless=_is_alone)
def _jacobi(problem: Problem) -> Iterator[Formula]:
    """The mean of the neighbours, with a source or without; or a step for a matrix, a right side and the last x."""
    for x in problem.like:
        for grid in grids(problem, x):
            for how, total in _with_borders(grid):
                mean, twice = total / (2 * grid.ndim), 2 * grid.ndim
                title = f"of {x.name}{list(grid.shape)}"
                yield Formula(f"mean of neighbours {title}, {how}", mean.reshape(-1))
                with_it = (total + grid) / (2 * grid.ndim + 1)
                for form, each in (("neighbours", mean), ("neighbours and itself", with_it)):
                    for edge, made in (*edged(each, grid), *edged(each, grid, first=2)):
                        yield Formula(f"mean of {form} {title}, {edge}", made.reshape(-1))
                for b, h in product((b for b in problem.like if b is not x), (1.0, -1.0, *_factors(problem))):
                    for edge, made in edged(mean + h * b.flat.reshape(grid.shape) / twice, grid):
                        text = f"mean of neighbours {title} + {h:g} * {b.name} / {twice}, {edge}"
                        yield Formula(text, made.reshape(-1))
    yield from _of_equations(problem)


def _of_equations(problem: Problem) -> Iterator[Formula]:
    n = problem.size
    for a in (one for one in problem.inputs if one.size == n * n and n > 1):
        matrix = a.flat.reshape(n, n)
        diagonal = np.diag(matrix)
        for b, x in permutations(problem.like, 2):
            made = (b.flat - (matrix @ x.flat - diagonal * x.flat)) / diagonal
            yield Formula(f"({b.name} - ({a.name} - D) @ {x.name}) / D", made)


@vague("laplacian")
def laplacian(problem: Problem) -> Iterator[Formula]:
    """The sum of the neighbours less as many times the element; or a step by that: x + a * laplacian(x)."""
    for x in problem.like:
        for grid in grids(problem, x):
            for how, total in _with_borders(grid):
                steep = total - 2 * grid.ndim * grid
                title = f"laplacian({x.name}{list(grid.shape)})"
                for a in (1.0, *_factors(problem)):
                    for text, made in (
                        (f"{a:g} * {title}", a * steep),
                        (f"{x.name} + {a:g} * {title}", grid + a * steep),
                    ):
                        yield Formula(f"{text}, {how}", made.reshape(-1))
                        for edge, held in edged(made, grid):
                            yield Formula(f"{text}, {edge}", held.reshape(-1))
                yield Formula(f"-{title}, {how}", -steep.reshape(-1))


@vague("nbody")
def _nbody(problem: Problem) -> Iterator[Formula]:
    """Accelerations: the sum of m * (p' - p) / (|p' - p|^2 + e)^1.5, of points of three or four numbers."""
    for p, wide in product(problem.inputs, (3, 4)):
        count = p.size // wide
        if (
            p.size % wide
            or problem.size % max(count, 1)
            or not 1 < count <= _MOST_BODIES
            or problem.size // count not in (3, 4)
        ):
            continue
        rows = p.flat.reshape(-1, wide)
        off = rows[None, :, :3] - rows[:, None, :3]
        masses = [("", np.ones(count))] + [(f"{m.name} * ", m.flat) for m in problem.inputs if m.size == count]
        masses += [("w * ", rows[:, 3])] if wide == 4 else []
        for (name, mass), soft in product(masses, dict.fromkeys((*problem.factors, *(e * e for e in problem.factors)))):
            each = (mass[None, :, None] * off / ((off**2).sum(2, keepdims=True) + soft) ** 1.5).sum(axis=1)
            for g in (1.0, *problem.factors):
                wider = np.zeros((count, problem.size // count))
                wider[:, :3] = g * each
                yield Formula(f"sum of {g:g} * {name}d / (|d|^2 + {soft:g})^1.5", wider.reshape(-1))
