"""Images of another size: nearest, linear and cubic interpolation, adaptive pools, means of regions; and the gradients.

Each is a product with a matrix of weights along each axis, [places of results, places of the image].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice, product

import numpy as np

from . import windows  # noqa: F401  (whose functions have more forms here)
from .moves import positions
from .problem import Formula, Function, Input, Problem, also, function, spelled
from .shapes import shapes_of_images

#: Places of an image and of results together, and times that one is larger, at most; the slope of cubics.
_MOST, _MOST_TIMES, _SLOPES = 1 << 22, 16, (-0.75, -0.5)
#: Lengths of results, and pairs of images and results, that are tried, at most.
_MOST_LENGTHS, _MOST_PAIRS = 4096, 256

_Weights = np.ndarray  # [results, elements] along an axis
_Axis = Callable[[int, int], _Weights]


@dataclass(frozen=True)
class _Pair:
    """The axes [outer, *lengths, inner] of images and of others, of which the lengths alone are not the same."""

    outer: int
    small: tuple[int, ...]
    large: tuple[int, ...]
    inner: int
    passed: bool = True  # all axes of one of both

    @property
    def even(self) -> bool:
        """Whether all axes become so many times as long, or as short."""
        a, b = self.small, self.large
        return all(b[0] * m == a[0] * n for m, n in zip(a, b, strict=True)) and 0 in (a[0] % b[0], b[0] % a[0])

    @property
    def turned(self) -> _Pair:
        """The same the other way round."""
        return replace(self, small=self.large, large=self.small)


def _one_each(count: int, length: int, at: np.ndarray) -> _Weights:
    made = np.zeros((count, length))
    made[np.arange(count), np.clip(at.astype(np.int64), 0, length - 1)] = 1
    return made


def _spread(count: int, length: int, at: np.ndarray, weights: Sequence[np.ndarray], first: int) -> _Weights:
    """Weights of neighbours from the one that is ``first`` to an element on; beyond the border is its end."""
    made, low = np.zeros((count, length)), np.floor(at).astype(np.int64)
    for n, weight in enumerate(weights):
        np.add.at(made, (np.arange(count), np.clip(low + first + n, 0, length - 1)), weight)
    return made


@lru_cache(maxsize=256)
def _nearest(how: str, count: int, length: int) -> _Weights:
    at = {
        "": positions(count, length, False, False), "exact": positions(count, length, False, True) + 0.5,
        "corners aligned": np.floor(positions(count, length, True, False) + 0.5),
    }[how]  # fmt: skip
    return _one_each(count, length, np.floor(at + 1e-9))


@lru_cache(maxsize=256)
def _linear(how: str, count: int, length: int) -> _Weights:
    at = positions(count, length, how == "corners aligned", how == "half pixels")
    at = np.clip(at, 0, length - 1)
    part = at - np.floor(at)
    return _spread(count, length, at, (1 - part, part), 0)


@lru_cache(maxsize=256)
def _cubic(how: str, count: int, length: int) -> _Weights:
    kind, slope = how.split(", ")
    at, a = positions(count, length, kind == "corners aligned", kind == "half pixels"), float(slope)
    t = at - np.floor(at)

    def near(x: np.ndarray) -> np.ndarray:
        found: np.ndarray = ((a + 2) * x - (a + 3)) * x * x + 1
        return found

    def far(x: np.ndarray) -> np.ndarray:
        found: np.ndarray = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
        return found

    return _spread(count, length, at, (far(t + 1), near(t), near(1 - t), far(2 - t)), -1)


def _regions(count: int, length: int) -> list[slice]:
    return [slice(n * length // count, -(-(n + 1) * length // count)) for n in range(count)]


@lru_cache(maxsize=256)
def _means(how: str, count: int, length: int) -> _Weights:
    """Of regions that cover an axis, which overlap where they have no whole length."""
    made = np.zeros((count, length))
    for n, region in enumerate(_regions(count, length)):
        made[n, region] = 1 / (region.stop - region.start)
    return made


_KINDS: dict[str, tuple[Callable[[str, int, int], _Weights], Sequence[str]]] = {
    "nearest": (_nearest, ("", "exact", "corners aligned")),
    "linear": (_linear, ("half pixels", "corners aligned", "asymmetric")),
    "cubic": (_cubic, [f"{kind}, {a}" for kind in ("half pixels", "corners aligned", "asymmetric") for a in _SLOPES]),
    "means": (_means, ("",)),
}


def _pairs(problem: Problem, source: Input) -> Iterator[_Pair]:
    """The axes that images and results may have: their own, or such that passed numbers say, of even scale first.

    Channels lie before the lengths that change, or behind them.
    """
    own, out = source.values.shape, problem.shape
    if len(own) == len(out) > 2:
        for dims, last in product(range(1, len(own)), (False, True)):
            behind = 1 if last else 0
            at = slice(len(own) - dims - behind, len(own) - behind)
            rest_own, rest_out = (s[: at.start] + s[at.stop :] for s in (own, out))
            if rest_own == rest_out and all(a != b for a, b in zip(own[at], out[at], strict=True)):
                yield _Pair(math.prod(own[: at.start]), own[at], out[at], own[-1] if last else 1)
        return
    if source.size == problem.size:
        return
    found = dict.fromkeys(_said(problem, source))
    yield from islice(sorted(found, key=lambda pair: (not pair.even, not pair.passed)), _MOST_PAIRS)


def _said(problem: Problem, source: Input) -> Iterator[_Pair]:
    passed = [*dict.fromkeys(n for n in problem.numbers.values() if isinstance(n, int) and n > 0)]
    of_lengths = replace(problem, numbers=problem.lengths)
    for size, other, turned in ((source.size, problem.size, False), (problem.size, source.size, True)):
        for dims, last in product((2, 1, 3), (False, True)):
            seen = set()
            for shape in shapes_of_images(of_lengths, size):
                at = slice(len(shape) - dims - last, len(shape) - last)
                if at.start >= 0 and (shape[at], inner := math.prod(shape[at.stop :])) not in seen:
                    seen.add((shape[at], inner))
                    for pair in _of_size(size, other, _Pair(1, shape[at], (), inner, set(shape) <= {*passed}), passed):
                        yield pair.turned if turned else pair


def _of_size(size: int, other: int, small: _Pair, passed: Sequence[int]) -> Iterator[_Pair]:
    """The lengths that other images may have along some axes: passed numbers, or times as large or as small."""
    lengths = small.small
    outer = size // (math.prod(lengths) * small.inner)
    rest = other // (outer * small.inner)
    if rest * outer * small.inner != other:
        return
    times = [n for n in dict.fromkeys((*passed, 2, 3, 4)) if 1 < n <= _MOST_TIMES]
    tried = [tuple(n * t for n in lengths) for t in times] + [tuple(n // t for n in lengths) for t in times]
    if len(lengths) == 1:
        tried.append((rest,))
    if len(passed) ** len(lengths) <= _MOST_LENGTHS:
        tried += product(passed, repeat=len(lengths))
    for large in dict.fromkeys(tried):
        if math.prod(large) == rest and large != lengths and min(large) > 0:
            yield replace(small, outer=outer, large=large)


def _applied(x: np.ndarray, pair: _Pair, weights: Sequence[_Weights]) -> np.ndarray:
    """Products along all axes, [outer, *results, inner]."""
    made = x.reshape(pair.outer, *pair.small, pair.inner)
    for axis, weight in enumerate(weights, 1):
        made = np.moveaxis(np.tensordot(weight, made, (1, axis)), 0, axis)
    return made.reshape(-1)


def _ways(pair: _Pair, kinds: Sequence[str], back: bool) -> Iterator[tuple[str, list[_Weights]]]:
    """Weights along each axis, those alone that differ from the ones before."""
    seen: set[bytes] = set()
    for kind in kinds:
        axis, hows = _KINDS[kind]
        for how in hows:
            lengths = zip(pair.small, pair.large, strict=True)
            weights = [axis(how, a, b).T if back else axis(how, b, a) for a, b in lengths]
            if (key := b"".join(one.tobytes() for one in weights)) not in seen:
                seen.add(key)
                yield f"{kind} of {pair.small} as {pair.large}{how and ', ' + how}", weights


def _resized(*kinds: str, back: bool = False) -> Function:
    """Images of another size, or what comes ``back`` to images from results of another size."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.floats or problem.inputs:
            for pair in _pairs(problem, x) if x.size + problem.size <= _MOST else ():
                for text, weights in _ways(pair, kinds, back):
                    name = f"{x.name}{' back through' * back}, {text}"
                    yield from _with_scale(problem, name, _applied(x.flat, pair, weights))

    return formulas


