"""Steps of fields over a grid by physics: waves, flows, heat in chips, reactions, paths of least cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results, vague
from .stencils import edged, grids, has_grid, laplacian, neighbours

_Grid = np.ndarray
#: What stands beyond the border of a grid, as `numpy.pad` says it.
_BORDERS = "constant", "edge", "wrap"
#: The temperature around a chip.
_AMBIENT = 80.0


#: How factors are called that are rates of a step, and those that are widths of a grid or of the time.
_RATES = frozenset(
    ("r", "alpha", "alpha_r", "a", "k", "c", "s", "coef", "coeff", "lambda", "rate", "nu", "kappa", "cfl", "d", "diff",
     "diffusivity", "courant", "c2", "r2")
)  # fmt: skip
_STEPS = frozenset(("dt", "dx", "dy", "dz", "h", "dx2", "dy2", "dz2", "dt2", "dtime", "delta_t", "delta_x", "ds"))


def shifted(x: _Grid, axis: int, by: int, border: str = "edge") -> _Grid:
    """Each element's neighbour, so many places further along an axis."""
    n, pads = x.shape[axis], [(abs(by), abs(by)) if at == axis else (0, 0) for at in range(x.ndim)]
    padded = np.pad(x, pads, mode=border)  # type: ignore[call-overload]
    return np.take(padded, np.arange(n) + abs(by) + by, axis=axis)


def _same(problem: Problem, count: int) -> Iterator[tuple[tuple[Input, ...], list[_Grid]]]:
    """So many arrays that are as large as the output, as grids of a shape that they may have."""
    for some in permutations(problem.like, count):
        for first in grids(problem, some[0]):
            yield some, [one.flat.reshape(first.shape) for one in some]


def _bordered(text: str, made: _Grid, held: Sequence[tuple[str, _Grid]]) -> Iterator[Formula]:
    """A result everywhere, and inside of a border that is 0 or what an array holds."""
    yield Formula(text, made.reshape(-1))
    for _, zero in [*edged(made, made)][1:]:
        yield Formula(f"{text}, border 0", zero.reshape(-1))
    for name, before in held:
        for _, kept in [*edged(made, before)][:1]:
            yield Formula(f"{text}, border of {name}", kept.reshape(-1))


def _rates(problem: Problem, axes: int) -> Iterator[tuple[str, tuple[float, ...]]]:
    """What the second differences along each axis are multiplied by: a * dt / dx^2 of all that is passed."""
    factors = problem.factors
    for some in dict.fromkeys(permutations(factors)):
        if len(some) > 2 and some[0] > some[1]:
            continue  # what is multiplied may be exchanged
        said = ", ".join(f"{a:g}" for a in some)
        if len(some) == axes > 1:
            yield f"({said})", some
        if len(some) == 1:
            yield said, some * axes
        if len(some) == 2:
            a, b = some
            yield f"{a:g} * {b:g}", (a * b,) * axes
            yield f"{a:g} / {b:g}", (a / b,) * axes
            yield f"{a:g} / {b:g}^2", (a / b**2,) * axes
        if len(some) == 3:
            a, b, width = some
            yield f"{a:g} * {b:g} / {width:g}", (a * b / width,) * axes
            yield f"{a:g} * {b:g} / {width:g}^2", (a * b / width**2,) * axes
        if len(some) == 2 + axes:
            (a, b), widths = some[:2], some[2:]
            yield f"{a:g} * {b:g} / ({said})", tuple(a * b / width for width in widths)
            yield f"{a:g} * {b:g} / ({said})^2", tuple(a * b / width**2 for width in widths)


def _says_rate(problem: Problem, most: int) -> bool:
    """Whether the factors that are passed, so many at most, are a rate and the steps of a grid and of the time."""
    passed = [name.lower().strip("_") for name, value in problem.numbers.items() if isinstance(value, float)]
    rates = [name for name in passed if name in _RATES]
    return len(rates) == 1 and len(passed) <= most and all(name in _RATES or name in _STEPS for name in passed)


