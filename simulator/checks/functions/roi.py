"""Regions of images: their pools, what is sampled in them, and the gradients of these."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function
from .shapes import shapes_of_images

#: Elements of the samples of all regions, at most; samples of a bin along an axis.
_MOST_TAKEN, _MOST_RATIO = 1 << 23, 8


@dataclass(frozen=True)
class ImageAxes:
    """The axes of images, whose channels lie behind their rows and columns, or before them."""

    count: int
    height: int
    width: int
    channels: int
    last: bool

    def rows(self, values: np.ndarray) -> np.ndarray:
        """[images, rows and columns, channels] of the elements of images."""
        if self.last:
            return values.reshape(self.count, -1, self.channels)
        return values.reshape(self.count, self.channels, -1).transpose(0, 2, 1)

    def flat(self, rows: np.ndarray) -> np.ndarray:
        """[any, places, channels] as they lie."""
        return (rows if self.last else rows.transpose(0, 2, 1)).reshape(-1)


@dataclass(frozen=True)
class _Box:
    """Regions: their first corners (x, y) of [region, bin down or 1, bin across or 1], or their centres; sizes (x, y).

    ``angle`` is None where regions are not turned.
    """

    start: np.ndarray
    size: np.ndarray
    angle: np.ndarray | None


@dataclass(frozen=True)
class Taps:
    """Where samples of places are taken: their images, the pixels [place, sample, pixel], the weights of these.

    ``counted`` says which samples there are, where places have not as many as others.
    """

    text: str
    image: np.ndarray
    at: np.ndarray
    weight: np.ndarray
    counted: np.ndarray

    @property
    def shares(self) -> np.ndarray:
        """What each sample counts in the mean of a place, [place, sample]."""
        found: np.ndarray = self.counted / np.maximum(self.counted.sum(axis=1, keepdims=True), 1)
        return found

    def samples(self, rows: np.ndarray) -> np.ndarray:
        """[place, sample, channel]."""
        taken = rows[self.image[:, None, None], self.at]
        found: np.ndarray = (taken * self.weight[..., None]).sum(axis=2)
        return found

    def back(self, images: ImageAxes, shares: np.ndarray, coming: np.ndarray) -> np.ndarray:
        """What comes back to the pixels of images, [images, pixels, channels], of [place, sample or 1, channel]."""
        made = np.zeros((images.count, images.height * images.width, coming.shape[-1]))
        parts = (self.weight * shares[..., None])[..., None] * coming[:, :, None]
        np.add.at(made, (np.broadcast_to(self.image[:, None, None], self.at.shape), self.at), parts)
        return made


def images_of(problem: Problem, shape: tuple[int, ...], size: int) -> Iterator[ImageAxes]:
    shapes = [shape] if len(shape) == 4 else shapes_of_images(problem, size)
    if len(shape) == 5:  # with channels in groups
        shapes = [(*shape[:3], shape[3] * shape[4]), (shape[0], shape[1] * shape[2], *shape[3:])]
    for n, a, b, c in (axes for axes in shapes if len(axes) == 4):
        yield ImageAxes(n, a, b, c, last=True)
        yield ImageAxes(n, b, c, a, last=False)


def regions_of(problem: Problem, wide: int) -> Iterator[tuple[Input, Input, np.ndarray]]:
    """Two arrays, of which the second one has regions, each a row with its image first."""
    for x, rois in permutations(problem.floats, 2):
        if rois.size % wide == 0 and (len(rois.axes) < 2 or rois.values.shape[-1] == wide):
            rows = rois.flat.reshape(-1, wide)
            if np.isfinite(rows).all() and (rows[:, 0] == np.round(rows[:, 0])).all() and rows[:, 0].min() >= 0:
                yield x, rois, rows


def bins_of(
    problem: Problem, shape: tuple[int, ...], size: int, regions: int, images: ImageAxes
) -> Sequence[tuple[int, int]]:
    """How many bins down and across regions may have, whose results have a shape."""
    if len(shape) == 4:
        down, across = shape[1:3] if images.last else shape[2:]
        return [(down, across)] if size == regions * down * across * images.channels else []
    return [
        two for two in dict.fromkeys(pairwise(problem.counts)) if regions * math.prod(two) * images.channels == size
    ]


def corners(y: np.ndarray, x: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The four pixels around points, and their weights; points at most one pixel outside are moved to the border."""
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y, x = (np.where(inside, np.clip(one, 0, n - 1), 0) for one, n in ((y, height), (x, width)))
    top, left = np.floor(y).astype(np.int64), np.floor(x).astype(np.int64)
    below, right = np.minimum(top + 1, height - 1), np.minimum(left + 1, width - 1)
    low, near = y - top, x - left
    at = np.stack([top * width + left, top * width + right, below * width + left, below * width + right], -1)
    weight = np.stack([(1 - low) * (1 - near), (1 - low) * near, low * (1 - near), low * near], -1)
    return at, weight * inside[..., None]


