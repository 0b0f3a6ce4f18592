"""Masks of the pixels around each pixel of images: what is summed up by them, where they lie, and the gradients."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function
from .roi import ImageAxes, images_of
from .windows import Window, placed

#: Sides of masks, and elements of all windows, at most.
_LONGEST, _MOST = 32, 1 << 24


@dataclass(frozen=True)
class _Reassembly:
    """Images, masks of ``side`` * ``side`` numbers for each pixel of larger ones and each group of channels."""

    images: ImageAxes
    masks: ImageAxes
    groups: int
    side: int

    @property
    def times(self) -> int:
        """How much larger the results are."""
        return self.masks.height // self.images.height

    @property
    def made(self) -> ImageAxes:
        """The axes of the results."""
        return replace(self.masks, channels=self.images.channels)

    def split(self, axes: ImageAxes, values: np.ndarray, each: Sequence[int]) -> np.ndarray:
        """[n, group, *each, H, W] of images."""
        rows = axes.rows(values).transpose(0, 2, 1)
        return rows.reshape(axes.count, self.groups, *each, axes.height, axes.width)

    def windows(self, values: np.ndarray) -> np.ndarray:
        """[n, group, channel, side * side, H, W]: what lies around the pixel of each result, 0 outside."""
        one = self.images
        images = one.rows(values).transpose(0, 2, 1).reshape(one.count, one.channels, one.height, one.width)
        around = [Window(self.side, 1, self.side // 2, self.side // 2, 1)] * 2
        seen = placed(images, around, (one.height, one.width), 0.0).transpose(0, 1, 4, 5, 2, 3)
        seen = seen.reshape(one.count, self.groups, -1, self.side**2, one.height, one.width)
        return seen.repeat(self.times, axis=4).repeat(self.times, axis=5)

    def back(self, parts: np.ndarray) -> np.ndarray:
        """What comes back to the images of such windows, [n, channels, h, w]."""
        one, half = self.images, self.side // 2
        shape = (one.count, one.channels, self.side, self.side, one.height, self.times, one.width, self.times)
        of_pixels = parts.reshape(shape).sum(axis=(5, 7))
        made = np.zeros((one.count, one.channels, one.height + 2 * half, one.width + 2 * half))
        for i, j in product(range(self.side), repeat=2):
            made[:, :, i : i + one.height, j : j + one.width] += of_pixels[:, :, i, j]
        return made[:, :, half : half + one.height, half : half + one.width]


def _as_they_lie(axes: ImageAxes, made: np.ndarray) -> np.ndarray:
    """[n, channels or groups and these, H, W] in the order of the axes of images."""
    return axes.flat(made.reshape(axes.count, axes.channels, -1).transpose(0, 2, 1))


def _reassemblies(
    problem: Problem, of: tuple[tuple[int, ...], int], by: tuple[tuple[int, ...], int]
) -> Iterator[_Reassembly]:
    """The ways to take the axes of images and of masks, each with a shape and a size."""
    for images, masks in product(images_of(problem, *of), images_of(problem, *by)):
        times = masks.height // images.height
        fits = times > 0 and (masks.height, masks.width) == (images.height * times, images.width * times)
        if images.last == masks.last and images.count == masks.count and fits:
            for side in dict.fromkeys(n for n in (*problem.whole, 3, 5) if n % 2 and 1 < n < _LONGEST):
                groups = masks.channels // side**2
                cost = images.channels * masks.count * masks.height * masks.width * side**2
                if groups and groups * side**2 == masks.channels and images.channels % groups == 0 and cost <= _MOST:
                    yield _Reassembly(images, masks, groups, side)


def _axes(one: Input) -> tuple[tuple[int, ...], int]:
    return one.values.shape, one.size


@function("carafe")
def _carafe(problem: Problem) -> Iterator[Formula]:
    """Sums of what lies around the pixel of each result, by its mask."""
    for x, mask in permutations(problem.floats, 2):
        for way in _reassemblies(problem, _axes(x), _axes(mask)):
            made = way.windows(x.flat) * way.split(way.masks, mask.flat, (1, way.side**2))
            text = f"{x.name} around each pixel by {mask.name}, {way.side}x{way.side}"
            yield Formula(text, _as_they_lie(way.made, made.sum(axis=3)))


@function("carafe backward")
def _carafe_back(problem: Problem) -> Iterator[Formula]:
    """What comes back to images, and to masks."""
    output = (problem.shape, problem.size)
    for coming, mask in permutations(problem.floats, 2):
        for way in _reassemblies(problem, output, _axes(mask)):
            if coming.size == way.masks.count * way.masks.height * way.masks.width * way.images.channels:
                parts = way.split(way.made, coming.flat, (-1, 1)) * way.split(way.masks, mask.flat, (1, way.side**2))
                text = f"{coming.name} back by {mask.name}, {way.side}x{way.side}"
                yield Formula(text, _as_they_lie(way.images, way.back(parts)))
    for coming, x in permutations(problem.floats, 2):
        for way in _reassemblies(problem, _axes(x), output):
            if coming.size == way.masks.count * way.masks.height * way.masks.width * way.images.channels:
                made = (way.windows(x.flat) * way.split(way.made, coming.flat, (-1, 1))).sum(axis=2)
                text = f"{coming.name} * {x.name} back to masks of {way.side}x{way.side}"
                yield Formula(text, _as_they_lie(way.masks, made))


def _places(images: ImageAxes, rows: int, columns: int, collect: bool) -> np.ndarray:
    """Where the numbers of masks [h, w, mask] lie among [h, w, h * w] for all pixels; -1 outside.

    Those that are collected lie at the pixels that they are of, others at the pixel that has the mask.
    """
    high, wide = images.height, images.width
    h, w, i, j = np.ogrid[:high, :wide, :rows, :columns]
    y, x = i + h - rows // 2, j + w - columns // 2
    inside = (y >= 0) & (y < high) & (x >= 0) & (x < wide)
    own, other = h * wide + w + 0 * y + 0 * x, y * wide + x
    at = own * high * wide + other if collect else other * high * wide + own
    return np.where(inside, at, -1).reshape(-1, rows * columns)


def _masked(
    problem: Problem, shape: tuple[int, ...], size: int, whole: int
) -> Iterator[tuple[str, ImageAxes, np.ndarray]]:
    """The axes of masks of a shape, and where their numbers lie among so many."""
    for images in images_of(problem, shape, size):
        pixels = images.height * images.width
        sides = [n for n in problem.whole if 0 < n < _LONGEST and images.channels % n == 0]
        for rows in sides if whole == images.count * pixels**2 else ():
            for collect in (True, False):
                text = f"{'collected' if collect else 'distributed'}, {rows}x{images.channels // rows}"
                yield text, images, _places(images, rows, images.channels // rows, collect)


@function("psamask")
def _spread(problem: Problem) -> Iterator[Formula]:
    """The numbers of the mask of each pixel among all pixels."""
    for x in problem.floats:
        for text, images, places in _masked(problem, x.values.shape, x.size, problem.size):
            pixels = images.height * images.width
            made = np.zeros((images.count, pixels**2 + 1))
            made[:, places] = images.rows(x.flat)
            yield Formula(f"{x.name} {text}", images.flat(made[:, :-1].reshape(-1, pixels, pixels)))


@function("psamask backward")
def _gathered(problem: Problem) -> Iterator[Formula]:
    for coming in problem.floats:
        for text, images, places in _masked(problem, problem.shape, problem.size, coming.size):
            pixels = images.height * images.width
            whole = replace(images, channels=pixels).rows(coming.flat).reshape(images.count, -1)
            made = np.append(whole, np.zeros((images.count, 1)), axis=1)[:, places]
            yield Formula(f"{coming.name} back to masks, {text}", images.flat(made))
