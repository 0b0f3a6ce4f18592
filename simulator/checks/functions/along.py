"""Functions along an axis: reductions, running sums, softmax, sorting."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product

import numpy as np

from .pointwise import OF_TWO
from .problem import Formula, Function, Input, Problem, function, in_turn

_Rows = np.ndarray  # [outer, n, inner]


def softmax(rows: _Rows) -> _Rows:
    """exp(x) / sum(exp(x)) along the middle axis."""
    powers = np.exp(rows - rows.max(axis=1, keepdims=True))
    found: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return found


def log_sum_exp(rows: _Rows) -> _Rows:
    """log(sum(exp(x))) along the middle axis, which stays with one element."""
    most = rows.max(axis=1, keepdims=True)
    found: np.ndarray = np.log(np.exp(rows - most).sum(axis=1, keepdims=True)) + most
    return found


def _running(ufunc: np.ufunc, neutral: float, exclusive: bool, reverse: bool) -> Callable[[_Rows], _Rows]:
    """Each element with all before it; ``neutral`` stands where there is none."""

    def made(rows: _Rows) -> _Rows:
        found = ufunc.accumulate(rows[:, ::-1] if reverse else rows, axis=1)
        if exclusive:
            found = np.concatenate([np.full_like(found[:, :1], neutral), found[:, :-1]], axis=1)
        back: np.ndarray = found[:, ::-1] if reverse else found
        return back

    return made


#: Reductions.
_REDUCED: dict[str, Callable[[_Rows], np.ndarray]] = {
    "sum": lambda x: x.sum(axis=1), "mean": lambda x: x.mean(axis=1), "prod": lambda x: x.prod(axis=1),
    "max": lambda x: x.max(axis=1), "min": lambda x: x.min(axis=1), "argmax": lambda x: x.argmax(axis=1),
    "argmin": lambda x: x.argmin(axis=1), "any": lambda x: (x != 0).any(axis=1), "all": lambda x: (x != 0).all(axis=1),
    "norm": lambda x: np.sqrt((np.abs(x) ** 2).sum(axis=1)), "asum": lambda x: np.abs(x).sum(axis=1),
    "log sum exp": log_sum_exp, "variance": lambda x: x.var(axis=1), "std": lambda x: x.std(axis=1),
    "sample variance": lambda x: x.var(axis=1, ddof=min(1, x.shape[1] - 1)),
    "largest magnitude": lambda x: np.abs(x).max(axis=1), "sum of squares": lambda x: (x * x).sum(axis=1),
    "median": lambda x: np.sort(x, axis=1)[:, (x.shape[1] - 1) // 2],
    "first of the largest": lambda x: np.abs(x).argmax(axis=1) + 1,
    "first of the smallest": lambda x: np.abs(x).argmin(axis=1) + 1,
}  # fmt: skip
#: Running functions, each in four forms.
_RUNNING: dict[str, tuple[np.ufunc, float]] = {
    "cumsum": (np.add, 0.0), "cumprod": (np.multiply, 1.0), "cummax": (np.maximum, -np.inf),
    "cummin": (np.minimum, np.inf), "log cumsum exp": (np.logaddexp, -np.inf),
}  # fmt: skip
_FORMS = {
    name: {
        "exclusive " * exclusive + "reverse " * reverse + name: _running(*how, exclusive, reverse)
        for exclusive, reverse in product((False, True), repeat=2)
    }
    for name, how in _RUNNING.items()
}
#: Functions along an axis that stays as long.
_KEPT: dict[str, Callable[[_Rows], _Rows]] = {
    "softmax": softmax, "log softmax": lambda x: x - log_sum_exp(x), "softmin": lambda x: softmax(-x),
    "sort": lambda x: np.sort(x, axis=1), "sort downwards": lambda x: -np.sort(-x, axis=1),
    "flip": lambda x: x[:, ::-1], "argsort": lambda x: np.argsort(x, axis=1, kind="stable"),
    "normalize": lambda x: x / np.maximum(np.sqrt((x * x).sum(axis=1, keepdims=True)), 1e-12),
}  # fmt: skip
#: These with all forms of the running ones.
_SAME_LENGTH = {**_KEPT, **{form: made for forms in _FORMS.values() for form, made in forms.items()}}
#: Functions of sections of an array, and what fills up the last of them.
_OF_SECTIONS: dict[str, tuple[Callable[[_Rows], np.ndarray], float]] = {
    "sum": (_REDUCED["sum"], 0.0), "prod": (_REDUCED["prod"], 1.0), "max": (_REDUCED["max"], -np.inf),
    "min": (_REDUCED["min"], np.inf), "softmax": (softmax, -np.inf), "sort": (_KEPT["sort"], np.inf),
    "sort downwards": (_KEPT["sort downwards"], -np.inf),
    **{form: (made, 0.0) for form, made in _FORMS["cumsum"].items()},
}  # fmt: skip
#: Lengths of sections that are tried besides the numbers that are passed.
_SECTIONS = [1 << n for n in range(3, 13)]
#: Names that stand for other functions, or for one of several.
_STAND_FOR: dict[str, Sequence[str]] = {
    "norm": ["norm", "asum", "sum of squares"], "nrm2": ["norm"], "variance": ["variance", "sample variance"],
    "amax": ["first of the largest", "largest magnitude", "max"], "amin": ["first of the smallest", "min"],
    "max": ["max", "largest magnitude"], "reduce": ["sum", "max", "min", "mean", "prod"],
    "sort": ["sort", "sort downwards"],
    "scan": [*_FORMS["cumsum"]], **{name: [*forms] for name, forms in _FORMS.items()},
}  # fmt: skip


def _along(names: Sequence[str]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.inputs:
            for text, rows in problem.along_axes(x):
                for name in names:
                    reduced = _REDUCED.get(name)
                    left = rows.shape[0] * rows.shape[2] if reduced else rows.size
                    if left == problem.size and (rows.dtype.kind != "c" or name == "norm"):
                        values = (reduced or _SAME_LENGTH[name])(rows)
                        yield Formula(f"{name}({x.name}) {text}", values.reshape(-1))
            for step in (n for n in problem.named("inc") if n > 1 and problem.size == 1):
                for name in (name for name in names if name in _REDUCED):
                    values = _REDUCED[name](x.flat[::step].reshape(1, -1, 1))
                    yield Formula(f"{name}({x.name}[::{step}])", values.reshape(-1))

    return formulas


def _in_sections(names: Sequence[str]) -> Function:
    """Of sections of an array, one for each block; they have as many elements as is passed, or a power of two."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.inputs if problem.size > 1 else ():
            for length in dict.fromkeys((*problem.whole, *_SECTIONS)):
                count = -(-x.size // length) if length > 1 else 1
                for name in names if count > 1 and problem.size in (x.size, count) else ():
                    made, neutral = _OF_SECTIONS[name]
                    filled = np.append(x.flat, np.full(count * length - x.size, neutral))
                    values = made(filled.reshape(count, length, 1)).reshape(-1)
                    if problem.size == (count if len(values) == count else x.size):
                        yield Formula(f"{name}({x.name}) of each {length} elements", values[: problem.size])

    return formulas


def _step_of_scan(problem: Problem) -> Iterator[Formula]:
    """Each element with the one that lies so many before it."""
    for x in problem.like:
        for text, rows in problem.along_axes(x):
            for n in (n for n in problem.whole if 0 < n < rows.shape[1]):
                made = rows.copy()
                made[:, n:] += rows[:, :-n]
                yield Formula(f"{x.name} + {x.name} of {n} before, {text}", made.reshape(-1))


function("bias backward")(_along(["sum"]))


def above_diagonals(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """An array as matrices [n, rows, columns], and what lies above their diagonal, [rows, columns].

    They are square, or the last rows of square ones.
    """
    for text, image in problem.images_of(x):
        rows, columns = image.shape[1:3]
        if image.shape[3] == 1 and columns > 1:
            for after in dict.fromkeys((columns - rows, 0)):
                yield text, image[..., 0], np.arange(columns) > np.arange(rows)[:, None] + after


@function("causal softmax")
def _causal(problem: Problem) -> Iterator[Formula]:
    """Along the columns of square matrices, or of the last rows of such, up to the diagonal; 0 behind it."""
    for x in problem.like:
        for (text, scores, later), scale in product(above_diagonals(problem, x), (1.0, *problem.factors)):
            rows = np.where(later, -np.inf, scale * scores).reshape(-1, scores.shape[2], 1)
            yield Formula(f"causal softmax({scale:g} * {x.name}) {text}", softmax(rows).reshape(-1))


for _name in {**_REDUCED, **_KEPT, **_STAND_FOR}:
    _names = _STAND_FOR.get(_name, [_name])
    _made = [_along(_names)]
    if _sections := [one for one in (*_names, *["sum"] * (_name == "scan")) if one in _OF_SECTIONS]:
        _made.append(_in_sections(_sections))
    if _name == "scan":
        _made.append(_step_of_scan)
    function(_name)(in_turn(*([OF_TWO[_name]] if _name in OF_TWO else []), *_made))
