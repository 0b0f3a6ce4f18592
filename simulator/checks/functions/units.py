"""Activations with slopes, biases and gates, their gradients, and sums with weights of each element."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np

from . import gradients, pointwise  # noqa: F401  (whose functions have more forms here)
from .channels import rows_of
from .gated import GATES
from .pointwise import OF_ONE, sigmoid
from .problem import Formula, Function, Input, Problem, also, function, of_all_results, spelled, vague
from .shapes import shapes_of_images

_OfOne = Callable[[np.ndarray], np.ndarray]
#: Steps of the differences that derivatives of gates are computed by.
_STEP = 1e-6

#: Functions of one element.
_MORE: Mapping[str, Sequence[_OfOne]] = {
    "quick gelu": [lambda x: x * sigmoid(1.702 * x)], "logit": [lambda x: np.log(x / (1 - x))],
    "squared relu": [lambda x: np.maximum(x, 0) ** 2], "frac": [lambda x: x - np.trunc(x), lambda x: x - np.floor(x)],
    "signbit": [np.signbit], "exp10": [lambda x: 10.0**x], "sinc": [np.sinc], "rad2deg": [np.rad2deg],
    "deg2rad": [np.deg2rad], "cube": [lambda x: x**3], "nan to num": [np.nan_to_num],
}  # fmt: skip
#: Functions of two elements, in the order of the arguments.
_OF_TWO: Mapping[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "logaddexp": np.logaddexp, "logaddexp2": np.logaddexp2, "heaviside": np.heaviside,
    "xlogy": lambda x, y: np.where(x == 0, 0, x * np.log(y)), "ldexp": lambda x, y: x * 2.0**y,
    "squared relu backward": lambda x, y: 2 * np.maximum(x, 0) * y,
    "softplus backward": lambda x, y: sigmoid(x) * y,
    "quick gelu backward": lambda x, y: _slope(_MORE["quick gelu"][0], x) * y,
}  # fmt: skip
#: Gradients that pass what lies between two numbers, or above one of them.
_INSIDE: Mapping[str, tuple[float, float]] = {"clamp backward": (-1.0, 1.0), "hardtanh backward": (-1.0, 1.0)}


def _slope(form: _OfOne, x: np.ndarray) -> np.ndarray:
    step = _STEP * np.maximum(np.abs(x), 1)
    found: np.ndarray = (form(x + step) - form(x - step)) / (2 * step)
    return found


def _of_one(name: str, forms: Sequence[_OfOne]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, form in product(problem.like, forms):
            yield Formula(f"{name}({x.name})", form(x.flat))

    return formulas


def _of_two(name: str, form: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> Function:
    is_back = name.endswith("backward")

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, y in permutations(problem.like, 2):
            if is_back or problem.inputs.index(x) < problem.inputs.index(y):
                yield Formula(f"{name}({x.name}, {y.name})", form(x.flat, y.flat))
        for x, number in product(problem.like, () if is_back else problem.numbers.values()):
            yield Formula(f"{name}({x.name}, {number:g})", form(x.flat, np.array(float(number))))

    return formulas


for _name, _forms in _MORE.items():
    function(_name)(_of_one(_name, _forms))
for _name, _form in _OF_TWO.items():
    (vague if _name == "heaviside" else function)(_name)(_of_two(_name, _form))
spelled("quick gelu", "gelu quick, quickgelu")
spelled("gelu", "gelu erf")
spelled("gelu and mul", "gelu tanh and mul")
spelled("squared relu", "relu squared, relu square, relu2, relusquared")
spelled("logaddexp", "log add exp")
spelled("logaddexp2", "log add exp 2, log add exp2")
spelled("nan to num", "nantonum")
spelled("softplus", "bnll")
spelled("softplus backward", "bnll backward")
spelled("clamp backward", "clip backward")
spelled("pow", "float power, powx")


@function("clamp backward", "hardtanh backward", "threshold backward")
def _inside(problem: Problem) -> Iterator[Formula]:
    """What comes back, where an element lies between two numbers or above one of them; with the ends or without."""
    numbers = sorted({*problem.factors, *map(float, problem.whole), 0.0, -1.0, 1.0})
    pairs = [(low, high) for low in numbers for high in (*numbers, np.inf) if low < high]
    for (x, back), (low, high) in product(permutations(problem.like, 2), pairs):
        for ends, inside in (("", (x.flat > low) & (x.flat < high)), ("=", (x.flat >= low) & (x.flat <= high))):
            yield Formula(f"{back.name} where {low:g} <{ends} {x.name} <{ends} {high:g}", back.flat * inside)


def _slopes(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Rows [images, channels, inner], and a slope for each of their elements: one for all, or for each channel."""
    for w in (one for one in problem.floats if one is not x):
        if w.size == 1:
            yield w.name, x.flat.reshape(1, 1, -1), w.flat.reshape(1, 1, 1)
        for rows in rows_of(problem, x) if 1 < w.size < x.size else ():
            if rows.shape[1] == w.size:
                yield w.name, rows, w.flat[None, :, None]
        if w.size == x.size:
            yield w.name, x.flat.reshape(1, 1, -1), w.flat.reshape(1, 1, -1)


