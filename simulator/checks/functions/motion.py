"""Steps of particles and fields, potentials of charges, and pictures of sets: what physics and lessons compute."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice, pairwise, permutations, product

import numpy as np

from .problem import FUNCTIONS, Formula, Input, Problem, function, of_all_results, spelled, vague
from .stencils import edged, grids

#: Pairs of particles, of points and charges, and pixels times steps, at most.
_MOST_PAIRS, _MOST_STEPS = 1 << 23, 1 << 23
#: Radius and share by which agents of a flock turn to their neighbours.
_FLOCK = (5.0, 0.05)

of_all_results("fhd", "compute mu", "update agents")


@function("fhd", "compute q")
def _of_samples(problem: Problem) -> Iterator[Formula]:
    """Sums over samples of weights times exp(2 pi i k * x), real or imaginary; coordinates are in order."""
    n = problem.size
    points = [one.flat for one in problem.floats if one.size == n]
    counts = dict.fromkeys(one.size for one in problem.floats if one.size != n) or {n: None}
    for m in counts:
        samples = [one for one in problem.floats if one.size == m]
        for first, at in product(range(len(samples) - 2), range(len(points) - 2)):
            k, x = (np.stack([one.flat for one in samples[first : first + 3]]), np.stack(points[at : at + 3]))
            if k.shape[1] * n > _MOST_PAIRS:
                return
            rest = [*samples[:first], *samples[first + 3 :]]
            wave = np.exp(2j * np.pi * (x.T @ k))
            weights = [(one.name, one.flat.astype(complex)) for one in rest]
            weights += [
                (f"{a.name}^2 + {b.name}^2", (a.flat**2 + b.flat**2).astype(complex)) for a, b in permutations(rest, 2)
            ]
            weights = [(f"({a.name}, {b.name})", a.flat + 1j * b.flat) for a, b in permutations(rest, 2)] + weights
            for name, by in weights:
                made = wave @ by
                yield Formula(f"real part of {name}", made.real)
                yield Formula(f"imaginary part of {name}", made.imag)


spelled("fhd", "compute fhd, fhd kernel, cmp fhd, computefhd")
spelled("compute q", "computeq, compute q gpu")


@function("compute mu")
def _conjugated(problem: Problem) -> Iterator[Formula]:
    """The product of two complex numbers, the first one conjugated: real or imaginary part."""
    for re, im, x, y in combinations(problem.like, 4):
        for p, q, r, s in ((re, im, x, y), (re, x, im, y)):
            text = f"conj({p.name}, {q.name}) * ({r.name}, {s.name})"
            yield Formula(f"real part of {text}", p.flat * r.flat + q.flat * s.flat)
            yield Formula(f"imaginary part of {text}", p.flat * s.flat - q.flat * r.flat)


spelled("compute mu", "compute rho phi, computerhophi, rho phi, cmp mu")


@function("coulomb potential")
def _potential(problem: Problem) -> Iterator[Formula]:
    """Of charges [n, (x, y, z, charge)] at points of a plane that are equally far apart, or at points [m, 3]."""
    for atoms in problem.floats:
        for at, points in _plane(problem, atoms) if atoms.size % 4 == 0 else ():
            charges = atoms.flat.reshape(-1, 4)
            if len(points) * len(charges) > _MOST_PAIRS:
                continue
            far = np.sqrt(((points[:, None] - charges[:, :3]) ** 2).sum(axis=2))
            for least in (0.0, 1e-3):
                made = np.where(far > least, charges[:, 3] / np.where(far > least, far, 1), 0).sum(axis=1)
                text = f"potential of {atoms.name} {at}"
                yield Formula(text, made)
                yield from (Formula(f"{text} + {one.name}", made + one.flat) for one in problem.like)


def _plane(problem: Problem, atoms: Input) -> Iterator[tuple[str, np.ndarray]]:
    for points in problem.floats:
        if points.size == 3 * problem.size and points is not atoms:
            yield f"at {points.name}", points.flat.reshape(-1, 3)
    sizes = [pair for pair in permutations(problem.counts, 2) if pair[0] * pair[1] == problem.size]
    for (high, wide), space, depth in product(dict.fromkeys(sizes), problem.factors, (*problem.factors, 0.0)):
        y, x = np.indices((high, wide)) * space
        yield (
            f"{high}x{wide}, {space:g} apart, at {depth:g}",
            np.stack([x, y, np.full(x.shape, depth)], axis=2).reshape(-1, 3),
        )


spelled(
    "coulomb potential",
    "cenergy, electric potential, direct coulomb summation, coulomb energy, electrostatic potential",
)


@function("update agents")
def _flocked(problem: Problem) -> Iterator[Formula]:
    """Agents (x, y, vx, vy) after a step: speeds turn to the mean of those of neighbours, then places move."""
    for one in problem.like:
        agents, numbers = (
            one.flat.reshape(-1, 4) if one.size % 4 == 0 else np.zeros((0, 4)),
            [_FLOCK, *permutations(problem.factors, 2)],
        )
        if not 0 < len(agents) ** 2 <= _MOST_PAIRS:
            continue
        squares = ((agents[:, None, :2] - agents[None, :, :2]) ** 2).sum(axis=2)
        for radius, share in numbers:
            near = (squares < radius**2) & ~np.eye(len(agents), dtype=bool)
            counts = near.sum(axis=1, keepdims=True)
            mean = (near @ agents[:, 2:]) / np.maximum(counts, 1)
            speeds = np.where(counts > 0, agents[:, 2:] + share * (mean - agents[:, 2:]), agents[:, 2:])
            made = np.concatenate([agents[:, :2] + speeds, speeds], axis=1)
            yield Formula(f"{one.name} within {radius:g} by {share:g}", made.reshape(-1))


spelled("update agents", "multi agent simulation, simulate agents, agent simulation, flocking, multi agent")


@function("allen cahn")
def _separated(problem: Problem) -> Iterator[Formula]:
    """u + dt * (e^2 * Laplacian + u - u^3), the Laplacian passed; the border kept."""
    for u, around in permutations(problem.like, 2):
        for dt, e in permutations(problem.factors, 2):
            made = u.flat + dt * (e * e * around.flat + u.flat - u.flat**3)
            text = f"{u.name} + {dt:g} * ({e:g}^2 * {around.name} + {u.name} - {u.name}^3)"
            yield Formula(text, made)
            for grid in grids(problem, u):
                yield from (
                    Formula(f"{text}, {how}", one.reshape(-1)) for how, one in edged(made.reshape(grid.shape), grid)
                )


spelled("allen cahn", "allen cahn step, allen cahn update, allen cahn step kerne")


def _motions(problem: Problem) -> Sequence[tuple[str, np.ndarray]]:
    """What is added to each number: another one by a step, also over masses, also the mean of two."""
    found: list[tuple[str, np.ndarray]] = []
    steps = dict.fromkeys((*problem.factors, *(0.5 * f for f in problem.factors)))
    for a, dt in product(problem.like, steps):
        found.append((f"{dt:g} * {a.name}", dt * a.flat))
        for masses in problem.floats:
            if masses is not a and problem.size % masses.size == 0 and masses.size > 1:
                by = masses.flat.repeat(problem.size // masses.size)
                found.append((f"{dt:g} * {a.name} / {masses.name}", dt * a.flat / by))
    return found


@vague("update positions", "update velocities", "velocity verlet", "leapfrog", "euler step")
def _stepped(problem: Problem) -> Iterator[Formula]:
    """x + dt * v; x + dt * v + dt^2 / 2 * a; v + dt * a, v + dt / 2 * (a + b); also by masses."""
    motions = _motions(problem)
    for x in problem.like:
        for text, made in motions:
            yield Formula(f"{x.name} + {text}", x.flat + made)
        for (v, a), dt in product(permutations(problem.like, 2), problem.factors):
            yield Formula(
                f"{x.name} + {dt:g} * {v.name} + {dt:g}^2 / 2 * {a.name}", x.flat + dt * v.flat + dt * dt / 2 * a.flat
            )
            yield Formula(f"{x.name} + {dt:g} / 2 * ({v.name} + {a.name})", x.flat + dt / 2 * (v.flat + a.flat))
            yield Formula(f"{x.name} + {dt:g} * ({v.name} + {dt:g} * {a.name})", x.flat + dt * (v.flat + dt * a.flat))


spelled(
    "update positions", "update position, integrate positions, integrate position, move particles, advance positions"
)
spelled("update velocities", "update velocity, integrate velocities, integrate velocity, kick")
spelled("velocity verlet", "verlet, verlet step, velocity verlet step, verlet integration, integrate verlet")
spelled("leapfrog", "leap frog, leapfrog step, leapfrog integration")
spelled("euler step", "euler integration, integrate euler, euler, explicit euler, forward euler, symplectic euler")


@function("kinetic energy")
def _energies(problem: Problem) -> Iterator[Formula]:
    """m / 2 * v^2 of speeds [n, 3], or of three arrays: of each particle, or of all."""
    speeds = [
        (one.name, one.flat.reshape(-1, wide))
        for one in problem.floats
        for wide in (3, 4, 2, 1)
        if one.size % wide == 0
    ]
    speeds += [
        (", ".join(p.name for p in parts), np.stack([p.flat for p in parts], axis=1))
        for parts in permutations(problem.floats, 3)
        if len({p.size for p in parts}) == 1
    ]
    for name, rows in speeds:
        squares = (rows[:, :3] ** 2).sum(axis=1)
        masses = [(one.name, one.flat) for one in problem.floats if one.size == len(rows)]
        masses += [(f"{m:g}", np.full(len(rows), m)) for m in (1.0, *problem.factors)]
        for mass, by in masses:
            made = 0.5 * by * squares
            for values in (made, np.array([made.sum()])):
                if values.size == problem.size:
                    yield Formula(f"{mass} / 2 * |{name}|^2", values)


spelled("kinetic energy", "compute kinetic energy, compute ke, kinetic, calc kinetic energy")


def _plots(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """Complex numbers of the pixels of a picture between bounds that are passed, those of an axis together or not."""
    sizes = [(h, w) for w, h in permutations(problem.counts, 2) if h * w == problem.size]
    for (high, wide), at in product(dict.fromkeys(sizes), range(max(len(problem.factors) - 3, 0))):
        four = problem.factors[at : at + 4]
        row, column = np.indices((high, wide)).astype(float)
        for left, right, low, top in (four, [four[place] for place in (0, 2, 1, 3)]):
            for how, less in (("", 0), (", ends included", 1)):
                x = left + column * (right - left) / max(wide - less, 1)
                y = row * (top - low) / max(high - less, 1)
                text = f"in {left:g}..{right:g}, {low:g}..{top:g}{how}"
                yield f"{text}, upwards", (x + 1j * (low + y)).reshape(-1)
                yield f"{text}, downwards", (x + 1j * (top - y)).reshape(-1)


def _escaped(name: str) -> Callable[[Problem], Iterator[Formula]]:
    """After how many steps z^2 + c is beyond 2, for c or for z in a part of the plane; or as shares of levels."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        sets = [None] if name == "mandelbrot" else [complex(a, b) for a, b in pairwise(problem.factors)]
        for most in (n for n in problem.counts if n > 1 and n * problem.size <= _MOST_STEPS):
            for (where, places), c in product(_plots(problem), sets):
                steps = _steps(places, c, most)
                text = f"steps of {name}{f' of {c:g}' if c is not None else ''} {where}, at most {most}"
                yield Formula(text, steps)
                yield Formula(f"{text}, in 0..255", np.trunc(255 * steps / most))
                yield Formula(f"{text}, 0 for all of them", np.where(steps == most, 0, steps))

    return formulas


