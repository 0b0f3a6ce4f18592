"""Steps of optimizers with norms of layers, largest moments and other means, and what is done to gradients before."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import permutations, product

import numpy as np

from . import updates  # noqa: F401  (which have more forms here)
from .problem import FUNCTIONS, Formula, Function, Input, Problem, also, function, of_few, spelled, vague

#: Numbers that kernels have as constants where they pass none.
_BETAS, _EPSILON = (0.9, 0.999), 1e-8


def _betas(problem: Problem) -> list[tuple[float, float]]:
    passed = [f for f in problem.factors if 0.5 <= f < 1]
    return [pair for pair in permutations(passed, 2) if pair[0] <= pair[1]] or [_BETAS]


def _others(problem: Problem) -> list[float]:
    """Factors that are no shares of moments: rates, decays, little numbers."""
    shares = {share for pair in _betas(problem) for share in pair}
    return [f for f in dict.fromkeys(problem.factors) if f and f not in shares]


def _littles(problem: Problem) -> list[float]:
    return [*dict.fromkeys((*(f for f in problem.factors if 0 < f <= 1e-2), _EPSILON))]


def _corrections(problem: Problem) -> Iterator[tuple[float, float]]:
    """What moments are divided by: 1, or numbers that are called so, or what the number of the step says."""
    yield 1.0, 1.0
    called = [f for name, f in problem.numbers.items() if re.search("corr|bias|pow", name.lower()) and 0 < f <= 1]
    yield from ((one, 1.0) for one in called)
    for one, two in permutations(called, 2):
        yield one, two
        yield 1 - one, 1 - two
    steps = problem.named("step", "iter", "epoch") or [n for n in problem.whole if n < 1 << 16]
    for (one, two), step in product(_betas(problem), dict.fromkeys(n for n in steps if 0 < n < 1 << 31)):
        yield 1 - one**step, 1 - two**step


_Second = Callable[[np.ndarray, np.ndarray, np.ndarray, float], np.ndarray]
#: The second moment of a gradient, by the one before, the gradient, the first moment, and a share.
_SECONDS: Mapping[str, _Second] = {
    "adamax": lambda v, g, m, b: np.maximum(b * v, np.abs(g)),
    "adabelief": lambda v, g, m, b: b * v + (1 - b) * (g - m) ** 2,
    "yogi": lambda v, g, m, b: v - (1 - b) * np.sign(v - g * g) * g * g,
    "lamb": lambda v, g, m, b: b * v + (1 - b) * g * g,
    "nadam": lambda v, g, m, b: b * v + (1 - b) * g * g,
}  # fmt: skip


def _of_moments(name: str, second: _Second) -> Function:
    """Both moments, the step, and the parameters less it times a rate; with a decay of these or without."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for g, m in permutations(problem.like, 2):
            for one, _ in _betas(problem):
                yield Formula(f"first moment of {name}({g.name}, {m.name})", one * m.flat + (1 - one) * g.flat)
        for g, m, v in permutations(problem.like, 3):
            for one, two in _betas(problem):
                mean = one * m.flat + (1 - one) * g.flat
                square, text = second(v.flat, g.flat, mean, two), f"{name}({g.name}, {m.name}, {v.name})"
                for little in (0.0, *_littles(problem)) if name != "lamb" else (0.0,):
                    yield Formula(f"second moment of {text} + {little:g}", square + little)
                if name == "nadam":
                    mean = one * mean + (1 - one) * g.flat
                rest = [x for x in problem.like if x not in (g, m, v)]
                yield from _steps(problem, name, (text, mean, square), rest)

    return formulas


