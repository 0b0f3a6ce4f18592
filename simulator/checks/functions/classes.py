"""Losses of numbers and of classes besides the usual ones, and the gradients of losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import permutations, product

import numpy as np

from . import gradients, losses  # noqa: F401  (which have more forms here)
from .along import log_sum_exp, softmax
from .pointwise import sigmoid, softplus
from .problem import Formula, Function, Input, Problem, also, function, spelled

_OfTwo = Callable[[np.ndarray, np.ndarray], np.ndarray]
#: What is added to probabilities so that their logarithms are finite.
_LITTLE = 1e-7


def _steps(off: np.ndarray) -> np.ndarray:
    """1 above 0, -1 elsewhere."""
    return np.where(off > 0, 1.0, -1.0)


def _logistic(p: np.ndarray, t: np.ndarray, little: float = 0.0) -> np.ndarray:
    found: np.ndarray = -t * np.log(p + little) - (1 - t) * np.log(1 - p + little)
    return found


def _with_logits(x: np.ndarray, t: np.ndarray) -> np.ndarray:
    found: np.ndarray = softplus(x) - t * x
    return found


def _huber(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Twice the loss, as darknet has it."""
    off = np.abs(y - x)
    found: np.ndarray = np.where(off < 1, off * off, 2 * off - 1)
    return found


#: Losses of a prediction and of the truth, and what darknet's layers have as their gradients.
_LOSSES: Mapping[str, Sequence[_OfTwo]] = {
    "binary cross entropy with logits": [_with_logits, lambda x, t: -_with_logits(x, t)],  # which Caffe leaves
    "logistic cross entropy": [_logistic, partial(_logistic, little=_LITTLE), lambda p, t: t - p],
    "softmax cross entropy of each": [lambda p, t: np.where(t != 0, -np.log(p), 0), lambda p, t: t - p],
    "wasserstein": [lambda p, t: np.where(t != 0, -p, p), lambda p, t: _steps(t)],
    "huber": [_huber, lambda p, t: np.where(np.abs(t - p) < 1, t - p, _steps(t - p))],
    "huber backward": [lambda p, t: np.clip(p - t, -1, 1)],
    "mae backward": [lambda p, t: np.sign(p - t)],
    "binary cross entropy backward": [
        lambda p, t: (p - t) / (p * (1 - p)), lambda p, t: (p - t) / np.maximum(p * (1 - p), 1e-12),
    ],
    "binary cross entropy with logits backward": [lambda x, t: sigmoid(x) - t],
    "kl div backward": [lambda x, y: -y],
    "hinge embedding": [lambda x, t: np.where(t == 1, x, np.maximum(0, 1 - x))],
    "log cosh": [lambda x, y: np.logaddexp(x - y, y - x) - np.log(2)],
    "charbonnier": [lambda x, y: np.sqrt((x - y) ** 2 + 1e-6), lambda x, y: np.sqrt((x - y) ** 2 + 1e-12)],
    "poisson nll": [lambda x, y: np.exp(x) - y * x],
}  # fmt: skip
#: Those that a factor changes: the place where a square becomes a line, a margin, what is added.
_WITH_FACTOR: Mapping[str, Sequence[Callable[[np.ndarray, np.ndarray, float], np.ndarray]]] = {
    "huber": [
        lambda x, y, b: np.where(np.abs(x - y) < b, (x - y) ** 2 / (2 * b), np.abs(x - y) - b / 2),
    ],
    "huber backward": [
        lambda x, y, b: np.clip(x - y, -b, b), lambda x, y, b: np.clip((x - y) / b, -1, 1),
    ],
    "hinge embedding": [lambda x, t, b: np.where(t == 1, x, np.maximum(0, b - x))],
    "charbonnier": [
        lambda x, y, b: np.sqrt((x - y) ** 2 + b * b), lambda x, y, b: np.sqrt((x - y) ** 2 + b),
    ],
}  # fmt: skip


