"""Losses with margins, relative losses and losses of pairs, and the gradients of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np

from .classes import classes_of_rows
from .pointwise import sigmoid, softplus
from .problem import Formula, Function, Input, Problem, also, function, of_all_results, of_few, spelled, vague

#: Of a prediction, the truth and a little number: the loss, and its slope by the prediction.
_Form = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
#: Little numbers that kernels have as constants where they pass none.
_LITTLES = 0.0, 1e-2, 1e-8, 1e-6, 1e-7, 1e-5, 1e-4, 1e-3, 1e-10, 1e-12
#: Others that these losses have.
_WITH: Mapping[str, Sequence[float]] = {
    "l2 loss": (0.0,), "msle": (0.0,), "soft margin loss": (0.0,), "squared hinge": (1.0,), "quantile loss": (0.5,),
}  # fmt: skip


def _slope_of_mean(x: np.ndarray, t: np.ndarray, e: float) -> np.ndarray:
    found: np.ndarray = np.sign(x - t) / ((np.abs(x) + np.abs(t)) / 2 + e)
    return found


_RELATIVE: Mapping[str, tuple[Sequence[_Form], Sequence[_Form]]] = {
    "mape": ([lambda x, t, e: np.abs(x - t) / (np.abs(t) + e)], [lambda x, t, e: np.sign(x - t) / (np.abs(t) + e)]),
    "smape": (
        [
            lambda x, t, e: np.abs(x - t) / ((np.abs(x) + np.abs(t)) / 2 + e),
            lambda x, t, e: np.abs(x - t) / (np.abs(x) + np.abs(t) + e),
        ],
        [_slope_of_mean],
    ),
    "relative l2": (
        [lambda x, t, e: (x - t) ** 2 / (x * x + e), lambda x, t, e: (x - t) ** 2 / (t * t + e)],
        [lambda x, t, e: 2 * (x - t) / (x * x + e), lambda x, t, e: 2 * (x - t) / (t * t + e)],
    ),
    "relative l1": (
        [lambda x, t, e: np.abs(x - t) / (np.abs(x) + e), lambda x, t, e: np.abs(x - t) / (np.abs(t) + e)],
        [lambda x, t, e: np.sign(x - t) / (np.abs(x) + e), lambda x, t, e: np.sign(x - t) / (np.abs(t) + e)],
    ),
    "l2 loss": (
        [lambda x, t, e: (x - t) ** 2, lambda x, t, e: (x - t) ** 2 / 2],
        [lambda x, t, e: 2 * (x - t), lambda x, t, e: x - t],
    ),
    "msle": (
        [lambda x, t, e: (np.log1p(x) - np.log1p(t)) ** 2],
        [lambda x, t, e: 2 * (np.log1p(x) - np.log1p(t)) / (1 + x)],
    ),
    "log loss": (
        [lambda p, t, e: -t * np.log(p + e) - (1 - t) * np.log(1 - p + e)],
        [lambda p, t, e: -t / (p + e) + (1 - t) / (1 - p + e)],
    ),
    "soft margin loss": (
        [lambda x, t, e: softplus(-x * t)], [lambda x, t, e: -t * sigmoid(-x * t)],
    ),
    "squared hinge": (
        [lambda x, t, e: np.maximum(0, 1 - x * t) ** 2, lambda x, t, e: np.maximum(0, e - x * t) ** 2],
        [lambda x, t, e: -2 * t * np.maximum(0, 1 - x * t), lambda x, t, e: -2 * t * np.maximum(0, e - x * t)],
    ),
    "quantile loss": (
        [lambda x, t, q: np.maximum(q * (t - x), (q - 1) * (t - x))], [lambda x, t, q: np.where(t > x, -q, 1 - q)],
    ),
}  # fmt: skip


def _scales(problem: Problem, *of: Input) -> Iterator[tuple[str, np.ndarray]]:
    """What losses and slopes are multiplied by: 1, one by how many there are, factors, what comes back."""
    counts = [n for n in dict.fromkeys((1, problem.size, *problem.whole)) if n > 0]
    for n, factor in product(counts, dict.fromkeys((1.0, *problem.factors))):
        yield f"{factor:g} / {n}", np.full(1, factor / n)
    for one in problem.floats:
        for n in counts if one.size in (1, problem.size) and one not in of else ():
            yield f"{one.name} / {n}", one.flat / n


def _relative(name: str, forms: Sequence[_Form], back: bool) -> Function:
    """Of each element; a loss also of each row, in sum and in mean."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, t in permutations([one for one in problem.inputs if one.size > 1], 2):
            if x.size != t.size or x.size % problem.size or x.values.dtype.kind in "iu":
                continue
            littles = dict.fromkeys((*(f for f in problem.factors if 0 <= f <= 1), *_WITH.get(name, _LITTLES)))
            for form, little in product(forms, littles):
                made, text = form(x.flat, t.flat, little), f"{name}{chr(39) * back}({x.name}, {t.name}, {little:g})"
                if back or x.size == problem.size:
                    for by, scale in _scales(problem, x, t) if x.size == problem.size else ():
                        yield Formula(f"{by} * {text}", scale * made)
                else:
                    rows = made.reshape(problem.size, -1)
                    yield Formula(f"sum of {text}", rows.sum(axis=1))
                    yield Formula(f"mean of {text}", rows.mean(axis=1))

    return formulas