@also("relu backward")
def _leaky_back(problem: Problem) -> Iterator[Formula]:
    """With a slope below 0 that is passed."""
    for (x, back), slope in product(permutations(problem.like, 2), problem.factors):
        yield Formula(f"{back.name} * (1 or {slope:g} of {x.name})", np.where(x.flat > 0, 1, slope) * back.flat)


@also("elu backward")
def _elu_back(problem: Problem) -> Iterator[Formula]:
    """By operands and results together."""
    for (x, y, back), a in product(permutations(problem.like, 3), dict.fromkeys((*problem.factors, 1.0))):
        made = np.where(x.flat > 0, back.flat, (y.flat + a) * back.flat)
        yield Formula(f"{back.name} * (1 or {y.name} + {a:g} of {x.name})", made)
    for (y, back), a in product(permutations(problem.like, 2), dict.fromkeys((*problem.factors, 1.0))):
        yield Formula(f"{back.name} * (1 or {y.name} + {a:g})", np.where(y.flat > 0, 1, y.flat + a) * back.flat)


@function("swish backward")
def _swish_back(problem: Problem) -> Iterator[Formula]:
    """Of x * sigmoid(b * x), by the operand, or by the result and the sigmoid."""
    for b in dict.fromkeys((*problem.factors, 1.0)):
        for x, back in permutations(problem.like, 2):
            share = sigmoid(b * x.flat)
            made = back.flat * (share + b * x.flat * share * (1 - share))
            yield Formula(f"swish'({x.name}, {b:g}) * {back.name}", made)
        for y, of, back in permutations(problem.like, 3):
            made = back.flat * (b * y.flat + of.flat * (1 - b * y.flat))
            yield Formula(f"swish' by {y.name}, {of.name}, {b:g} * {back.name}", made)


@function("prelu")
def _prelu(problem: Problem) -> Iterator[Formula]:
    for x in problem.like:
        for name, rows, slope in _slopes(problem, x):
            yield Formula(
                f"{x.name} above 0, {name} * {x.name} below", np.where(rows > 0, rows, slope * rows).reshape(-1)
            )


@function("prelu backward")
def _prelu_back(problem: Problem) -> Iterator[Formula]:
    """To the operands, and to the slopes: of each element, or added up for each channel."""
    for x, back in permutations(problem.floats, 2):
        if x.size != back.size:
            continue
        below = np.where(x.flat > 0, 0, x.flat * back.flat)
        for name, rows, slope in _slopes(problem, x) if x.size == problem.size else ():
            made = np.where(rows > 0, 1, slope) * back.flat.reshape(rows.shape)
            yield Formula(f"{back.name} * (1 or {name} of {x.name})", made.reshape(-1))
        if x.size == problem.size:
            yield Formula(f"{x.name} * {back.name} below 0", below)
        elif x.size % problem.size == 0:
            for rows in rows_of(problem, x):
                if rows.shape[1] == problem.size:
                    made = below.reshape(rows.shape).sum(axis=(0, 2))
                    yield Formula(f"sum({x.name} * {back.name} below 0) of each channel", made)


