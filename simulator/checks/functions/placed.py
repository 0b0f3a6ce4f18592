"""Elements of images and rows that lie elsewhere: in blocks, shifted, with borders, in parts, several times."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, permutations, product
from typing import NamedTuple

import numpy as np

from . import moves  # noqa: F401  (whose functions have more forms here)
from .problem import Formula, Function, Input, Problem, also, function, of_all_results, spelled, vague
from .shapes import shapes_of_images

#: Blocks are as long as this, at most; so are borders.
_LONGEST = 16


def _images(problem: Problem, shape: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    """[n, c, h, w] as arrays may have them."""
    shapes = [shape] if len(shape) > 2 else shapes_of_images(problem, size)
    yield from dict.fromkeys((*[1] * (4 - len(axes)), *axes) for axes in shapes if 2 < len(axes) < 5)


def _blocks(problem: Problem) -> list[int]:
    return [n for n in dict.fromkeys((*problem.whole, 2)) if 1 < n <= _LONGEST]


class _Layout(NamedTuple):
    """The axes of images of pixels in blocks [h, r, w, s], and of those whose channels are such blocks."""

    text: str
    pixels: str
    channels: tuple[str, str]  # the places of a block behind the channels, or before them


_LAYOUTS = (
    _Layout("", "nchrws", ("ncrshw", "nrschw")),
    _Layout(", channels last", "nhrwsc", ("nhwcrs", "nhwrsc")),
)


def _moved(x: np.ndarray, sizes: Mapping[str, int], source: str, target: str) -> np.ndarray:
    """Elements with their axes in another order."""
    return x.reshape([sizes[axis] for axis in source]).transpose([source.index(axis) for axis in target]).reshape(-1)


def _in_blocks(up: Sequence[bool], orders: Sequence[bool]) -> Function:
    """Channels as blocks of pixels (``up``), or back; the places of a block lie before the channels, or behind them."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, r in product(problem.like, _blocks(problem)):
            for n, c, h, w in _small_images(problem, x, r):
                sizes = {"n": n, "c": c, "h": h, "w": w, "r": r, "s": r}
                for to_pixels, layout, first in product(up, _LAYOUTS, orders):
                    ends = layout.channels[first], layout.pixels
                    text = f"{x.name} in blocks of {r} of {h}x{w}{layout.text}" + ", blocks first" * first
                    yield Formula(text, _moved(x.flat, sizes, *(ends if to_pixels else ends[::-1])))

    return formulas