for _name, (_losses, _slopes) in _RELATIVE.items():
    function(_name)(_relative(_name, [*_losses, *_slopes], back=False))
    function(f"{_name} backward")(_relative(_name, _slopes, back=True))
of_all_results(*_RELATIVE)
spelled("mape", "mape loss, mean absolute percentage error")
spelled("smape", "smape loss")
spelled("relative l2", "relative l2 loss, relative mse, relative squared error")
spelled("relative l1", "relative l1 loss, relative absolute error")
spelled("l2 loss", "squared loss, squared error loss, l2 cost, squared error, quadratic loss")
spelled("msle", "msle loss, mean squared log error, mean squared logarithmic error")
spelled("soft margin loss", "soft margin")
spelled("squared hinge", "squared hinge loss, square hinge")
spelled("quantile loss", "pinball loss, pinball")
spelled("log loss", "logloss")


def _ends(problem: Problem, text: str, each: np.ndarray) -> Iterator[Formula]:
    """Of each row or pair, in sum and in mean; times what losses may be multiplied by."""
    for how, made in (("", each), ("sum of ", each.sum(keepdims=True)), ("mean of ", each.mean(keepdims=True))):
        if made.size == problem.size:
            yield Formula(how + text, made.reshape(-1))


def _margins(problem: Problem) -> list[float]:
    return [*dict.fromkeys((*problem.factors, 0.0, 1.0))]


@function("margin ranking loss")
def _ranking(problem: Problem) -> Iterator[Formula]:
    """max(0, -t * (x - y) + margin), of t that are 1 or -1."""
    same = [one for one in problem.inputs if one.size >= problem.size and one.size > 1]
    for x, y, t in permutations(same, 3):
        if x.size == y.size == t.size:
            for margin in _margins(problem):
                made = np.maximum(0, -t.flat * (x.flat - y.flat) + margin)
                yield from _ends(problem, f"margin_ranking({x.name}, {y.name}, {t.name}, {margin:g})", made)


@also("l2 loss")
def _of_weights(problem: Problem) -> Iterator[Formula]:
    """Half of the sum of squares, as of weights; or the sum."""
    for x in problem.floats if problem.size == 1 else ():
        for factor in dict.fromkeys((0.5, 1.0, *problem.factors)):
            yield Formula(f"{factor:g} * sum({x.name}**2)", factor * (x.flat**2).sum(keepdims=True))


@function("rank loss")
def _ranked(problem: Problem) -> Iterator[Formula]:
    """log(1 + exp(x - y)) - t * (x - y)."""
    same = [one for one in problem.inputs if one.size >= problem.size and one.size > 1]
    for x, y, t in permutations(same, 3):
        if x.size == y.size == t.size:
            off = x.flat - y.flat
            yield from _ends(problem, f"rank_loss({x.name}, {y.name}, {t.name})", softplus(off) - t.flat * off)


@vague("gaussian nll", unless=of_few(3))
def _gaussian(problem: Problem) -> Iterator[Formula]:
    """(log(v) + (x - t)^2 / v) / 2, of variances v that are not below a little number."""
    same = [one for one in problem.floats if one.size >= problem.size and one.size > 1]
    for x, t, v in permutations(same, 3):
        if x.size == t.size == v.size:
            for little, more in product((*problem.factors, 1e-6), (0.0, 0.5 * np.log(2 * np.pi))):
                for by in (np.maximum(v.flat, little), np.maximum(v.flat**2, little), np.exp(v.flat)):
                    made = 0.5 * (np.log(by) + (x.flat - t.flat) ** 2 / by) + more
                    yield from _ends(problem, f"gaussian_nll({x.name}, {t.name}, {v.name}, {little:g})", made)


spelled("margin ranking loss", "margin ranking, margin rank loss, ranking loss")
spelled("gaussian nll", "gaussian nll loss")


