"""Arrays whose places go by strides that are named after them: ``x_stride_batch``, ``stride_x``, ``x_strides[0]``."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from . import columns, of_libraries, windows
from .directions import by_direction, in_bytes
from .gaps import Dense, without_gaps
from .problem import MOST_ELEMENTS, Input, Problem

_WORDS, _STRIDE = re.compile(r"\[\d+\]|[^A-Za-z0-9]+"), re.compile(r"strides?")
_SHAPE = re.compile(r"(shape|sizes|dims)_?\[\d+\]$")
#: Axes that places go by, at least and at most.
_LEAST, _MOST = 2, 8
_Strides = tuple[int, ...]
#: Functions of windows and pages, which have strides of their own.
_PAGES = frozenset({"paged attention"})
STRIDED = windows.NAMES | columns.NAMES | of_libraries.STRIDED | _PAGES


def dense_of(functions: set[str], problem: Problem) -> Dense | None:
    """The problem of arrays without gaps, if strides that are none of windows say that some have gaps."""
    if not functions.isdisjoint(STRIDED - _PAGES):
        return None
    return by_strides(problem) or (without_gaps(problem) if problem.strided and not functions & _PAGES else None)


def by_strides(problem: Problem) -> Dense | None:
    """A problem of arrays without gaps in one order of axes, if strides say that some lie in another way."""
    places: dict[str, np.ndarray] = {}
    own = _strides(problem)
    for rank in dict.fromkeys(map(len, own.values())):
        alike = {name: strides for name, strides in own.items() if len(strides) == rank}
        alike = _as_long(problem, alike)
        first = alike.get(problem.output) or next(iter(alike.values()))
        order = sorted(range(rank), key=lambda axis: -first[axis])
        alike = {name: tuple(strides[axis] for axis in order) for name, strides in alike.items()}
        lengths = _lengths(problem, alike, order)
        apart = any(strides != _usual(lengths) for strides in alike.values())
        if lengths and apart and not _fill_their_shapes(problem, alike):
            places |= {name: _places(strides, lengths) for name, strides in alike.items()}
    return _dense(problem, places) if places else None


def _as_long(problem: Problem, own: dict[str, _Strides]) -> dict[str, _Strides]:
    """Without arrays that have no half of the axes of the output, or of the largest one: these are of others."""
    sizes = _sizes(problem)
    most = {name: _most(sizes[name], strides) for name, strides in own.items()}
    longest = most.get(problem.output) or most[max(most, key=lambda name: sizes[name])]
    if math.isinf(max(longest)):
        return own
    half = [int(n) // 2 for n in longest]
    return {name: each for name, each in own.items() if sum(map(operator.mul, half, each)) < sizes[name]}


def _sizes(problem: Problem) -> dict[str, int]:
    sizes = {one.name: one.size for one in problem.inputs if one.values.dtype.kind != "c"}
    return {**sizes, problem.output: problem.size}


def _strides(problem: Problem) -> dict[str, _Strides]:
    """The strides of arrays, those of their last axes among them, as far as some are named after an array."""
    found: dict[str, list[int]] = {}
    sizes = _sizes(problem)
    names = {name: _words(name) for name in sizes}
    owners = [name.rpartition(".")[0] for name in sizes]
    names |= {name: _words(own) for name, own in zip(sizes, owners, strict=True) if own and owners.count(own) == 1}
    for said, n in problem.numbers.items():
        if isinstance(n, int) and (name := _owner(_words(said), names)):
            found.setdefault(name, []).append(n)
    found = {name: each for name, each in found.items() if not in_bytes(problem, name, each)} or by_direction(problem)
    own = {name: tuple(each if 1 in each else (*each, 1)) for name, each in found.items()}
    fit = {name: each for name, each in own.items() if _LEAST <= len(each) <= _MOST and min(each) >= 0}
    return {name: each for name, each in fit.items() if max(each) <= sizes[name]}


def _words(name: str) -> list[str]:
    return [word for word in _WORDS.split(name.lower()) if word]


def _owner(said: list[str], names: Mapping[str, list[str]]) -> str:
    """The array that a stride is named after, of several the one with most words; empty if there is none."""
    at = next((at for at, word in enumerate(said) if _STRIDE.fullmatch(word)), None)
    if at is None:
        return ""
    for about in (said[:at], said[at + 1 :]):
        fit = [name for name, words in names.items() if words and about[: len(words)] == words]
        if fit:
            return max(fit, key=lambda name: len(names[name]))
    return _shortened((said[:at] or said[at + 1 :])[:1], names, in_front=at > 0)


def _shortened(first: list[str], names: Mapping[str, list[str]], in_front: bool) -> str:
    """The one array whose name begins with a word, or with this letter; empty if there is none, or if there are more.

    Of ``residual_out`` a stride may be called ``stride_residual``, of ``q`` or ``query`` ``q_stride``; but ``stride_d``
    is that of an axis, and not of ``dst``.
    """
    begins = [name for name, words in names.items() if words[:1] == first]
    is_letter = in_front and len(first[0]) == 1
    letter = [name for name in names if is_letter and name.lower().startswith(first[0])]
    fit = begins or letter
    return fit[0] if first and len(fit) == 1 else ""


def _usual(lengths: Sequence[int]) -> _Strides:
    return tuple(math.prod(lengths[at + 1 :]) for at in range(len(lengths)))


def _lengths(problem: Problem, own: dict[str, _Strides], order: Sequence[int]) -> tuple[int, ...]:
    """How long the axes are: as a shape says; as strides allow, if an array is so large; or as is passed."""
    sizes = _sizes(problem)
    most = [min(each) for each in zip(*(_most(sizes[name], each) for name, each in own.items()), strict=True)]
    if math.isinf(max(most)):
        return ()
    longest = tuple(map(int, most))
    passed = longest if math.prod(longest) in sizes.values() else tuple(_passed(problem, n) for n in longest)
    said = (  # rows may overlap
        one for one in _shapes(problem, order) if all(map(operator.le, one, longest)) or math.prod(one) == problem.size
    )
    lengths = next(said, passed)
    ends = ((sum((n - 1) * s for n, s in zip(lengths, each, strict=True)), name) for name, each in own.items())
    fits = min(lengths) > 0 and math.prod(lengths) <= MOST_ELEMENTS
    return lengths if fits and all(end < sizes[name] for end, name in ends) else ()


def _shapes(problem: Problem, order: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """The shapes of as many axes that are passed as such, with their axes in this order."""
    entries: dict[str, list[int]] = {}
    for name, n in problem.numbers.items():
        if isinstance(n, int) and _SHAPE.search(name.lower()):
            entries.setdefault(name.rpartition("[")[0], []).append(n)
    yield from (tuple(shape[axis] for axis in order) for shape in entries.values() if len(shape) == len(order))


def _fill_their_shapes(problem: Problem, own: Mapping[str, _Strides]) -> bool:
    """Whether each array has the strides of a shape that is passed and has as many elements: they have other shapes."""
    sizes, rank = _sizes(problem), len(next(iter(own.values())))
    shapes = [*_shapes(problem, range(rank))]
    filled = ({_usual(shape) for shape in shapes if math.prod(shape) == sizes[name]} for name in own)
    return all(strides in usual for strides, usual in zip(own.values(), filled, strict=True))


def _most(size: int, strides: _Strides) -> list[float]:
    """How long each axis may be, by the next larger stride; any length along one that is the same everywhere."""
    larger = [min((other for other in strides if other > stride), default=0) for stride in strides]
    whole = [
        next_one // one if next_one else -(-size // one) for one, next_one in zip(strides, larger, strict=True) if one
    ]
    left = iter(whole)
    return [next(left) if stride else math.inf for stride in strides]


def _passed(problem: Problem, most: int) -> int:
    """The largest number that is passed and fills more than half of a length; 0 if there is none."""
    return max((n for n in problem.lengths.values() if isinstance(n, int) and n <= most < 2 * n), default=0)


def _dense(problem: Problem, places: Mapping[str, np.ndarray]) -> Dense:
    kept = [one for one in problem.inputs if not _STRIDE.search(one.name.lower())]
    inputs = [Input(one.name, one.values.reshape(-1)[places[one.name]]) if one.name in places else one for one in kept]
    left = places.get(problem.output, np.arange(problem.size).reshape(problem.shape))
    return Dense(replace(problem, inputs=tuple(inputs), shape=left.shape, numbers=problem.lengths), left.reshape(-1))


def _places(strides: _Strides, lengths: Sequence[int]) -> np.ndarray:
    at = np.zeros((1,) * len(lengths), dtype=np.int64)
    for axis, (stride, length) in enumerate(zip(strides, lengths, strict=True)):
        at = at + np.arange(length).reshape([-1 if other == axis else 1 for other in range(len(lengths))]) * stride
    return at
