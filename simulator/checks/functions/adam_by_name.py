"""Steps of Adam by the names of its arrays and numbers, which leave no choice of what is what."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import numpy as np

from . import optimizers  # noqa: F401  (whose forms come behind)
from .problem import VAGUE, Formula, Input, Problem, before, of_all_results

#: How arrays are called.
_GRAD = re.compile(r"grad|(^|_)d?g(_|$)")
_FIRST = re.compile(r"^(exp_?avg|m|mt|m_t|m1|mom|momentum|moment_?1|first_moment|moms?1)(?!.*sq)")
_SECOND = re.compile(r"^(exp_?avg_?sq\w*|v|vt|v_t|m2|vel|velocity|moment_?2|second_moment|moms?2|variance)($|_)")
_PARAMETER = re.compile(r"^(d_|p_)?(params?|weights?|var|theta|p|w|x|master\w*)($|_)")
#: Numbers whose names say what they are.
_BETA_1, _BETA_2 = re.compile(r"beta_?1$|^b1$"), re.compile(r"beta_?2$|^b2$")


class _Of(NamedTuple):
    """The arrays of a step."""

    x: Input
    g: Input
    m: Input
    v: Input


class _Numbers(NamedTuple):
    rate: float
    betas: tuple[float, float]
    epsilon: float
    decay: float


@before("adam", "adamw")
def _named(problem: Problem) -> Iterator[Formula]:
    """The parameters, a copy of them, and both moments; of gradients as they are, times a scale, or by it."""
    numbers = _numbers(problem)
    if numbers is None:
        return
    for of in _arrays(problem):
        for text, grad in _scaled(problem, of.g):
            yield from _moved(problem, of, text, grad, numbers)
            if numbers.decay:
                decayed = grad + numbers.decay * of.x.flat
                yield from _moved(problem, of, f"{text} with decay", decayed, numbers._replace(decay=0.0))


def _moved(problem: Problem, of: _Of, text: str, g: np.ndarray, numbers: _Numbers) -> Iterator[Formula]:
    """Both moments, and the parameters; what is passed as a decay of these is taken."""
    one, two = numbers.betas
    m, v = one * of.m.flat + (1 - one) * g, two * of.v.flat + (1 - two) * g * g
    said = f"{of.g.name}{text}, {of.m.name}, {of.v.name}"
    yield Formula(f"m of {said}", m)
    yield Formula(f"v of {said}", v)
    kept = of.x.flat * (1 - numbers.rate * numbers.decay)
    for by, (first, second) in _corrections(problem, numbers.betas).items():
        step = numbers.rate * (m / first)
        for spread in (
            np.sqrt(v / second) + numbers.epsilon,
            (np.sqrt(v) + numbers.epsilon) / np.sqrt(second),
            np.sqrt(v / second + numbers.epsilon),
        ):
            yield Formula(f"adam{'w' * (numbers.decay != 0)} of {of.x.name}, {said}{by}", kept - step / spread)


def _is_of_names(problem: Problem) -> bool:
    """Whether the result is one of both moments, and names say all that makes it."""
    moment = any(kind.search(problem.output.lower()) for kind in (_FIRST, _SECOND))
    return (
        moment
        and _numbers(problem) is not None
        and any(problem.output in (one.m.name, one.v.name) for one in _arrays(problem))
    )


VAGUE.update(dict.fromkeys(("adam", "adamw"), _is_of_names))
of_all_results("adam", "adamw")


def _numbers(problem: Problem) -> _Numbers | None:
    betas = [_called(problem.numbers, name) for name in (_BETA_1, _BETA_2)]
    rate, epsilon = problem.factor("lr", "learning_rate", "step_size", "alpha"), problem.factor("eps")
    if betas[0] is None or betas[1] is None or rate is None or epsilon is None:
        return None
    return _Numbers(rate, (betas[0], betas[1]), epsilon, problem.factor("decay", "wd") or 0.0)


def _called(numbers: Mapping[str, float | int], name: re.Pattern[str]) -> float | None:
    return next((float(n) for said, n in numbers.items() if name.search(said.lower())), None)


def _arrays(problem: Problem) -> Iterator[_Of]:
    """Arrays as their names say, first those of the parameters that are more precise."""
    kinds = [[one for one in problem.like if kind.search(one.name.lower())] for kind in (_GRAD, _FIRST, _SECOND)]
    taken = {one.name for kind in kinds for one in kind}
    places = [one for one in problem.like if one.name not in taken and _PARAMETER.search(one.name.lower())]
    places.sort(key=lambda one: -one.values.dtype.itemsize)
    for x, g, m, v in product(places, *kinds):
        if len({x.name, g.name, m.name, v.name}) == 4 and not (v.flat < 0).any():
            yield _Of(x, g, m, v)


def _scaled(problem: Problem, g: Input) -> Iterator[tuple[str, np.ndarray]]:
    scale = problem.factor("scale", "rescale", "clip_coef")
    if scale is not None and scale not in (0, 1):
        yield f" / {scale:g}", g.flat / scale
        yield f" * {scale:g}", g.flat * scale
    yield "", g.flat


def _corrections(problem: Problem, betas: tuple[float, float]) -> dict[str, tuple[float, float]]:
    """What both moments are divided by, of numbers that are passed for it, or of steps; or nothing."""
    found = {}
    passed = [float(n) for name, n in problem.numbers.items() if re.search(r"bias|correction|_pow", name.lower())]
    if len(passed) == 2:
        first, second = passed
        found[", corrected"] = first, second
        found[", corrected by a root"] = first, second * second
        found[", corrected by powers"] = 1 - first, 1 - second
    for step in (n for n in problem.named("step", "iter", "epoch") if 0 < n < 1 << 31):
        found[f", step {step}"] = 1 - betas[0] ** step, 1 - betas[1] ** step
    found[""] = 1.0, 1.0
    return found