def _steps(
    problem: Problem, name: str, moments: tuple[str, np.ndarray, np.ndarray], rest: list[Input]
) -> Iterator[Formula]:
    """A step, and the parameters less it times a rate; with a share of these or without."""
    text, mean, square = moments
    for (first, last), little in product(_corrections(problem), (*_littles(problem), 0.0)):
        root = np.abs(square) if name == "adamax" else np.sqrt(np.maximum(square, 0) / last)
        step = mean / first / (root + little)
        yield Formula(f"step of {text}, {little:g}", step)
        others = [f for f in _others(problem) if f != little]
        for x, decay in product(rest, (0.0, *others)):
            made, said = step + decay * x.flat, f"step of {text}, {little:g}, + {decay:g} * {x.name}"
            yield Formula(said, made)
            yield from (Formula(f"{x.name} - {f:g} * ({said})", x.flat - f * made) for f in others if f != decay)


for _name, _second in _SECONDS.items():
    vague(_name)(_of_moments(_name, _second))


@vague("amsgrad")
def _amsgrad(problem: Problem) -> Iterator[Formula]:
    """As Adam, by the largest second moment so far."""
    for g, m, v, most in permutations(problem.like, 4):
        for one, two in _betas(problem):
            mean, square = one * m.flat + (1 - one) * g.flat, two * v.flat + (1 - two) * g.flat**2
            largest = np.maximum(most.flat, square)
            yield Formula(f"first moment of {g.name}, {m.name}", mean)
            yield Formula(f"second moment of {g.name}, {v.name}", square)
            yield Formula(f"largest second moment of {most.name}, {v.name}", largest)
            for x in (one for one in problem.like if one not in (g, m, v, most)):
                for (first, last), little in product(_corrections(problem), _littles(problem)):
                    step = mean / first / (np.sqrt(largest / last) + little)
                    for rate in (f for f in _others(problem) if f != little):
                        yield Formula(
                            f"{x.name} - {rate:g} * amsgrad({g.name}, {m.name}, {v.name})", x.flat - rate * step
                        )


