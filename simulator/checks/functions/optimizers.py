"""Steps of optimizers, which update parameters and what they remember of gradients."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .pointwise import pairs
from .problem import Formula, Input, Problem, also, function, vague

#: Numbers that kernels have as constants where they pass none.
_BETAS, _EPSILONS = (0.9, 0.999), (1e-8,)


@function("sgd")
def _sgd(problem: Problem) -> Iterator[Formula]:
    for x, g in pairs(problem):
        if x.size == g.size:
            for rate in problem.factors:
                yield Formula(f"{x.name} - {rate:g} * {g.name}", x.flat - rate * g.flat)
                yield Formula(f"{g.name} - {rate:g} * {x.name}", g.flat - rate * x.flat)


@vague("momentum")
def _momentum(problem: Problem) -> Iterator[Formula]:
    """v = m * v + g, x - rate * v; or v = m * v - rate * g, x + v; with decay of x in g, and Nesterov's look ahead."""
    for x, g, v in permutations(problem.like, 3):
        for rate, m, decay in permutations((*problem.factors, 0.0), 3):
            grad = g.flat + decay * x.flat
            kept, apart = m * v.flat + grad, m * v.flat - rate * grad
            moved, damped = v.flat * m - rate * grad, m * v.flat + (1 - m) * grad
            named = f"of {x.name}, {g.name}, {v.name}; rate {rate:g}, momentum {m:g}, decay {decay:g}"
            for text, made in (
                ("v", kept), ("x - rate * v", x.flat - rate * kept), ("v with rate", moved), ("x + v", x.flat + apart),
                ("x - rate * (g + m * v)", x.flat - rate * (grad + m * kept)), ("damped v", damped),
                ("x - rate * damped v", x.flat - rate * damped),
            ):  # fmt: skip
                yield Formula(f"{text} {named}", made)


@also("sgd", "momentum")
def _by_names(problem: Problem) -> Iterator[Formula]:
    """The same with a scale of gradients and dampening, each by its name; both results, and what holds them."""
    momentum, damped, decay, scale, rate = (
        problem.factor(*words) for words in (["momentum"], ["dampen"], ["decay"], ["scale"], ["rate", "lr"])
    )
    if momentum is None or rate is None:
        return
    flags = product(*(problem.says(word) for word in ("nesterov", "first", "after")))
    for (ahead, first, after), (x, g, v) in product(flags, permutations(problem.like, 3)):
        grad, less = (1.0 if scale is None else scale) * g.flat, (decay or 0.0) * x.flat
        grad = grad if after else grad + less
        kept = grad if first else momentum * v.flat + (1 - (damped or 0.0)) * grad
        step = (grad + momentum * kept if ahead else kept) + (less if after else 0.0)
        how = ", look ahead" * ahead + ", first step" * first + ", decay behind" * after
        named = f"of {x.name}, {g.name}, {v.name}; rate {rate:g}, momentum {momentum:g}{how}"
        yield Formula(f"v {named}", kept)
        yield Formula(f"x - rate * step {named}", x.flat - rate * step)


@vague("adam", "adamw")
def _adam(problem: Problem) -> Iterator[Formula]:
    """The parameters and both moments, in the order of the arguments or in any other."""
    floats = [value for value in problem.factors if np.isfinite(value)]
    betas = [(a, b) for a, b in permutations([f for f in floats if 0.5 <= f < 1], 2) if a <= b] or [_BETAS]
    small = [f for f in floats if 0 < f <= 1e-4] or [*_EPSILONS]
    steps = [n for n in (*problem.named("step", "iter"), *problem.whole) if 0 < n < 1 << 31] or [0]
    for g, m in permutations(problem.like, 2):
        for one, two in betas:
            for beta in (one, two):
                yield Formula(f"{beta:g} * {m.name} + (1 - {beta:g}) * {g.name}", beta * m.flat + (1 - beta) * g.flat)
                yield Formula(
                    f"{beta:g} * {m.name} + (1 - {beta:g}) * {g.name}^2", beta * m.flat + (1 - beta) * g.flat**2
                )
    for x, g, m, v in permutations(problem.like, 4):
        if (v.flat < 0).any():
            continue
        for one, two in betas:
            mean, square = one * m.flat + (1 - one) * g.flat, two * v.flat + (1 - two) * g.flat**2
            for step, epsilon in ((s, e) for s in (*steps, 0) for e in small):
                by = (1 - one**step, 1 - two**step) if step else (1.0, 1.0)
                yield from _moved(
                    problem, x, mean / by[0] / (np.sqrt(square / by[1]) + epsilon), f"{g.name}, {m.name}, {v.name}"
                )


def _moved(problem: Problem, x: Input, direction: np.ndarray, names: str) -> Iterator[Formula]:
    factors = [f for f in problem.factors if 0 < f < 1]
    for rate in factors:
        yield Formula(f"adam of {x.name}, {names}; rate {rate:g}", x.flat - rate * direction)
        for decay in factors:
            if decay != rate:
                yield Formula(
                    f"adamw of {x.name}, {names}; rate {rate:g}, decay {decay:g}",
                    x.flat * (1 - rate * decay) - rate * direction,
                )
