"""Steps of optimizers besides SGD and Adam, and averages that move."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations, product

import numpy as np

from . import optimizers  # noqa: F401  (which have more forms here)
from .problem import FUNCTIONS, Formula, Function, Input, Problem, also, function, spelled

#: Numbers that kernels have as constants where they pass none.
_EPSILON = 1e-8
_Root = tuple[str, np.ndarray]


def _roots(problem: Problem, square: np.ndarray) -> Iterator[_Root]:
    """Square roots with a little number, inside of the root or outside."""
    for little in dict.fromkeys((*(f for f in problem.factors if 0 <= f <= 0.1), _EPSILON)):
        yield f", {little:g}", np.sqrt(square) + little
        yield f", {little:g} in the root", np.sqrt(square + little)


def _rates(problem: Problem) -> list[float]:
    return [f for f in problem.factors if f]


def _stepped(problem: Problem, x: Input | None, text: str, by: np.ndarray) -> Iterator[Formula]:
    """A step times a rate, or the parameters less it, with a decay or without."""
    for rate in _rates(problem):
        yield Formula(f"{rate:g} * {text}", rate * by)
        if x:
            yield Formula(f"{x.name} - {rate:g} * {text}", x.flat - rate * by)


def _gradients(problem: Problem) -> Iterator[tuple[Input | None, Input, np.ndarray]]:
    """Parameters, if any, the gradient, and the gradient with a decay of the parameters."""
    for g in problem.like:
        yield None, g, g.flat
        for x in (one for one in problem.like if one is not g):
            yield x, g, g.flat
            for decay in (f for f in problem.factors if 0 < f < 1):
                yield x, g, g.flat + decay * x.flat


_Squares = Callable[[Problem, Input, np.ndarray], Iterator[tuple[str, np.ndarray]]]


def _by_roots(name: str, squares: _Squares) -> Function:
    """What is made of the squares of gradients, and steps by the roots of that."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, g, grad in _gradients(problem) if len(problem.like) <= 3 else ():
            for h in (one for one in problem.like if one not in (x, g)):
                for factor, square in squares(problem, h, grad):
                    text = f"{g.name}, {h.name}{factor}"
                    yield Formula(f"squares of {name}({text})", square)
                    for how, root in _roots(problem, np.maximum(square, 0)):
                        yield from _stepped(problem, x, f"{name}({text}{how})", grad / root)

    return formulas