@function("upsample")
def _either_way(problem: Problem) -> Iterator[Formula]:
    """Images of another size, or the gradient where a number that is called ``forward`` is 0."""
    back = 0 in problem.named("forward")
    yield from _resized(*(["nearest"] if back else ["nearest", "linear", "cubic"]), back=back)(problem)


def _with_scale(problem: Problem, text: str, made: np.ndarray) -> Iterator[Formula]:
    """Results as they are, or added to what is there, times a factor or not."""
    yield Formula(text, made)
    for held in problem.like:
        for factor in dict.fromkeys((1.0, *problem.factors)):
            yield Formula(f"{held.name} + {factor:g} * {text}", held.flat + factor * made)
    for factor in problem.factors:
        yield Formula(f"{factor:g} * {text}", factor * made)


also("interpolate nearest")(_resized("nearest"))
also("interpolate linear")(_resized("linear"))
function("interpolate cubic")(_resized("cubic"))
function("adaptive avg pool")(_resized("means"))
function("interpolate nearest backward")(_resized("nearest", back=True))
function("interpolate linear backward")(_resized("linear", back=True))
function("interpolate cubic backward")(_resized("cubic", back=True))
function("upsample backward")(_resized("nearest", "linear", "cubic", back=True))
function("adaptive avg pool backward")(_resized("means", back=True))
spelled(
    "upsample",
    "resize, upsampling, resize image, image resize, up sampling",
)
spelled(
    "interpolate nearest",
    """nearest interpolation, interpolate nearest neighbor, resize nearest, nearest resize, nearest upsample,
    upsample nearest neighbor, resize nearest neighbor, nearest upsampling""",
)
spelled(
    "interpolate linear",
    """interpolate bilinear, resize bilinear, bilinear resize, upsample linear, upsample trilinear, resize linear,
    bilinear upsample, interp bilinear, bilinear interp, bilinear upsampling""",
)
spelled(
    "interpolate cubic",
    """interpolate bicubic, upsample bicubic, resize bicubic, resize cubic, bicubic resize""",
)
spelled(
    "adaptive avg pool",
    """adaptive average pool, adaptive avgpool, adaptive average pooling, adaptive avg pooling, adaptive pool avg,
    adaptiveaveragepool""",
)