def _steps(places: np.ndarray, c: complex | None, most: int) -> np.ndarray:
    z, steps = np.zeros(places.shape, complex) if c is None else places.copy(), np.zeros(places.shape)
    by, left = places if c is None else np.full(places.shape, c), np.arange(places.size)
    for _ in range(most):
        left = left[np.abs(z[left]) <= 2]
        steps[left] += 1
        z[left] = z[left] ** 2 + by[left]
    return steps


vague("mandelbrot")(_escaped("mandelbrot"))
vague("julia")(_escaped("julia"))
spelled("mandelbrot", "mandelbrot set, compute mandelbrot, mandel")
spelled("julia", "julia set, compute julia")


@function("spmv jds")
def _jagged(problem: Problem) -> Iterator[Formula]:
    """A matrix by jagged diagonals: columns, values, the row of each sorted one, and where each diagonal begins."""
    for columns, order, starts in permutations(problem.integers, 3):
        first = starts.index
        fits = order.size == problem.size and starts.may_be_starts() and first[-1] == columns.size
        if not fits or sorted(order.index.tolist()) != list(range(problem.size)):
            continue
        place = np.concatenate([np.arange(n) for n in np.diff(first)])
        for values, x in permutations(problem.floats, 2):
            if values.size == columns.size and columns.index.max() < x.size and place.max() < problem.size:
                parts = values.flat * x.flat[columns.index]
                made = np.zeros(problem.size)
                made[order.index] = np.bincount(place, parts, problem.size)
                text = f"jagged({columns.name}, {values.name}) @ {x.name} in rows {order.name}"
                yield Formula(text, made)
                yield from (Formula(f"{y.name} + {text}", y.flat + made) for y in problem.like if y in problem.floats)


