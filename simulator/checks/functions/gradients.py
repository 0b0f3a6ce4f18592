"""Gradients: what the gradient of a function's results becomes on its way back to the operand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from .along import softmax
from .pointwise import OF_ONE
from .problem import Formula, Function, Problem, function

#: Steps of the differences that derivatives are computed by, as shares of the operand or of 1.
_STEP = 1e-6
#: Functions of one element, and what some derivatives are of the result.
_DERIVED = (
    "relu", "sigmoid", "tanh", "gelu", "silu", "exp", "log", "sqrt", "rsqrt", "abs", "square", "sin", "cos", "mish",
    "reciprocal", "hardswish", "hardsigmoid", "selu", "relu6", "log sigmoid", "softsign", "erf",
)  # fmt: skip
_OF_RESULT: Mapping[str, Callable[[np.ndarray], np.ndarray]] = {
    "relu": lambda y: (y > 0).astype(float), "sigmoid": lambda y: y * (1 - y), "tanh": lambda y: 1 - y * y,
    "exp": lambda y: y, "sqrt": lambda y: 1 / (2 * y), "rsqrt": lambda y: -(y**3) / 2, "reciprocal": lambda y: -y * y,
}  # fmt: skip


def _derivative(form: Callable[[np.ndarray], np.ndarray], x: np.ndarray) -> np.ndarray:
    step = _STEP * np.maximum(np.abs(x), 1)
    found: np.ndarray = (form(x + step) - form(x - step)) / (2 * step)
    return found


def _of_one(name: str, forms: Sequence[Callable[[np.ndarray], np.ndarray]]) -> Function:
    """Of the operand or the result, times what comes back; or by itself, where there is nothing else."""
    of_result = _OF_RESULT.get(name)

    def slopes(x: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        for form in forms:
            yield f"{name}'", _derivative(form, x)
        if of_result:
            yield f"{name}' by its result", of_result(x)

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, back in permutations(problem.like, 2):
            for text, slope in slopes(x.flat):
                yield Formula(f"{text}({x.name}) * {back.name}", slope * back.flat)
        for x in problem.like if len(problem.like) == 1 else ():
            for text, slope in slopes(x.flat):
                yield Formula(f"{text}({x.name})", slope)

    return formulas


for _name in _DERIVED:
    function(f"{_name} backward")(_of_one(_name, OF_ONE[_name]))


@function("leaky relu backward", "elu backward")
def _below(problem: Problem) -> Iterator[Formula]:
    """Of the operand or the result, which has its sign, with a slope or a factor of what is below 0."""
    for x, back in permutations(problem.like, 2):
        for a in dict.fromkeys((*problem.factors, 0.01, 1.0)):
            for how, slope in ((f"{a:g}", 0 * x.flat + a), (f"{a:g} * exp", a * np.exp(np.minimum(x.flat, 0)))):
                yield Formula(f"{back.name} * (1 or {how} of {x.name})", np.where(x.flat > 0, 1, slope) * back.flat)


@function("pow backward")
def _power(problem: Problem) -> Iterator[Formula]:
    for x, back in permutations(problem.like, 2):
        for power in dict.fromkeys((*problem.factors, *map(float, problem.whole))):
            made = power * x.flat ** (power - 1) * back.flat
            yield Formula(f"pow'({x.name}, {power:g}) * {back.name}", made)


def _rows(problem: Problem) -> Iterator[tuple[str, str, np.ndarray, np.ndarray]]:
    """Results or operands and what comes back, along each axis: their names, text of the axis, rows of both."""
    for of, back in permutations(problem.like, 2):
        for (text, rows), (_, coming) in zip(problem.along_axes(of), problem.along_axes(back), strict=False):
            if rows.shape == coming.shape:
                yield of.name, f"{back.name} {text}", rows, coming


@function("softmax backward")
def _softmax(problem: Problem) -> Iterator[Formula]:
    for name, back, rows, coming in _rows(problem):
        for of, made in ((name, rows), (f"softmax({name})", softmax(rows))):
            values = made * (coming - (made * coming).sum(axis=1, keepdims=True))
            yield Formula(f"softmax'({of}) * {back}", values.reshape(-1))


@function("log softmax backward")
def _log_softmax(problem: Problem) -> Iterator[Formula]:
    for name, back, rows, coming in _rows(problem):
        for of, made in ((name, np.exp(rows)), (f"log softmax({name})", softmax(rows))):
            values = coming - made * coming.sum(axis=1, keepdims=True)
            yield Formula(f"log softmax'({of}) * {back}", values.reshape(-1))


@function("mse backward")
def _mse(problem: Problem) -> Iterator[Formula]:
    """Divided by the number of elements, or by one that is passed."""
    passed = [number for number in (*problem.whole, *problem.factors) if number > 0]
    for x, y in permutations(problem.like, 2):
        for factor in (2.0, 1.0):
            for n in dict.fromkeys((problem.size, 1, *passed)):
                yield Formula(f"{factor:g} * ({x.name} - {y.name}) / {n:g}", factor * (x.flat - y.flat) / n)


@function("cross entropy backward")
def _cross_entropy(problem: Problem) -> Iterator[Formula]:
    """Of scores or of their softmax: the rows less 1 at their class, alone or divided by how many rows there are."""
    for x in problem.like:
        for target in problem.inputs:
            classes = target.values.reshape(-1)
            if target.values.dtype.kind not in "iu" or not len(classes) or x.size % len(classes):
                continue
            rows = x.flat.reshape(len(classes), -1)
            if int(classes.max()) >= rows.shape[1] or int(classes.min()) < 0:
                continue
            for text, made in ((x.name, rows), (f"softmax({x.name})", softmax(rows[:, :, None])[:, :, 0])):
                less = made.copy()
                less[np.arange(len(classes)), classes.astype(int)] -= 1
                for n in dict.fromkeys((1, len(classes))):
                    yield Formula(f"({text} - one_hot({target.name})) / {n}", (less / n).reshape(-1))
