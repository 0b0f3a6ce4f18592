"""Rays through volumes: where they enter and leave, what they gather on their way; codes of cells; bits of cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, also, function, of_all_results, spelled, vague

#: What stands for a ray that misses a box.
_MISSED = (float(np.finfo(np.float32).max), -1.0, 0.0, np.inf, 1e10, 1e9)
#: Samples and rays that are followed, at most.
_MOST_SAMPLES = 1 << 16
#: Colours of a sample.
_COLOURS = 3


def _rays(problem: Problem) -> Iterator[tuple[Input, Input, np.ndarray, np.ndarray]]:
    """Two arrays of three coordinates: the origins of rays and their directions."""
    for origins, ways in permutations(problem.floats, 2):
        if origins.size == ways.size and origins.size % 3 == 0:
            yield origins, ways, origins.flat.reshape(-1, 3), ways.flat.reshape(-1, 3)


of_all_results("near far from aabb", "composite rays", "composite rays train backward")


@function("near far from aabb")
def _entered(problem: Problem) -> Iterator[Formula]:
    """Where rays enter and leave a box (least corner, greatest corner), not before a distance that is passed."""
    for origins, ways, o, d in _rays(problem):
        for box in (one for one in problem.floats if one.size == 6):
            if problem.size not in (len(o), 2 * len(o)):
                continue
            low, high = ((box.flat.reshape(2, 1, 3) - o) / d)[[0, 1]]
            near, far = np.minimum(low, high).max(axis=1), np.maximum(low, high).min(axis=1)
            for least, missed in product((-np.inf, 0.0, *problem.factors), _MISSED):
                there = (near <= far) & ((far >= 0) | (missed > 0))
                ends = np.where(there, [np.maximum(near, least), far], missed)
                text = f"of the box {box.name} on {origins.name} + t * {ways.name}, from {least:g}, or {missed:g}"
                if problem.size == 2 * len(o):
                    yield Formula(f"both ends {text}", ends.T.reshape(-1))
                for title, values in zip(("near end", "far end"), ends, strict=True):
                    yield Formula(f"{title} {text}", values)


spelled(
    "near far from aabb",
    "ray aabb intersect, ray aabb intersection, ray box intersect, ray box intersection, intersect aabb, intersect box",
)


@function("sph from ray")
def _on_a_sphere(problem: Problem) -> Iterator[Formula]:
    """Polar and azimuthal angle, both in -1..1, of where rays leave a sphere of a radius around 0."""
    for (origins, ways, o, d), radius in product(_rays(problem), problem.factors):
        a, b, c = (d * d).sum(axis=1), (o * d).sum(axis=1), (o * o).sum(axis=1) - radius**2
        x, y, z = (o + ((np.sqrt(b * b - a * c) - b) / a)[:, None] * d).T
        made = np.stack([2 * np.arctan2(np.hypot(x, z), y) / np.pi - 1, np.arctan2(z, x) / np.pi], axis=1)
        yield Formula(f"angles of {origins.name} + t * {ways.name} at radius {radius:g}", made.reshape(-1))


def _spread(x: np.ndarray, axes: int) -> np.ndarray:
    """The bits of numbers, each followed by zeros for the other axes."""
    made = np.zeros(x.shape, np.uint64)
    for bit in range(64 // axes):
        made |= ((x >> np.uint64(bit)) & np.uint64(1)) << np.uint64(axes * bit)
    return made


def _cells(problem: Problem) -> Iterator[tuple[str, Sequence[np.ndarray]]]:
    """The coordinates of cells, of two axes or three: whole numbers, or numbers in 0..1 of a grid of 2^10 cells."""
    for one, axes in product(problem.inputs, (3, 2)):
        if one.size == axes * problem.size:
            whole = one.flat if one.values.dtype.kind in "iu" else np.clip(one.flat * 1024, 0, 1023)
            yield one.name, list(whole.astype(np.uint64).reshape(-1, axes).T)
    for count in (3, 2):
        arrays = [one for one in problem.like if one.values.dtype.kind in "iu"][:count]
        if len(arrays) == count:
            yield ", ".join(one.name for one in arrays), [one.index.astype(np.uint64) for one in arrays]


@function("morton")
def _interleaved(problem: Problem) -> Iterator[Formula]:
    """The bits of the coordinates in turn; those of the first are the lowest, or the highest."""
    for name, cells in _cells(problem):
        parts = [_spread(x, len(cells)) for x in cells]
        for how, order in (("lowest", parts), ("highest", parts[::-1])):
            made = np.bitwise_or.reduce([part << np.uint64(at) for at, part in enumerate(order)])
            yield Formula(f"bits of {name} in turn, those of the first {how}", made.astype(np.float64))


@function("morton invert")
def _taken_apart(problem: Problem) -> Iterator[Formula]:
    """The coordinates whose bits are in a number in turn; those of the first are the lowest, or the highest."""
    for one, axes in product(problem.integers, (3, 2)):
        if problem.size != axes * one.size:
            continue
        code, parts = one.index.astype(np.uint64), []
        for at in range(axes):
            bits = range(64 // axes)
            taken = [((code >> np.uint64(axes * bit + at)) & np.uint64(1)) << np.uint64(bit) for bit in bits]
            parts.append(np.bitwise_or.reduce(taken))
        for how, order in (("lowest", parts), ("highest", parts[::-1])):
            made = np.stack(order, axis=1).astype(np.float64).reshape(-1)
            yield Formula(f"each {axes}. bit of {one.name}, those of the first {how}", made)


spelled("morton", "morton encode, morton code, morton codes, encode morton, points to morton, z order")
spelled("morton invert", "morton decode, decode morton, morton to points, inverse morton")


@function("packbits")
def _bits(problem: Problem) -> Iterator[Formula]:
    """A byte of each eight numbers: whether they are above a bound, the first in the lowest bit or in the highest."""
    for one in problem.inputs:
        if one.size != 8 * problem.size:
            continue
        for bound in dict.fromkeys((*problem.factors, 0.0, min((*problem.factors, 0.01)))):
            above = (one.flat > bound).reshape(-1, 8)
            for how, weights in (("lowest", 1 << np.arange(8)), ("highest", 128 >> np.arange(8))):
                yield Formula(f"{one.name} > {bound:g} as bits, the first {how}", above @ weights)


spelled("packbits", "pack bits, grid to bitfield, packbit")


def _sampled(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray, bool]]:
    """The density of each sample times its length; how far it is along its ray; whether that is yet to be added up.

    Lengths and steps [n, 2], the latter to be added up; distances and lengths [n, 2]; or arrays of both.
    """
    flat = [one for one in problem.floats if one.size <= _MOST_SAMPLES]
    for sigma, both in permutations(flat, 2):
        if both.size == 2 * sigma.size:
            a, b = both.flat.reshape(-1, 2).T
            yield f"{sigma.name}, {both.name}", sigma.flat * a, b, True
            yield f"{sigma.name} at {both.name}", sigma.flat * b, a, False
    for sigma, lengths, far in permutations(flat, 3):
        if sigma.size == lengths.size == far.size:
            yield f"{sigma.name}, {lengths.name} at {far.name}", sigma.flat * lengths.flat, far.flat, False


def _sections(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The first sample and the number of samples of each ray: [rays, (ray, first, number)] or [rays, (first, number)].

    In the order of their rays.
    """
    for table in problem.integers:
        if table.size % 3 == 0:
            ray, first, count = table.index.reshape(-1, 3).T
            if sorted(ray.tolist()) == list(range(len(ray))):
                order = np.argsort(ray)
                yield table.name, first[order], count[order]
        if table.size % 2 == 0:
            first, count = table.index.reshape(-1, 2).T
            yield table.name, first, count


