"""Normalizations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np

from .problem import FUNCTIONS, Formula, Function, Input, Problem, function, of_all_results, spelled

#: What is added to a variance where nothing else is passed.
_EPSILONS = 1e-5, 1e-6, 1e-8, 0.0


def _epsilons(problem: Problem) -> Sequence[float]:
    named = problem.factor("eps")  # any, if it is called so
    said = () if named is None else (named,)
    return tuple(dict.fromkeys((*said, *(number for number in problem.factors if 0 <= number < 0.1), *_EPSILONS)))


def _operands(problem: Problem, x: Input) -> list[Input]:
    """What rows may be scaled and moved by."""
    return [one for one in problem.floats if one is not x]


def _unit(rows: np.ndarray, epsilon: float, centred: bool = True) -> np.ndarray:
    """Rows [outer, n, inner] by their deviation along the middle axis."""
    off = rows - rows.mean(axis=1, keepdims=True) if centred else rows
    found: np.ndarray = off / np.sqrt((off * off).mean(axis=1, keepdims=True) + epsilon)
    return found


def _scaled(
    text: str, unit: np.ndarray, axis: int, others: Sequence[Input], factors: Sequence[float]
) -> Iterator[Formula]:
    """As it is, and times a weight for each place along an axis, plus a bias or without."""
    shape = [1] * unit.ndim
    shape[axis] = unit.shape[axis]
    fitting = [(one.name, one.flat.reshape(shape)) for one in others if one.size == unit.shape[axis]]
    yield Formula(text, unit.reshape(-1))
    for factor in factors:
        yield Formula(f"{factor:g} * {text}", factor * unit.reshape(-1))
    for factor, shift in permutations(factors, 2):
        yield Formula(f"{factor:g} * {text} + {shift:g}", factor * unit.reshape(-1) + shift)
    for name, weight in fitting:
        yield Formula(f"{text} * {name}", (unit * weight).reshape(-1))
    for (name, weight), (other, bias) in permutations(fitting, 2):
        yield Formula(f"{text} * {name} + {other}", (unit * weight + bias).reshape(-1))


def _left_of_rows(problem: Problem, centred: bool) -> Iterator[Formula]:
    """What norms leave besides: the mean and the deviation of each row, or what it is divided by."""
    called = "variance" if centred else "square"
    for x in problem.floats if problem.size > 1 else ():
        for text, rows in problem.along_axes(x):
            if rows.size != problem.size * rows.shape[1] or rows.shape[1] < 2:
                continue
            mean = rows.mean(axis=1) if centred else np.zeros((rows.shape[0], rows.shape[2]))
            square = ((rows - mean[:, None]) ** 2).mean(axis=1)
            if centred:
                yield Formula(f"mean({x.name}) {text}", mean.reshape(-1))
                yield Formula(f"variance({x.name}) {text}", square.reshape(-1))
            for epsilon in _epsilons(problem):
                by = np.sqrt(square + epsilon).reshape(-1)
                yield Formula(f"sqrt({called}({x.name}) + {epsilon:g}) {text}", by)
                yield Formula(f"1 / sqrt({called}({x.name}) + {epsilon:g}) {text}", 1 / by)


def _of_rows(name: str, centred: bool) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        yield from _left_of_rows(problem, centred)
        for x in problem.like:
            others = _operands(problem, x)
            for epsilon, (text, rows) in product(_epsilons(problem), problem.along_axes(x)):
                unit = _unit(rows, epsilon, centred)
                yield from _scaled(f"{name}({x.name}, {epsilon:g}) {text}", unit, 1, others, problem.factors)
        if centred:  # of channels, as some call it
            yield from _of_channels(problem)

    return formulas


NAMES = frozenset({"layer norm", "rms norm", "batch norm", "instance norm", "group norm"})
function("layer norm")(_of_rows("layer_norm", True))
function("rms norm")(_of_rows("rms_norm", False))


def _of_sums(first: str, second: str) -> Function:
    """The sum of two arrays, and its norm: that which a name says, and else the other one."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        # what a kernel takes, before what it leaves
        operands = sorted(problem.like, key=lambda one: (one.name in problem.overwritten, "out" in one.name.lower()))
        for name, (x, y) in product(("", first, second), combinations(operands, 2)):
            total = Input(f"({x.name} + {y.name})", x.real + y.flat.reshape(x.values.shape))
            rest = [one for one in problem.inputs if one not in (x, y)]
            if name:
                yield from FUNCTIONS[name](replace(problem, inputs=(total, *rest)))
            else:
                yield Formula(total.name, total.flat)

    return formulas


function("add rms norm")(_of_sums("rms norm", "layer norm"))
function("add layer norm")(_of_sums("layer norm", "rms norm"))
of_all_results("add rms norm", "add layer norm")


@function("batch norm", "instance norm", "group norm")
def _of_channels(problem: Problem) -> Iterator[Formula]:
    """[n, channels, inner]: with means and variances that are passed, or with its own."""
    for x in problem.like:
        whole = [number for number in problem.whole if 0 < number <= x.size]
        for channels in dict.fromkeys((*x.axes[1:2], *x.axes[:1], *whole)):
            for images in dict.fromkeys((*x.axes[:1], *whole, 1)):
                if x.size % (channels * images) == 0:
                    yield from _by_channel(problem, x, x.flat.reshape(images, channels, -1))


def _by_channel(problem: Problem, x: Input, rows: np.ndarray) -> Iterator[Formula]:
    images, channels, _ = rows.shape
    others = _operands(problem, x)
    for epsilon in _epsilons(problem)[:3]:
        over_all = _unit(rows.transpose(1, 0, 2).reshape(channels, -1, 1), epsilon)
        units: dict[str, np.ndarray] = {"batch_norm": over_all.reshape(channels, images, -1).transpose(1, 0, 2)}
        units["instance_norm"] = _unit(rows.reshape(images * channels, -1, 1), epsilon).reshape(rows.shape)
        for groups in (number for number in problem.whole if 1 < number < channels and channels % number == 0):
            units[f"group_norm of {groups}"] = _unit(rows.reshape(images * groups, -1, 1), epsilon).reshape(rows.shape)
        for name, unit in units.items():
            yield from _scaled(f"{name}({x.name})", unit, 1, others, ())
        for mean, spread in permutations([one for one in others if one.size == channels], 2):
            rest = [one for one in others if one not in (mean, spread)]
            for text, unit in _by_passed(rows, mean, spread, epsilon):
                yield from _scaled(f"batch_norm({x.name}, {text})", unit, 1, rest, ())


def _by_passed(rows: np.ndarray, mean: Input, spread: Input, epsilon: float) -> Iterator[tuple[str, np.ndarray]]:
    """Rows by a mean and a variance that are passed, or a deviation, or one by which they are multiplied."""
    if not (spread.flat >= 0).all():
        return
    off, by = rows - mean.flat.reshape(1, -1, 1), spread.flat.reshape(1, -1, 1)
    yield f"{mean.name}, {spread.name}", off / np.sqrt(by + epsilon)
    yield f"{mean.name}, {spread.name}**2", off / by
    yield f"{mean.name}, {spread.name}**-2", off * by


spelled("layer norm", "fused ln, ln forward, l normalization, gl normalization")
spelled("add layer norm", "fused residual ln, residual ln, residual layer norm, skip layer norm, add and layer norm")
spelled("add rms norm", "residual rms norm, skip rms norm, add and rms norm")
