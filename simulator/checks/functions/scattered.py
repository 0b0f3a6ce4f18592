"""Functions that place rows of one array in another, by indices, and the gradients of those that take them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, vague


@vague("scatter")
@function("scatter add", "index add", "index copy", "embedding backward")
def _scattered(problem: Problem) -> Iterator[Formula]:
    """Rows of an array at the places that indices say in what the output held, or in zeros; the last one counts."""
    for source, index in permutations(problem.inputs, 2):
        if index.values.dtype.kind not in "iu" or not source.size:
            continue
        at = index.index
        width = source.size // at.size if at.size and source.size % at.size == 0 else 0
        if not width or problem.size % width:
            continue
        rows, count = source.flat.reshape(at.size, width), problem.size // width
        inside = (at >= 0) & (at < count)
        kept = [(one.name, one.flat) for one in problem.like if one not in (source, index)]
        for name, held in (*kept, ("zeros", np.zeros(problem.size))):
            placed, added = (held.reshape(count, width).copy() for _ in range(2))
            placed[at[inside]] = rows[inside]
            np.add.at(added, at[inside], rows[inside])
            yield Formula(f"{name} with {source.name} at {index.name}", placed.reshape(-1))
            yield Formula(f"{name} with {source.name} added at {index.name}", added.reshape(-1))


def _in_channels(problem: Problem, points: Input, index: Input, each: int) -> Iterator[np.ndarray]:
    """Points [batch, channels, n] at indices [batch, m] of each batch, [batch, channels, m], ``each`` by each."""
    for batch in dict.fromkeys((*points.axes[:1], 1, *problem.whole)):
        if batch < 1 or index.size % (batch * each) or points.size % batch:
            continue
        at = index.values.reshape(batch, -1).astype(np.int64)
        for channels in dict.fromkeys((*points.axes[1:2], *problem.whole)):
            if channels > 0 and points.size % (batch * channels) == 0:
                rows = points.flat.reshape(batch, channels, -1)
                if int(at.min()) >= 0 and int(at.max()) < rows.shape[2]:
                    yield np.take_along_axis(rows, at[:, None], 2)


@function("gather points", "group points")
def _gathered(problem: Problem) -> Iterator[Formula]:
    """Elements of each channel at the indices of its batch."""
    for points, index in permutations(problem.inputs, 2):
        if index.values.dtype.kind in "iu" and index.size:
            for made in _in_channels(problem, points, index, 1):
                if made.size == problem.size:
                    yield Formula(f"{points.name} of each channel at {index.name}", made.reshape(-1))


def _back(problem: Problem, coming: Input, index: Input, each: int) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """What lies in channels [batch, channels, m], the indices [batch, m * each], and zeros [batch, channels, n]."""
    for batch, channels in product(dict.fromkeys((*coming.axes[:1], 1, *problem.whole)), repeat=2):
        if min(batch, channels) < 1 or index.size % (batch * each) or problem.size % (batch * channels):
            continue
        at = index.values.reshape(batch, 1, -1).astype(np.int64)
        count = problem.size // (batch * channels)
        if coming.size * each == channels * index.size and int(at.min()) >= 0 and int(at.max()) < count:
            rows = coming.flat.reshape(batch, channels, -1)
            yield f"{coming.name} of {channels} channels", rows, np.broadcast_to(at, (batch, channels, at.shape[2]))


def _added(problem: Problem, at: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Rows [batch, channels, m] added up at their indices."""
    batch, channels, _ = at.shape
    made = np.zeros((batch, channels, problem.size // (batch * channels)))
    np.add.at(made, (np.arange(batch)[:, None, None], np.arange(channels)[:, None], at), rows)
    return made.reshape(-1)


@function("gather points backward", "group points backward")
def _gathered_back(problem: Problem) -> Iterator[Formula]:
    for coming, index in permutations(problem.inputs, 2):
        if index.values.dtype.kind in "iu" and index.size:
            for text, rows, at in _back(problem, coming, index, 1):
                yield Formula(f"{text} added up at {index.name}", _added(problem, at, rows))


@function("three interpolate backward")
def _interpolated_back(problem: Problem) -> Iterator[Formula]:
    for coming, index, weights in permutations(problem.inputs, 3):
        if index.values.dtype.kind in "iu" and index.size == weights.size and weights.values.dtype.kind not in "iu":
            for text, rows, at in _back(problem, coming, index, 3):
                parts = rows.repeat(3, axis=2) * weights.flat.reshape(len(at), 1, -1)
                yield Formula(f"{weights.name} * {text} added up at {index.name}", _added(problem, at, parts))


@function("three interpolate")
def _interpolated(problem: Problem) -> Iterator[Formula]:
    """The sum of three elements of each channel, by indices and weights of its batch."""
    for points, index, weights in permutations(problem.inputs, 3):
        if index.values.dtype.kind in "iu" and index.size == weights.size and weights.values.dtype.kind not in "iu":
            for made in _in_channels(problem, points, index, 3):
                batch, channels, _ = made.shape
                parts = made * weights.flat.reshape(batch, 1, -1)
                summed = parts.reshape(batch, channels, -1, 3).sum(axis=3)
                if summed.size == problem.size:
                    yield Formula(f"{weights.name} * {points.name} at {index.name}", summed.reshape(-1))


@function("tin shift")
def _shifted(problem: Problem) -> Iterator[Formula]:
    """[batch, time, channels, inner], the channels of each group moved along time; 0 where there is nothing."""
    for x, shift in product(problem.like, problem.inputs):
        if shift.values.dtype.kind not in "iu" or len(shift.values.shape) != 2 or len(x.values.shape) < 3:
            continue
        batch, time, channels = x.values.shape[:3]
        groups = shift.values.shape[1]
        if shift.values.shape[0] != batch or channels % groups:
            continue
        whole = x.flat.reshape(batch, time, groups, -1, math.prod(x.values.shape[3:]))
        for direction in (1, -1):
            at = np.arange(time)[None, :, None] - direction * shift.values.astype(np.int64)[:, None]
            inside = (at >= 0) & (at < time)
            moved = np.take_along_axis(whole, np.where(inside, at, 0)[..., None, None], 1)
            yield Formula(f"{x.name} moved by {shift.name}", (moved * inside[..., None, None]).reshape(-1))