def _biased(name: str, forms: Sequence[_OfOne]) -> Function:
    """Of the sum with a bias of each channel or column."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.like:
            for bias, rows, wide in _slopes(problem, x):
                for form in forms:
                    made = form((rows + wide).reshape(-1))
                    for factor in (1.0, *problem.factors):
                        yield Formula(f"{factor:g} * {name}({x.name} + {bias})", factor * made)

    return formulas


for _name in ("relu", "gelu", "silu", "sigmoid", "tanh"):
    function(f"bias {_name}")(_biased(_name, OF_ONE[_name]))
    for _how in ("add bias {}", "bias add {}", "{} bias", "fused bias {}", "fused add bias {}", "bias and {}"):
        spelled(f"bias {_name}", _how.format(_name))


@function("bias glu")
def _biased_glu(problem: Problem) -> Iterator[Formula]:
    """Halves of rows plus a bias of each column: one times the sigmoid of the other."""
    for x, bias in product((one for one in problem.floats if one.size == 2 * problem.size), problem.floats):
        width = bias.size // 2
        if width and bias.size == 2 * width and x.size % bias.size == 0 and x is not bias:
            a, b = (x.flat.reshape(-1, 2, width) + bias.flat.reshape(2, width)).swapaxes(0, 1)
            yield Formula(f"glu({x.name} + {bias.name})", (a * sigmoid(b)).reshape(-1))
            yield Formula(f"glu({x.name} + {bias.name}), gate first", (sigmoid(a) * b).reshape(-1))


spelled("bias glu", "add bias glu, fused bias glu, glu bias")
spelled("silu and mul", "silu elementwise product, silu elewise product, silu product, silu mul elementwise")
spelled("add", "plus scalar, plus")


def _gates_back(problem: Problem, gate: _OfOne) -> Iterator[tuple[str, np.ndarray, np.ndarray, np.ndarray]]:
    """Gates, what they are multiplied by and what comes back, [outer, n, inner] each."""
    for a, b, back in permutations(problem.floats, 3):
        if a.size == b.size == back.size:
            of_a, of_b, coming = (one.flat.reshape(1, -1, 1) for one in (a, b, back))
            yield f"{a.name}, {b.name}, {back.name}", of_a, of_b, coming
    for x, back in permutations(problem.floats, 2):
        if x.size == 2 * back.size:
            for text, rows in problem.along_axes(x):
                n, inner = rows.shape[1] // 2, rows.shape[2]
                if rows.shape[1] % 2 == 0:
                    coming = back.flat.reshape(-1, n, inner)
                    yield f"halves of {x.name}, {back.name}, {text}", rows[:, :n], rows[:, n:], coming
                    yield f"second and first halves of {x.name}, {back.name}, {text}", rows[:, n:], rows[:, :n], coming


def _gate_back(name: str, forms: Sequence[_OfOne]) -> Function:
    """To the gate, to what it is multiplied by, or to both as halves of rows."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for form in forms:
            for text, a, b, back in _gates_back(problem, form):
                to_gate, to_other = _slope(form, a) * b * back, form(a) * back
                both = np.concatenate([to_gate, to_other], axis=1), np.concatenate([to_other, to_gate], axis=1)
                for how, made in zip(("gate", "other", "both", "both"), (to_gate, to_other, *both), strict=True):
                    if made.size == problem.size:
                        yield Formula(f"{name}' to the {how}({text})", made.reshape(-1))

    return formulas


for _name, _gate in GATES.items():
    function(f"{_name} backward")(_gate_back(_name, OF_ONE[_gate]))
    of_all_results(f"{_name} backward")


@vague("weighted sum")
def _weighted(problem: Problem) -> Iterator[Formula]:
    """s * a + (1 - s) * b of each element; or the sum of rows by a weight of each."""
    for a, b, s in permutations(problem.like, 3):
        yield Formula(f"{s.name} * {a.name} + (1 - {s.name}) * {b.name}", s.flat * a.flat + (1 - s.flat) * b.flat)
    for a, b in permutations(problem.like, 2):
        for first, second in permutations(problem.factors, 2):
            yield Formula(f"{first:g} * {a.name} + {second:g} * {b.name}", first * a.flat + second * b.flat)
    for x, w in permutations(problem.floats, 2):
        for text, rows in problem.along_axes(x) if x.size > problem.size else ():
            if rows.shape[0] * rows.shape[2] == problem.size:
                name = f"sum({w.name} * {x.name}) {text}"
                if w.size == rows.shape[1]:
                    yield Formula(name, (rows * w.flat[:, None]).sum(axis=1).reshape(-1))
                if w.size == rows.shape[0] * rows.shape[1]:
                    wide = w.flat.reshape(rows.shape[0], -1, 1)
                    yield Formula(name, (rows * wide).sum(axis=1).reshape(-1))
                if w.size == x.size:
                    yield Formula(name, (rows * w.flat.reshape(rows.shape)).sum(axis=1).reshape(-1))