spelled("spmv jds", "jds spmv, jds, spmv jagged diagonal")


@function("ols gram", "ols moment")
def _normal(problem: Problem) -> Iterator[Formula]:
    """X^T X, or X^T y, of samples [n, features]."""
    for x in problem.floats:
        for width in dict.fromkeys((*x.axes[-1:], *problem.whole)):
            if width < 1 or x.size % width:
                continue
            rows = x.flat.reshape(-1, width)
            if problem.size == width * width:
                yield Formula(f"{x.name}^T {x.name}", (rows.T @ rows).reshape(-1))
            for y in problem.floats:
                if y.size == len(rows) and problem.size == width:
                    yield Formula(f"{x.name}^T {y.name}", rows.T @ y.flat)


spelled("ols gram", "xtx, compute xtx, x transpose x, gram matrix, compute gram, ata, compute ata")
spelled("ols moment", "xty, compute xty, x transpose y, compute x transpose y, atb, compute atb")


def _weights(problem: Problem, axes: int) -> Iterator[tuple[str, Sequence[float]]]:
    """Numbers that follow each other, or an array: one for an element and for both neighbours along each axis."""
    count, numbers = 2 * axes + 1, [float(n) for n in problem.numbers.values()]
    for at in range(len(numbers) - count + 1):
        yield ", ".join(f"{n:g}" for n in numbers[at : at + count]), numbers[at : at + count]
    for one in problem.floats:
        if one.size == count:
            yield one.name, one.flat.tolist()


