"""Functions of the colours of pixels: other colour spaces, channels apart and together, tables of values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product

import numpy as np
from numpy.typing import ArrayLike

from .images import rounded
from .problem import Formula, Problem, also, function, of_all_results, spelled, vague

#: Rows of matrices that make other colours of red, green and blue.
_XYZ = ((0.4124, 0.3576, 0.1805), (0.2126, 0.7152, 0.0722), (0.0193, 0.1192, 0.9505))
_FROM_XYZ = ((3.2406, -1.5372, -0.4986), (-0.9689, 1.8758, 0.0415), (0.0557, -0.2040, 1.0570))
_SEPIA = ((0.393, 0.769, 0.189), (0.349, 0.686, 0.168), (0.272, 0.534, 0.131))
_YUV = ((0.299, 0.587, 0.114), (-0.14713, -0.28886, 0.436), (0.615, -0.51499, -0.10001))
_YCBCR = ((0.299, 0.587, 0.114), (-0.168736, -0.331264, 0.5), (0.5, -0.418688, -0.081312))
_LIMITED = ((65.481, 128.553, 24.966), (-37.797, -74.203, 112.0), (112.0, -93.786, -18.214))
#: Levels of a pixel.
_LEVELS = 256

_Planes = np.ndarray  # [(red, green, blue), pixels]


def _pixels(problem: Problem) -> Iterator[tuple[str, _Planes, np.ndarray | None]]:
    """Three channels of images, and a fourth one: in turn, one after the other, or arrays of their own."""
    for one in problem.inputs:
        for channels in (3, 4):
            if one.size % channels == 0:
                parts = np.ascontiguousarray(one.flat.reshape(-1, channels).T)
                yield one.name, parts[:3], parts[3] if channels == 4 else None
        if one.size % 3 == 0:
            yield f"{one.name} by planes", one.flat.reshape(3, -1), None
    for three in permutations(problem.inputs, 3) if len(problem.inputs) < 7 else ():
        if len({one.size for one in three}) == 1:
            yield ", ".join(one.name for one in three), np.stack([one.flat for one in three]), None


def _images(problem: Problem, text: str, planes: _Planes, fourth: np.ndarray | None) -> Iterator[Formula]:
    """An image of three planes: each alone, in turn, one after the other; with a fourth one that is kept, or full."""
    count, by = planes.shape[1], planes.T
    if problem.size == count:
        for at, plane in enumerate(planes):
            yield from rounded(f"channel {at} of {text}", plane)
    elif problem.size == 3 * count:
        yield from rounded(text, by)
        yield from rounded(f"{text} by planes", by.T)
    elif problem.size == 4 * count:
        for full in (255.0, 1.0, 0.0, *((fourth,) if fourth is not None else ())):
            last = np.broadcast_to(np.asarray(full), count)[:, None]
            yield from rounded(f"{text} and a fourth", np.concatenate([by, last], axis=1))


def _by_matrix(*tables: tuple[ArrayLike, ArrayLike, float]) -> Callable[[Problem], Iterator[Formula]]:
    """Colours times a matrix, and added numbers; what is above a greatest number is that. Also of blue first."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for text, planes, fourth in _pixels(problem):
            if problem.size not in [n * planes.shape[1] for n in (1, 3, 4)]:
                continue
            for (matrix, added, most), order in product(tables, ("rgb", "bgr")):
                made = np.asarray(matrix) @ (planes if order == "rgb" else planes[::-1]) + np.reshape(added, (-1, 1))
                made = np.clip(made, 0, most) if most else made
                for way, back in (("", made), (", backwards", made[::-1])):
                    yield from _images(problem, f"a matrix * {text}, {order}{way}", back, fourth)

    return formulas