def _of_two(name: str, forms: Sequence[_OfTwo]) -> Function:
    """Of each element, or of each row in sum or in mean; times what comes back, in gradients."""
    is_back = name.endswith("backward")

    def each(x: Input, y: Input, problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
        for form in forms:
            yield name, form(x.flat, y.flat)
        for factor in problem.factors if name in _WITH_FACTOR else ():
            for with_factor in _WITH_FACTOR[name]:
                yield f"{name} of {factor:g}", with_factor(x.flat, y.flat, factor)

    def formulas(problem: Problem) -> Iterator[Formula]:
        whole = [one for one in problem.inputs if one.size > 1]
        for x, y in permutations(whole, 2):
            if x.size != y.size or x.size % problem.size or x.values.dtype.kind in "iu":
                continue
            for text, made in each(x, y, problem):
                rows, text = made.reshape(problem.size, -1), f"{text}({x.name}, {y.name})"
                yield Formula(text, rows.sum(axis=1))
                yield Formula(f"mean {text}", rows.mean(axis=1))
                if is_back and x.size == problem.size:
                    yield from _returned(problem, text, made, (x, y))

    return formulas


def _returned(problem: Problem, text: str, slope: np.ndarray, of: Sequence[Input]) -> Iterator[Formula]:
    """A slope divided by the number of elements, and times what comes back to each or to all."""
    factors = (*problem.factors, *(1 / n for n in problem.whole if n > 1), 1 / problem.size)
    for back in problem.floats:
        if back not in of and back.size in (1, problem.size):
            yield Formula(f"{text} * {back.name}", slope * back.flat)
            for factor in factors:
                yield Formula(f"{factor:g} * {text} * {back.name}", factor * slope * back.flat)
    for factor in factors:
        yield Formula(f"{factor:g} * {text}", factor * slope)


for _name, _forms in _LOSSES.items():
    (also if _name == "huber" else function)(_name)(_of_two(_name, _forms))
spelled(
    "binary cross entropy with logits",
    """bce with logits, bce logits, sigmoid cross entropy, sigmoid cross entropy loss, bce with logits loss, sigmoid
    cross entropy with logits""",
)
spelled("logistic cross entropy", "logistic x ent")
spelled("softmax cross entropy of each", "softmax x ent")
spelled("wasserstein", "wgan")
spelled("binary cross entropy", "bce loss, binary cross entropy loss")
spelled("hinge embedding", "hinge embedding loss")
spelled("charbonnier", "charbonnier loss")
spelled("poisson nll", "poisson nll loss")
spelled("log cosh", "logcosh, log cosh loss")


def classes_of_rows(problem: Problem) -> Iterator[tuple[Input, Input, np.ndarray, np.ndarray]]:
    """Scores or what is made of them, [rows, classes], and the class of each row; -1 where there is none."""
    for x in problem.floats:
        for target in problem.inputs:
            classes = target.values.reshape(-1)
            if target.values.dtype.kind in "iu" and len(classes) and x.size % len(classes) == 0:
                rows, at = x.flat.reshape(len(classes), -1), classes.astype(np.int64)
                inside = (at >= 0) & (at < rows.shape[1])
                if inside.any():
                    yield x, target, rows, np.where(inside, at, -1)


def _with_ends(problem: Problem, text: str, each: np.ndarray) -> Iterator[Formula]:
    """Of each row, in sum and in mean."""
    for how, values in (("", each), ("sum of ", each.sum(keepdims=True)), ("mean of ", each.mean(keepdims=True))):
        if values.size == problem.size:
            yield Formula(how + text, values)


@function("nll loss")
def _picked(problem: Problem) -> Iterator[Formula]:
    """Less what each row has at its class, times a weight of the class or not; 0 for a row without one."""
    for x, target, rows, at in classes_of_rows(problem):
        taken = -np.where(at < 0, 0, rows[np.arange(len(rows)), at])
        yield from _with_ends(problem, f"-{x.name}[{target.name}]", taken)
        for weight in (one for one in problem.floats if one.size == rows.shape[1] and one is not x):
            of_row = np.where(at < 0, 0, weight.flat[at])
            text = f"-{weight.name} * {x.name}[{target.name}]"
            yield from _with_ends(problem, text, taken * of_row)
            yield Formula(f"mean of {text}", np.array([(taken * of_row).sum() / of_row.sum()]))


@also("cross entropy backward")
def _of_shares(problem: Problem) -> Iterator[Formula]:
    """The softmax of rows less what it should be, times what comes back to all, divided by how many rows there are."""
    for x, t in permutations(problem.like, 2):
        backs = [("", 1.0), *((f" * {one.name}", float(one.flat[0])) for one in problem.floats if one.size == 1)]
        for width in (n for n in dict.fromkeys((*x.axes[-1:], *problem.whole)) if n > 1 and x.size % n == 0):
            made = softmax(x.flat.reshape(-1, width, 1)).reshape(-1) - t.flat
            for (name, back), by in product(backs, dict.fromkeys((1, x.size // width))):
                yield Formula(f"(softmax({x.name}) - {t.name}){name} / {by} of {width}", made * back / by)


@function("label smoothing")
def _smoothed(problem: Problem) -> Iterator[Formula]:
    """Cross entropy with a share of the target spread over all classes; what its gradient is; or the target."""
    for x, target, rows, at in classes_of_rows(problem):
        logs = rows - log_sum_exp(rows[:, :, None])[:, :, 0]
        count = rows.shape[1]
        for share in (one for one in problem.factors if 0 <= one <= 1):
            for spread in (share / count, share / max(count - 1, 1)):
                right = np.full(rows.shape, spread)
                right[np.arange(len(rows)), at] = 1 - share + (spread if spread == share / count else 0)
                text = f"{x.name}, {target.name}, {share:g}"
                yield from _with_ends(problem, f"cross_entropy({text})", -(right * logs).sum(axis=1))
                for n in (1, len(rows)):
                    yield Formula(f"cross_entropy'({text}) / {n}", ((np.exp(logs) - right) / n).reshape(-1))
    for share in problem.factors:
        for one in problem.like:
            for count in (n for n in problem.whole if n > 1):
                yield Formula(
                    f"{one.name} * (1 - {share:g}) + {share:g} / {count}", one.flat * (1 - share) + share / count
                )


spelled(
    "label smoothing",
    """label smooth, label smoothing loss, label smoothing cross entropy, cross entropy label smoothing, label
    smoothed cross entropy, softmax cross entropy label smoothing, smoothed cross entropy, cross entropy loss
    label smoothing""",
)
spelled("nll loss", "nll, negative log likelihood, nllloss, nll loss 2d")


@function("softmax focal loss")
def _focal(problem: Problem) -> Iterator[Formula]:
    """-a * (1 - p)^gamma * log(p) of what each row has at its class, of probabilities or of scores."""
    for x, target, rows, at in classes_of_rows(problem):
        for how, p in (("", rows), ("softmax of ", softmax(rows[:, :, None])[:, :, 0])):
            taken = p[np.arange(len(rows)), at]
            weights = [("", np.ones(len(rows)))]
            weights += [(f"{one.name} * ", one.flat[at]) for one in problem.floats if one.size == rows.shape[1]]
            for gamma, share in permutations((*problem.factors, 1.0), 2):
                made = -share * ((1 - taken) ** gamma) * np.log(taken)
                for name, weight in weights:
                    text = f"{name}focal_loss({how}{x.name}, {target.name}, {gamma:g}, {share:g})"
                    yield from _with_ends(problem, text, np.where(at < 0, 0, weight * made))


@function("accuracy")
def _accuracy(problem: Problem) -> Iterator[Formula]:
    """Whether, or how many or what share of, rows have their largest number at their class."""
    for x, target, rows, at in classes_of_rows(problem):
        right = (rows.argmax(axis=1) == at).astype(float)
        yield from _with_ends(problem, f"{x.name} has its largest at {target.name}", right)