@function("adaptive max pool")
def _adaptive_max(problem: Problem) -> Iterator[Formula]:
    """The largest of each region, or its number in the image."""
    for x in problem.inputs:
        for pair in _pairs(problem, x):
            rows = x.flat.reshape(pair.outer, *pair.small, pair.inner)
            number = np.arange(math.prod(pair.small)).reshape(1, *pair.small, 1)
            most, place = (np.empty((pair.outer, *pair.large, pair.inner)) for _ in range(2))
            regions = [_regions(b, a) for a, b in zip(pair.small, pair.large, strict=True)]
            for at in np.ndindex(*pair.large):
                inside: tuple[slice, ...] = (slice(None), *(regions[axis][n] for axis, n in enumerate(at)))
                values = rows[inside].reshape(pair.outer, -1, pair.inner)
                best = values.argmax(axis=1)
                most[:, *at] = values.max(axis=1)
                place[:, *at] = number[inside].reshape(-1)[best]
            text = f"the largest of {x.name} of {pair.small} in {pair.large} regions"
            yield Formula(text, most.reshape(-1))
            yield Formula(f"places of {text}", place.reshape(-1))


spelled("adaptive max pool", "adaptive maxpool, adaptive max pooling, adaptive pool max, adaptivemaxpool")


def _global(name: str, reduced: Callable[..., np.ndarray]) -> Function:
    """Of all of each channel."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.floats:
            for text, rows in problem.along_axes(x):
                if rows.shape[0] * rows.shape[2] == problem.size:
                    yield Formula(f"{name}({x.name}) {text}", reduced(rows, axis=1).reshape(-1))

    return formulas


function("global avg pool")(_global("mean", np.mean))
also("avg pool")(_global("mean", np.mean))
function("global max pool")(_global("max", np.max))
spelled(
    "global avg pool",
    """global average pool, global avgpool, global average pooling, global avg pooling""",
)
spelled("global max pool", "global maxpool, global max pooling")


@function("avg pool backward")
def _avg_back(problem: Problem) -> Iterator[Formula]:
    """To windows that do not overlap, to windows of a size, stride and padding, or to all of each channel."""
    for coming in (one for one in problem.floats if one.size < problem.size):
        for text, made in (*_all_back(problem, coming), *_windows_back(problem, coming)):
            yield from _with_scale(problem, f"{coming.name} back to {text}", made)


def _all_back(problem: Problem, coming: Input) -> Iterator[tuple[str, np.ndarray]]:
    inner = problem.size // coming.size
    if coming.size < problem.size == coming.size * inner:
        yield f"all {inner}", np.repeat(coming.flat, inner) / inner
        for channels in (n for n in (*coming.axes[-1:], *problem.whole) if n > 0 and coming.size % n == 0):
            wide = coming.flat.reshape(-1, 1, channels)
            yield f"all {inner}, channels last", np.repeat(wide, inner, axis=1).reshape(-1) / inner


def _windows_back(problem: Problem, coming: Input) -> Iterator[tuple[str, np.ndarray]]:
    for pair in _pairs(problem, coming):
        for how, each in _pools(problem, pair):
            yield how, _applied(coming.flat, pair, [one.T for one in each])


@also("avg pool")
def _avg_pool(problem: Problem) -> Iterator[Formula]:
    """Means of windows that end with the padding, as far as they reach beyond it."""
    for x in (one for one in problem.floats if one.size > problem.size):
        for pair in _pairs(problem, x):
            for how, each in _pools(problem, pair.turned):
                yield Formula(f"avg_pool({x.name}), {how}", _applied(x.flat, pair, each))


def _pools(problem: Problem, pair: _Pair) -> Iterator[tuple[str, list[_Weights]]]:
    """Shares of the elements of large images in the windows of small ones, along each axis."""
    sizes = [n for n in dict.fromkeys((*(problem.windows or problem.whole), 2, 3)) if 1 < n < _MOST_TIMES]
    strides, pads = problem.named("stride") or problem.whole, problem.named("pad") or (*problem.whole, 0)
    for size, stride in product(sizes, dict.fromkeys((*strides, 2))):
        for pad, counted in product(dict.fromkeys(n for n in pads if 0 <= n <= size // 2), (True, False)):
            each = [_pool_axis(a, b, size, stride, pad) for a, b in zip(pair.small, pair.large, strict=True)]
            inside = [one[:, pad : pad + b] for one, b in zip(each, pair.large, strict=True) if len(one)]
            if len(inside) == len(each):
                counts = [(one if counted else part).sum(axis=1) for one, part in zip(each, inside, strict=True)]
                shares = [part / np.maximum(n, 1)[:, None] for part, n in zip(inside, counts, strict=True)]
                yield f"windows of {size}, stride {stride}, padding {pad}", shares


def _pool_axis(count: int, length: int, size: int, stride: int, pad: int) -> _Weights:
    """Which elements of an axis with its padding are in windows; of none if there are not so many windows."""
    whole = length + 2 * pad
    if stride < 1 or count not in ((whole - size) // stride + 1, -(-(whole - size) // stride) + 1):
        return np.empty((0, whole))
    begin = np.arange(count)[:, None] * stride
    at = np.arange(whole)
    return ((at >= begin) & (at < begin + size)).astype(np.float64)


spelled("avg pool backward", "avgpool layer backward, backward avgpool layer, ave pool backward")
spelled("avg pool", "ave pool, avgpool layer, pool avg, pool average")
spelled("max pool", "maxpool layer, pool max")
spelled("sum pool", "pool sum")
spelled("interpolate nearest", "upsample nearest out frame, upscale nearest")
spelled("interpolate nearest backward", "upsample nearest backward out frame")
spelled("interpolate linear", "upsample bilinear out frame, upsample linear out frame, upsample trilinear out frame")
spelled(
    "interpolate linear backward",
    "upsample bilinear backward out frame, upsample linear backward out frame, upsample trilinear backward out frame",
)
spelled("interpolate cubic", "upsample bicubic out frame")
spelled("upsample", "upscale")
spelled("max pool backward", "maxpool layer backward, backward maxpool layer")