def _means_of_squares(problem: Problem, h: Input, grad: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """d * h + (1 - d) * g^2."""
    yield from ((f", {d:g}", d * h.flat + (1 - d) * grad**2) for d in problem.factors if 0 < d < 1)


def _sums_of_squares(problem: Problem, h: Input, grad: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """h + g^2."""
    yield "", h.flat + grad**2


function("rmsprop")(_by_roots("rmsprop", _means_of_squares))
function("adagrad")(_by_roots("adagrad", _sums_of_squares))


@function("adadelta")
def _adadelta(problem: Problem) -> Iterator[Formula]:
    """The mean squares of gradients and of steps, and steps by the roots of both."""
    for x, g, grad in _gradients(problem) if len(problem.like) <= 4 else ():
        rest = [one for one in problem.like if one not in (x, g)]
        for (h, other), d in product(permutations(rest, 2), (f for f in problem.factors if 0 < f < 1)):
            square = d * h.flat + (1 - d) * grad**2
            text = f"{g.name}, {h.name}, {d:g}"
            yield Formula(f"mean square({text})", square)
            for little in (f for f in (*problem.factors, _EPSILON) if 0 < f <= 0.1):
                step = grad * np.sqrt((np.maximum(other.flat, 0) + little) / (np.maximum(square, 0) + little))
                yield Formula(f"mean square of steps({text}, {other.name})", d * other.flat + (1 - d) * step**2)
                yield Formula(f"step({text}, {other.name})", step)
                yield from _stepped(problem, x, f"adadelta({text}, {other.name}, {little:g})", step)


@function("nesterov")
def _nesterov(problem: Problem) -> Iterator[Formula]:
    """h' = m * h + rate * g, and (1 + m) * h' - m * h as the step; or as a momentum has it."""
    for g, h in permutations(problem.like, 2):
        for m, rate in permutations(problem.factors, 2):
            after = m * h.flat + rate * g.flat
            text = f"{g.name}, {h.name}; rate {rate:g}, momentum {m:g}"
            yield Formula(f"h of {text}", after)
            yield Formula(f"step of {text}", (1 + m) * after - m * h.flat)
    yield from FUNCTIONS["momentum"](problem)


@also("sgd")
def _sgd(problem: Problem) -> Iterator[Formula]:
    """With a momentum, or with a decay of the parameters."""
    for g, h in permutations(problem.like, 2):
        for m, rate in permutations(problem.factors, 2):
            yield Formula(f"{m:g} * {h.name} + {rate:g} * {g.name}", m * h.flat + rate * g.flat)
            made = h.flat - rate * (g.flat + m * h.flat)
            yield Formula(f"{h.name} - {rate:g} * ({g.name} + {m:g} * {h.name})", made)
            made = (1 - rate * m) * h.flat - rate * g.flat
            yield Formula(f"(1 - {rate:g} * {m:g}) * {h.name} - {rate:g} * {g.name}", made)
            for scale in problem.factors:
                made = h.flat - rate * (scale * g.flat + m * h.flat)
                yield Formula(f"{h.name} - {rate:g} * ({scale:g} * {g.name} + {m:g} * {h.name})", made)
    yield from FUNCTIONS["momentum"](problem)


@also("adam")
def _adam(problem: Problem) -> Iterator[Formula]:
    """Of moments that are updated already; or the step alone, by a rate that has the corrections."""
    betas = [f for f in problem.factors if 0.5 <= f < 1]
    for one, two in permutations(betas, 2):
        for step in (n for n in problem.whole if 0 < n < 1 << 31):
            for x, m, v in permutations(problem.like, 3):
                mean, square = m.flat / (1 - one**step), np.maximum(v.flat, 0) / (1 - two**step)
                for how, root in _roots(problem, square):
                    for rate in (*_rates(problem), *(-f for f in _rates(problem))):
                        yield Formula(
                            f"{x.name} - {rate:g} * {m.name} / sqrt({v.name}{how})", x.flat - rate * mean / root
                        )
        for g, m, v in permutations(problem.like, 3):
            mean = one * m.flat + (1 - one) * g.flat
            for how, root in _roots(problem, np.maximum(two * v.flat + (1 - two) * g.flat**2, 0)):
                yield from _stepped(problem, None, f"adam({g.name}, {m.name}, {v.name}{how})", mean / root)


@function("lion")
def _lion(problem: Problem) -> Iterator[Formula]:
    """x - rate * (sign(a * m + (1 - a) * g) + decay * x), and m = b * m + (1 - b) * g."""
    betas = [f for f in problem.factors if 0.5 <= f < 1]
    for g, m in permutations(problem.like, 2):
        for beta in betas:
            kept = beta * m.flat + (1 - beta) * g.flat
            yield Formula(f"{beta:g} * {m.name} + (1 - {beta:g}) * {g.name}", kept)
            for x in (one for one in problem.like if one not in (g, m)):
                for rate, decay in permutations((*problem.factors, 0.0), 2):
                    made = x.flat - rate * (np.sign(kept) + decay * x.flat)
                    yield Formula(f"{x.name} - {rate:g} * (sign of {m.name}, {g.name} + {decay:g} * {x.name})", made)


@function("ema")
def _ema(problem: Problem) -> Iterator[Formula]:
    """d * x + (1 - d) * y of what is averaged and of what is new."""
    for (x, y), d in product(permutations(problem.like, 2), problem.factors):
        yield Formula(f"{d:g} * {x.name} + (1 - {d:g}) * {y.name}", d * x.flat + (1 - d) * y.flat)


spelled("rmsprop", "rms prop, rmsprop update, rms prop update")
spelled("adagrad", "ada grad, ada grad update, adagrad update, sparse adagrad")
spelled("adadelta", "ada delta, ada delta update, adadelta update")
spelled("nesterov", "nesterov update, nesterov momentum, nag")
spelled("sgd", "sgd update")
spelled("lion", "lion update")
spelled("ema", "ema update, exponential moving average, update ema, ema weights")
