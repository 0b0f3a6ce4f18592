"""Functions of the channels of images: their means and variances, what scales them, and the gradients of these."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from . import along, norms, pointwise  # noqa: F401  (whose functions have more forms here)
from .problem import Formula, Input, Problem, also, function, of_all_results, spelled

#: What is added to a variance where nothing else is passed.
_EPSILONS = 1e-5, 1e-6, 1e-8, 0.0

_Rows = np.ndarray  # [images, channels, inner]


def rows_of(problem: Problem, x: Input) -> Iterator[_Rows]:
    """An array as [images, channels, inner], with each number of channels that it may have."""
    whole = [number for number in problem.whole if 0 < number <= x.size]
    seen = set()
    for channels in dict.fromkeys((*x.axes[1:2], *x.axes[:1], *x.axes[-1:], *whole)):
        images = [x.size // (channels * n) for n in whole if x.size % (channels * n) == 0]
        for count in (*x.axes[:1], *whole, 1, *images):
            if x.size % (channels * count) == 0 and (count, channels) not in seen:
                seen.add((count, channels))
                yield x.flat.reshape(count, channels, -1)


def _by_channel(problem: Problem, x: Input) -> Iterator[_Rows]:
    """The same with as many channels as there are results."""
    return (rows for rows in rows_of(problem, x) if rows.shape[1] == problem.size)


def _wide(one: Input) -> np.ndarray:
    """A number for each channel, beside rows."""
    return one.flat[:, None]


def _epsilons(problem: Problem) -> tuple[float, ...]:
    return tuple(dict.fromkeys((*(number for number in problem.factors if 0 < number < 0.1), *_EPSILONS)))


def _held(problem: Problem) -> list[tuple[str, np.ndarray]]:
    """What results may be added to: nothing, or numbers that are there."""
    return [("", np.zeros(problem.size)), *((f"{one.name} + ", one.flat) for one in problem.like)]


def _sums(rows: _Rows) -> np.ndarray:
    found: np.ndarray = rows.sum(axis=(0, 2))
    return found


@also("mean", "sum", "bias backward")
def _totals(problem: Problem) -> Iterator[Formula]:
    for x in problem.floats:
        for rows in _by_channel(problem, x):
            yield Formula(f"mean({x.name}) of each channel", rows.mean(axis=(0, 2)))
            for name, held in _held(problem):
                yield Formula(f"{name}sum({x.name}) of each channel", held + _sums(rows))


@also("variance")
def _variances(problem: Problem) -> Iterator[Formula]:
    """By their own means, or by means that are passed."""
    for x in problem.floats:
        for rows in _by_channel(problem, x):
            count = rows.shape[0] * rows.shape[2]
            means = [(one.name, _wide(one)) for one in problem.like if one is not x]
            for (name, mean), less in product([*means, ("", rows.mean(axis=(0, 2), keepdims=True)[0])], (0, 1)):
                text = f"variance({x.name}{name and ', ' + name}) of each channel, of {count} - {less}"
                yield Formula(text, _sums((rows - mean) ** 2) / max(count - less, 1))


@function("mean and variance")
def _means_and_variances(problem: Problem) -> Iterator[Formula]:
    """Means, variances and reciprocal deviations of rows, or of channels; both may lie beside each other."""
    for x in problem.floats:
        sources = [(f"of each channel of {x.name}", rows.transpose(1, 0, 2)) for rows in _by_channel(problem, x)]
        sources += [(f"of {x.name} {text}", rows.swapaxes(1, 2)) for text, rows in problem.along_axes(x)]
        for text, rows in sources:
            whole = rows.reshape(-1, rows.shape[2]) if text.startswith("of " + x.name) else rows.reshape(len(rows), -1)
            if len(whole) not in (problem.size, problem.size // 2):
                continue
            means, count = whole.mean(axis=1), whole.shape[1]
            spreads = {"variances": whole.var(axis=1), "squares off": whole.var(axis=1) * count}
            spreads["mean squares"] = (whole**2).mean(axis=1)
            if count > 1:
                spreads["sample variances"] = whole.var(axis=1, ddof=1)
            for epsilon in _epsilons(problem):
                spreads[f"reciprocal deviations, {epsilon:g}"] = 1 / np.sqrt(whole.var(axis=1) + epsilon)
                spreads[f"reciprocal roots, {epsilon:g}"] = 1 / np.sqrt(spreads["mean squares"] + epsilon)
            yield Formula(f"means {text}", means)
            for name, spread in spreads.items():
                yield Formula(f"{name} {text}", spread)
                yield Formula(f"means and {name} {text}", np.stack([means, spread], axis=1).reshape(-1))
                yield Formula(f"means, then {name} {text}", np.append(means, spread))


@also("normalize")
def _normalized(problem: Problem) -> Iterator[Formula]:
    """By means and variances of channels that are passed; or of rows, by reciprocal deviations, with weights."""
    yield from _by_rows(problem)
    for x in problem.like:
        for rows in rows_of(problem, x):
            each = [one for one in problem.floats if one.size == rows.shape[1] and one is not x]
            for (mean, spread), epsilon in product(permutations(each, 2), _epsilons(problem)):
                if (spread.flat >= 0).all():
                    off, by = rows - _wide(mean), _wide(spread)
                    text = f"({x.name} - {mean.name}) / sqrt({spread.name}"
                    yield Formula(f"{text} + {epsilon:g})", (off / np.sqrt(by + epsilon)).reshape(-1))
                    yield Formula(f"{text}) + {epsilon:g}", (off / (np.sqrt(by) + epsilon)).reshape(-1))


def _by_rows(problem: Problem) -> Iterator[Formula]:
    """(x - mean) * rstd of each row, times weights of the columns plus biases, or without."""
    for x in problem.like:
        for mean, spread in permutations(problem.floats, 2):
            if mean.size == spread.size and 1 < mean.size < x.size and x.size % mean.size == 0:
                unit = (x.flat.reshape(mean.size, -1) - _wide(mean)) * _wide(spread)
                text = f"({x.name} - {mean.name}) * {spread.name}"
                yield Formula(text, unit.reshape(-1))
                of_columns = [one for one in problem.floats if one.size == unit.shape[1]]
                for weight, bias in permutations(of_columns, 2):
                    made = unit * weight.flat + bias.flat
                    yield Formula(f"{text} * {weight.name} + {bias.name}", made.reshape(-1))
                for weight in of_columns:
                    yield Formula(f"{text} * {weight.name}", (unit * weight.flat).reshape(-1))


@also("scale")
@function("scale bias")
def _scaled(problem: Problem) -> Iterator[Formula]:
    """Each channel times a number of its own, plus another one or not."""
    for x in problem.like:
        for rows in rows_of(problem, x):
            each = [one for one in problem.floats if one.size == rows.shape[1] and one is not x]
            for scale in each:
                yield Formula(f"{x.name} * {scale.name} of each channel", (rows * _wide(scale)).reshape(-1))
            for scale, bias in permutations(each, 2):
                made = rows * _wide(scale) + _wide(bias)
                yield Formula(f"{x.name} * {scale.name} + {bias.name} of each channel", made.reshape(-1))


@function("scale backward")
def _scale_back(problem: Problem) -> Iterator[Formula]:
    """Sums of the products of what comes back and of what was scaled; or what comes back, scaled."""
    yield from _scaled(problem)
    for x, coming in permutations(problem.floats, 2):
        for rows in _by_channel(problem, x) if x.size == coming.size else ():
            total = _sums(rows * coming.flat.reshape(rows.shape))
            for name, held in _held(problem):
                yield Formula(f"{name}sum({x.name} * {coming.name}) of each channel", held + total)


def _passed(problem: Problem, rows: _Rows, count: int) -> Iterator[tuple[Input, ...]]:
    """Arrays of a number for each channel, in any order."""
    return permutations([one for one in problem.floats if one.size == rows.shape[1]], count)


@function("mean delta")
def _mean_delta(problem: Problem) -> Iterator[Formula]:
    """What comes back to the means of a batch norm."""
    for coming in problem.floats:
        for rows in _by_channel(problem, coming):
            for (spread,), epsilon in product(_passed(problem, rows, 1), _epsilons(problem)):
                made = -_sums(rows) / np.sqrt(spread.flat + epsilon)
                yield Formula(f"-sum({coming.name}) / sqrt({spread.name} + {epsilon:g})", made)


@function("variance delta")
def _variance_delta(problem: Problem) -> Iterator[Formula]:
    """What comes back to the variances of a batch norm."""
    for x, coming in permutations(problem.floats, 2):
        for rows in _by_channel(problem, x) if x.size == coming.size else ():
            back = coming.flat.reshape(rows.shape)
            for (mean, spread), epsilon in product(_passed(problem, rows, 2), _epsilons(problem)):
                made = -0.5 * _sums(back * (rows - _wide(mean))) * (spread.flat + epsilon) ** -1.5
                text = f"sum({coming.name} * ({x.name} - {mean.name})) * ({spread.name} + {epsilon:g})**-1.5"
                yield Formula(f"-0.5 * {text}", made)


@function("normalize delta")
def _normalize_delta(problem: Problem) -> Iterator[Formula]:
    """What comes back through a batch norm, by what comes back to its means and variances."""
    for x, coming in permutations(problem.like, 2):
        for rows in rows_of(problem, x):
            back, count = coming.flat.reshape(rows.shape), rows.shape[0] * rows.shape[2]
            for of, epsilon in product(_passed(problem, rows, 4), _epsilons(problem)[:2]):
                mean, spread, to_mean, to_spread = map(_wide, of)
                made = back / np.sqrt(spread + epsilon) + (2 * to_spread * (rows - mean) + to_mean) / count
                names = ", ".join(one.name for one in of)
                yield Formula(f"{coming.name} back to {x.name} by {names}", made.reshape(-1))


@function("softmax tree")
def _tree(problem: Problem) -> Iterator[Formula]:
    """The softmax of each group of channels, of so many channels from one on, divided by a temperature or not."""
    for x, (sizes, starts) in product(problem.like, permutations(problem.integers, 2)):
        groups = [*zip(sizes.values.reshape(-1).tolist(), starts.values.reshape(-1).tolist(), strict=False)]
        for rows, heat in product(rows_of(problem, x), (1.0, *problem.factors)):
            if sizes.size == starts.size and all(n > 0 and 0 <= at <= rows.shape[1] - n for n, at in groups):
                made = rows.copy()
                for n, at in groups:
                    made[:, at : at + n] = along.softmax(rows[:, at : at + n] / heat)
                yield Formula(f"softmax({x.name} / {heat:g}) of groups of {sizes.name}", made.reshape(-1))


@also("norm")
def _of_length_one(problem: Problem) -> Iterator[Formula]:
    """Rows that are divided by their norm, and what darknet has as the gradient of that."""
    for x in problem.like:
        for text, rows in problem.along_axes(x):
            size = np.sqrt((np.abs(rows) ** 2).sum(axis=1, keepdims=True))
            unit = rows / np.where(size == 0, 1, size)
            yield Formula(f"normalize({x.name}) {text}", unit.reshape(-1))
            yield Formula(f"(1 - normalize({x.name})) / norm {text}", ((1 - unit) / size).reshape(-1))


of_all_results("mean and variance")
spelled(
    "mean and variance",
    """rowwise moments, collect statistics, batch norm collect statistics, batch norm stats, batch norm statistics,
    mean var, mean variance, moments of rows, mean and var, compute mean variance, layer norm stats, welford mean
    var, row moments, mean rstd, mean and rstd, compute mean and variance, compute mean and rstd, batch norm mean
    var, welford mean variance, welford kernel, welford parallel, group norm stats, norm statistics""",
)
spelled("mean delta", "mean backward delta")
spelled("scale backward", "backward scale")