_NONE, _MIDDLE = (0, 0, 0), (0, 128, 128)
_FROM_YUV, _FROM_YCBCR = np.linalg.inv(_YUV), np.linalg.inv(_YCBCR)
vague("sepia")(_by_matrix(*((_SEPIA, _NONE, most) for most in (255, 1, 0))))
vague("rgb to xyz")(_by_matrix((_XYZ, _NONE, 0)))
vague("xyz to rgb")(_by_matrix((_FROM_XYZ, _NONE, 0)))
vague("rgb to yuv")(
    _by_matrix(
        (_YUV, _NONE, 0), (_YUV, _MIDDLE, 0), (_YCBCR, _MIDDLE, 0), (_YCBCR, _NONE, 0), (_YCBCR, (0, 0.5, 0.5), 0),
        (np.array(_LIMITED) / 255, (16, 128, 128), 0),
    )
)  # fmt: skip
vague("yuv to rgb")(
    _by_matrix(
        (_FROM_YUV, _NONE, 0), (_FROM_YUV, -_FROM_YUV @ _MIDDLE, 0),
        (_FROM_YCBCR, -_FROM_YCBCR @ _MIDDLE, 0), (_FROM_YCBCR, _NONE, 0),
    )
)  # fmt: skip
spelled("sepia", "sepia filter, sepia tone, apply sepia")
spelled("rgb to xyz", "rgb2xyz, bgr to xyz")
spelled("rgb to yuv", "rgb2yuv, rgb to ycbcr, rgb2ycbcr, bgr to yuv, rgb to ycrcb, bgr to ycrcb, rgb2ycrcb")
spelled("yuv to rgb", "yuv2rgb, ycbcr to rgb, ycbcr2rgb, yuv to bgr")

of_all_results("rgb to xyy", "separate channels", "tonemap")


@function("rgb to xyy")
def _to_xyy(problem: Problem) -> Iterator[Formula]:
    """Shares x and y of X + Y + Z, and the logarithm of Y and a number that is passed."""
    for text, planes, _ in _pixels(problem):
        if problem.size not in (planes.shape[1], planes.size):
            continue
        x, y, z = np.array(_XYZ) @ planes
        for delta in dict.fromkeys((*problem.factors, 0.0)):
            made = np.stack([x / (x + y + z), y / (x + y + z), np.log10(delta + y)])
            yield from _images(problem, f"xyY of {text}, {delta:g}", made, None)


spelled("rgb to xyy", "rgb to xy y, rgb to xy, rgb2xyy")


@function("tonemap")
def _mapped(problem: Problem) -> Iterator[Formula]:
    """Red, green and blue of x, y and levels of brightness, by the table of what stands for each level."""
    for x, y, levels in permutations(problem.like, 3):
        for table in (one for one in problem.floats if one.size < problem.size):
            for low, wide in permutations(problem.factors, 2):
                at = np.trunc(table.size * (levels.flat - low) / wide)
                new = table.flat[np.clip(at, 0, table.size - 1).astype(np.int64)]
                big, rest = x.flat * new / y.flat, (1 - x.flat - y.flat) * new / y.flat
                made = np.array(_FROM_XYZ) @ np.stack([big, new, rest])
                name = f"{x.name}, {y.name}, {levels.name} by {table.name} from {low:g} over {wide:g}"
                yield from (Formula(f"channel {at} of {name}", one) for at, one in enumerate(made))


@function("normalize cdf")
def _shares(problem: Problem) -> Iterator[Formula]:
    """Running counts by the last one, or by a number that is passed; also from the least one on."""
    for one in problem.like:
        for whole in dict.fromkeys(
            (one.flat[-1], *(float(n) for n in problem.whole if n != one.size), *problem.factors)
        ):
            for most in (1.0, _LEVELS - 1.0):
                yield from rounded(f"{most:g} * {one.name} / {whole:g}", most * one.flat / whole)
                least = one.flat[one.flat > 0].min(initial=np.inf)
                yield from rounded(
                    f"{most:g} * {one.name} from {least:g} on / {whole:g}", most * (one.flat - least) / (whole - least)
                )


spelled("normalize cdf", "cdf normalize, normalise cdf")