def shares(depth: np.ndarray, least: float) -> tuple[np.ndarray, np.ndarray]:
    """The share of light that each sample sends, and what passes it; none behind one that lets less through."""
    passed = np.exp(-np.cumsum(depth))
    before = np.concatenate([[1.0], passed])[:-1]
    there = np.concatenate([[True], ~np.logical_or.accumulate(passed < least)])[:-1]
    return np.where(there, before - passed, 0), passed


@dataclass(frozen=True)
class _Ray:
    """The places of its samples, the share of each and what passes it, how far they are."""

    at: slice
    share: np.ndarray
    passed: np.ndarray
    far: np.ndarray


def _gathered(problem: Problem) -> Iterator[tuple[str, Sequence[_Ray], int]]:
    """The rays of a table, and how many samples there are."""
    bounds = dict.fromkeys((*problem.factors, 0.0))
    for (name, depth, far, added), (table, first, count) in product(_sampled(problem), _sections(problem)):
        if (first < 0).any() or (count < 0).any() or (first + count > len(depth)).any():
            continue
        for least in bounds:
            rays = []
            for begin, n in zip(first.tolist(), count.tolist(), strict=True):
                at = slice(begin, begin + n)
                apart = np.cumsum(far[at]) if added else far[at]
                rays.append(_Ray(at, *shares(depth[at], least), apart))
            yield f"{name} of rays {table}, down to {least:g}", rays, len(depth)


