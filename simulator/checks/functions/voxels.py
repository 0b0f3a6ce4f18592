"""Functions of points in boxes and in voxels."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from .problem import Formula, Input, Problem, function, vague

#: Pairs of points and boxes, at most.
_MOST_PAIRS = 1 << 22
#: How far outside of a box a point still is inside.
_MARGIN = 1e-5


@vague("points in boxes")
def _inside(problem: Problem) -> Iterator[Formula]:
    """Whether points are in each box (x, y, z, dx, dy, dz, angle), or the first one that they are in, or -1.

    The middle of a box has its z, or the ground of it.
    """
    for points, boxes in permutations(problem.floats, 2):
        for batch in dict.fromkeys((*points.axes[:1], 1, *problem.whole)):
            if batch < 1 or points.size % (3 * batch) or boxes.size % (7 * batch):
                continue
            at, box = points.flat.reshape(batch, -1, 1, 3), boxes.flat.reshape(batch, 1, -1, 7)
            if problem.size % (batch * at.shape[1]) or at.shape[1] * box.shape[2] * batch > _MOST_PAIRS:
                continue
            off, sine, cosine = at - box[..., :3], np.sin(-box[..., 6]), np.cos(-box[..., 6])
            x, y = off[..., 0] * cosine - off[..., 1] * sine, off[..., 0] * sine + off[..., 1] * cosine
            half = box[..., 3:6] / 2
            for how, z in (("", off[..., 2]), (" on the ground", off[..., 2] - half[..., 2])):
                inside = np.abs(z) <= half[..., 2]
                inside &= (np.abs(x) < half[..., 0] + _MARGIN) & (np.abs(y) < half[..., 1] + _MARGIN)
                first = np.where(inside.any(axis=2), inside.argmax(axis=2), -1)
                text = f"{points.name} in {boxes.name}{how}"
                yield Formula(f"first box of {text}", first.reshape(-1))
                yield Formula(f"{text}", inside.reshape(-1))


@function("voxel pooling")
def _pooling(problem: Problem) -> Iterator[Formula]:
    """The sums of the rows of points in each voxel (x, y) of each batch; whatever their z is, if it is inside."""
    passed = problem.counts
    for x, at in permutations(problem.inputs, 2):
        if at.values.dtype.kind not in "iu" or at.size % 3 or not at.size or x.size % (at.size // 3):
            continue
        rows, voxel = x.flat.reshape(at.size // 3, -1), at.values.reshape(-1, 3).astype(np.int64)
        for batch in (n for n in problem.whole if n > 0 and len(voxel) % n == 0):
            image = np.arange(batch).repeat(len(voxel) // batch)
            for wide, high, deep in zip(passed, passed[1:], passed[2:], strict=False):
                if problem.size == batch * high * wide * rows.shape[1]:
                    inside = ((voxel >= 0) & (voxel < (wide, high, deep))).all(axis=1)
                    made = np.zeros((batch * high * wide, rows.shape[1]))
                    np.add.at(made, ((image * high + voxel[:, 1]) * wide + voxel[:, 0])[inside], rows[inside])
                    yield Formula(f"{x.name} added up by {at.name}, {high}x{wide}", made.reshape(-1))


@function("roiaware avg pool backward", "roiaware max pool backward")
def _aware_back(problem: Problem) -> Iterator[Formula]:
    """What comes back to the rows of points, of means by lists that begin with a count, or of the largest by theirs."""
    for coming, index in permutations(problem.inputs, 2):
        if coming.values.dtype.kind in "iu" or index.values.dtype.kind not in "iu" or not coming.size:
            continue
        for channels in dict.fromkeys((*coming.axes[-1:], *problem.whole)):
            if channels < 1 or coming.size % channels or problem.size % channels:
                continue
            rows, at = coming.flat.reshape(-1, channels), index.values.astype(np.int64)
            made = np.zeros((problem.size // channels, channels))
            if at.size == coming.size and at.max() < len(made):
                place = at.reshape(-1, channels)
                inside = place >= 0
                np.add.at(
                    made, (place[inside], np.broadcast_to(np.arange(channels), place.shape)[inside]), rows[inside]
                )
                yield Formula(f"{coming.name} back to {index.name}", made.reshape(-1))
            elif at.size % len(rows) == 0 and at.size > len(rows) and at.max() < max(len(made), at.size):
                yield from _back_of_lists(coming, index, rows, at.reshape(len(rows), -1), made)


def _back_of_lists(
    coming: Input, index: Input, rows: np.ndarray, lists: np.ndarray, made: np.ndarray
) -> Iterator[Formula]:
    listed = np.arange(1, lists.shape[1]) <= lists[:, :1]
    voxel, place = np.nonzero(listed)
    to = lists[voxel, place + 1]
    if len(to) and to.min() >= 0 and to.max() < len(made):
        np.add.at(made, to, rows[voxel] / lists[voxel, :1])
        yield Formula(f"{coming.name} back to the lists of {index.name}", made.reshape(-1))


@vague("dynamic voxelize")
def _voxels(problem: Problem) -> Iterator[Formula]:
    """The voxels (z, y, x) of points: whole sizes between bounds; -1 of points outside, or all of these."""
    numbers = [*problem.factors]
    tables = [one.flat for one in problem.floats if one.size in (3, 6)]
    if len(numbers) >= 9:
        tables += [np.array(numbers[:3]), np.array(numbers[3:9])]
    sizes, bounds = [one for one in tables if len(one) == 3], [one for one in tables if len(one) == 6]
    for x in problem.floats:
        if problem.size % 3 or x.size % (problem.size // 3) or x.size < problem.size or not sizes or not bounds:
            continue
        points = x.flat.reshape(problem.size // 3, -1)[:, :3].astype(np.float32)
        low, high = (bounds[0][at : at + 3].astype(np.float32) for at in (0, 3))
        size = sizes[0].astype(np.float32)
        at, grid = np.floor((points - low) / size), np.round((high - low) / size)
        good = (at >= 0) & (at < grid)
        text = f"voxels of {x.name}"
        none = np.where(good.all(axis=1, keepdims=True), at, -1)[:, ::-1]
        each = np.where(np.logical_and.accumulate(good, axis=1), at, -1)[:, ::-1]
        for made in (none, each):
            yield Formula(text, made.reshape(-1))
            yield Formula(f"{text}, by axis", made.T.reshape(-1))