@vague("equalize")
@function("apply lut")
def _looked_up(problem: Problem) -> Iterator[Formula]:
    """What a table says of each level, or a table of running counts: their share of all levels, from the least on."""
    for image, table in permutations(problem.inputs, 2):
        at = image.index if image.values.dtype.kind in "iu" else np.zeros(0)
        if image.size != problem.size or not len(at) or at.min() < 0 or at.max() >= table.size:
            continue
        yield from rounded(f"{table.name} at {image.name}", table.flat[at])
        if table.size == _LEVELS:
            for name, counts in ((table.name, table.flat), (f"sums of {table.name}", np.cumsum(table.flat))):
                for least in dict.fromkeys((0.0, counts[counts > 0].min(initial=np.inf), *map(float, problem.whole))):
                    whole = dict.fromkeys((counts[-1], float(image.size)))
                    for count, less in product(whole, (0.0, least)):
                        made = (_LEVELS - 1) * (counts[at] - least) / (count - less)
                        yield from rounded(f"levels of {image.name} by {name} from {least:g} of {count - less:g}", made)


spelled("apply lut", "lut, lut transform, lookup table, apply lookup table, map lut")
spelled("equalize", "histogram equalization, equalize histogram, equalize hist, hist equalization, histogram equalize")
spelled("equalize", "apply equalization, histogram equalization apply, apply histogram equalization")


@function("separate channels")
def _apart(problem: Problem) -> Iterator[Formula]:
    """One channel of an image of channels in turn, or one after the other."""
    for image, channels in product(problem.inputs, (3, 4, 2)):
        if image.size == channels * problem.size:
            for at, plane in enumerate(image.flat.reshape(-1, channels).T):
                yield Formula(f"channel {at} of {image.name}", plane)
        elif image.size == problem.size and image.size % channels == 0:
            yield Formula(f"{channels} channels of {image.name}", image.flat.reshape(-1, channels).T.reshape(-1))


@function("recombine channels")
def _together(problem: Problem) -> Iterator[Formula]:
    """Channels in turn, of arrays in their order or of one after the other; with a fourth one that is full, or not."""
    for channels in (3, 4, 2):
        arrays = [one for one in problem.inputs if one.size * channels == problem.size]
        for count in {channels, channels - 1} - {1}:
            for at in range(len(arrays) - count + 1):
                parts = [one.flat for one in arrays[at : at + count]]
                yield from _full(", ".join(one.name for one in arrays[at : at + count]), parts, channels)
        for one in problem.like if problem.size % channels == 0 else ():
            yield Formula(f"{one.name} by {channels} channels", one.flat.reshape(channels, -1).T.reshape(-1))


def _full(text: str, parts: list[np.ndarray], channels: int) -> Iterator[Formula]:
    for last in (255.0, 1.0, 0.0) if channels > len(parts) else (0.0,):
        whole = [*parts, np.full(parts[0].shape, last)][:channels]
        yield Formula(
            f"{text} in turn{f', {last:g} last' * (channels > len(parts))}", np.stack(whole, axis=1).reshape(-1)
        )


spelled("separate channels", "split channels, separate rgb, deinterleave channels, split rgb, rgba to channels")
spelled("recombine channels", "merge channels, combine channels, interleave channels, recombine rgb, merge rgb")


@function("rgb to bgr")
def _swapped(problem: Problem) -> Iterator[Formula]:
    """The first and the third channel exchanged, of three or four in turn."""
    for text, planes, fourth in _pixels(problem):
        if problem.size in (planes.size, 4 * planes.shape[1]):
            yield from _images(problem, f"{text} backwards", planes[::-1], fourth)


spelled(
    "rgb to bgr", "bgr to rgb, rgb2bgr, bgr2rgb, swap rgb, swap channels, swap red blue, rgba to bgra, bgra to rgba"
)


