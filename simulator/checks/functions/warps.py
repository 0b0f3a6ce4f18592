"""Images elsewhere: moved pixels, rotations, pyramids, sums over areas, templates, filters that keep edges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .images import rounded
from .problem import Formula, Input, Problem, function, spelled, vague

#: Lengths of windows where none is passed, and pixels in all windows, at most.
_USUAL, _MOST = (3, 5, 7, 9, 11), 1 << 23
#: A row of weights that pyramids blur by.
_BINOMIAL = np.array([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
_BORDERS = ("reflect", "edge", "constant", "symmetric", "wrap")

#: How near to the middle between two pixels a place may be either's.
_CLOSE = 1e-4

_Image = np.ndarray  # [rows, columns, channels]


def _images(problem: Problem) -> Iterator[tuple[Input, str, _Image]]:
    """Arrays as single images, also with three or four channels in turn."""
    for one in problem.inputs:
        for text, whole in problem.images_of(one):
            if len(whole) == 1 and whole.shape[3] <= 4 and min(whole.shape[1:3]) > 1:
                yield one, text, whole[0]


def _taken(image: _Image, y: np.ndarray, x: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """What lies at places of an image: the nearest pixel, or between four; beyond the border nothing, or the border."""
    rows, columns, _ = image.shape
    y, x = (np.where(np.isfinite(one), np.clip(one, -1e6, 1e6), -1e6) for one in (y, x))

    def at(i: np.ndarray, j: np.ndarray, kept: bool) -> np.ndarray:
        inside = kept | ((i >= 0) & (i < rows) & (j >= 0) & (j < columns))
        found = image[np.clip(i, 0, rows - 1).astype(np.int64), np.clip(j, 0, columns - 1).astype(np.int64)]
        return np.where(inside[..., None], found, 0)

    low, left = np.floor(y), np.floor(x)
    p, q = (y - low)[..., None], (x - left)[..., None]
    whole = ((y >= 0) & (y <= rows - 1) & (x >= 0) & (x <= columns - 1))[..., None]
    for kept, border in ((False, "nothing"), (True, "the border")):
        for how, (i, j) in (("nearest", (np.floor(y + 0.5), np.floor(x + 0.5))), ("cut", (np.trunc(y), np.trunc(x)))):
            yield f"{how}, beyond it {border}", at(i, j, kept)
        between = (
            (1 - p) * ((1 - q) * at(low, left, kept) + q * at(low, left + 1, kept))
            + p * ((1 - q) * at(low + 1, left, kept) + q * at(low + 1, left + 1, kept))
        )  # fmt: skip
        yield f"between four, beyond it {border}", between
        if kept:
            yield "between four, nothing unless all are inside", np.where(whole, between, 0)


def _at(text: str, image: _Image, y: np.ndarray, x: np.ndarray, computed: bool = False) -> Iterator[Formula]:
    """``computed``: the kernel computes the places, so that those between two pixels may be nearest to either."""
    between = computed and any((np.abs(2 * one - np.rint(2 * one)) < _CLOSE).any() for one in (y, x))
    for how, made in _taken(image, y, x):
        if not between or how.startswith("between"):
            yield from rounded(f"{text}, {how}", made)


@function("remap")
def _remapped(problem: Problem) -> Iterator[Formula]:
    """An image at the places of each pixel: two arrays of columns and rows, or pairs of these."""
    for image, text, pixels in _images(problem):
        if problem.size % pixels.shape[2]:
            continue
        count = problem.size // pixels.shape[2]
        maps = [
            (f"{a.name}, {b.name}", a.flat, b.flat)
            for a, b in permutations(problem.floats, 2)
            if a.size == b.size == count
        ]
        maps += [(one.name, *one.flat.reshape(-1, 2).T) for one in problem.floats if one.size == 2 * count]
        for name, x, y in maps:
            yield from _at(f"{image.name} {text} at {name}", pixels, y, x)


def _tables(problem: Problem, rows: int) -> Iterator[tuple[str, np.ndarray]]:
    """Matrices of two rows or three, as arrays, or as six or nine numbers; and their inverses."""
    found = [(one.name, one.flat) for one in problem.floats if one.size == 3 * rows]
    if len(problem.factors) == 3 * rows:
        found.append(("the matrix that is passed", np.array(problem.factors)))
    for name, numbers in found:
        whole = np.vstack([numbers.reshape(rows, 3), [[0.0, 0.0, 1.0]]])[:3]
        yield name, whole
        if abs(np.linalg.det(whole)) > 1e-9:
            yield f"the inverse of {name}", np.linalg.inv(whole)


def _by_matrix(rows: int) -> Callable[[Problem], Iterator[Formula]]:
    """An image at (x, y, 1) times a matrix, divided by the third row."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for image, text, pixels in _images(problem):
            for high, wide in _sizes(problem, pixels):
                y, x = np.indices((high, wide)).astype(float)
                for name, table in _tables(problem, rows):
                    u, v, w = np.einsum("ij,jrc->irc", table, np.stack([x, y, np.ones_like(x)]))
                    yield from _at(f"{image.name} {text} at {name} * (x, y)", pixels, v / w, u / w, computed=True)

    return formulas


