"""What images have at any points: grids, deformable convolutions, attention to points of several images."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product

import numpy as np

from . import columns  # noqa: F401  (whose functions have more forms here)
from .problem import Formula, Input, Problem, function, spelled, vague
from .roi import inner_corners
from .shapes import shapes_of_images

#: Elements of all samples, at most; sides of windows; strides, paddings and dilations where none is passed.
_MOST, _LONGEST = 1 << 22, 8
_STRIDES, _PADS, _DILATIONS = (1, 2), (0, 1, 2), (1, 2)

_Image = np.ndarray  # [n, c, h, w]


def taken(image: _Image, y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """[n, c, points] at the points [n, points] between pixels, 0 outside."""
    n, c, h, w = image.shape
    at, weight = inner_corners(y, x, h, w)
    rows = image.reshape(n, c, 1, h * w)
    found: np.ndarray = (np.take_along_axis(rows, at[:, None].reshape(n, 1, 1, -1), 3).reshape(n, c, -1, 4)
                         * weight[:, None]).sum(axis=3)  # fmt: skip
    return found


def given(coming: np.ndarray, y: np.ndarray, x: np.ndarray, h: int, w: int) -> _Image:
    """What comes back to pixels from such points, [n, c, h, w]."""
    n, c, _ = coming.shape
    at, weight = inner_corners(y, x, h, w)
    made = np.zeros((n, c, h * w))
    parts = coming[..., None] * weight[:, None]
    index = np.broadcast_to(at[:, None], parts.shape)
    np.add.at(made, (np.arange(n)[:, None, None, None], np.arange(c)[:, None, None], index), parts)
    return made.reshape(n, c, h, w)


def _images(problem: Problem, shape: tuple[int, ...], size: int) -> Iterator[tuple[int, int, int, int]]:
    for axes in dict.fromkeys([shape] if len(shape) == 4 else shapes_of_images(problem, size)):
        if 2 < len(axes) < 5:
            n, c, h, w = (*[1] * (4 - len(axes)), *axes)
            yield n, c, h, w


def _unmapped(at: np.ndarray, length: int, corners: bool) -> np.ndarray:
    """Places in pixels of coordinates from -1 to 1."""
    found: np.ndarray = (at + 1) / 2 * (length - 1) if corners else ((at + 1) * length - 1) / 2
    return found


def _reflected(at: np.ndarray, length: int, corners: bool) -> np.ndarray:
    low, span = (0.0, length - 1.0) if corners else (-0.5, float(length))
    off = np.abs(at - low) % (2 * span) if span else 0 * at
    return np.clip(np.minimum(off, 2 * span - off) + low, 0, length - 1)


@function("grid sample")
def _grid(problem: Problem) -> Iterator[Formula]:
    """Linear or nearest, at the points (x, y) of grids [n, h, w, 2] or [n, 2, h, w].

    Beyond the border lies 0, its end, or what it reflects.
    """
    for image, grid in permutations(problem.floats, 2):
        for n, c, h, w in _images(problem, image.values.shape, image.size):
            if grid.size != 2 * problem.size // c or problem.size % (n * c) or grid.size * c * 4 > _MOST:
                continue
            pixels = image.flat.reshape(n, c, h, w)
            for planes, corners in product((False, True), (True, False)):
                at = grid.flat.reshape(n, 2, -1).swapaxes(1, 2) if planes else grid.flat.reshape(n, -1, 2)
                x, y = _unmapped(at[..., 0], w, corners), _unmapped(at[..., 1], h, corners)
                ways = {
                    "zeros": (y, x), "border": (np.clip(y, 0, h - 1), np.clip(x, 0, w - 1)),
                    "reflection": (_reflected(y, h, corners), _reflected(x, w, corners)),
                }  # fmt: skip
                for how, (down, across) in ways.items():
                    for kind, points in (("linear", (down, across)), ("nearest", (np.rint(down), np.rint(across)))):
                        text = (
                            f"{image.name} at {grid.name}, {kind}, {how}"
                            + ", corners aligned" * corners
                            + ", x and y apart" * planes
                        )
                        yield Formula(text, taken(pixels, *points).reshape(-1))


@function("affine grid")
def _affine(problem: Problem) -> Iterator[Formula]:
    """The points (x, y, 1) from -1 to 1 of each pixel, times a matrix of two rows."""
    for theta in problem.floats:
        count = theta.size // 6
        sizes = [problem.shape[1:3]] if len(problem.shape) == 4 else product(problem.counts, repeat=2)
        for h, w in dict.fromkeys(sizes) if theta.size == 6 * count else ():
            for corners in (True, False) if 2 * h * w * count == problem.size else ():
                y, x = (np.linspace(-1, 1, m) if corners else (2 * np.arange(m) + 1) / m - 1 for m in (h, w))
                base = np.stack([np.broadcast_to(x, (h, w)), np.broadcast_to(y[:, None], (h, w)), np.ones((h, w))], -1)
                made = np.einsum("hwk,nik->nhwi", base, theta.flat.reshape(count, 2, 3))
                yield Formula(f"grid of {theta.name}, {h}x{w}" + ", corners aligned" * corners, made.reshape(-1))


spelled(
    "grid sample",
    "grid sampler, gridsample, grid sampling, grid sampler bilinear, bilinear sampler, grid sample bilinear",
)
spelled("affine grid", "affine grid generator, affinegrid")


@dataclass(frozen=True)
class _Deformed:
    """Windows of images whose elements are moved by offsets, and weighted by masks or not."""

    shape: tuple[int, int, int, int]  # n, c, h, w
    window: tuple[int, int]
    out: tuple[int, int]
    groups: int
    y: np.ndarray  # [n, groups, window, out]
    x: np.ndarray
    weight: np.ndarray
    text: str
    masked: bool

    @property
    def points(self) -> tuple[np.ndarray, np.ndarray]:
        """The points (y, x) of each image of a group of channels, [n * groups, window * out]."""
        count = self.shape[0] * self.groups
        return self.y.reshape(count, -1), self.x.reshape(count, -1)

    def in_groups(self, image: np.ndarray) -> np.ndarray:
        n, c, h, w = self.shape
        return image.reshape(n * self.groups, c // self.groups, h, w)

    def columns(self, image: np.ndarray) -> np.ndarray:
        """[c, window, n, out] of images."""
        n, c, _, _ = self.shape
        made = taken(self.in_groups(image), *self.points).reshape(
            n, self.groups, c // self.groups, *self.weight.shape[2:]
        )
        weighted = made * self.weight[:, :, None]
        found: np.ndarray = weighted.reshape(n, c, *self.weight.shape[2:]).transpose(1, 2, 0, 3)
        return found

    def by_image(self, matrix: np.ndarray) -> np.ndarray:
        """[n, groups, c of a group, window, out] of columns."""
        n, c, _, _ = self.shape
        window, out = self.weight.shape[2:]
        rows = matrix.reshape(self.groups, c // self.groups, window, n, out)
        return rows.transpose(3, 0, 1, 2, 4)

    def back(self, matrix: np.ndarray) -> np.ndarray:
        """What comes back to images of columns."""
        n, c, h, w = self.shape
        coming = self.by_image(matrix) * self.weight[:, :, None]
        return given(coming.reshape(n * self.groups, c // self.groups, -1), *self.points, h, w).reshape(-1)

    def slopes(self, image: np.ndarray, matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """What comes back to offsets, [n, groups, window, (y, x), out], and to masks, [n, groups, window, out]."""
        h, w = self.shape[2:]
        y, x = self.points
        inside = (y > -1) & (y < h) & (x > -1) & (x < w)
        low, left = np.floor(y), np.floor(x)
        pixels, whole = self.in_groups(image), np.broadcast_to
        corner = [[taken(pixels, low + i, left + j) for j in (0, 1)] for i in (0, 1)]
        near, across = (whole(one[:, None], corner[0][0].shape) for one in (y - low, x - left))
        to_y = (corner[1][0] - corner[0][0]) * (1 - across) + (corner[1][1] - corner[0][1]) * across
        to_x = (corner[0][1] - corner[0][0]) * (1 - near) + (corner[1][1] - corner[1][0]) * near
        coming = self.by_image(matrix)

        def summed(of: np.ndarray) -> np.ndarray:
            each = (of * inside[:, None]).reshape(coming.shape)
            total: np.ndarray = (each * coming).sum(axis=2)
            return total

        offsets = np.stack([summed(to_y) * self.weight, summed(to_x) * self.weight], axis=3)
        return offsets.reshape(-1), summed(taken(pixels, y, x)).reshape(-1)


def _deformed(problem: Problem, image: tuple[tuple[int, ...], int], offset: Input) -> Iterator[_Deformed]:
    """The ways in which an array may be the offsets of windows of images."""
    passed = [n for n in dict.fromkeys(problem.windows or problem.whole) if 0 < n < _LONGEST]
    strides = dict.fromkeys(problem.named("stride") or _STRIDES)
    pads, dilations = (
        dict.fromkeys(problem.named(word) or usual) for word, usual in (("pad", _PADS), ("dil", _DILATIONS))
    )
    groups = [n for n in dict.fromkeys((1, *problem.whole)) if 0 < n < 64]
    for (n, c, h, w), (down, across) in product(_images(problem, *image), product(passed, repeat=2)):
        for stride, pad, dilation in product(strides, pads, dilations):
            if stride < 1 or dilation < 1:
                continue
            out = tuple((m + 2 * pad - dilation * (k - 1) - 1) // stride + 1 for m, k in ((h, down), (w, across)))
            for parts in groups if min(out) > 0 and n * c * down * across * math.prod(out) <= _MOST else ():
                if c % parts == 0 and offset.size == n * parts * 2 * down * across * math.prod(out):
                    yield from _moved(problem, (n, c, h, w), (down, across), (out[0], out[1]), parts, offset,
                                      (stride, pad, dilation))  # fmt: skip


def _moved(
    problem: Problem,
    shape: tuple[int, int, int, int],
    window: tuple[int, int],
    out: tuple[int, int],
    groups: int,
    offset: Input,
    placing: tuple[int, int, int],
) -> Iterator[_Deformed]:
    stride, pad, dilation = placing
    kernel, each = math.prod(window), math.prod(out)
    moves = offset.flat.reshape(shape[0], groups, kernel, 2, *out)
    i, j = (one.reshape(-1, 1, 1) * dilation - pad for one in np.indices(window))
    p, q = (one * stride for one in np.indices(out))
    y, x = moves[:, :, :, 0] + i + p, moves[:, :, :, 1] + j + q
    flat = (shape[0], groups, kernel, each)
    text = f"by {offset.name}, stride {stride}, padding {pad}, dilation {dilation}, {groups} groups"
    masks = [one for one in problem.floats if one.size == math.prod(flat) and one is not offset]
    weights = [("", np.ones(flat)), *((f", times {one.name}", one.flat.reshape(flat)) for one in masks)]
    for name, weight in weights:
        yield _Deformed(shape, window, out, groups, y.reshape(flat), x.reshape(flat), weight, text + name, bool(name))


def _columns(problem: Problem, masked: bool) -> Iterator[Formula]:
    """Windows of images as [c, window, n, out]."""
    for image, offset in permutations(problem.floats, 2):
        for way in _deformed(problem, (image.values.shape, image.size), offset):
            if way.shape[1] * way.weight[:, 0].size == problem.size and (way.masked or not masked):
                yield Formula(f"columns of {image.name} {way.text}", way.columns(image.flat).reshape(-1))


def _columns_back(problem: Problem, masked: bool) -> Iterator[Formula]:
    """What comes back to images."""
    for matrix, offset in permutations(problem.floats, 2):
        for way in _deformed(problem, (problem.shape, problem.size), offset):
            if way.shape[1] * way.weight[:, 0].size == matrix.size and (way.masked or not masked):
                yield Formula(f"{matrix.name} back to images {way.text}", way.back(matrix.flat))


def _coordinates(problem: Problem, masked: bool) -> Iterator[Formula]:
    """What comes back to offsets, or to masks."""
    for matrix, image, offset in permutations(problem.floats, 3):
        for way in _deformed(problem, (image.values.shape, image.size), offset):
            if way.shape[1] * way.weight[:, 0].size == matrix.size and (way.masked or not masked):
                for how, made in zip(("offsets", "masks"), way.slopes(image.flat, matrix.flat), strict=True):
                    if made.size == problem.size:
                        yield Formula(f"{matrix.name} * {image.name} back to {how} {way.text}", made)


for _name, _form in (("im2col", _columns), ("col2im", _columns_back), ("col2im coord", _coordinates)):
    vague(f"deformable {_name}")(partial(_form, masked=False))
    vague(f"modulated deformable {_name}")(partial(_form, masked=True))
    spelled(f"deformable {_name}", f"deform {_name}")
    spelled(f"modulated deformable {_name}", f"modulated deform {_name}, dcn v2 {_name}, dcnv2 {_name}")


@function("ms deform attn")
def _attended(problem: Problem) -> Iterator[Formula]:
    """Sums by weights of what images of several sizes have at points (x, y) from 0 to 1.

    They are [batch, queries, heads, depth].
    """
    shapes = [one for one in problem.integers if one.size % 2 == 0 and one.size > 1]
    for value, points, weights in permutations(problem.floats, 3):
        if points.size != 2 * weights.size or not weights.size:
            continue
        for sizes in shapes:
            levels = sizes.values.reshape(-1, 2).astype(np.int64)
            total = int(levels.prod(axis=1).sum())
            for batch, heads in product((n for n in (1, *problem.whole) if n > 0), repeat=2):
                depth = value.size // (batch * total * heads) if total else 0
                queries = problem.size // (batch * heads * depth) if depth else 0
                each = weights.size // (batch * queries * heads * len(levels)) if queries else 0
                if (
                    depth * batch * total * heads == value.size
                    and queries * batch * heads * depth == problem.size
                    and each * batch * queries * heads * len(levels) == weights.size
                ):
                    made = _of_levels(
                        value.flat.reshape(batch, total, heads, depth), levels,
                        points.flat.reshape(batch, queries, heads, len(levels), each, 2),
                        weights.flat.reshape(batch, queries, heads, len(levels), each),
                    )  # fmt: skip
                    yield Formula(f"{weights.name} * {value.name} at {points.name}, {heads} heads", made.reshape(-1))


def _of_levels(value: np.ndarray, levels: np.ndarray, points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    batch, queries, heads = points.shape[:3]
    made = np.zeros((batch, queries, heads, value.shape[3]))
    start = 0
    for level, (h, w) in enumerate(levels.tolist()):
        image = value[:, start : start + h * w].transpose(0, 2, 3, 1).reshape(batch * heads, -1, h, w)
        at = points[:, :, :, level].transpose(0, 2, 1, 3, 4).reshape(batch * heads, -1, 2)
        samples = taken(image, at[..., 1] * h - 0.5, at[..., 0] * w - 0.5)
        shares = weights[:, :, :, level].transpose(0, 2, 1, 3).reshape(batch * heads, 1, queries, -1)
        part = (samples.reshape(batch * heads, -1, queries, shares.shape[3]) * shares).sum(axis=3)
        made += part.reshape(batch, heads, -1, queries).transpose(0, 3, 1, 2)
        start += h * w
    return made


spelled(
    "ms deform attn",
    """ms deformable im2col, ms deform attention, multi scale deformable attention, multiscale deformable attention,
    ms deformable attn, ms deform attn default, ms deform attn small channel""",
)