def _hues(r: np.ndarray, g: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Hue in 0..360, saturation and value of colours in 0..1."""
    most, least = np.maximum(np.maximum(r, g), b), np.minimum(np.minimum(r, g), b)
    wide = np.where(most > least, most - least, 1)
    turn = np.where(most == r, (g - b) / wide % 6, np.where(most == g, (b - r) / wide + 2, (r - g) / wide + 4))
    return (
        60 * np.where(most > least, turn, 0),
        np.where(most > 0, (most - least) / np.where(most > 0, most, 1), 0),
        most,
    )


@vague("rgb to hsv")
def _to_hsv(problem: Problem) -> Iterator[Formula]:
    """Hue in 0..360, 0..180, 0..255 or 0..1, saturation and value in 0..1, 0..255 or 0..100."""
    for (text, planes, fourth), (level, order) in product(_pixels(problem), product((1.0, 255.0), ("rgb", "bgr"))):
        if problem.size not in [n * planes.shape[1] for n in (1, 3, 4)]:
            continue
        h, s, v = _hues(*((planes if order == "rgb" else planes[::-1]) / level))
        for turn, most in product((360.0, 180.0, 255.0, 1.0), (1.0, 255.0, 100.0)):
            name = f"hsv of {text}, {order}, hue in 0..{turn:g}, others in 0..{most:g}"
            yield from _images(problem, name, np.stack([h / 360 * turn, s * most, v * most]), fourth)


spelled("rgb to hsv", "rgb2hsv, bgr to hsv, bgr2hsv")


@vague("brightness", "contrast", "brightness contrast", "add weighted")
def _levels(problem: Problem) -> Iterator[Formula]:
    """a * x + b, a * (x - 128) + 128 or a * (x - 128) + 128 + b of levels, in 0..255 or 0..1; sums of two images."""
    numbers = [*problem.factors, *map(float, problem.whole)]
    pairs = [*((1.0, b) for b in numbers), *((a, 0.0) for a in numbers), *permutations(numbers, 2)]
    for x, (a, b), middle in product(problem.like, pairs, (0.0, 128.0, 0.5)):
        made = a * (x.flat - middle) + middle + b
        for most in (255.0, 1.0, np.inf):
            text = f"{a:g} * ({x.name} - {middle:g}) + {middle:g} + {b:g}, to {most:g}"
            yield from rounded(text, np.clip(made, 0, most) if np.isfinite(most) else made)
    for (x, y), at in product(permutations(problem.like, 2), range(len(problem.factors) - 1)):
        a, b = problem.factors[at : at + 2]
        for c in dict.fromkeys((0.0, *problem.factors[at + 2 : at + 3])):
            made = a * x.flat + b * y.flat + c
            yield from rounded(f"{a:g} * {x.name} + {b:g} * {y.name} + {c:g}", made)
            yield from rounded(f"{a:g} * {x.name} + {b:g} * {y.name} + {c:g} in 0..255", np.clip(made, 0, 255))


spelled("brightness", "adjust brightness, brighten, brightness adjustment, change brightness")
spelled("contrast", "adjust contrast, contrast adjustment, change contrast")
spelled("brightness contrast", "adjust brightness contrast, brightness and contrast, contrast brightness")
spelled("add weighted", "addweighted, weighted add, weighted blend, image blend, blend images")


@vague("gamma correction")
def _powers(problem: Problem) -> Iterator[Formula]:
    """Levels to the power of a number that is passed, or of its inverse, in 0..255 or 0..1."""
    for x, gamma, most in product(problem.like, problem.factors, (255.0, 1.0)):
        for power in dict.fromkeys((gamma, 1 / gamma if gamma else 1.0)):
            yield from rounded(
                f"{x.name} to the {power:g}, of {most:g}", most * np.clip(x.flat / most, 0, None) ** power
            )


spelled("gamma correction", "gamma correct, gamma transform, apply gamma")


@also("grayscale")
def _gray_of_planes(problem: Problem) -> Iterator[Formula]:
    """Of arrays of red, green and blue."""
    for r, g, b in permutations(problem.like, 3):
        for weights in ((0.299, 0.587, 0.114), (0.2126, 0.7152, 0.0722), (0.21, 0.71, 0.07), (0.21, 0.72, 0.07)):
            made = sum(w * one.flat for w, one in zip(weights, (r, g, b), strict=True))
            yield from rounded(f"grayscale({r.name}, {g.name}, {b.name})", np.asarray(made))


spelled("grayscale", "rgba to greyscale, rgba to grayscale, rgba to gray, bgr to gray, bgr2gray, rgba2gray, rgb2grey")
spelled("grayscale", "color 2 gray convertion, rgb to luminance, luminance, colour to gray, convert to gray")