@function("weighted delta")
def _weighted_back(problem: Problem) -> Iterator[Formula]:
    """What comes back through a weighted sum to both operands and to the weights, added to what is there."""
    for held, back, s in permutations(problem.like, 3):
        yield Formula(f"{held.name} + {back.name} * {s.name}", held.flat + back.flat * s.flat)
        yield Formula(f"{held.name} + {back.name} * (1 - {s.name})", held.flat + back.flat * (1 - s.flat))
    for held, back, a, b in permutations(problem.like, 4):
        yield Formula(f"{held.name} + {back.name} * ({a.name} - {b.name})", held.flat + back.flat * (a.flat - b.flat))


@function("mult add into")
def _added(problem: Problem) -> Iterator[Formula]:
    for a, b, held in permutations(problem.like, 3):
        yield Formula(f"{held.name} + {a.name} * {b.name}", held.flat + a.flat * b.flat)


@vague("constrain")
def _constrained(problem: Problem) -> Iterator[Formula]:
    for x, most in product(problem.like, problem.factors):
        yield Formula(f"{x.name} in +-{most:g}", np.clip(x.flat, -most, most))


@function("scale shift")
def _affine(problem: Problem) -> Iterator[Formula]:
    """x * scale + shift or x * (1 + scale) + shift, by numbers or by channels, columns or elements."""
    for x in problem.like:
        for a, b in permutations(problem.factors, 2):
            yield Formula(f"{a:g} * {x.name} + {b:g}", a * x.flat + b)
        ways = [*_slopes(problem, x)]
        for (scale, rows, by), (shift, _, more) in permutations(ways, 2):
            if scale != shift and all(n in (1, most) for n, most in zip(more.shape, rows.shape, strict=True)):
                yield Formula(f"{x.name} * {scale} + {shift}", (rows * by + more).reshape(-1))
                yield Formula(f"{x.name} * (1 + {scale}) + {shift}", (rows * (1 + by) + more).reshape(-1))


spelled("prelu", "p re lu")
spelled(
    "scale shift",
    """affine channel, channel affine, scale and shift, modulate, scale and bias, ax plus b, affine
    transform channel""",
)


@vague("dropout", "dropout backward")
def _dropout(problem: Problem) -> Iterator[Formula]:
    """Where a mask is set, or a random number is above a share, an element times a scale; 0 elsewhere."""
    for x, mask in permutations(problem.like, 2):
        for scale in dict.fromkeys((1.0, *problem.factors, *(1 / (1 - p) for p in problem.factors if p < 1))):
            kept = [(f"{mask.name} is set", mask.flat != 0), (f"{mask.name} is not set", mask.flat == 0)]
            for share in (p for p in problem.factors if 0 < p < 1):
                kept += [
                    (f"{mask.name} > {share:g}", mask.flat > share),
                    (f"{mask.name} < {share:g}", mask.flat < share),
                ]
            for text, inside in kept:
                yield Formula(f"{scale:g} * {x.name} where {text}", scale * x.flat * inside)


@function("shortcut")
def _shortcut(problem: Problem) -> Iterator[Formula]:
    """The sum of what is there and of an image, each times a factor; or of parts of both, some pixels apart."""
    factors = [*permutations(problem.factors, 2), (1.0, 1.0)]
    for out in problem.like:
        for x in (one for one in problem.floats if one is not out):
            for a, b in factors if x.size == out.size else ():
                yield Formula(f"{a:g} * {out.name} + {b:g} * {x.name}", a * out.flat + b * x.flat)
            for shape, other in product(shapes_of_images(problem, out.size), shapes_of_images(problem, x.size)):
                if len(shape) == len(other) == 4 and shape[0] == other[0] and shape != other:
                    yield from _of_parts(out.flat.reshape(shape), x.flat.reshape(other), factors)


def _of_parts(out: np.ndarray, x: np.ndarray, factors: Sequence[tuple[float, float]]) -> Iterator[Formula]:
    channels = min(out.shape[1], x.shape[1])
    down, up = max(x.shape[2] // out.shape[2], 1), max(out.shape[2] // x.shape[2], 1)
    there, here = (
        x[:, :channels, ::down, ::down],
        (slice(None), slice(channels), slice(None, None, up), slice(None, None, up)),
    )
    if out[here].shape == there.shape:
        for a, b in factors:
            made = out.copy()
            made[here] = a * out[here] + b * there
            yield Formula(f"{a:g} * each {up} + {b:g} * each {down} of {channels} channels", made.reshape(-1))