def _beside(x: Input, problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """Weights of each class, or 1 for all."""
    yield "", np.ones(1)
    yield from ((f" by {one.name}", one.flat) for one in problem.floats if one is not x)


@function("multi margin loss")
def _multi(problem: Problem) -> Iterator[Formula]:
    """The sum of max(0, margin - x[class] + x)^p over other classes, by how many classes there are."""
    for x, target, rows, at in classes_of_rows(problem):
        right = np.take_along_axis(rows, np.maximum(at, 0)[:, None], 1)
        other = np.arange(rows.shape[1]) != at[:, None]
        for margin, power, (name, weight) in product(_margins(problem), (1, 2), _beside(x, problem)):
            if weight.size not in (1, rows.shape[1]):
                continue
            off = (
                np.maximum(0, margin - right + rows) ** power
                * other
                * np.broadcast_to(weight, rows.shape[1])[at][:, None]
            )
            text = f"multi_margin({x.name}, {target.name}, {margin:g}, {power}){name}"
            yield from _ends(problem, text, off.sum(axis=1) / rows.shape[1])
            if problem.size == len(rows):
                yield Formula(f"{text} / {len(rows)}", off.sum(axis=1) / rows.size)
            yield from _ends(problem, f"{text} of all classes", off.sum(axis=1))


@function("multi margin loss backward")
def _multi_back(problem: Problem) -> Iterator[Formula]:
    for x, target, rows, at in classes_of_rows(problem):
        if x.size != problem.size:
            continue
        right = np.take_along_axis(rows, np.maximum(at, 0)[:, None], 1)
        own = np.arange(rows.shape[1]) == at[:, None]
        backs = [
            ("1", np.ones((1, 1))),
            *((b.name, b.flat[:, None]) for b in problem.floats if b.size in (1, len(rows))),
        ]
        for margin, power, (name, back) in product(_margins(problem), (1, 2), backs):
            off = margin - right + rows
            slope = np.where(own, 0, (off > 0) * (1 if power == 1 else 2 * off))
            slope = slope - own * slope.sum(axis=1, keepdims=True)
            for by in (rows.shape[1], rows.size):
                text = f"multi_margin'({x.name}, {target.name}, {margin:g}, {power}) * {name} / {by}"
                yield Formula(text, (back * slope / by).reshape(-1))


spelled(
    "multi margin loss", "multimarginloss, multi margin, multi class hinge, multiclass hinge, multi class hinge loss"
)


def _pairs(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray, Input]]:
    """Rows of two arrays, and a label of each pair."""
    for x, y in permutations(problem.floats, 2):
        for labels in problem.inputs if x.size == y.size else ():
            if labels not in (x, y) and x.size % labels.size == 0 and labels.size < x.size:
                a, b = (one.flat.reshape(labels.size, -1) for one in (x, y))
                yield f"{x.name}, {y.name}, {labels.name}", a, b, labels


@function("cosine embedding loss")
def _cosine(problem: Problem) -> Iterator[Formula]:
    """1 - cos(x, y) of rows that are alike, max(0, cos(x, y) - margin) of others."""
    for text, a, b, labels in _pairs(problem):
        for little, margin in product((0.0, 1e-12, 1e-8), _margins(problem)):
            sizes = ((a * a).sum(axis=1) + little) * ((b * b).sum(axis=1) + little)
            alike = (a * b).sum(axis=1) / np.sqrt(sizes)
            made = np.where(labels.flat > 0, 1 - alike, np.maximum(0, alike - margin))
            yield from _ends(problem, f"cosine_embedding({text}, {margin:g})", made)


@vague("contrastive loss")
def _contrastive(problem: Problem) -> Iterator[Formula]:
    """d^2 of rows that are alike, max(0, margin - d)^2 of others, or max(0, margin - d^2); halves of these."""
    for text, a, b, labels in _pairs(problem):
        square = ((a - b) ** 2).sum(axis=1)
        apart = np.sqrt(square)
        for margin, alike in product(_margins(problem), (labels.flat > 0, labels.flat <= 0)):
            for far in (np.maximum(0, margin - apart) ** 2, np.maximum(0, margin - square)):
                for factor in (1.0, 0.5):
                    made = factor * np.where(alike, square, far)
                    yield from _ends(problem, f"{factor:g} * contrastive({text}, {margin:g})", made)


spelled("cosine embedding loss", "cosine embedding")
spelled("contrastive loss", "contrastive")


@vague("dice loss")
def _dice(problem: Problem) -> Iterator[Formula]:
    """1 - (2 * sum(x * t) + a) / (sum(x) + sum(t) + a), or of squares; of rows, or of all; or the share."""
    for x, t in permutations([one for one in problem.inputs if one.size > 1], 2):
        for text, a in problem.along_axes(x) if x.size == t.size else ():
            b = t.flat.reshape(a.shape)
            for how, of in (("", a), (" of sigmoid", sigmoid(a))):
                both = (of * b).sum(axis=1)
                for squares, total in (("", of + b), (" of squares", of**2 + b**2)):
                    for little in dict.fromkeys((*problem.factors, 1.0, 0.0, 1e-5, 1e-6)):
                        for share in ((2 * both + little), 2 * both):
                            made = (share / (total.sum(axis=1) + little)).reshape(-1)
                            name = f"dice({x.name}, {t.name}, {little:g}){how}{squares} {text}"
                            yield from _ends(problem, f"1 - {name}", 1 - made)
                            yield from _ends(problem, name, made)


spelled("dice loss", "dice, dice coefficient, dice score, soft dice, soft dice loss")
