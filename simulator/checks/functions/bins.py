"""Pools of the whole pixels in the bins of regions, samples along the borders of boxes, and the gradients of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np

from .problem import Formula, Input, Problem, function, of_all_results
from .roi import ImageAxes, Taps, bins_of, corners, images_of, regions_of, results_of

#: The least size of a region whose bins have channels of their own.
_LEAST = np.float32(0.1)
#: Points along a border, at most.
_MOST_POINTS = 64
#: How corners become whole numbers.
_ROUNDINGS: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "half away": lambda x: np.sign(x) * np.floor(np.abs(x) + np.float32(0.5)),
    "half to even": np.rint, "down": np.floor,
}  # fmt: skip

_Spans = np.ndarray  # [region, bin, 4]: the first row and column of a bin, and those behind its last


def _spans(corner: np.ndarray, start: np.ndarray, size: np.ndarray, bins: tuple[int, int], images: ImageAxes) -> _Spans:
    """The pixels of bins, of regions whose whole corners, what these leave and sizes (x, y) have single precision."""
    found = []
    for axis, count, length in ((1, bins[0], images.height), (0, bins[1], images.width)):
        each, at = (size[:, axis] / np.float32(count))[:, None], np.arange(count + 1, dtype=np.float32)
        first, end = np.floor(at[:-1] * each + start[:, axis, None]), np.ceil(at[1:] * each + start[:, axis, None])
        whole = (np.nan_to_num(one + corner[:, axis, None]) for one in (first, end))
        found += [np.clip(one, 0, length).astype(np.int64) for one in whole]
    top, below, left, right = found
    sides = np.broadcast_arrays(top[:, :, None], left[:, None], below[:, :, None], right[:, None])
    return np.stack([one.reshape(len(start), -1) for one in sides], axis=-1)


def _whole(
    problem: Problem, rois: np.ndarray, bins: tuple[int, int], images: ImageAxes
) -> Iterator[tuple[str, _Spans]]:
    """The bins of regions whose corners are rounded when they are scaled; both ends belong to them."""
    for scale in (*problem.factors, 1.0):
        for how, rounded in _ROUNDINGS.items():
            corner = rounded(rois[:, 1:].astype(np.float32) * np.float32(scale))
            size = np.maximum(corner[:, 2:] - corner[:, :2] + 1, 1)
            yield f"scale {scale:g}, rounded {how}", _spans(corner, 0 * size, size, bins, images)


def _scaled(
    problem: Problem, rois: np.ndarray, bins: tuple[int, int], images: ImageAxes
) -> Iterator[tuple[str, _Spans]]:
    """The bins of regions whose corners are rounded before they are scaled."""
    for scale in (*problem.factors, 1.0):
        for how, rounded in _ROUNDINGS.items():
            corner = rounded(rois[:, 1:].astype(np.float32))
            start, end = corner[:, :2] * np.float32(scale), (corner[:, 2:] + 1) * np.float32(scale)
            spans = _spans(0 * start, start, np.maximum(end - start, _LEAST), bins, images)
            yield f"scale {scale:g}, rounded {how}", spans


def _each(rois: np.ndarray, spans: _Spans) -> Iterator[tuple[int, int, int, slice, slice]]:
    """The regions, bins and images, and the rows and columns of those bins that have some."""
    for region, of_region in enumerate(spans.tolist()):
        for at, (top, left, below, right) in enumerate(of_region):
            if top < below and left < right:
                yield region, at, int(rois[region, 0]), slice(top, below), slice(left, right)


def _images(problem: Problem, shape: tuple[int, ...], size: int, rois: np.ndarray) -> Iterator[ImageAxes]:
    """The axes of images that all regions are in."""
    return (one for one in images_of(problem, shape, size) if one.count > rois[:, 0].max())


@function("roi pool")
def _pool(problem: Problem) -> Iterator[Formula]:
    """The largest pixel of each bin; 0 of none. Right numbers of pixels would hide wrong results: none are tried."""
    for x, regions, rois in regions_of(problem, 5):
        for images in _images(problem, x.values.shape, x.size, rois):
            pixels = images.rows(x.flat).reshape(images.count, images.height, images.width, -1)
            for bins in bins_of(problem, problem.shape, problem.size, len(rois), images):
                for text, spans in _whole(problem, rois, bins, images):
                    most = np.zeros((len(rois), spans.shape[1], images.channels))
                    for region, at, image, rows, columns in _each(rois, spans):
                        most[region, at] = pixels[image, rows, columns].max(axis=(0, 1))
                    yield Formula(f"largest of {x.name} in the bins of {regions.name}, {text}", images.flat(most))


@function("roi pool backward")
def _pool_back(problem: Problem) -> Iterator[Formula]:
    """What comes back to the pixels whose numbers another array has for each bin and channel."""
    for coming, regions, rois in regions_of(problem, 5):
        places = [one for one in problem.integers if one.size == coming.size]
        for images in _images(problem, problem.shape, problem.size, rois):
            if coming.size % (len(rois) * images.channels):
                continue
            image, channel = rois[:, 0, None, None].astype(np.int64), np.arange(images.channels)
            for place in places:
                at, back = (results_of(one, images, len(rois)) for one in (place, coming))
                inside = (at >= 0) & (at < images.height * images.width)
                made = np.zeros((images.count, images.height * images.width, images.channels))
                np.add.at(made, (image, np.where(inside, at, 0).astype(np.int64), channel), back * inside)
                yield Formula(f"{coming.name} back to {place.name} of {regions.name}", images.flat(made))


def own_bins(
    problem: Problem, shape: tuple[int, ...], size: int, count: int, images: ImageAxes
) -> Iterator[tuple[tuple[int, int], np.ndarray]]:
    """How many bins down and across regions may have whose channels are their own, and these, [bin, result]."""
    if size != count * images.channels or len(shape) in (2, 3):
        return
    sides = [shape[1:3] if images.last else shape[2:]] if len(shape) == 4 else dict.fromkeys(pairwise(problem.counts))
    for down, across in sides:
        if images.channels % (down * across) == 0:
            yield (down, across), np.arange(images.channels).reshape(-1, down * across).T


@function("ps roi pool")
def _own(problem: Problem) -> Iterator[Formula]:
    """The mean of each bin in channels of its own."""
    for x, regions, rois in regions_of(problem, 5):
        for images in _images(problem, x.values.shape, x.size, rois):
            pixels = images.rows(x.flat).reshape(images.count, images.height, images.width, -1)
            for bins, channels in own_bins(problem, problem.shape, problem.size, len(rois), images):
                for text, spans in _scaled(problem, rois, bins, images):
                    made = np.zeros((len(rois), *channels.shape))
                    for region, at, image, rows, columns in _each(rois, spans):
                        made[region, at] = pixels[image, rows, columns][..., channels[at]].mean(axis=(0, 1))
                    yield Formula(f"means of {x.name} in the bins of {regions.name}, {text}", images.flat(made))


@function("ps roi pool backward")
def _own_back(problem: Problem) -> Iterator[Formula]:
    for coming, regions, rois in regions_of(problem, 5):
        for images in _images(problem, problem.shape, problem.size, rois):
            for bins, channels in own_bins(problem, coming.values.shape, coming.size, len(rois), images):
                back = results_of(coming, replace(images, channels=channels.shape[1]), len(rois))
                for text, spans in _scaled(problem, rois, bins, images):
                    made = np.zeros((images.count, images.height, images.width, images.channels))
                    for region, at, image, rows, columns in _each(rois, spans):
                        count = (rows.stop - rows.start) * (columns.stop - columns.start)
                        made[image, rows, columns, channels[at]] += back[region, at][:, None, None] / count
                    text = f"{coming.name} back to the bins of {regions.name}, {text}"
                    yield Formula(text, images.flat(made.reshape(images.count, -1, images.channels)))


def _borders(problem: Problem, images: ImageAxes, boxes: Input) -> Iterator[tuple[str, Taps]]:
    """Points along the borders (top, left, bottom, right) of boxes, from their first corner and from their last one."""
    corner = boxes.flat.reshape(-1, 4)
    size = corner[:, 2:] - corner[:, :2]
    for count in dict.fromkeys(n for n in problem.named("pool") or problem.whole if 0 < n < _MOST_POINTS):
        steps = np.arange(count + 1) / count
        left, top, right, low = (corner[:, [axis]] + 0 * steps for axis in range(4))
        wide, high = size[:, :1] * steps, size[:, 1:] * steps
        xs, ys = [left + wide, left, right - wide, right], [top, top + high, low, low - high]
        points_y, points_x = (np.stack(one, axis=1).reshape(-1, count + 1) for one in (ys, xs))
        at, weight = corners(points_y, points_x, images.height, images.width)
        image = np.arange(images.count).repeat(4 * len(corner) // images.count)
        yield f"{count} steps along the borders of {boxes.name}", Taps("", image, at, weight, np.ones(at.shape[:2]))


def _bordered(problem: Problem, shape: tuple[int, ...], size: int) -> Iterator[tuple[ImageAxes, Input, str, Taps]]:
    """Images of four channels for each result, boxes, and the points along their borders."""
    for images in images_of(problem, shape, size):
        for boxes in (one for one in problem.floats if one.size % (4 * images.count) == 0 and images.channels % 4 == 0):
            if len(boxes.axes) < 2 or boxes.values.shape[-1] == 4:
                for text, taps in _borders(problem, images, boxes):
                    yield images, boxes, text, taps


def _to_borders(images: ImageAxes, values: np.ndarray, boxes: int) -> np.ndarray:
    """Results [box, border, channel] as they lie, the channels of each image before its boxes or behind these."""
    if images.last:
        return values.reshape(-1)
    return values.reshape(images.count, boxes // images.count, 4, -1).transpose(0, 3, 1, 2).reshape(-1)


def _of_borders(images: ImageAxes, results: Input, boxes: int) -> np.ndarray:
    """[box, border, channel] of such results."""
    if images.last:
        return results.flat.reshape(boxes, 4, -1)
    each = results.flat.reshape(images.count, -1, boxes // images.count, 4)
    return each.transpose(0, 2, 3, 1).reshape(boxes, 4, -1)


@function("border align")
def _border(problem: Problem) -> Iterator[Formula]:
    """The largest sample along each border of boxes, in channels of its own; and which one it is."""
    for x in problem.floats:
        for images, boxes, text, taps in _bordered(problem, x.values.shape, x.size):
            if problem.size * 4 == boxes.size * images.channels:
                samples = taps.samples(images.rows(x.flat)).reshape(boxes.size // 4, 4, -1, 4, images.channels // 4)
                own = samples[:, np.arange(4), :, np.arange(4)].transpose(1, 0, 2, 3)
                values = _to_borders(images, own.max(axis=2), boxes.size // 4)
                yield Formula(f"largest of {x.name} in {text}", values)
                which = _to_borders(images, own.argmax(axis=2), boxes.size // 4)
                yield Formula(f"place of the largest of {x.name} in {text}", which)


of_all_results("border align")


@function("border align backward")
def _border_back(problem: Problem) -> Iterator[Formula]:
    for coming, which in permutations(problem.inputs, 2):
        if which.values.dtype.kind not in "iu" or coming.size != which.size:
            continue
        for images, boxes, text, taps in _bordered(problem, problem.shape, problem.size):
            count, channels = boxes.size // 4, images.channels // 4
            if coming.size != count * images.channels:
                continue
            back, at = (_of_borders(images, one, count) for one in (coming, which))
            each = np.zeros((count, 4, taps.at.shape[1], 4, channels))
            for side in range(4):
                each[:, side, :, side] = back[:, side, None] * (
                    at[:, side, None] == np.arange(taps.at.shape[1])[:, None]
                )
            made = taps.back(images, taps.counted, each.reshape(len(taps.at), -1, images.channels))
            yield Formula(f"{coming.name} back to {which.name} of {text}", images.flat(made))