def _has_rate(problem: Problem) -> bool:
    """Whether a field and what says its rate are passed, and nothing else that it may be of."""
    return has_grid(problem) and _says_rate(problem, 4)


@vague("heat", "diffusion", unless=_has_rate)
def _heat(problem: Problem) -> Iterator[Formula]:
    """x + the second differences along each axis, times a rate; or what a Laplacian makes."""
    for x in problem.like:
        for grid in grids(problem, x):
            for border, (text, rates) in product(_BORDERS, _rates(problem, grid.ndim)):
                both = (shifted(grid, at, 1, border) + shifted(grid, at, -1, border) for at in range(grid.ndim))
                steep = sum(rate * (two - 2 * grid) for rate, two in zip(rates, both, strict=True))
                title = f"{x.name}{list(grid.shape)} + {text} * differences, {border}"
                yield from _bordered(title, grid + steep, [(x.name, grid), ("its inside", _from_inside(grid + steep))])
    yield from laplacian(problem)


def _from_inside(x: _Grid) -> _Grid:
    """A grid whose border has what is next to it inside."""
    inside = x[(slice(1, -1),) * x.ndim]
    return np.pad(inside, 1, mode="edge") if inside.size else x


def _ratios(problem: Problem) -> Iterator[tuple[str, float]]:
    """What a wave's Laplacian is multiplied by: c^2 dt^2 / dx^2 of all that is passed, some of them alone."""
    factors = problem.factors
    yield from ((f"{a:g}", a) for a in factors if len(factors) == 1)
    yield from ((f"{a:g}^2", a * a) for a in factors if len(factors) == 1)
    for some in permutations(factors):
        if len(some) == 2:
            yield f"{some[0]:g}^2 * {some[1]:g}^2", (some[0] * some[1]) ** 2
            yield f"({some[0]:g} / {some[1]:g})^2", (some[0] / some[1]) ** 2 if some[1] else 0.0
            yield f"{some[0]:g} * {some[1]:g}^2", some[0] * some[1] ** 2
        if len(some) == 3 and some[2]:
            yield f"({some[0]:g} * {some[1]:g} / {some[2]:g})^2", (some[0] * some[1] / some[2]) ** 2
            yield f"{some[0]:g} * ({some[1]:g} / {some[2]:g})^2", some[0] * (some[1] / some[2]) ** 2


def _has_wave(problem: Problem) -> bool:
    """Whether two fields and what says the ratio of a wave are passed, and nothing else."""
    return len(problem.floats) == 2 and _says_rate(problem, 3)


@vague("wave", "wave equation", "wave step", "wave propagation", unless=_has_wave)
def _wave(problem: Problem) -> Iterator[Formula]:
    """2 u - v + r * laplacian(u), of the last two fields and a ratio that is passed."""
    ratios = [*_ratios(problem)]
    for (u, v), (now, last) in _same(problem, 2) if ratios else ():
        held = [(u.name, now), (v.name, last), *((one.name, one.flat.reshape(now.shape)) for one in problem.like)]
        for border in _BORDERS:
            steep = neighbours(now, border) - 2 * now.ndim * now
            for text, ratio in ratios:
                made = 2 * now - last + ratio * steep
                yield from _bordered(f"2 * {u.name} - {v.name} + {text} * laplacian, {border}", made, held)


of_all_results("gray scott", "gray scott step", "reaction diffusion", "reaction diffusion step")


def _has_feed(problem: Problem) -> bool:
    """Whether two fields are passed, with a feed and a kill."""
    passed = [name.lower() for name, value in problem.numbers.items() if isinstance(value, float)]
    return len(problem.floats) == 2 and all(any(name.startswith(a) for name in passed) for a in "fk")