def _small_images(problem: Problem, x: Input, r: int) -> Iterator[tuple[int, ...]]:
    """The axes [n, channels without blocks, h, w] of the smaller one of both images."""
    found = []
    for shape in (x.values.shape, problem.shape):
        for n, a, b, c in _images(problem, shape, x.size):
            for channels, h, w in ((a, b, c), (c, a, b)):
                found += [(n, channels // (r * r), h, w)] if channels % (r * r) == 0 else []
                found += [(n, channels, h // r, w // r)] if h % r == 0 == w % r else []
    yield from dict.fromkeys(found)


also("pixel shuffle")(_in_blocks([True], [False]))
function("pixel unshuffle")(_in_blocks([False], [False]))
function("depth to space")(_in_blocks([True], [False, True]))
function("space to depth")(_in_blocks([False], [False, True]))
function("reorg")(_in_blocks([True, False], [True]))
spelled("pixel unshuffle", "pixelunshuffle")
spelled("depth to space", "depth2space, depthtospace")
spelled("space to depth", "space2depth, spacetodepth")
spelled("reorg", "reorganize")


@function("channel shuffle")
def _channels(problem: Problem) -> Iterator[Formula]:
    """The channels of groups, one of each group after the other; channels before the image or last."""
    for x, groups in product(problem.like, _blocks(problem)):
        for shape in _images(problem, x.values.shape, x.size):
            for axis in (1, 3):
                outer, count, inner = math.prod(shape[:axis]), shape[axis], math.prod(shape[axis + 1 :])
                if count % groups == 0:
                    made = x.flat.reshape(outer, groups, count // groups, inner).swapaxes(1, 2)
                    yield Formula(f"{x.name}, channels of {groups} groups in turn", made.reshape(-1))


spelled("channel shuffle", "shuffle channel, channelshuffle, shuffle channels")


@vague("flatten")
def _flattened(problem: Problem) -> Iterator[Formula]:
    """As it lies, or with its channels behind its pixels."""
    for x in problem.like:
        yield Formula(x.name, x.flat)
        for _, rows in problem.along_axes(x):
            yield Formula(f"{x.name}, two axes exchanged", rows.transpose(0, 2, 1).reshape(-1))


@function("roll")
def _rolled(problem: Problem) -> Iterator[Formula]:
    """Elements moved along axes, those behind the end to the front."""
    for x in problem.like:
        for text, rows in problem.along_axes(x):
            for by in (n for n in problem.whole if n % rows.shape[1]):
                yield Formula(f"{x.name} moved by {by} {text}", np.roll(rows, by, 1).reshape(-1))
                yield Formula(f"{x.name} moved by {-by} {text}", np.roll(rows, -by, 1).reshape(-1))
        for shape in problem.shapes_of(x):
            for axes in combinations(range(len(shape)), 2):
                for both, sign in product(permutations(problem.whole, 2), (1, -1)):
                    made = np.roll(x.flat.reshape(shape), [sign * n for n in both], axes)
                    yield Formula(f"{x.name} moved by {sign} * {both} along {axes}", made.reshape(-1))


spelled("roll", "cyclic shift, circular shift, cyclic roll")
#: How a border is filled, as `numpy.pad` says it.
_BORDERS = "constant", "reflect", "edge", "wrap"


@vague("pad")
@function("pad reflect", "pad replicate")
def _padded(problem: Problem) -> Iterator[Formula]:
    """Images with a border: of a number, of what lies inside, or of the edge."""
    numbers = dict.fromkeys((0.0, *problem.factors, *map(float, problem.whole)))
    for x in (one for one in problem.inputs if one.size < problem.size):
        for shape in (x.values.shape, *shapes_of_images(problem, x.size)):
            for widths in _widths(problem, shape):
                whole = x.flat.reshape(shape)
                for how in _BORDERS:
                    if how == "constant":
                        for number in numbers:
                            made = np.pad(whole, widths, constant_values=number)
                            yield Formula(f"{x.name} padded by {widths} with {number:g}", made.reshape(-1))
                    elif min(shape) > 0 and all(max(w) < n for w, n in zip(widths, shape, strict=True)):
                        made = np.pad(whole, widths, mode=how)  # type: ignore[call-overload]
                        yield Formula(f"{x.name} padded by {widths}, {how}", made.reshape(-1))


def _widths(problem: Problem, shape: tuple[int, ...]) -> Iterator[list[tuple[int, int]]]:
    """The elements before and behind each axis that make an array as large as the results."""
    pads = [n for n in dict.fromkeys((*(problem.named("pad") or problem.whole), 0)) if 0 <= n <= _LONGEST]
    dims = min(len(shape), 3)
    for count in range(1, dims + 1):
        for behind in range(len(shape) - count + 1 if count < 3 else 1):
            axes = range(len(shape) - count - behind, len(shape) - behind)
            for before in product([(a, b) for a in pads for b in pads], repeat=count) if len(pads) <= 4 else ():
                each = [(0, 0)] * len(shape)
                for axis, two in zip(axes, before, strict=True):
                    each[axis] = two
                if math.prod(n + a + b for n, (a, b) in zip(shape, each, strict=True)) == problem.size:
                    yield each


spelled("pad", "padding, zero pad, zero padding, constant pad, pad2d, copy make border, zeropad")
spelled("pad reflect", "reflection pad, reflect pad, reflection padding")
spelled("pad replicate", "replication pad, replicate pad, replication padding, edge pad")


#: How arguments are called that say where a part begins.
_STARTS = "start", "begin", "offset", "from", "left", "top", "x0", "y0"


@vague("split")
@function("crop", "slice")
def _part(problem: Problem) -> Iterator[Formula]:
    """A part of an array: so many places along one axis, or along rows and columns."""
    for x in (one for one in problem.inputs if one.size > problem.size):
        named = problem.named(*_STARTS)
        starts = [n for n in dict.fromkeys(named or (*problem.whole, 0)) if n >= 0]
        for text, rows in problem.along_axes(x):
            count = problem.size // (rows.shape[0] * rows.shape[2])
            if count * rows.shape[0] * rows.shape[2] == problem.size:
                for at in dict.fromkeys((*starts, *([] if named else range(0, rows.shape[1], max(count, 1))))):
                    if 0 < count <= rows.shape[1] - at:
                        made = rows[:, at : at + count].reshape(-1)
                        yield Formula(f"{x.name} from {at} on {text}", made)
                for step in (n for n in starts if n > 1 and -(-rows.shape[1] // n) <= count):
                    for at in (n for n in starts if n < rows.shape[1]):
                        yield Formula(f"each {step} of {x.name} {text}", rows[:, at::step].reshape(-1))
        for shape in _images(problem, x.values.shape, x.size):
            yield from _cropped(problem, x, shape, starts)


def _cropped(problem: Problem, x: Input, shape: tuple[int, ...], starts: Sequence[int]) -> Iterator[Formula]:
    outer = shape[0] * shape[1]
    for high, wide in product([n for n in problem.whole if n > 0], repeat=2):
        if high * wide * outer == problem.size and high <= shape[2] and wide <= shape[3]:
            middle = (shape[2] - high) // 2, (shape[3] - wide) // 2
            two = permutations(problem.named(*_STARTS), 2) if len(starts) > 1 else product(starts, repeat=2)
            for top, left in dict.fromkeys((*two, middle)):
                if top + high <= shape[2] and left + wide <= shape[3]:
                    made = x.flat.reshape(outer, *shape[2:])[:, top : top + high, left : left + wide]
                    yield Formula(f"{x.name}[{top}:{top + high}, {left}:{left + wide}]", made.reshape(-1))


of_all_results("split")
spelled("slice", "narrow")
spelled("tile backward", "repeat backward")
spelled("crop", "crop layer, center crop")


@function("repeat interleave")
def _interleaved(problem: Problem) -> Iterator[Formula]:
    """Each row so many times, as is passed or as an array says of each."""
    for x in problem.inputs:
        for text, rows in problem.along_axes(x):
            each = [(str(n), np.full(rows.shape[1], n)) for n in problem.whole if n > 1]
            each += [(r.name, r.values.reshape(-1)) for r in problem.inputs if r.size == rows.shape[1] and r is not x]
            for name, times in each:
                if (
                    times.dtype.kind in "iu"
                    and times.min() >= 0
                    and rows.size // rows.shape[1] * times.sum() == problem.size
                ):
                    made = rows.repeat(times.astype(np.int64), axis=1)
                    yield Formula(f"{x.name} {name} times each {text}", made.reshape(-1))


spelled("repeat interleave", "repeatinterleave")


@also("tile", "repeat")
def _in_turn(problem: Problem) -> Iterator[Formula]:
    """Each block of so many elements as often as fills the results."""
    for x, length in product(problem.inputs, (n for n in problem.whole if n > 0)):
        if x.size < problem.size and problem.size % x.size == 0 == x.size % length:
            made = np.repeat(x.flat.reshape(-1, 1, length), problem.size // x.size, axis=1)
            yield Formula(f"each {length} elements of {x.name}, {problem.size // x.size} times", made.reshape(-1))


@function("tile backward")
def _added_up(problem: Problem) -> Iterator[Formula]:
    """The sums of what comes back to all places where an element lies."""
    for x in (one for one in problem.floats if one.size > problem.size and one.size % problem.size == 0):
        for length in dict.fromkeys((*(n for n in problem.whole if n > 0 and problem.size % n == 0), problem.size)):
            made = x.flat.reshape(-1, x.size // problem.size, length).sum(axis=1)
            yield Formula(f"sums of {x.size // problem.size} of {x.name}, {length} elements each", made.reshape(-1))


@function("select scatter", "slice scatter", "index put", "index fill")
def _put(problem: Problem) -> Iterator[Formula]:
    """What is there, with an array or a number at some places along an axis, which indices or numbers say.

    What the output holds is there only where no other array is as large.
    """
    for x in [one for one in problem.like if one not in problem.held] or problem.held:
        for text, rows in problem.along_axes(x):
            outer, n, inner = rows.shape
            for name, at in _places(problem, n):
                for source in (
                    one
                    for one in problem.inputs
                    if one is not x and one.name != name and one.size in (1, outer * len(at) * inner)
                ):
                    shape = (-1, len(at), inner) if source.size > 1 else (1, 1, 1)
                    values = np.broadcast_to(source.flat.reshape(shape), (outer, len(at), inner))
                    made, added = rows.copy(), rows.swapaxes(0, 1).copy()
                    made[:, at] = values
                    np.add.at(added, at, values.swapaxes(0, 1))
                    yield Formula(f"{x.name} with {source.name} at {name} {text}", made.reshape(-1))
                    title = f"{x.name} with {source.name} added at {name} {text}"
                    yield Formula(title, added.swapaxes(0, 1).reshape(-1))
                for number in problem.factors:
                    filled = rows.copy()
                    filled[:, at] = number
                    yield Formula(f"{x.name} with {number:g} at {name} {text}", filled.reshape(-1))


def _places(problem: Problem, n: int) -> Iterator[tuple[str, np.ndarray]]:
    """Places along an axis of so many: one, those of an array, or each so many between two."""
    passed = [m for m in problem.whole if 0 <= m <= n]
    yield from ((str(at), np.array([at])) for at in passed if at < n)
    for one in problem.inputs:
        if one.values.dtype.kind in "iu" and one.size and one.values.min() >= -n and one.values.max() < n:
            yield one.name, one.index % n
            rows = one.values.reshape(-1, one.values.shape[-1]) if one.values.ndim > 1 else one.values[None]
            if len(rows) > 1 and (rows == rows[0]).all():  # a copy for each lane
                yield one.name, rows[0].astype(np.int64) % n
    for start, end in combinations(sorted({n, *passed}), 2):
        for step in dict.fromkeys((1, *(m for m in passed if 0 < m < n))):
            yield f"{start}:{end}:{step}", np.arange(start, end, step)


spelled("select scatter", "selectscatter")
spelled("slice scatter", "slicescatter")
