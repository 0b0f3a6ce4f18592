"""Losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, permutations

import numpy as np

from .along import log_sum_exp
from .pointwise import sigmoid
from .problem import Formula, Function, Problem, function, vague

_LOSSES: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "mse": lambda x, y: (x - y) ** 2, "mae": lambda x, y: np.abs(x - y),
    "kl div": lambda x, y: y * (np.log(y) - x), "hinge": lambda x, y: np.maximum(0, 1 - x * y),
    "binary cross entropy": lambda x, y: -(y * np.log(x) + (1 - y) * np.log(1 - x)),
}  # fmt: skip

#: Of probabilities and an exponent.
_Focal = Callable[[np.ndarray, float], np.ndarray]

#: How far rows are apart, by the differences of their elements.
_DISTANCES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "distances": lambda off: np.sqrt((off**2).sum(axis=1)), "absolute differences": lambda off: np.abs(off).sum(axis=1),
    "squares": lambda off: (off**2).sum(axis=1),
}  # fmt: skip


def _loss(name: str, form: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, y in permutations([one for one in problem.inputs if one.values.dtype.kind == "f"], 2):
            if x.size != y.size or x.size % problem.size:
                continue
            each = form(x.flat, y.flat).reshape(problem.size, -1)
            yield Formula(f"{name}({x.name}, {y.name})", each.sum(axis=1))
            yield Formula(f"mean {name}({x.name}, {y.name})", each.mean(axis=1))

    return formulas


def _of_focal(name: str, near: _Focal, far: _Focal) -> Function:
    """A function of scores [n, classes] and the class of each row: of that class, and of others; weighted by class.

    A row of none of the classes has the weight of the nearest one, or 1.
    """

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.like:
            for target in problem.integers:
                classes = x.size // target.size
                if classes * target.size != x.size:
                    continue
                right = target.flat[:, None] == np.arange(classes)
                p = sigmoid(x.flat.reshape(-1, classes))
                for gamma, alpha in permutations((*problem.factors, *problem.whole[:4]), 2):
                    made = np.where(right, alpha * near(p, gamma), (1 - alpha) * far(p, gamma))
                    text = f"{name}({x.name}, {target.name}, {gamma:g}, {alpha:g})"
                    yield Formula(text, made.reshape(-1))
                    for w in (one for one in problem.inputs if one.size == classes and one is not target):
                        of_row = w.flat[np.clip(target.flat.astype(np.int64), 0, classes - 1), None]
                        yield Formula(f"{w.name} * {text}", (of_row * made).reshape(-1))
                        of_row = np.where(right.any(axis=1)[:, None], of_row, 1)
                        yield Formula(f"{w.name} * {text}, 1 of no class", (of_row * made).reshape(-1))

    return formulas


function("sigmoid focal loss")(_of_focal(
    "focal_loss",
    lambda p, gamma: -((1 - p) ** gamma) * np.log(p),
    lambda p, gamma: -(p**gamma) * np.log(1 - p),
))  # fmt: skip
function("sigmoid focal loss backward")(_of_focal(
    "focal_loss'",
    lambda p, gamma: -((1 - p) ** gamma) * (1 - p - gamma * p * np.log(p)),
    lambda p, gamma: -(p**gamma) * (gamma * (1 - p) * np.log(1 - p) - p),
))  # fmt: skip


@function("rmse")
def _rmse(problem: Problem) -> Iterator[Formula]:
    for formula in _loss("mse", _LOSSES["mse"])(problem):
        yield Formula(f"sqrt({formula.text})", np.sqrt(formula.values))


@vague("triplet margin loss")
def _triplet(problem: Problem) -> Iterator[Formula]:
    """max(|a - p| - |a - n| + margin, 0) of rows, by one of three distances; of each, or their sum or mean."""
    for a, p, n in permutations([one for one in problem.inputs if one.values.dtype.kind == "f"], 3):
        if a.size != p.size or a.size != n.size:
            continue
        for text, rows in problem.along_axes(a):
            off = [rows - one.flat.reshape(rows.shape) for one in (p, n)]
            for how, apart in _DISTANCES.items():
                near, far = (apart(one) for one in off)
                for margin in (*problem.factors, 1.0, 0.5, 0.2):
                    each = np.maximum(near - far + margin, 0).reshape(-1)
                    for made in (each, each.sum(keepdims=True), each.mean(keepdims=True)):
                        if made.size == problem.size:
                            name = f"triplet_margin_loss({a.name}, {p.name}, {n.name}, {margin:g})"
                            yield Formula(f"{name} of {how} {text}", made)


for _name, _form in _LOSSES.items():
    function(_name)(_loss(_name, _form))


@function("huber")
def _huber(problem: Problem) -> Iterator[Formula]:
    for delta in (*problem.factors, 1.0):
        yield from _loss(f"huber of {delta:g}", partial(_huber_of, delta))(problem)


def _huber_of(delta: float, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    off = np.abs(x - y)
    found: np.ndarray = np.where(off < delta, off * off / 2, delta * (off - delta / 2))
    return found


@function("cross entropy")
def _cross_entropy(problem: Problem) -> Iterator[Formula]:
    yield from _of_probabilities(problem)
    for x in problem.inputs:
        for target in problem.inputs:
            classes = target.values.reshape(-1)
            if (
                x.values.dtype.kind != "f"
                or target.values.dtype.kind not in "iu"
                or not len(classes)
                or x.size % len(classes)
            ):
                continue
            rows = x.flat.reshape(len(classes), -1)
            if int(classes.max()) >= rows.shape[1] or int(classes.min()) < 0:
                continue
            each = log_sum_exp(rows[:, :, None]).reshape(-1) - rows[np.arange(len(classes)), classes.astype(int)]
            direct = -np.log(rows[np.arange(len(classes)), classes.astype(int)])
            for one in (each, direct):
                for values in (one, one.sum(keepdims=True), one.mean(keepdims=True)):
                    if values.size == problem.size:
                        yield Formula(f"cross_entropy({x.name}, {target.name})", values)


def _of_probabilities(problem: Problem) -> Iterator[Formula]:
    """Of rows of logits or probabilities, and of the probabilities that they should be."""
    real = [one for one in problem.inputs if one.values.dtype.kind == "f"]
    for x, target in permutations(real, 2):
        for text, rows in problem.along_axes(x) if x.size == target.size else ():
            right = target.flat.reshape(rows.shape)
            for how, logs in (("log_softmax", rows - log_sum_exp(rows)), ("log", np.log(rows))):
                each = -(right * logs).sum(axis=1).reshape(-1)
                for made in (each, each.sum(keepdims=True), each.mean(keepdims=True)):
                    if made.size == problem.size:
                        yield Formula(f"-sum({target.name} * {how}({x.name})) {text}", made)


@function("cosine similarity")
def _cosine(problem: Problem) -> Iterator[Formula]:
    """Of rows along an axis; for each, or repeated in its place."""
    for x, y in combinations(problem.inputs, 2):
        if x.size != y.size:
            continue
        for (text, a), (_, b) in zip(problem.along_axes(x), problem.along_axes(y), strict=False):
            if a.shape != b.shape:
                continue
            sizes = (a * a).sum(1, keepdims=True) * (b * b).sum(1, keepdims=True)
            each = (a * b).sum(1, keepdims=True) / np.maximum(np.sqrt(sizes), 1e-8)
            for how, values in (("", each), ("1 - ", 1 - each)):
                repeated = [np.broadcast_to(values, a.shape)] if values.size > 1 else []
                for made in (values, *repeated, values.mean(keepdims=True), values.sum(keepdims=True)):
                    if made.size == problem.size:
                        yield Formula(f"{how}cosine_similarity({x.name}, {y.name}) {text}", made.reshape(-1))