@vague("gray scott", "reaction diffusion", "reaction diffusion step", "gray scott step", unless=_has_feed)
def _reaction(problem: Problem) -> Iterator[Formula]:
    """Of two fields by two rates of diffusion, a feed and a kill, and a step if there is a fifth factor."""
    if len(problem.factors) not in (4, 5):
        return
    du, dv, feed, kill, dt = (*problem.factors, 1.0)[:5]
    for (u, v), (a, b) in _same(problem, 2):
        held = [(one.name, one.flat.reshape(a.shape)) for one in (u, v)]
        for border in _BORDERS:
            for how, (left, right) in _laplacians(a, b, border):
                first = a + dt * (du * left - a * b * b + feed * (1 - a))
                second = b + dt * (dv * right + a * b * b - (feed + kill) * b)
                text = f"of {u.name} and {v.name}, {how}, {border}"
                for name, made in (("fed", first), ("killed", second)):
                    yield from _bordered(f"{name} {text}", made, held)
                    yield from _bordered(f"{name} {text}, in 0..1", np.clip(made, 0, 1), held)


def _laplacians(a: _Grid, b: _Grid, border: str) -> Iterator[tuple[str, tuple[_Grid, _Grid]]]:
    """Of two fields by the nearest neighbours; or by all around, a fifth and a twentieth of them."""
    near = [neighbours(one, border) for one in (a, b)]
    yield "4 neighbours", (near[0] - 2 * a.ndim * a, near[1] - 2 * a.ndim * b)
    if a.ndim == 2:
        made = []
        for one, total in zip((a, b), near, strict=True):
            corners = sum(shifted(shifted(one, 0, i, border), 1, j, border) for i, j in product((-1, 1), repeat=2))
            made.append(0.2 * total + 0.05 * corners - one)
        yield "8 neighbours", (made[0], made[1])


@vague("divergence")
def _divergence(problem: Problem) -> Iterator[Formula]:
    """Half of the differences across each element of two fields, with either sign, by a width or a rate of the grid."""
    for (u, v), (across, down) in _same(problem, 2):
        if across.ndim != 2:
            continue
        for border in _BORDERS:
            first, second = (
                shifted(one, axis, 1, border) - shifted(one, axis, -1, border) for one, axis in ((across, 1), (down, 0))
            )
            widths = [1.0, *across.shape, *problem.factors]
            for width, power, sign in product(dict.fromkeys(widths), (1, -1), (0.5, -0.5)):
                scale = sign * width**power if width else 0.0
                text = f"{scale:g} * differences of {u.name} and {v.name}, {border}"
                held = [(one.name, one.flat.reshape(across.shape)) for one in problem.like if one not in (u, v)]
                yield from _bordered(text, scale * (first + second), held)


#: The parameters of a chip in three dimensions, of its heat and of what flows from each side.
_SIDES = {"ce": (2, 1), "cw": (2, -1), "cn": (1, -1), "cs": (1, 1), "ct": (0, 1), "cb": (0, -1)}


def _numbers(problem: Problem) -> Mapping[str, float]:
    """The numbers that are passed by the last part of their names, in lower case."""
    return {name.lower().rpartition(".")[2]: float(value) for name, value in problem.numbers.items()}


@function("hotspot", "hotspot opt", "hotspot3d", "hotspot 3d", "calculate temp")
def _hotspot(problem: Problem) -> Iterator[Formula]:
    """Temperatures of a chip after a step, by its power and the resistances or rates that arguments are named after."""
    of = _numbers(problem)
    for (t, p), (heat, power) in _same(problem, 2):
        names = f"of {t.name} and {p.name}"
        if {*_SIDES, "cc"} <= of.keys() and {"sdc", "stepdivcap"} & of.keys() and heat.ndim == 3:
            flows = sum(of[side] * shifted(heat, axis, by) for side, (axis, by) in _SIDES.items())
            made = of["cc"] * heat + flows + of.get("sdc", of.get("stepdivcap", 0.0)) * power + of["ct"] * _AMBIENT
            yield Formula(f"a step {names}", made.reshape(-1))
        keys = [key for key in ("cap", "rx", "ry", "rz") if key in of]
        step = next((of[key] for key in ("step", "step_div_cap") if key in of), None)
        if len(keys) == 4 and step is not None and heat.ndim == 2 and all(of[key] for key in keys):
            down, across = (shifted(heat, axis, 1) + shifted(heat, axis, -1) - 2 * heat for axis in (0, 1))
            flows = power + down / of["ry"] + across / of["rx"] + (_AMBIENT - heat) / of["rz"]
            if of.get("iteration", 1) == 1:
                yield Formula(f"a step {names}", (heat + step / of["cap"] * flows).reshape(-1))