@function("composite rays")
def _composed(problem: Problem) -> Iterator[Formula]:
    """The shares of all samples of each ray together, their mean distance, and their colours."""
    for text, rays, count in _gathered(problem):
        if problem.size == len(rays):
            yield Formula(f"opacities by {text}", np.array([ray.share.sum() for ray in rays]))
            yield Formula(f"distances by {text}", np.array([ray.share @ ray.far for ray in rays]))
        for rgb in problem.floats:
            if problem.size == _COLOURS * len(rays) and rgb.size == _COLOURS * count:
                colours = rgb.flat.reshape(-1, _COLOURS)
                made = np.array([ray.share @ colours[ray.at] for ray in rays])
                yield Formula(f"{rgb.name} by {text}", made.reshape(-1))


spelled(
    "composite rays",
    "composite rays train, composite rays train forward, composite train, volume rendering train, composite train fw",
)


@also("composite rays")
def _composed_on(problem: Problem) -> Iterator[Formula]:
    """What rays that are still followed have gathered after some more samples each, from what they had before.

    Densities, colours and (length, step) of [rays, samples]; a step of no length is none.
    """
    for (alive, (sigma, pairs)), count in product(
        product(problem.integers, permutations(problem.floats, 2)), problem.counts
    ):
        n, at = alive.size, alive.index
        if sigma.size != n * count or pairs.size != 2 * sigma.size or at.min() < 0:
            continue
        for least, whole in product((*problem.factors, 0.0), (problem.size, problem.size // _COLOURS)):
            if at.max() < whole:
                depth, steps = sigma.flat.reshape(n, count), pairs.flat.reshape(n, count, 2)
                yield from _states(problem, (at, whole), (depth * steps[..., 0], steps), least)


def _states(
    problem: Problem, rays: tuple[np.ndarray, int], given: tuple[np.ndarray, np.ndarray], least: float
) -> Iterator[Formula]:
    """Opacities, distances, means of distances and colours of all rays, of which some go on."""
    (at, whole), (depth, steps) = rays, given
    blank = Input("0", np.zeros(whole))
    held = [*(one for one in problem.floats if one.size == whole), blank]
    text = f"after {depth.shape[1]} samples, down to {least:g}"
    for opacity in held:
        share, total = np.zeros(depth.shape), opacity.flat[at].copy()
        ended = np.zeros(len(at), bool)
        for k in range(depth.shape[1]):
            ended |= steps[:, k, 0] == 0
            passed = 1 - total
            share[:, k] = np.where(ended, 0, (1 - np.exp(-depth[:, k])) * passed)
            total = total + share[:, k]
            ended |= passed < least
        yield Formula(f"opacities {opacity.name} {text}", _with(opacity.flat, at, total))
        for far, mean in permutations(held, 2):
            apart = far.flat[at][:, None] + np.cumsum(steps[..., 1], axis=1)
            added = mean.flat[at] + (share * apart).sum(axis=1)
            yield Formula(f"distances {mean.name} from {far.name} {text}", _with(mean.flat, at, added))
            yield Formula(f"{far.name} {text}", _with(far.flat, at, np.where(ended, far.flat[at], apart[:, -1])))
        for rgb in (one for one in problem.floats if one.size == _COLOURS * depth.size):
            made = (share[..., None] * rgb.flat.reshape(*depth.shape, _COLOURS)).sum(axis=1)
            for image in (*problem.like, Input("0", np.zeros(problem.size))):
                if image.size == _COLOURS * whole:
                    before = image.flat.reshape(-1, _COLOURS)
                    yield Formula(f"{image.name} with {rgb.name} {text}", _with(before, at, before[at] + made))


def _with(values: np.ndarray, at: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Values of which some are new."""
    made = values.copy()
    made[at] = new
    return made.reshape(-1)


@function("composite rays train backward")
def _composed_back(problem: Problem) -> Iterator[Formula]:
    """Gradients of the colours and of the densities of all samples, by those of rays, and what these have become."""
    for text, rays, count in _gathered(problem):
        colours = [one for one in problem.floats if one.size == _COLOURS * count]
        images = [one for one in problem.floats if one.size == _COLOURS * len(rays)]
        if problem.size == _COLOURS * count:
            for coming in images:
                made = np.zeros((count, _COLOURS))
                for ray, back in zip(rays, coming.flat.reshape(-1, _COLOURS), strict=True):
                    made[ray.at] = ray.share[:, None] * back
                yield Formula(f"{coming.name} to colours by {text}", made.reshape(-1))
        sums = [one for one in problem.floats if one.size == len(rays)]
        for rgb, (coming, image) in product(colours, permutations(images, 2)) if problem.size == count else ():
            for pair in ((), *permutations(sums, 2)):
                yield from _to_densities(problem, text, rays, (rgb, coming, image, *pair))


def _to_densities(problem: Problem, text: str, rays: Sequence[_Ray], given: Sequence[Input]) -> Iterator[Formula]:
    """A sample adds its colour to what passes it, and takes from the colours behind it; so with the opacity of a ray.

    Colours of samples, gradients and colours of rays; gradients and opacities of rays, if these have any.
    """
    colours, grad, image = (one.flat.reshape(-1, _COLOURS) for one in given[:3])
    for lengths in problem.floats:
        if lengths.size not in (problem.size, 2 * problem.size):
            continue
        for which in range(lengths.size // problem.size):
            made, each = np.zeros(problem.size), lengths.flat.reshape(problem.size, -1)[:, which]
            for at, ray in enumerate(rays):
                before = np.cumsum(ray.share[:, None] * colours[ray.at], axis=0)
                added = (ray.passed[:, None] * colours[ray.at] - (image[at] - before)) @ grad[at]
                added += given[3].flat[at] * (1 - given[4].flat[at]) if given[3:] else 0
                made[ray.at] = np.where(ray.share > 0, each[ray.at] * added, 0)
            name = ", ".join(one.name for one in given)
            yield Formula(f"{name} to densities by {text}, {lengths.name}", made)


spelled(
    "composite rays train backward", "composite train backward, volume rendering train backward, composite train bw"
)


def _lit(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """The share of light of each sample of rays [rays, samples], by densities and lengths, or by opacities."""
    for alpha in problem.floats:
        for text, rows in problem.along_axes(alpha):
            if rows.shape[2] == 1 and rows.shape[1] > 1:
                kept = 1 - rows[:, :, 0]
                passed = np.cumprod(np.concatenate([np.ones((len(kept), 1)), kept], axis=1), axis=1)
                yield f"opacities {alpha.name} {text}", passed[:, :-1] - passed[:, 1:]
        for lengths in problem.floats:
            if lengths is alpha or lengths.size != alpha.size:
                continue
            for text, rows in problem.along_axes(alpha):
                if rows.shape[2] == 1 and rows.shape[1] > 1:
                    depth = (np.maximum(alpha.flat, 0) * lengths.flat).reshape(rows.shape[:2])
                    passed = np.exp(-np.cumsum(np.concatenate([np.zeros((len(depth), 1)), depth], axis=1), axis=1))
                    yield f"{alpha.name} and lengths {lengths.name} {text}", passed[:, :-1] - passed[:, 1:]


@vague("volume rendering")
def _rendered(problem: Problem) -> Iterator[Formula]:
    """The shares of samples, their sums, and means of colours [rays, samples, channels] or distances by them."""
    for text, parts in _lit(problem):
        rays, count = parts.shape
        if problem.size == parts.size:
            yield Formula(f"shares by {text}", parts.reshape(-1))
        if problem.size == rays:
            yield Formula(f"sums of shares by {text}", parts.sum(axis=1))
        for one in problem.floats:
            if problem.size % rays == 0 and one.size == problem.size * count:
                values = one.flat.reshape(rays, count, -1)
                made = (parts[:, :, None] * values).sum(axis=1)
                yield Formula(f"{one.name} by {text}", made.reshape(-1))
                for ground in problem.factors:
                    left = ground * (1 - parts.sum(axis=1, keepdims=True))
                    yield Formula(f"{one.name} on {ground:g} by {text}", (made + left).reshape(-1))


spelled(
    "volume rendering",
    """volume render, volumetric rendering, volumetric render, alpha composite, alpha compositing, render rays,
    composite samples, volume integrate, composite colors, accumulate along rays""",
)
