"""What a function may be computed of: the arrays of a launch, and the numbers that it passes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, permutations

import numpy as np

from ....isa.cached import cached_property
from .. import SHAPE_ENTRIES

#: Elements of an array, and of all that is tried of a function, at most.
MOST_ELEMENTS, MOST_TRIED = 1 << 23, 1 << 25

#: Words for where the point of a fixed-point number lies.
POINTS = "pos", "shift", "frac"
#: How arguments are called that say how long windows are.
_WINDOW = re.compile(r"kernel|ksize|window|pool(?!ed)|(^|[._])k_?[hw]$")
#: Axes of an array, at most.
_MOST_AXES = 8


@dataclass(frozen=True)
class Formula:
    """What an output may hold, as text and as numbers in C order."""

    text: str
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Input:
    """An array as it was before the launch."""

    name: str
    values: np.ndarray

    @cached_property
    def real(self) -> np.ndarray:
        """Its elements in double precision, in their shape."""
        return self.values if self.values.dtype.kind == "c" else self.values.astype(np.float64)

    @property
    def flat(self) -> np.ndarray:
        """Its elements in double precision, in C order."""
        return self.real.reshape(-1)

    @property
    def index(self) -> np.ndarray:
        """Its elements as indices, in C order."""
        return self.values.reshape(-1).astype(np.int64)

    def may_be_starts(self, first: int = 0) -> bool:
        """Whether its whole numbers may say where sections begin: from the first place on, and never falling."""
        at = self.index
        return len(at) > 0 and at[0] == first and bool((np.diff(at) >= 0).all())

    @property
    def size(self) -> int:
        """How many elements it has."""
        return int(self.values.size)

    @property
    def axes(self) -> tuple[int, ...]:
        """The lengths of its axes, but for those of one element."""
        return tuple(length for length in self.values.shape if length > 1)


@dataclass(frozen=True)
class Problem:
    """An output of so many elements, and what may have made it; ``numbers`` are those that the launch passes.

    ``flags`` are the parameters for which it passes true, or 1; ``output`` is how the output is called, and
    ``overwritten`` are the arrays that are written, and not read before: what they held is passed by the way.
    """

    inputs: tuple[Input, ...]
    shape: tuple[int, ...]
    numbers: Mapping[str, float | int]
    flags: frozenset[str] = frozenset()
    output: str = ""
    overwritten: frozenset[str] = frozenset()

    @property
    def size(self) -> int:
        """Elements of the output."""
        return math.prod(self.shape)

    @cached_property
    def whole(self) -> tuple[int, ...]:
        """The whole numbers that are passed, and the entries of arrays that may be shapes; each once."""
        return tuple(dict.fromkeys(self._passed))

    @cached_property
    def _passed(self) -> Sequence[int]:
        passed = [value for value in self.numbers.values() if isinstance(value, int)]
        for array in self.inputs:
            if array.values.dtype.kind in "iu" and array.size <= SHAPE_ENTRIES:
                passed += array.values.reshape(-1).tolist()
        return passed

    @cached_property
    def factors(self) -> tuple[float, ...]:
        """The floating-point numbers that are passed, in their order, and those of arrays of one element.

        Divided by zero they are infinite, as on the device.
        """
        passed = [value for value in self.numbers.values() if isinstance(value, float)]
        alone = [float(one.values.item()) for one in self.inputs if one.size == 1 and one.values.dtype.kind == "f"]
        return tuple(map(np.float64, (*passed, *alone)))

    @property
    def fixed_point(self) -> bool:
        """Whether numbers may have a point elsewhere: inputs are whole numbers, or one is passed that says where."""
        return any(one.values.dtype.kind in "iu" for one in self.inputs) or bool(self.named(*POINTS))

    @cached_property
    def like(self) -> tuple[Input, ...]:
        """The arrays that are as large as the output; what that held comes last."""
        alike = (one for one in self.inputs if one.size == self.size)
        return tuple(sorted(alike, key=lambda one: one.name == self.output))

    @cached_property
    def integers(self) -> tuple[Input, ...]:
        """The arrays of whole numbers, but empty ones."""
        return tuple(one for one in self.inputs if one.values.dtype.kind in "iu" and one.size)

    @cached_property
    def indices(self) -> tuple[Input, ...]:
        """The arrays that may be of indices: those of whole numbers, also where these are stored as floats."""
        whole = (one for one in self.floats if np.isfinite(one.flat).all() and (one.flat == np.round(one.flat)).all())
        return (*self.integers, *whole)

    @cached_property
    def held(self) -> tuple[Input, ...]:
        """What the output held before, if the launch says which array that is."""
        return tuple(one for one in self.inputs if one.name == self.output and one.size == self.size)

    @cached_property
    def floats(self) -> tuple[Input, ...]:
        """The arrays of floating-point numbers, but complex and empty ones."""
        return tuple(one for one in self.inputs if one.values.dtype.kind not in "iubc" and one.size)

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """The whole numbers above 0 that are passed, in their order."""
        return tuple(number for number in self.numbers.values() if isinstance(number, int) and number > 0)

    def named(self, *words: str) -> list[int]:
        """The whole numbers whose names have one of these words in them."""
        return [
            value
            for name, value in self.numbers.items()
            if isinstance(value, int) and any(word in name.lower() for word in words)
        ]

    def factor(self, *words: str) -> float | None:
        """The first number whose name has one of these words in it; None if there is none."""
        named = (float(n) for name, n in self.numbers.items() if any(word in name.lower() for word in words))
        return next(named, None)

    def says(self, word: str) -> Sequence[bool]:
        """Whether a flag of this name is set; both, where there is none."""
        if any(word in name.lower() for name in self.flags):
            return [True]
        return [bool(one) for one in self.named(word)[:1]] or [False, True]

    @cached_property
    def windows(self) -> Sequence[int]:
        """The lengths of windows, as far as arguments are called so; each once."""
        said = (n for name, n in self.numbers.items() if isinstance(n, int) and _WINDOW.search(name.lower()))
        return tuple(dict.fromkeys(said))

    @property
    def lengths(self) -> Mapping[str, float | int]:
        """The numbers that are no strides."""
        return {name: number for name, number in self.numbers.items() if "stride" not in name.lower()}

    @cached_property
    def strided(self) -> bool:
        """Whether strides are passed that are none of arrays without gaps, whose axes are in order."""
        shapes = [self.shape, *(one.values.shape for one in self.inputs)]
        lengths = replace(self, numbers=self.lengths)
        said = [axes for shape in shapes for axes in lengths.shapes_of_size(math.prod(shape))]
        shapes += [axes[:end] for axes in said for end in range(1, len(axes) + 1)]
        usual = [[math.prod(shape[at:]) for at in range(len(shape) + 1)] for shape in shapes]
        structures = dict.fromkeys(name.rpartition(".")[0] for name in self.numbers)  # one may be of each array
        each = [{k: n for k, n in self.numbers.items() if k.rpartition(".")[0] == own} for own in structures]
        together = [pair for own in each for pair in pairwise(replace(self, numbers=own).named("stride"))]
        inside = {number for strides in usual for number in strides} | {0}
        if lengths.shapes_of_size(self.size):  # inside of an array without gaps
            inside |= {n for n in self.named("stride") if n > 0 and self.size % n == 0}
        following = {pair for strides in usual for pair in pairwise(strides)}
        falling = [pair for pair in together if 0 < pair[1] < pair[0]]
        return not inside.issuperset(self.named("stride")) or not following.issuperset(falling)

    def of_numbers(self, complex_too: bool) -> Problem:
        """The problem without empty arrays, of which nothing is made, and without complex ones unless they count."""
        kept = (one for one in self.inputs if one.size and (complex_too or one.values.dtype.kind != "c"))
        return replace(self, inputs=tuple(kept))

    @property
    def has_axes(self) -> bool:
        """Whether it is known which axes the arrays have, but for those that may be shapes themselves."""
        sizes = {1, *self.whole}
        of_numbers = (one for one in self.inputs if one.values.dtype.kind not in "iu" or one.size > SHAPE_ENTRIES)
        arrays = (*of_numbers, Input("", np.empty(self.shape)))
        return all(len(one.axes) > 1 or one.size in sizes or self.shapes_of_size(one.size) for one in arrays)

    def shapes_of(self, array: Input) -> list[tuple[int, ...]]:
        """The shapes that an array may have: its own, or those of a flat one that are passed."""
        return [array.values.shape] if len(array.axes) > 1 else [array.values.shape, *self.shapes_of_size(array.size)]

    def shapes_of_size(self, size: int) -> list[tuple[int, ...]]:
        """The axes that numbers which are passed one after the other give to a flat array of so many elements."""
        return self._runs(size, 2, len(self._passed))

    def ranked(self, size: int) -> list[tuple[int, ...]]:
        """The same with axes of length 1 among them."""
        return self._runs(size, 1, _MOST_AXES)

    def _runs(self, size: int, least: int, most: int) -> list[tuple[int, ...]]:
        """Two or more passed numbers in a row, each ``least`` or larger, with ``size`` as their product."""
        passed = [value for value in self._passed if value >= least]
        runs = combinations(range(len(passed) + 1), 2)
        return [tuple(passed[at:end]) for at, end in runs if 1 < end - at <= most and math.prod(passed[at:end]) == size]

    def along_axes(self, source: Input) -> Iterator[tuple[str, np.ndarray]]:
        """An array as [outer, n, inner], along each axis that it may have: text of the axis, and that.

        The axes are those of its shape, together or alone; those of a flat array go by the numbers that are passed.
        """
        seen = set()
        for n, inner in self._axes_of(source):
            if (n, inner) not in seen and n > 0 and inner > 0 and source.size % (n * inner) == 0:
                seen.add((n, inner))
                every = "" if inner == 1 else f", each {inner} apart"
                yield f"along {n} elements{every}", source.flat.reshape(-1, n, inner)

    def images_of(self, source: Input) -> Iterator[tuple[str, np.ndarray]]:
        """An array as [images, rows, columns, channels], with each length that rows and columns may have.

        They follow each other in its shape; those of a flat array are numbers that are passed, or it is one row.
        """
        axes = source.axes
        if len(axes) > 1:
            sizes = [(*pair, math.prod(axes[at + 2 :])) for at, pair in enumerate(pairwise(axes))]
        else:
            passed = [number for number in self.whole if 1 < number < source.size and source.size % number == 0]
            pairs = [(h, w) for h, w in permutations(passed, 2) if source.size % (h * w) == 0]
            pairs += [(n, n) for n in (math.isqrt(source.size), *passed) if n > 1 and source.size % (n * n) == 0]
            pairs += [(source.size // w, w) for w in passed] + [(1, source.size)]
            sizes = [(h, w, c) for h, w in pairs for c in dict.fromkeys((1, source.size // (h * w)))]
        for rows, columns, channels in dict.fromkeys(sizes):
            yield f"of {rows}x{columns}", source.flat.reshape(-1, rows, columns, channels)

    def _axes_of(self, source: Input) -> Iterator[tuple[int, int]]:
        shapes = [source.axes] if len(source.axes) > 1 else []
        if not shapes:
            yield source.size, 1
            shapes = self.shapes_of_size(source.size)
        for axes in shapes:
            for first, end in combinations(range(len(axes) + 1), 2):
                yield math.prod(axes[first:end]), math.prod(axes[end:])
        whole = [number for number in self.whole if 1 < number < source.size and source.size % number == 0]
        if not self.numbers and not shapes:  # they are constants of the kernel
            whole = [number for number in range(2, source.size // 2 + 1) if source.size % number == 0]
        for n in whole if len(source.axes) < 2 else ():
            yield from ((n, inner) for inner in (1, *whole))


Function = Callable[[Problem], Iterator[Formula]]
#: By their names: words with blanks between.
FUNCTIONS: dict[str, Function] = {}
#: Those of which there are more forms than are tried, so that results that are all others say nothing, and of which
#: problems all are tried even so.
VAGUE: dict[str, Callable[[Problem], bool]] = {}
#: Those each of whose results is told, whatever else a kernel leaves.
OF_ALL_RESULTS: set[str] = set()
#: Other spellings of functions, as the words of a name in lower case.
SPELLINGS: dict[str, str] = {}


def function(*names: str) -> Callable[[Function], Function]:
    """Enter a function under its names."""

    def entered(made: Function) -> Function:
        FUNCTIONS.update(dict.fromkeys(names, made))
        return made

    return entered


def vague(*names: str, unless: Callable[[Problem], bool] = lambda problem: False) -> Callable[[Function], Function]:
    """Enter a function of which there are more forms than it tries, unless a problem is a usual one."""
    VAGUE.update(dict.fromkeys(names, unless))
    return function(*names)


def of_few(count: int) -> Callable[[Problem], bool]:
    """Whether no more arrays than so many are passed, so that there is nothing for other forms."""
    return lambda problem: len([one for one in problem.inputs if one.name not in problem.overwritten]) <= count


def also(*names: str) -> Callable[[Function], Function]:
    """Enter more forms of functions that have an entry; they are tried behind the others."""

    def entered(made: Function) -> Function:
        for name in names:
            FUNCTIONS[name] = in_turn(FUNCTIONS[name], made)
        return made

    return entered


def before(*names: str) -> Callable[[Function], Function]:
    """Enter forms of functions that have an entry; they are tried before the others."""

    def entered(made: Function) -> Function:
        for name in names:
            FUNCTIONS[name] = in_turn(made, FUNCTIONS[name])
        return made

    return entered


def in_turn(*functions: Function) -> Function:
    """The forms of several functions, one after the other."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for made in functions:
            yield from made(problem)

    return formulas


def spelled(title: str, others: str) -> None:
    """Enter other spellings of a function, with commas between."""
    SPELLINGS.update(dict.fromkeys(map(str.strip, others.split(",")), title))


def of_all_results(*titles: str) -> None:
    """Say that kernels with these names leave nothing else."""
    OF_ALL_RESULTS.update(titles)