@function("pathfinder", "dynproc", "dyn proc", "path finder")
def _least_path(problem: Problem) -> Iterator[Formula]:
    """The least costs of paths down a wall, from row to row by one place at most, after so many rows."""
    width = problem.size
    for wall, start in permutations(problem.inputs, 2):
        rows = wall.size // width
        if start.size != width or wall.size % width or width < 2:
            continue
        for first, count in product(dict.fromkeys((0, *problem.whole)), dict.fromkeys((1, *problem.whole))):
            if first >= 0 and 0 < count <= rows - first:
                cost = start.flat
                for row in wall.flat.reshape(rows, width)[first : first + count]:
                    cost = row + np.minimum(np.minimum(shifted(cost, 0, -1), shifted(cost, 0, 1)), cost)
                text = f"{count} rows of {wall.name} from row {first} by way of {start.name}"
                yield Formula(f"least costs of {text}", cost)


@function("fdtd step", "fdtd", "fdtd2d", "fdtd 2d")
def _electric(problem: Problem) -> Iterator[Formula]:
    """Half a step of the fields ex and ey by hz, or 0.7 of one of hz by both, of so many elements or called so."""
    for one, other, last in combinations(problem.floats, 3):
        ex, ey, hz = one.flat, other.flat, last.flat
        rows, columns = ex.size - hz.size, ey.size - hz.size
        if rows > 0 and rows * columns == hz.size:
            yield from _half_steps(problem, ex.reshape(rows, -1), ey.reshape(-1, columns), hz.reshape(rows, columns))
        called = tuple(array.name.lower().strip("_") for array in (one, other, last)) == ("ex", "ey", "hz")
        for grid in grids(problem, last) if called and ex.size == ey.size == hz.size else ():
            if grid.ndim == 2:
                yield from _half_steps(problem, ex.reshape(grid.shape), ey.reshape(grid.shape), grid)


def _half_steps(problem: Problem, ex: _Grid, ey: _Grid, hz: _Grid) -> Iterator[Formula]:
    """The first row of ey is what a source has at a time that is passed, or is kept."""
    rows, columns = hz.shape
    right, low = ex.copy(), ey.copy()
    right[:, 1:columns] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
    low[1:rows] -= 0.5 * (hz[1:] - hz[:-1])
    yield Formula("ex - 0.5 * (hz - hz left)", right.reshape(-1))
    yield Formula("ey - 0.5 * (hz - hz above)", low.reshape(-1))
    for source, t in product(problem.inputs, problem.whole):
        if 0 <= t < source.size:
            low[0] = source.flat[t]
            yield Formula(f"ey - 0.5 * (hz - hz above), {source.name}[{t}] above", low.reshape(-1).copy())
    made, inner = hz.copy(), (slice(0, min(rows, len(ey) - 1)), slice(0, min(columns, ex.shape[1] - 1)))
    y, x = inner
    turn = ex[y, 1 : x.stop + 1] - ex[y, x] + ey[1 : y.stop + 1, x] - ey[y, x]
    made[inner] -= 0.7 * turn
    yield Formula("hz - 0.7 * (ex right - ex + ey below - ey)", made.reshape(-1))