def inner_corners(y: np.ndarray, x: np.ndarray, height: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """The same, where what lies outside is 0."""
    top, left = np.floor(y), np.floor(x)
    rows, columns = np.stack([top, top, top + 1, top + 1], -1), np.stack([left, left + 1, left, left + 1], -1)
    weight = (1 - np.abs(y[..., None] - rows)) * (1 - np.abs(x[..., None] - columns))
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    return np.where(inside, rows * width + columns, 0).astype(np.int64), weight * inside


def _sampled(box: _Box, bins: tuple[int, int], ratio: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The points (y, x) of [region, bin down, bin across, sample down, sample across], and which of these there are."""
    parts = []
    for axis, count in ((1, bins[0]), (0, bins[1])):
        length = box.size[:, axis]
        steps = np.full(len(length), ratio) if ratio > 0 else np.ceil(length / count).astype(np.int64)
        there = np.arange(max(int(steps.max(initial=1)), 1))
        each = (there + 0.5) / np.maximum(steps, 1)[:, None]
        along = (np.arange(count)[None, :, None] + each[:, None]) * (length / count)[:, None, None]
        parts.append((along, there < steps[:, None], length[:, None, None, None, None] / 2))
    (down, rows, low), (across, columns, near) = parts
    y, x = np.broadcast_arrays(down[:, :, None, :, None], across[:, None, :, None, :])
    counted = np.broadcast_to(rows[:, None, None, :, None] & columns[:, None, None, None, :], y.shape)
    if box.angle is not None:
        sine, cosine = (one(box.angle)[:, None, None, None, None] for one in (np.sin, np.cos))
        y, x = (y - low) * cosine - (x - near) * sine, (y - low) * sine + (x - near) * cosine
    return y + box.start[..., 1, None, None], x + box.start[..., 0, None, None], counted


def _taps(
    text: str, rois: np.ndarray, images: ImageAxes, box: _Box, bins: tuple[int, int], ratio: int
) -> Iterator[Taps]:
    """The samples of all bins, unless they are too many."""
    places = len(rois) * math.prod(bins)
    most = ratio**2 if ratio else float(np.prod(np.maximum(np.ceil(box.size.max(axis=0) / bins[::-1]), 1)))
    finite = np.isfinite(box.start).all() and np.isfinite(box.size).all()
    if finite and places * most * images.channels <= _MOST_TAKEN and rois[:, 0].max() < images.count:
        y, x, counted = (one.reshape(places, -1) for one in _sampled(box, bins, ratio))
        at, weight = corners(y, x, images.height, images.width)
        yield Taps(text, rois[:, 0].astype(np.int64).repeat(math.prod(bins)), at, weight, counted)


def _ratios(problem: Problem) -> Sequence[int]:
    """How many samples a bin may have along an axis; 0: as many as it has pixels."""
    passed = problem.named("ratio", "sampl") or (*problem.whole, 2)
    return [n for n in dict.fromkeys((*passed, 0)) if 0 <= n <= _MOST_RATIO]


def samples_of(problem: Problem, rois: np.ndarray, images: ImageAxes, bins: tuple[int, int]) -> Iterator[Taps]:
    """Samples in the bins of regions, which have two corners, or a centre, a size and an angle."""
    turned = rois.shape[1] == 6
    turns = [-1 if one else 1 for one in problem.says("clockwise")] if turned else [0]
    for aligned, turn, scale in product(problem.says("aligned"), turns, (*problem.factors, 1.0)):
        start = rois[:, None, None, 1:3] * scale - 0.5 * aligned
        size = rois[:, 3:5] * scale if turned else (rois[:, 3:5] - rois[:, 1:3]) * scale
        box = _Box(start, size if aligned else np.maximum(size, 1), turn * rois[:, 5] if turned else None)
        how = ", aligned" * aligned + ", clockwise" * (turn < 0)
        for ratio in _ratios(problem):
            yield from _taps(f"scale {scale:g}, {ratio} samples{how}", rois, images, box, bins, ratio)


def _moved(problem: Problem, rois: np.ndarray, images: ImageAxes, bins: tuple[int, int]) -> Iterator[Taps]:
    """The same with bins that are moved by shares of their region, times a factor."""
    moves = [one for one in problem.floats if one.size == 2 * len(rois) * math.prod(bins)]
    for scale, gamma in permutations((*problem.factors, 1.0), 2):
        size = (rois[:, 3:5] - rois[:, 1:3]) * scale
        for by in moves:
            shares = by.flat.reshape(len(rois), 2, *bins).transpose(0, 2, 3, 1)
            start = rois[:, None, None, 1:3] * scale - 0.5 + gamma * shares * size[:, None, None]
            for ratio in _ratios(problem):
                text = f"moved by {gamma:g} * {by.name}, scale {scale:g}, {ratio} samples"
                yield from _taps(text, rois, images, _Box(start, size, None), bins, ratio)


def results_of(x: Input, images: ImageAxes, count: int) -> np.ndarray:
    """[region, bin, channel] of the results of regions, or of what comes back to them."""
    shape = (count, -1, images.channels) if images.last else (count, images.channels, -1)
    found = x.flat.reshape(shape)
    return found if images.last else found.transpose(0, 2, 1)


def _pooling(name: str, wide: int, taps_of: Callable[..., Iterator[Taps]]) -> None:
    """Enter what is the mean, or the largest, of the samples of each bin, and the gradient of the mean."""

    def forward(problem: Problem) -> Iterator[Formula]:
        for x, regions, rois in regions_of(problem, wide):
            for images in images_of(problem, x.values.shape, x.size):
                for bins in bins_of(problem, problem.shape, problem.size, len(rois), images):
                    for taps in taps_of(problem, rois, images, bins):
                        samples = taps.samples(images.rows(x.flat))
                        mean = (samples * taps.shares[..., None]).sum(axis=1)
                        largest = np.where(taps.counted[..., None], samples, -np.inf).max(axis=1)
                        for how, made in (("mean", mean), ("largest", largest)):
                            values = images.flat(made.reshape(len(rois), -1, images.channels))
                            yield Formula(f"{how} of {x.name} in {regions.name}, {taps.text}", values)

    def backward(problem: Problem) -> Iterator[Formula]:
        for coming, regions, rois in regions_of(problem, wide):
            for images in images_of(problem, problem.shape, problem.size):
                for bins in bins_of(problem, coming.values.shape, coming.size, len(rois), images):
                    rows = results_of(coming, images, len(rois)).reshape(-1, 1, images.channels)
                    for taps in taps_of(problem, rois, images, bins):
                        made = images.flat(taps.back(images, taps.shares, rows))
                        yield Formula(f"{coming.name} back to {regions.name}, {taps.text}", made)

    function(name)(forward)
    function(f"{name} backward")(backward)


_pooling("roi align", 5, samples_of)
_pooling("roi align rotated", 6, samples_of)
_pooling("deform roi pool", 5, _moved)


@function("rotated feature align")
def _feature(problem: Problem) -> Iterator[Formula]:
    """Each pixel, and what the image has at the centre of its box (y, x, w, h, angle), or there and at its corners."""
    for x in problem.floats:
        for images, text, taps in _of_boxes(problem, x.values.shape, x.size):
            rows = images.rows(x.flat)
            more = (taps.samples(rows) * taps.counted[..., None]).sum(axis=1).reshape(rows.shape)
            yield Formula(f"{x.name} and itself {text}", images.flat(rows + more))


@function("rotated feature align backward")
def _feature_back(problem: Problem) -> Iterator[Formula]:
    for coming in problem.like:
        for images, text, taps in _of_boxes(problem, problem.shape, problem.size):
            rows = images.rows(coming.flat)
            back = taps.back(images, taps.counted, rows.reshape(-1, 1, images.channels))
            yield Formula(f"{coming.name} and itself back {text}", images.flat(rows + back))


def _of_boxes(problem: Problem, shape: tuple[int, ...], size: int) -> Iterator[tuple[ImageAxes, str, Taps]]:
    """The samples of the box of each pixel."""
    for images in images_of(problem, shape, size):
        pixels = images.count * images.height * images.width
        for boxes in [one for one in problem.floats if one.size == 5 * pixels]:
            for scale, points in product(dict.fromkeys((*problem.factors, 1.0)), (5, 1)):
                box = boxes.flat.reshape(-1, 5)
                sine, cosine = np.sin(box[:, 4, None]), np.cos(box[:, 4, None])
                half = scale * box[:, 2:4] / 2
                wide, high = half[:, :1] * [0, 1, -1, -1, 1], half[:, 1:] * [0, 1, 1, -1, -1]
                y = scale * box[:, :1] + sine * wide + cosine * high
                x = scale * box[:, 1:2] + cosine * wide - sine * high
                at, weight = corners(y[:, :points], x[:, :points], images.height, images.width)
                image = np.arange(images.count).repeat(images.height * images.width)
                text = f"at {points} points of {boxes.name}, scale {scale:g}"
                yield images, text, Taps(text, image, at, weight, np.ones(at.shape[:2]))


@function("roi crop")
def _crop(problem: Problem) -> Iterator[Formula]:
    """Samples at the points (y, x) of grids, from -1 to 1; 0 outside."""
    for x, grid in permutations(problem.floats, 2):
        for images in images_of(problem, x.values.shape, x.size):
            for count, taps in _of_grids(problem, grid, images, problem.size):
                made = taps.samples(images.rows(x.flat)).reshape(count, -1, images.channels)
                yield Formula(f"{x.name} at the points of {grid.name}", images.flat(made))


@function("roi crop backward")
def _crop_back(problem: Problem) -> Iterator[Formula]:
    for coming, grid in permutations(problem.floats, 2):
        for images in images_of(problem, problem.shape, problem.size):
            for count, taps in _of_grids(problem, grid, images, coming.size):
                rows = results_of(coming, images, count).reshape(-1, 1, images.channels)
                back = images.flat(taps.back(images, taps.counted, rows))
                yield Formula(f"{coming.name} back from the points of {grid.name}", back)


def _of_grids(problem: Problem, grid: Input, images: ImageAxes, size: int) -> Iterator[tuple[int, Taps]]:
    """The samples of equally many grids [grid, rows, columns, 2] for each image, and how many these are."""
    if size * 2 != grid.size * images.channels or grid.size % (2 * images.count):
        return
    points = (grid.flat.reshape(-1, 1, 2) + 1) * (np.array([images.height, images.width]) - 1) / 2
    at, weight = inner_corners(points[..., 0], points[..., 1], images.height, images.width)
    image = np.arange(images.count).repeat(len(points) // images.count)
    for count in [len(grid.values)] if len(grid.axes) > 1 else problem.whole:
        if count > 0 and count % images.count == 0 and len(points) % count == 0:
            yield count, Taps("", image, at, weight, np.ones(at.shape[:2]))