def _of_scaled(step: Function) -> Function:
    """A step by a gradient that is divided by a number that is called a scale, or multiplied by it."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        scales = [f for name, f in problem.numbers.items() if "scale" in name.lower() and f not in (0, 1)]
        for g, scale in product(problem.like, scales):
            for how, by in (("/", 1 / scale), ("*", float(scale))):
                scaled = Input(f"({g.name} {how} {scale:g})", g.real * by)
                inputs = tuple(scaled if one is g else one for one in problem.inputs)
                yield from step(replace(problem, inputs=inputs))

    return formulas


for _name in ("adam", "adamw", "sgd", "momentum", "rmsprop", "adagrad", "lamb", "lion"):
    also(_name)(_of_scaled(FUNCTIONS[_name]))
spelled("amsgrad", "adam amsgrad, ams grad")
spelled("adamax", "ada max, adamax update")
spelled("adabelief", "ada belief, adabelief update")
spelled("nadam", "nadam update, n adam")
spelled(
    "lamb", "lamb stage, lamb update, multi tensor lamb, lamb part, lamb step, fused lamb, lamb phase, lamb optimizer"
)


@vague("lars")
def _lars(problem: Problem) -> Iterator[Formula]:
    """v = m * v + rate * ratio * (g + decay * x), x - v; the ratio is of the norms of parameters and gradients."""
    for x, g, v in permutations(problem.like, 3):
        alone = [one for one in problem.floats if one.size == 1]
        norms = [(float(one.flat[0]), float(two.flat[0])) for one, two in permutations(alone, 2)]
        norms += [(float(np.linalg.norm(x.flat)), float(np.linalg.norm(g.flat))), *permutations(problem.factors, 2)]
        for (of_x, of_g), (trust, rate, momentum) in product(norms, permutations(problem.factors, 3)):
            for decay in (0.0, *problem.factors):
                ratio = trust * of_x / (of_g + decay * of_x) if of_x > 0 < of_g else 1.0
                made = momentum * v.flat + rate * ratio * (g.flat + decay * x.flat)
                text = f"{x.name}, {g.name}, {v.name}; {trust:g}, {rate:g}, {momentum:g}, {decay:g}"
                yield Formula(f"lars({text})", made)
                yield Formula(f"{x.name} - lars({text})", x.flat - made)


@vague("ftrl")
def _ftrl(problem: Problem) -> Iterator[Formula]:
    """z + g - (sqrt(n + g^2) - sqrt(n)) / rate * x, n + g^2, and what both say that x is."""
    for g, n in permutations(problem.like, 2):
        after = n.flat + g.flat**2
        yield Formula(f"{n.name} + {g.name}^2", after)
        for x, z in permutations([one for one in problem.like if one not in (g, n)], 2):
            for rate in (f for f in problem.factors if f):
                moved = z.flat + g.flat - (np.sqrt(after) - np.sqrt(n.flat)) / rate * x.flat
                yield Formula(f"linear term of {x.name}, {g.name}, {n.name}, {z.name}", moved)
                for beta, l1, l2 in product((0.0, *problem.factors), repeat=3):
                    by = (beta + np.sqrt(after)) / rate + l2
                    made = np.where(np.abs(moved) > l1, (np.sign(moved) * l1 - moved) / by, 0)
                    yield Formula(
                        f"ftrl({x.name}, {g.name}, {n.name}, {z.name}; {rate:g}, {beta:g}, {l1:g}, {l2:g})", made
                    )


@function("sign sgd")
def _sign(problem: Problem) -> Iterator[Formula]:
    """(1 - rate * decay) * x - rate * sign(g)."""
    for (x, g), rate in product(permutations(problem.like, 2), problem.factors):
        for decay in dict.fromkeys((0.0, *problem.factors)):
            text = f"(1 - {rate:g} * {decay:g}) * {x.name} - {rate:g} * sign({g.name})"
            yield Formula(text, (1 - rate * decay) * x.flat - rate * np.sign(g.flat))


spelled("sign sgd", "signsgd, sign sgd update, signum")
spelled("ftrl", "ftrl update, apply ftrl")


@function("lookahead")
def _lookahead(problem: Problem) -> Iterator[Formula]:
    """Slow parameters moved towards fast ones: both are that then."""
    for (slow, fast), share in product(permutations(problem.like, 2), problem.factors):
        yield Formula(
            f"{slow.name} + {share:g} * ({fast.name} - {slow.name})", slow.flat + share * (fast.flat - slow.flat)
        )


spelled("lookahead", "lookahead step, lookahead update, look ahead")


@vague("clip gradient norm", unless=of_few(2))
def _clipped(problem: Problem) -> Iterator[Formula]:
    """Times the largest norm that is allowed by the norm, where this is larger; which is passed, or that of all."""
    for x in problem.like:
        norms = [(one.name, float(one.flat[0])) for one in problem.floats if one.size == 1 and one is not x]
        norms += [(f"{f:g}", f) for f in problem.factors] + [("norm", float(np.linalg.norm(x.flat)))]
        norms += [(f"sqrt({name})", one**0.5) for name, one in norms if one >= 0]
        for (name, norm), most in product(norms, problem.factors):
            for little in (0.0, 1e-6, 1e-8, 1e-12, *problem.factors):
                share = most / (norm + little) if norm + little else 1.0
                text = f"{x.name} * {most:g} / ({name} + {little:g})"
                yield Formula(f"{text}, at most as it is", x.flat * min(share, 1.0))
                if norm > most:
                    yield Formula(text, x.flat * share)
        for most in problem.factors:
            yield Formula(f"{x.name} in -{most:g}..{most:g}", np.clip(x.flat, -abs(most), abs(most)))
    if problem.size == 1:
        for x in problem.floats:
            yield Formula(f"sum of squares of {x.name}", (x.flat**2).sum(keepdims=True))
            yield Formula(f"norm of {x.name}", np.sqrt((x.flat**2).sum(keepdims=True)))


spelled(
    "clip gradient norm",
    """clip grad norm, clip gradients by norm, gradient clip norm, gradient clipping, clip grads, clip gradients, clip
    by norm, clip by global norm, clip grad by norm, grad clip, gradient clip, clip grad, clip gradients norm, clip
    norm, clip grads by norm, clip gradients by global norm, scale by norm""",
)