def _has_weights(problem: Problem) -> bool:
    """Whether numbers are passed that are called as weights are: c0, c1, c2."""
    return {"c0", "c1", "c2"} <= {name.lower().rpartition(".")[2] for name in problem.numbers}


@vague("stencil", unless=_has_weights)
def _weighted(problem: Problem) -> Iterator[Formula]:
    """Each element and its neighbours times weights; the border is kept, 0, or what was there. Or a box filter."""
    for x, grid in ((one, grid) for one in problem.like for grid in grids(problem, one)):
        for name, by in _weights(problem, grid.ndim) if min(grid.shape) > 2 else ():
            for order in ((*range(grid.ndim),)[::-1], (*range(grid.ndim),)):
                pairs = zip(order, range(1, len(by), 2), strict=True)
                made = by[0] * grid + sum(
                    by[at] * np.roll(grid, 1, axis) + by[at + 1] * np.roll(grid, -1, axis) for axis, at in pairs
                )
                first = "last" if order[0] else "first"
                text = f"({name}) of {x.name}{list(grid.shape)} and its neighbours, the {first} axis first"
                yield from (Formula(f"{text}, {how}", one.reshape(-1)) for how, one in edged(made, grid))
                for before in (one for one in problem.like if one is not x):
                    for _, one in islice(edged(made, before.flat.reshape(grid.shape)), 1):
                        yield Formula(f"{text}, border {before.name}", one.reshape(-1))
    yield from FUNCTIONS["box filter"](problem)


spelled("stencil", "stencil sweep, stencil 7 point, seven point stencil, stencil7, star stencil, stencil 3d")


@vague("lennard jones")
def _attracted(problem: Problem) -> Iterator[Formula]:
    """Forces on points [n, 3] by all others, 24 e (2 (s/r)^12 - (s/r)^6) / r^2 * d, or energies; within a range."""
    factors = problem.factors
    for points, wide in product(problem.floats, (3, 4)):
        count = points.size // wide
        if points.size % wide or not 1 < count <= 1024 or problem.size not in (count, 3 * count, wide * count):
            continue
        rows = points.flat.reshape(count, wide)[:, :3]
        off = rows[:, None] - rows
        squares = (off**2).sum(axis=2) + np.diag(np.full(count, np.inf))
        for (e, s), most in product(((1.0, 1.0), *permutations(factors, 2)), (np.inf, *factors)):
            sixth = np.where(squares < most**2, (s * s / squares) ** 3, 0)
            text = f"of {points.name}, {e:g}, {s:g}, within {most:g}"
            if problem.size == count:
                yield Formula(f"energies {text}", 4 * e * (sixth**2 - sixth).sum(axis=1))
                yield Formula(f"halves of energies {text}", 2 * e * (sixth**2 - sixth).sum(axis=1))
            else:
                made = np.zeros((count, problem.size // count))
                made[:, :3] = ((24 * e * (2 * sixth**2 - sixth) / squares)[..., None] * off).sum(axis=1)
                yield Formula(f"forces {text}", made.reshape(-1))


spelled(
    "lennard jones", "lj forces, compute lj, lj potential, lennard jones force, lennard jones forces, compute lj forces"
)