def _sizes(problem: Problem, pixels: _Image) -> Iterator[tuple[int, int]]:
    """Rows and columns of the output: those of an image, or numbers that are passed."""
    count = problem.size // pixels.shape[2]
    passed = [(h, w) for h, w in permutations(problem.counts, 2) if h * w == count]
    for size in dict.fromkeys((pixels.shape[:2], *passed)):
        if size[0] * size[1] * pixels.shape[2] == problem.size:
            yield size[0], size[1]


vague("warp affine")(_by_matrix(2))
vague("warp perspective")(_by_matrix(3))
spelled("warp affine", "affine warp, warpaffine, affine transform image")
spelled("warp perspective", "perspective warp, warpperspective, warp homography, homography warp")


@vague("rotate image")
def _rotated(problem: Problem) -> Iterator[Formula]:
    """An image turned around its middle by an angle, or by its sine and cosine."""
    turns = [
        (f"{a:g}", np.sin(a), np.cos(a)) for a in (*problem.factors, *(f * math.pi / 180 for f in problem.factors))
    ]
    turns += [(f"({s:g}, {c:g})", s, c) for s, c in permutations(problem.factors, 2)]
    for image, text, pixels in _images(problem):
        for high, wide in _sizes(problem, pixels):
            y, x = np.indices((high, wide)).astype(float)
            for less, (name, sine, cosine), sign in product((0, 1), turns, (1, -1)):
                for half in ((wide - less) / 2, (high - less) / 2), ((wide - less) // 2, (high - less) // 2):
                    across, down = x - half[0], y - half[1]
                    u = cosine * across + sign * sine * down + half[0]
                    v = cosine * down - sign * sine * across + half[1]
                    yield from _at(f"{image.name} {text} turned by {name}", pixels, v, u, computed=True)


spelled("rotate image", "image rotate, image rotation, rotate img, img rotate")


@function("integral image")
def _summed(problem: Problem) -> Iterator[Formula]:
    """The sum of all pixels above and left of each, with it or without; also with a row and a column of zeros."""
    for image, text, pixels in _images(problem):
        if pixels.shape[2] != 1:
            continue
        for name, values in ((image.name, pixels[..., 0]), (f"{image.name}^2", pixels[..., 0] ** 2)):
            for axis, along in ((0, "rows"), (1, "columns")):
                if image.size == problem.size:
                    yield Formula(f"sums of {name} {text} over {along}", values.cumsum(axis=axis).reshape(-1))
            made = values.cumsum(axis=0).cumsum(axis=1)
            wider = np.pad(made, ((1, 0), (1, 0)))
            for how, one in (("", made), (", of those before", wider[:-1, :-1]), (", behind zeros", wider)):
                if one.size == problem.size:
                    yield Formula(f"sums of {name} {text}{how}", one.reshape(-1))


spelled("integral image", "summed area table, compute integral image")


def _blurred(pixels: _Image, border: str, scale: float = 1.0) -> _Image:
    """By a row and a column of binomial weights."""
    for axis in (0, 1):
        padded = np.pad(pixels, [(2, 2) if at == axis else (0, 0) for at in range(3)], mode=border)  # type: ignore[call-overload]
        parts = [np.take(padded, range(at, at + pixels.shape[axis]), axis) for at in range(5)]
        pixels = sum(scale * w * part for w, part in zip(_BINOMIAL, parts, strict=True))
    return pixels


@vague("pyr down", "pyr up")
def _pyramid(problem: Problem) -> Iterator[Formula]:
    """Each second row and column of a blurred image, or an image twice as large whose other pixels are between."""
    for image, text, pixels in _images(problem):
        for border in _BORDERS if min(pixels.shape[:2]) > 2 else ():
            half = _blurred(pixels, border)[::2, ::2]
            if half.size == problem.size:
                yield from rounded(f"half of {image.name} {text}, border {border}", half)
            if 4 * pixels.size == problem.size:
                spread = np.zeros((2 * pixels.shape[0], 2 * pixels.shape[1], pixels.shape[2]))
                spread[::2, ::2] = pixels
                yield from rounded(f"twice {image.name} {text}, border {border}", _blurred(spread, border, 2.0))


spelled("pyr down", "pyramid down, downsample pyramid")
spelled("pyr up", "pyramid up")


@function("match template")
def _matched(problem: Problem) -> Iterator[Formula]:
    """How like a small image each place of another is: differences, products, those of what is off the mean."""
    for a, text, image in _images(problem):
        for b, other, small in _images(problem):
            high, wide = small.shape[:2]
            if a is b or image.shape[2] != 1 or small.shape[2] != 1 or problem.size * small.size > _MOST:
                continue
            around = np.pad(image[..., 0], ((high // 2, high // 2), (wide // 2, wide // 2)), mode="edge")
            for how, whole in (("", image[..., 0]), (", the border going on", around)):
                if min(n - m for n, m in zip(whole.shape, (high, wide), strict=True)) < 0:
                    continue
                parts = np.lib.stride_tricks.sliding_window_view(whole, (high, wide))
                if parts.shape[0] * parts.shape[1] != problem.size:
                    continue
                for mean in dict.fromkeys((small.mean(), *problem.factors)):
                    for name, made in _likenesses(parts.reshape(problem.size, -1), small.reshape(-1), mean):
                        yield Formula(f"{name} of {b.name} {other} in {a.name} {text}{how}", made)


def _likenesses(parts: np.ndarray, small: np.ndarray, mean: float) -> Iterator[tuple[str, np.ndarray]]:
    off, less = parts - parts.mean(axis=1, keepdims=True), small - mean
    forms = {
        "squared differences": ((parts - small) ** 2).sum(axis=1),
        "products": parts @ small,
        "products off the mean": off @ less,
    }
    forms["differences"] = np.abs(parts - small).sum(axis=1)
    yield from forms.items()
    yield "products with what is off the mean, normed", parts @ less / np.sqrt((off**2).sum(axis=1) * (less**2).sum())
    sizes = np.sqrt((parts**2).sum(axis=1) * (small**2).sum())
    yield "squared differences, normed", forms["squared differences"] / sizes
    yield "products, normed", forms["products"] / sizes
    yield (
        "products off the mean, normed",
        forms["products off the mean"] / np.sqrt((off**2).sum(axis=1) * (less**2).sum()),
    )
    yield "mean squared differences", forms["squared differences"] / small.size


spelled(
    "match template",
    """template matching, match template ccorr, match template sqdiff, template match, sad matching, template match sad,
    ncc, normalized cross correlation, match template naive, match template naive sqdiff, match template naive ccorr""",
)


@vague("bilateral filter")
def _bilateral(problem: Problem) -> Iterator[Formula]:
    """Means of windows by exp(-d^2 / (2 s^2)) of distances and of differences; the border goes on, or is the end."""
    for image, text, pixels in _images(problem):
        if image.size != problem.size:
            continue
        sigmas = [(a, b) for a, b in permutations(problem.factors, 2)]
        for n in _lengths(problem, pixels):
            for kept, (s, r), square in product((True, False), sigmas, (2.0, 1.0)):
                made = _smoothed(pixels, n, kept, (square * s * s, square * r * r))
                yield from rounded(f"bilateral filter of {n}x{n} of {image.name} {text}, {s:g} and {r:g}", made)


def _lengths(problem: Problem, pixels: _Image) -> Sequence[int]:
    named = [2 * n + 1 for n in problem.named("radius", "half", "r") if 0 < n < 16] + list(problem.windows)
    usual = named or [m for n in problem.whole if 0 < n < 16 for m in (n, 2 * n + 1)] or list(_USUAL)
    return [n for n in dict.fromkeys(usual) if n % 2 and n > 1 and n * n * pixels.size <= _MOST]


def _smoothed(pixels: _Image, n: int, kept: bool, widths: tuple[float, float]) -> _Image:
    half, (rows, columns, _) = n // 2, pixels.shape
    padded = np.pad(pixels, ((half, half), (half, half), (0, 0)), mode="edge")
    there = np.pad(np.ones(pixels.shape[:2]), half, constant_values=float(kept))
    total, weights = np.zeros(pixels.shape), np.zeros((rows, columns, 1))
    for i, j in np.ndindex(n, n):
        part = padded[i : i + rows, j : j + columns]
        far, off = (i - half) ** 2 + (j - half) ** 2, ((part - pixels) ** 2).sum(axis=2)
        by = (there[i : i + rows, j : j + columns] * np.exp(-far / widths[0] - off / widths[1]))[..., None]
        total, weights = total + by * part, weights + by
    return total / weights


spelled("bilateral filter", "bilateral, bilateral blur, bilateral filtering")


@function("polar to cartesian", "cartesian to polar")
def _polar(problem: Problem) -> Iterator[Formula]:
    """Lengths and angles, in degrees or not, 0..360 or around 0; or what they are of. In arrays of their own."""
    for a, b in permutations(problem.like, 2):
        x, y = a.flat, b.flat
        yield Formula(f"lengths of ({a.name}, {b.name})", np.hypot(x, y))
        for how, turn in (("", 1.0), (" in degrees", 180 / math.pi)):
            angle = np.arctan2(y, x) * turn
            yield Formula(f"angles of ({a.name}, {b.name}){how}", angle)
            yield Formula(
                f"angles of ({a.name}, {b.name}){how} from 0 on", np.where(angle < 0, angle + 2 * math.pi * turn, angle)
            )
            yield Formula(f"{a.name} * cos({b.name}){how}", x * np.cos(y / turn))
            yield Formula(f"{a.name} * sin({b.name}){how}", x * np.sin(y / turn))


spelled("polar to cartesian", "polar to cart, polar2cart, polar to xy")
spelled("cartesian to polar", "cart to polar, cart2polar, magnitude and angle, gradient magnitude and direction")
spelled(
    "hypot", "calc magnitude, gradient magnitude, magnitude 2d, compute magnitude, edge magnitude, combine gradients"
)


#: Weights around a pixel that is made sharper.
_SHARP = (((0, -1, 0), (-1, 5, -1), (0, -1, 0)), ((-1, -1, -1), (-1, 9, -1), (-1, -1, -1)))


@vague("sharpen")
def _sharpened(problem: Problem) -> Iterator[Formula]:
    """Five or nine times a pixel less its neighbours, in 0..255; the border goes on, is kept or 0."""
    for image, text, pixels in _images(problem):
        if image.size != problem.size:
            continue
        for weights, border in product(_SHARP, ("edge", "constant")):
            padded, made = np.pad(pixels, ((1, 1), (1, 1), (0, 0)), mode=border), np.zeros(pixels.shape)  # type: ignore[call-overload]
            for i, j in np.ndindex(3, 3):
                made += weights[i][j] * padded[i : i + pixels.shape[0], j : j + pixels.shape[1]]
            inside = np.zeros(pixels.shape, bool)
            inside[1:-1, 1:-1] = True
            for how, one in (
                ("", made),
                (", border kept", np.where(inside, made, pixels)),
                (", border 0", inside * made),
            ):
                yield from rounded(f"{image.name} {text} sharper by {weights[1][1]}, {border} beyond{how}", one)


spelled("sharpen", "sharpen filter, sharpening, sharpen image, image sharpen, image sharpening")


@function("rotate 90")
def _quarter(problem: Problem) -> Iterator[Formula]:
    """Rows as columns, to the right or to the left."""
    for image, text, pixels in _images(problem):
        for way, times in (("right", -1), ("left", 1)) if image.size == problem.size else ():
            yield Formula(f"{image.name} {text} turned to the {way}", np.rot90(pixels, times).reshape(-1))


spelled("rotate 90", "rotate image 90, rotate 90 degrees, rotate 90 clockwise, rotate 270, rot 90")


@function("abs diff")
def _apart(problem: Problem) -> Iterator[Formula]:
    for a, b in permutations(problem.like, 2):
        yield Formula(f"|{a.name} - {b.name}|", np.abs(a.flat - b.flat))


spelled("abs diff", "absdiff, absolute difference, abs difference, image difference, frame difference")


@vague("min max normalize")
def _stretched(problem: Problem) -> Iterator[Formula]:
    """(x - least) / (greatest - least), also times 255: of all elements, or by numbers that are passed."""
    for x in problem.like:
        bounds = [
            (float(x.flat.min()), float(x.flat.max())),
            *permutations((*problem.factors, *map(float, problem.whole)), 2),
        ]
        for (low, high), most in product(bounds, (1.0, 255.0)):
            made = most * (x.flat - low) / (high - low)
            yield from rounded(f"{most:g} * ({x.name} - {low:g}) / {high - low:g}", made)
            yield from rounded(
                f"{most:g} * ({x.name} - {low:g}) / {high - low:g}, in 0..{most:g}", np.clip(made, 0, most)
            )


spelled(
    "min max normalize", "minmax normalize, normalize min max, contrast stretch, contrast stretching, stretch contrast"
)


@function("fft shift")
def _shifted(problem: Problem) -> Iterator[Formula]:
    """Each axis turned by half of its length, to the front or back."""
    for x in problem.like:
        grids = [
            ("", x.flat.reshape(1, -1)),
            *((text, whole[0]) for text, whole in problem.images_of(x) if len(whole) == 1),
        ]
        for (text, grid), way in product(grids, (1, -1)):
            steps = [(n if way > 0 else n + 1) // 2 for n in grid.shape[:2]]
            made = np.roll(grid, steps, axis=(0, 1))
            yield Formula(f"{x.name} {text} turned by {steps[0]}, {steps[1]}", made.reshape(-1))
            yield Formula(
                f"{x.name} {text} turned by {steps[1]} along rows", np.roll(grid, steps[1], axis=1).reshape(-1)
            )


spelled("fft shift", "fftshift, ifftshift, ifft shift, fft shift 2d, cufftshift")
spelled(
    "invert", "invert colors, invert color, image negative, negative image, color inversion, invert image, image invert"
)
spelled(
    "flip",
    "mirror, mirror image, flip horizontal, horizontal flip, flip vertical, vertical flip, flip image, image flip",
)
