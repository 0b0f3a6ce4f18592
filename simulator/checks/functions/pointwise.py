"""Functions of each element."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from .problem import Formula, Function, Input, Problem, function, vague

erf = np.vectorize(math.erf, otypes=[np.float64])


def _log_gamma(x: float) -> float:
    """The logarithm of the absolute value of the gamma function, which has poles at 0, -1, -2, ..."""
    try:
        return math.lgamma(x)
    except (ValueError, OverflowError):
        return math.inf


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x))."""
    found: np.ndarray = 1 / (1 + np.exp(-x))
    return found


def softplus(x: np.ndarray) -> np.ndarray:
    """log(1 + exp(x))."""
    found: np.ndarray = np.logaddexp(x, 0)
    return found


def _gelu(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = x * (1 + erf(x / math.sqrt(2))) / 2
    return found


def _gelu_by_tanh(x: np.ndarray) -> np.ndarray:
    found: np.ndarray = x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    return found


def _truncated(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    found: np.ndarray = np.trunc((x / y).real)
    return found


#: Functions of one element, some in more than one form.
OF_ONE: dict[str, Sequence[Callable[[np.ndarray], np.ndarray]]] = {
    "abs": [np.abs], "neg": [np.negative], "exp": [np.exp], "exp2": [np.exp2], "expm1": [np.expm1],
    "log": [np.log, np.log2, np.log10], "log2": [np.log2], "log10": [np.log10], "log1p": [np.log1p],
    "sqrt": [np.sqrt], "rsqrt": [lambda x: 1 / np.sqrt(x)], "cbrt": [np.cbrt], "square": [np.square],
    "reciprocal": [lambda x: 1 / x], "sin": [np.sin], "cos": [np.cos], "tan": [np.tan], "sinh": [np.sinh],
    "cosh": [np.cosh], "tanh": [np.tanh], "asin": [np.arcsin], "acos": [np.arccos], "atan": [np.arctan],
    "asinh": [np.arcsinh], "acosh": [np.arccosh], "atanh": [np.arctanh], "floor": [np.floor], "ceil": [np.ceil],
    "round": [np.rint, lambda x: np.sign(x) * np.floor(np.abs(x) + 0.5)], "trunc": [np.trunc], "sign": [np.sign],
    "lgamma": [np.vectorize(_log_gamma, otypes=[np.float64])],
    "erf": [erf], "erfc": [lambda x: 1 - erf(x)], "relu": [lambda x: np.maximum(x, 0)],
    "relu6": [lambda x: np.clip(x, 0, 6)], "sigmoid": [sigmoid], "silu": [lambda x: x * sigmoid(x)],
    "gelu": [_gelu, _gelu_by_tanh, lambda x: x * sigmoid(1.702 * x)], "mish": [lambda x: x * np.tanh(softplus(x))],
    "hardswish": [lambda x: x * np.clip(x + 3, 0, 6) / 6], "softsign": [lambda x: x / (1 + np.abs(x))],
    "log sigmoid": [lambda x: -softplus(-x)], "tanhshrink": [lambda x: x - np.tanh(x)],
    "selu": [lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(x))],
    "hardsigmoid": [lambda x: np.clip(x / 6 + 0.5, 0, 1), lambda x: np.clip(0.2 * x + 0.5, 0, 1)],
    "logical not": [lambda x: x == 0],
    "bitwise not": [lambda x: -1 - x, lambda x: 255 - x, lambda x: 65535 - x, lambda x: 2.0**32 - 1 - x],
    "isnan": [np.isnan], "isinf": [np.isinf], "isfinite": [np.isfinite], "increment": [lambda x: x + 1],
    "real": [np.real], "imag": [np.imag], "conj": [np.conj], "angle": [np.angle], "copy": [lambda x: x],
}  # fmt: skip

#: Those of complex numbers, which may lie in arrays as pairs.
OF_PAIRS = frozenset({"abs", "real", "imag", "conj", "angle"})
#: Functions of one element and a number that is passed, or this one; None: any, so that another one says nothing.
_WITH_NUMBER: dict[str, tuple[Callable[[np.ndarray, float], np.ndarray], float | None]] = {
    "leaky relu": (lambda x, a: np.where(x > 0, x, a * x), 0.01),
    "elu": (lambda x, a: np.where(x > 0, x, a * np.expm1(x)), 1.0),
    "celu": (lambda x, a: np.where(x > 0, x, a * np.expm1(x / a)), 1.0),
    "softplus": (lambda x, a: softplus(a * x) / a, 1.0),
    "softshrink": (lambda x, a: np.sign(x) * np.maximum(np.abs(x) - a, 0), 0.5),
    "hardshrink": (lambda x, a: np.where(np.abs(x) > a, x, 0), 0.5),
    "swish": (lambda x, a: x * sigmoid(a * x), 1.0),
    "scale": (lambda x, a: x * a, None),
}

#: Functions of two elements, of arrays in the order of the arguments.
_FORMS_OF_TWO: dict[str, Sequence[Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "add": [np.add], "sub": [np.subtract], "mul": [np.multiply], "div": [np.divide, _truncated],
    "floor divide": [np.floor_divide], "mod": [np.fmod, np.mod], "max": [np.maximum], "min": [np.minimum],
    "pow": [np.power], "atan2": [np.arctan2], "hypot": [np.hypot], "squared difference": [lambda x, y: (x - y) ** 2],
    "equal": [np.equal], "not equal": [np.not_equal], "greater": [np.greater], "less": [np.less],
    "greater equal": [np.greater_equal], "less equal": [np.less_equal],
    "logical and": [lambda x, y: (x != 0) & (y != 0)], "logical or": [lambda x, y: (x != 0) | (y != 0)],
    "logical xor": [lambda x, y: (x != 0) ^ (y != 0)], "copysign": [np.copysign], "nextafter": [np.nextafter],
}  # fmt: skip

#: Those of one operand that a factor makes of another base.
_OF_ANY_BASE = frozenset({"log"})
#: Those of two operands of which one may have a factor, which is larger than what is added to a divisor.
_LINEAR, _LEAST = frozenset({"add", "sub"}), 1e-3


def _shift_half_up(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """x / 2^y to the nearest whole number, a half upwards."""
    low = np.maximum(y.astype(np.int64) - 1, 0)
    found: np.ndarray = ((x.astype(np.int64) >> low) + (y > 0)) >> (y > 0)
    return found


#: Functions of two whole numbers, some in more than one form.
_OF_WHOLE: dict[str, Sequence[Callable[[np.ndarray, np.ndarray], np.ndarray]]] = {
    "bitwise and": [np.bitwise_and], "bitwise or": [np.bitwise_or], "bitwise xor": [np.bitwise_xor],
    "shift left": [np.left_shift], "shift right": [np.right_shift, _shift_half_up],
}  # fmt: skip


def _of_one(name: str, forms: Sequence[Callable[[np.ndarray], np.ndarray]]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.like:
            for form in forms:
                yield Formula(f"{name}({x.name})", form(x.flat))
            for factor in problem.factors if name in _OF_ANY_BASE else ():
                yield Formula(f"{factor:g} * {name}({x.name})", factor * forms[0](x.flat))
        for x in problem.inputs if name in OF_PAIRS else ():
            if x.size % 2 == 0 and x.values.dtype.kind == "f":
                made = forms[0](x.flat[::2] + 1j * x.flat[1::2])
                parts = made.view(np.float64) if np.iscomplexobj(made) else made
                yield Formula(f"{name}({x.name} in pairs)", parts)

    return formulas


def _with_number(name: str, form: Callable[[np.ndarray, float], np.ndarray], usual: float | None) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x in problem.like:
            for number in dict.fromkeys((*problem.factors, *([] if usual is None else [usual]))):
                yield Formula(f"{name}({x.name}, {number:g})", form(x.flat, number))

    return formulas


def _of_two(name: str, forms: Sequence[Callable[[np.ndarray, np.ndarray], np.ndarray]]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for x, y in pairs(problem):
            for left, right in spread(problem, x, y):
                for form in forms:
                    yield Formula(f"{name}({x.name}, {y.name})", form(left, right))
                for factor in (a for a in problem.factors if abs(a) > _LEAST) if name in _LINEAR else ():
                    yield Formula(f"{name}({x.name}, {factor:g} * {y.name})", forms[0](left, factor * right))
                    yield Formula(f"{name}({factor:g} * {x.name}, {y.name})", forms[0](factor * left, right))
        for x in problem.like if len(problem.like) == 1 else ():
            for number in problem.numbers.values():
                for form in forms:
                    yield Formula(f"{name}({x.name}, {number:g})", form(x.flat, np.full(1, number)))
                    yield Formula(f"{name}({number:g}, {x.name})", form(np.full(x.size, float(number)), x.flat))

    return formulas


def _of_whole(name: str, forms: Sequence[Callable[[np.ndarray, np.ndarray], np.ndarray]]) -> Function:
    def formulas(problem: Problem) -> Iterator[Formula]:
        whole = [one for one in problem.like if one.values.dtype.kind in "iu"]
        for x, y in combinations(whole, 2):
            for form in forms:
                made = form(x.values.reshape(-1), y.values.reshape(-1).astype(x.values.dtype))
                yield Formula(f"{name}({x.name}, {y.name})", made)
        for x in whole if len(whole) == 1 else ():
            for number in (number for number in problem.whole if abs(number) < 1 << 31):
                for form in forms:
                    other = np.array(number).astype(x.values.dtype)
                    yield Formula(f"{name}({x.name}, {number})", form(x.values, other).reshape(-1))

    return formulas


def pairs(problem: Problem) -> Iterator[tuple[Input, Input]]:
    """Two sources in the order of the arguments, of which one, or both together by their axes, fill the output."""
    for x, y in combinations(problem.inputs, 2):
        if problem.size in (x.size, y.size) or _broadcast_size(x.values.shape, y.values.shape) == problem.size:
            yield x, y


def spread(problem: Problem, x: Input, y: Input) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two sources, repeated to be as large as the output: as their axes say, or along the last or the first ones.

    What a square matrix and a vector say is either.
    """
    if x.size == y.size:
        yield x.flat, y.flat
        return
    try:
        both = np.broadcast_arrays(x.real, y.real)
        if both[0].size == problem.size:
            yield both[0].reshape(-1), both[1].reshape(-1)
            if x.size == y.size**2 or y.size == x.size**2:
                yield _repeated(problem, x, y)
            return
    except ValueError:
        pass
    yield from _along_one(problem, x, y)
    yield from _of_blocks(problem, x, y)
    for one, other in product(problem.ranked(x.size), problem.ranked(y.size)):
        if len(one) == len(other) and _broadcast_size(one, other) == problem.size:
            both = np.broadcast_arrays(x.flat.reshape(one), y.flat.reshape(other))
            yield both[0].reshape(-1), both[1].reshape(-1)
            return
    if problem.size % x.size == 0 and problem.size % y.size == 0:
        yield np.resize(x.flat, problem.size), np.resize(y.flat, problem.size)
        yield _repeated(problem, x, y)


def _repeated(problem: Problem, x: Input, y: Input) -> tuple[np.ndarray, np.ndarray]:
    """Two sources, each element of them so many times that they are as large as the output."""
    return np.repeat(x.flat, problem.size // x.size), np.repeat(y.flat, problem.size // y.size)


def _along_one(problem: Problem, x: Input, y: Input) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two sources of which the smaller one has an element for each place along an axis inside of the larger one."""
    large, small = (x, y) if x.size > y.size else (y, x)
    for _, rows in problem.along_axes(large) if large.size == problem.size else ():
        if rows.shape[0] > 1 and rows.shape[1] == small.size > 1 and rows.shape[2] > 1:
            both = rows.reshape(-1), np.broadcast_to(small.flat[:, None], rows.shape).reshape(-1)
            yield both if large is x else both[::-1]


def _of_blocks(problem: Problem, x: Input, y: Input) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Two sources of which the smaller one has an element for each block of the larger one, the last of them shorter.

    Blocks are as long as a power of two.
    """
    large, small = (x, y) if x.size > y.size else (y, x)
    if large.size != problem.size or small.size < 2:
        return
    length = 1 << (-(-large.size // small.size) - 1).bit_length()
    if large.size % length and -(-large.size // length) == small.size:
        both = large.flat, np.repeat(small.flat, length)[: large.size]
        yield both if large is x else both[::-1]


def _broadcast_size(one: tuple[int, ...], other: tuple[int, ...]) -> int:
    """Elements of two shapes together; 0 if they do not fit."""
    try:
        return math.prod(np.broadcast_shapes(one, other))
    except ValueError:
        return 0


for _name, _forms in OF_ONE.items():
    function(_name)(_of_one(_name, _forms))
for _name, (_form, _usual) in _WITH_NUMBER.items():
    function(_name)(_with_number(_name, _form, _usual))
#: Those of two elements by their names; a few of these are names of reductions, too.
OF_TWO = {name: _of_two(name, forms) for name, forms in _FORMS_OF_TWO.items()}
for _name, _made in OF_TWO.items():
    function(_name)(_made)
NAMES = frozenset({*OF_ONE, *_WITH_NUMBER, *OF_TWO, *_OF_WHOLE}) - {"max", "min"}
for _name, _of_bits in _OF_WHOLE.items():
    function(_name)(_of_whole(_name, _of_bits))


#: How the bounds of what is clipped are called.
_BOUNDS = [
    re.compile(rf"(^|[._])({word})(imum)?_?(val|value|bound|limit)?$")
    for word in ("min|low|lower|lo", "max|high|upper|hi")
]


@function("clamp", "hardtanh")
def _clamp(problem: Problem) -> Iterator[Formula]:
    named = [[float(n) for name, n in problem.numbers.items() if end.search(name.lower())] for end in _BOUNDS]
    if len(named[0]) == len(named[1]) == 1 and named[0] <= named[1]:
        bounds = [(named[0][0], named[1][0])]
    else:
        bounds = [*combinations(sorted({*problem.factors, *map(float, problem.whole)}), 2), (-1.0, 1.0)]
    for x in problem.like:
        for low, high in bounds:
            yield Formula(f"clip({x.name}, {low:g}, {high:g})", np.clip(x.flat, low, high))


@vague("cast")
def _cast(problem: Problem) -> Iterator[Formula]:
    """The same numbers of another type: as they are, or rounded."""
    for x in problem.like:
        for how, made in (("", x.flat), (", towards 0", np.trunc(x.flat)), (", rounded", np.rint(x.flat))):
            yield Formula(f"{x.name}{how}", made)


@function("axpy")
def _axpy(problem: Problem) -> Iterator[Formula]:
    for x, y in permutations(problem.like, 2):
        for a in problem.factors:
            yield Formula(f"{a:g} * {x.name} + {y.name}", a * x.flat + y.flat)


@function("addcmul", "addcdiv")
def _addc(problem: Problem) -> Iterator[Formula]:
    for x, a, b in combinations(problem.inputs, 3):
        for (of_x, of_a), (_, of_b) in product(spread(problem, x, a), spread(problem, x, b)):
            for v in (*problem.factors, 1.0) if len(of_x) == problem.size == len(of_b) else ():
                yield Formula(f"{x.name} + {v:g} * {a.name} * {b.name}", of_x + v * of_a * of_b)
                yield Formula(f"{x.name} + {v:g} * {a.name} / {b.name}", of_x + v * of_a / of_b)


@function("fma", "mul add")
def _fma(problem: Problem) -> Iterator[Formula]:
    for x, y, z in combinations(problem.like, 3):
        yield Formula(f"{x.name} * {y.name} + {z.name}", x.flat * y.flat + z.flat)


@function("where", "select")
def _where(problem: Problem) -> Iterator[Formula]:
    for c, x, y in combinations(problem.inputs, 3):
        for (condition, left), (_, right) in product(spread(problem, c, x), spread(problem, c, y)):
            if len(condition) == problem.size == len(right):
                yield Formula(f"where({c.name}, {x.name}, {y.name})", np.where(condition != 0, left, right))
