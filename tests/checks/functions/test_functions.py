"""Functions by their names, beside the same computed one element after the other in Python."""

from __future__ import annotations

import cmath
import functools
import itertools
import math
import operator
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.checks.functions import Input, Problem, likeness
from mlusim.simulator.checks.functions.problem import FUNCTIONS

from .algebra import ALGEBRA
from .around import AROUND
from .backwards import BACKWARDS
from .courses import COURSES
from .detected import DETECTED
from .elements import ABOVE, ONE, OTHER, PART, RANDOM, SIGNED, TWO
from .few_bits import FEW_BITS
from .geometry import GEOMETRY
from .gradients import GRADIENTS
from .grids import GRIDS
from .in_libraries import IN_LIBRARIES
from .languages import LANGUAGES
from .modelled import MODELLED
from .physics import PHYSICS
from .pictures import PICTURES
from .placed import PLACED
from .regions import REGIONS
from .routed import ROUTED
from .sampled import SAMPLED
from .steps import STEPS
from .suited import SUITED
from .tokens import TOKENS
from .trained import TRAINED
from .units import UNITS

_NEAR = 1e-9


def like(name: str, got: Any, *inputs: np.ndarray, **numbers: float) -> tuple[bool, str] | None:
    """Whether results are those of the function that a name says, and of which formula; None where none fits."""
    arrays = tuple(Input(chr(ord("a") + at), array) for at, array in enumerate(inputs))
    left = np.asarray(got)
    found = likeness(name, Problem(arrays, left.shape, numbers), left, 0.0 if left.dtype.kind in "iub" else _NEAR)
    return found and (found.exact, found.formula.text)


def each(form: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    """A function of single numbers, of each element."""
    values = [form(*numbers) for numbers in zip(*(array.reshape(-1).tolist() for array in arrays), strict=True)]
    return np.array(values).reshape(arrays[0].shape)


_ROWS = SIGNED.tolist()


def rows(form: Callable[[Sequence[float]], Any]) -> np.ndarray:
    """A function of each of three rows."""
    return np.array([form(row) for row in _ROWS])


def scanned(row: Sequence[float], step: Callable[[float, float], float]) -> list[float]:
    return [functools.reduce(step, row[: at + 1]) for at in range(len(row))]


def normed(row: Sequence[float], centred: bool = True, epsilon: float = 1e-5) -> list[float]:
    middle = statistics.fmean(row) if centred else 0.0
    size = math.sqrt(statistics.fmean((x - middle) ** 2 for x in row) + epsilon)
    return [(x - middle) / size for x in row]


def softmax(row: Sequence[float]) -> list[float]:
    return [math.exp(x) / math.fsum(map(math.exp, row)) for x in row]


def product_of(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.array([[sum(x * y for x, y in zip(row, column, strict=True)) for column in b.T] for row in a])


def windows(x: np.ndarray, w: np.ndarray, stride: int, padding: int) -> np.ndarray:
    """A convolution of images [n, c, h, w], one product after the other."""
    n, c, height, width = x.shape
    o, _, down, across = w.shape
    out = np.zeros((n, o, *((length + 2 * padding - 3) // stride + 1 for length in (height, width))))
    for at in np.ndindex(*out.shape, c, down, across):
        image, kernel, i, j, channel, p, q = at
        y, z = i * stride + p - padding, j * stride + q - padding
        if 0 <= y < height and 0 <= z < width:
            out[image, kernel, i, j] += x[image, channel, y, z] * w[kernel, channel, p, q]
    return out


_MATRIX, _VECTOR, _GAIN = RANDOM.normal(size=(5, 4)), RANDOM.normal(size=5), RANDOM.uniform(1, 2, 5)
_IMAGE, _KERNEL = RANDOM.normal(size=(2, 3, 7, 6)), RANDOM.normal(size=(4, 3, 3, 3))
_QUERY, _KEY, _VALUE = (RANDOM.normal(size=(n, 3)) for n in (4, 5, 5))
_PICKED, _ANGLES = np.array([4, 0, 2, 2]), RANDOM.normal(size=(3, 2))
_COUNTED = np.array([3, 1, 4, 1, 5, 2, 6, 5])
_STARTS, _PLACES, _HELD = np.array([0, 2, 2, 5]), np.array([1, 4, 0, 2, 3]), RANDOM.normal(size=5)
_CLASSES = np.array([2, 0, 4])
_SPARSE = np.array([sum(_HELD[k] * _VECTOR[_PLACES[k]] for k in range(_STARTS[r], _STARTS[r + 1])) for r in range(3)])


def turned(row: Sequence[float], angles: Sequence[float]) -> list[float]:
    pairs = [complex(*row[at : at + 2]) * cmath.exp(1j * angle) for at, angle in zip((0, 2), angles, strict=True)]
    return [part for pair in pairs for part in (pair.real, pair.imag)]


_TURNED = np.array([turned(row, angles) for row, angles in zip(_ROWS[:3], _ANGLES.tolist(), strict=True)])
_CHANNELS = RANDOM.normal(size=(2, 4, 3))


_DEEP = RANDOM.normal(size=(2, 8, 2, 3))
_SHUFFLED = np.zeros((2, 2, 4, 6))
for _n, _c, _i, _j in np.ndindex(2, 2, 4, 6):
    _SHUFFLED[_n, _c, _i, _j] = _DEEP[_n, _c * 4 + _i % 2 * 2 + _j % 2, _i // 2, _j // 2]


_LONG = _CHANNELS.repeat(2, 2).tolist()


def by_channel(form: Callable[[np.ndarray], Any]) -> np.ndarray:
    """A function of all that a channel has, over the images."""
    parts = [np.reshape(form(_CHANNELS[:, channel].reshape(-1)), (2, 3)) for channel in range(4)]
    return np.stack(parts, axis=1)


#: What other functions make: the result, the arrays, the numbers.
#: Cases of other modules.
_CASES = (
    ALGEBRA, AROUND, BACKWARDS, COURSES, DETECTED, FEW_BITS, GEOMETRY, GRADIENTS, GRIDS, LANGUAGES, MODELLED,
    IN_LIBRARIES, PHYSICS, PICTURES, PLACED, REGIONS, ROUTED, SAMPLED, STEPS, SUITED, TOKENS, TRAINED, UNITS,
)  # fmt: skip
OTHERS: Mapping[str, tuple[Any, Sequence[np.ndarray], Mapping[str, float]]] = {
    "sum": (rows(math.fsum), [SIGNED], {}),
    "mean": (rows(statistics.fmean), [SIGNED], {}),
    "prod": (rows(math.prod), [SIGNED], {}),
    "argmax": (rows(lambda r: r.index(max(r))), [SIGNED], {}),
    "argmin": (rows(lambda r: r.index(min(r))), [SIGNED], {}),
    "any": (rows(any), [SIGNED], {}),
    "all": (rows(all), [SIGNED], {}),
    "norm": (rows(lambda r: math.hypot(*r)), [SIGNED], {}),
    "nrm2": (rows(lambda r: math.hypot(*r)), [SIGNED], {}),
    "asum": (rows(lambda r: sum(map(abs, r))), [SIGNED], {}),
    "log sum exp": (rows(lambda r: math.log(sum(map(math.exp, r)))), [SIGNED], {}),
    "variance": (rows(statistics.variance), [SIGNED], {}),
    "std": (rows(statistics.pstdev), [SIGNED], {}),
    "sample variance": (rows(statistics.variance), [SIGNED], {}),
    "median": (rows(statistics.median), [SIGNED], {}),
    "largest magnitude": (rows(lambda r: max(map(abs, r))), [SIGNED], {}),
    "sum of squares": (rows(lambda r: sum(x * x for x in r)), [SIGNED], {}),
    "first of the largest": (rows(lambda r: 1 + max(range(5), key=lambda at: abs(r[at]))), [SIGNED], {}),
    "first of the smallest": (rows(lambda r: 1 + min(range(5), key=lambda at: abs(r[at]))), [SIGNED], {}),
    "amax": (rows(lambda r: 1 + max(range(5), key=lambda at: abs(r[at]))), [SIGNED], {}),
    "amin": (rows(lambda r: 1 + min(range(5), key=lambda at: abs(r[at]))), [SIGNED], {}),
    "reduce": (rows(max), [SIGNED], {}),
    "softmax": (rows(softmax), [SIGNED], {}),
    "log softmax": (rows(lambda r: [math.log(x) for x in softmax(r)]), [SIGNED], {}),
    "softmin": (rows(lambda r: softmax([-x for x in r])), [SIGNED], {}),
    "sort": (rows(sorted), [SIGNED], {}),
    "sort downwards": (rows(lambda r: sorted(r, reverse=True)), [SIGNED], {}),
    "argsort": (rows(lambda r: sorted(range(5), key=r.__getitem__)), [SIGNED], {}),
    "flip": (rows(lambda r: r[::-1]), [SIGNED], {}),
    "normalize": (rows(lambda r: [x / math.hypot(*r) for x in r]), [SIGNED], {}),
    "cumsum": (rows(lambda r: scanned(r, operator.add)), [SIGNED], {}),
    "scan": (rows(lambda r: [0.0, *scanned(r, operator.add)[:-1]]), [SIGNED], {}),
    "cumprod": (rows(lambda r: scanned(r, operator.mul)), [SIGNED], {}),
    "cummax": (rows(lambda r: scanned(r, max)), [SIGNED], {}),
    "cummin": (rows(lambda r: scanned(r, min)), [SIGNED], {}),
    "log cumsum exp": (
        rows(lambda r: [math.log(x) for x in scanned(list(map(math.exp, r)), operator.add)]),
        [SIGNED],
        {},
    ),
    "layer norm": (rows(normed) * _GAIN + _VECTOR, [SIGNED, _GAIN, _VECTOR], {"eps": 1e-5}),
    "rms norm": (rows(lambda r: normed(r, False, 1e-3)) * _GAIN, [SIGNED, _GAIN], {"eps": 1e-3}),
    "batch norm": (by_channel(normed), [_CHANNELS], {}),
    "instance norm": (np.array([[normed(row) for row in image] for image in _CHANNELS.tolist()]), [_CHANNELS], {}),
    "group norm": (
        np.array([[normed(half) for half in image] for image in _CHANNELS.reshape(2, 2, 6).tolist()]).reshape(2, 4, 3),
        [_CHANNELS],
        {"groups": 2},
    ),
    "scale": (1.5 * SIGNED, [SIGNED], {"by": 1.5}),
    "axpy": (1.5 * SIGNED + PART, [SIGNED, PART], {"a": 1.5}),
    "addcmul": (SIGNED + 1.5 * PART * ABOVE, [SIGNED, PART, ABOVE], {"value": 1.5}),
    "addcdiv": (SIGNED + 1.5 * PART / ABOVE, [SIGNED, PART, ABOVE], {"value": 1.5}),
    "fma": (SIGNED * PART + ABOVE, [SIGNED, PART, ABOVE], {}),
    "mul add": (SIGNED * PART + ABOVE, [SIGNED, PART, ABOVE], {}),
    "where": (each(lambda c, x, y: x if c else y, OTHER, SIGNED, PART), [OTHER, SIGNED, PART], {}),
    "select": (each(lambda c, x, y: x if c else y, OTHER, SIGNED, PART), [OTHER, SIGNED, PART], {}),
    "matmul": (2 * product_of(SIGNED, _MATRIX), [SIGNED, _MATRIX], {"alpha": 2.0}),
    "gemv": (product_of(SIGNED, _VECTOR[:, None])[:, 0], [SIGNED, _VECTOR], {}),
    "linear": (product_of(SIGNED, _MATRIX) + _VECTOR[:4], [SIGNED, _MATRIX, _VECTOR[:4]], {}),
    "dot": (np.array([sum(x * y for x, y in zip(_VECTOR, _GAIN, strict=True))]), [_VECTOR, _GAIN], {}),
    "outer": (np.array([[x * y for y in _GAIN] for x in _VECTOR]), [_VECTOR, _GAIN], {}),
    "attention": (
        product_of(np.array([softmax(row) for row in (0.5 * product_of(_QUERY, _KEY.T)).tolist()]), _VALUE),
        [_QUERY, _KEY, _VALUE],
        {"scale": 0.5},
    ),
    "spmv": (_SPARSE, [_STARTS, _PLACES, _HELD, _VECTOR], {}),
    "spmm": (_SPARSE, [_STARTS, _PLACES, _HELD, _VECTOR], {}),
    "conv": (windows(_IMAGE, _KERNEL, 2, 1), [_IMAGE, _KERNEL], {"stride": 2, "pad": 1}),
    "max pool": (
        np.array(
            [[[max(row[at : at + 3]) for at in (0, 2)] for row in image] for image in _CHANNELS.repeat(2, 2).tolist()]
        )[:, :, :],
        [_CHANNELS.repeat(2, 2)],
        {"kernel": 3, "stride": 2},
    ),
    "avg pool": (
        np.array(
            [
                [[sum(row[at : at + 3]) / 3 for at in (0, 2)] for row in image]
                for image in _CHANNELS.repeat(2, 2).tolist()
            ]
        ),
        [_CHANNELS.repeat(2, 2)],
        {"kernel": 3, "stride": 2},
    ),
    "min pool": (
        np.array([[[min(row[at : at + 3]) for at in (0, 2)] for row in i] for i in _LONG]),
        [np.array(_LONG)],
        {},
    ),
    "sum pool": (
        np.array([[[sum(row[at : at + 3]) for at in (0, 2)] for row in i] for i in _LONG]),
        [np.array(_LONG)],
        {},
    ),
    "transpose": (np.array([list(column) for column in zip(*_ROWS, strict=True)]), [SIGNED], {}),
    "permute": (
        np.array([[[_CHANNELS[i, j, k] for i in range(2)] for j in range(4)] for k in range(3)]),
        [_CHANNELS],
        {},
    ),
    **{name: (np.array([*_ROWS, *_ROWS]), [SIGNED], {}) for name in ("repeat", "tile", "broadcast", "expand")},
    **{
        name: (np.array([_MATRIX[at].tolist() for at in _PICKED]), [_MATRIX, _PICKED], {})
        for name in ("embedding", "index select", "gather", "take")
    },
    "histogram": (np.array([sum(x == n for x in _COUNTED) for n in range(8)]), [_COUNTED], {}),
    "bincount": (np.array([sum(x == n for x in _COUNTED) for n in range(8)]), [_COUNTED], {}),
    "hist": (np.array([sum(x % 4 == n for x in _COUNTED) for n in range(4)]), [_COUNTED], {}),
    "interpolate nearest": (_CHANNELS[:, :, [0, 0, 1, 1, 2, 2]], [_CHANNELS], {}),
    "interpolate linear": (
        np.array([[[r[0], (r[0] + r[1]) / 2, r[1], (r[1] + r[2]) / 2, r[2]] for r in i] for i in _CHANNELS.tolist()]),
        [_CHANNELS],
        {},
    ),
    "diff": (rows(lambda r: [b - a for a, b in itertools.pairwise(r)]), [SIGNED], {}),
    "kron": (np.array([[x * y for x in a for y in b] for a in _ROWS for b in PART.tolist()]), [SIGNED, PART], {}),
    "tril": (np.array([[x * (j <= i) for j, x in enumerate(row)] for i, row in enumerate(_ROWS)]), [SIGNED], {}),
    "triu": (
        np.array([[x * (j >= i + 1) for j, x in enumerate(row)] for i, row in enumerate(_ROWS)]),
        [SIGNED],
        {"k": 1},
    ),
    "pixel shuffle": (_SHUFFLED, [_DEEP], {"r": 2}),
    "arange": (np.array([2.0, 2.5, 3.0]), [], {"start": 2.0, "step": 0.5}),
    "linspace": (np.array([2.0, 3.0, 4.0]), [], {"start": 2.0, "end": 4.0}),
    "logspace": (np.array([4.0, 8.0, 16.0]), [], {"start": 2, "end": 4, "base": 2.0}),
    "concat": (np.array([*_ROWS, *PART.tolist()]), [SIGNED, PART], {}),
    "stack": (np.array([_ROWS, PART.tolist()]), [SIGNED, PART], {}),
    "rope": (_TURNED, [SIGNED[:, :4], np.cos(_ANGLES), np.sin(_ANGLES)], {}),
    "mse": (
        np.array([statistics.fmean((x - y) ** 2 for x, y in zip(SIGNED.flat, PART.flat, strict=True))]),
        [SIGNED, PART],
        {},
    ),
    "mae": (np.array([sum(abs(x - y) for x, y in zip(SIGNED.flat, PART.flat, strict=True))]), [SIGNED, PART], {}),
    "huber": (
        each(lambda x, y: 0.5 * (x - y) ** 2 if abs(x - y) < 1 else abs(x - y) - 0.5, SIGNED, PART),
        [SIGNED, PART],
        {},
    ),
    "kl div": (each(lambda x, y: y * (math.log(y) - x), SIGNED, PART), [SIGNED, PART], {}),
    "hinge": (each(lambda x, y: max(0, 1 - x * y), SIGNED, PART), [SIGNED, PART], {}),
    "binary cross entropy": (
        each(lambda x, y: -y * math.log(x) - (1 - y) * math.log(1 - x), PART, PART[::-1]),
        [PART, PART[::-1]],
        {},
    ),
    "cross entropy": (
        np.array([-math.log(softmax(row)[at]) for row, at in zip(_ROWS, _CLASSES, strict=True)]),
        [SIGNED, _CLASSES],
        {},
    ),
    "sgd": (SIGNED - 0.1 * PART, [SIGNED, PART], {"rate": 0.1}),
    **{name: case for cases in _CASES for name, case in cases.items()},
}


def with_one_wrong(right: np.ndarray) -> np.ndarray:
    got = right.copy()
    got.flat[0] = not got.flat[0] if got.dtype == bool else got.flat[0] + 1
    return got


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function(name: str) -> None:
    if name in ONE:
        form, x = ONE[name]
        right, inputs, numbers = each(form, x), [x], {}
    elif name in TWO:
        both, *inputs = TWO[name]
        right, numbers = each(both, *inputs), {}
    else:
        right, inputs, numbers = OTHERS[name]
    found = like(name, right, *inputs, **numbers)
    assert found
    assert found[0], found
    wrong = like(name, with_one_wrong(right), *inputs, **numbers)
    assert wrong
    assert not wrong[0], wrong


def test_operands_in_the_order_of_the_arguments() -> None:
    assert like("sub_kernel", SIGNED - PART, SIGNED, PART) == (True, "sub(a, b)")
    assert like("sub_kernel", PART - SIGNED, SIGNED, PART) == (False, "sub(a, b)")


def test_axes_of_a_flat_array_go_by_the_numbers() -> None:
    right = rows(softmax).reshape(-1)
    assert like("softmax", right, SIGNED.reshape(-1), rows=3, n=5) == (True, "softmax(a) along 5 elements")
    assert like("softmax", right, SIGNED.reshape(-1), n=7)[0] is False
    assert like("softmax", right, SIGNED.reshape(-1))[0] is True  # where none is passed, the kernel may have any


def test_a_power_of_two_may_be_that_of_fixed_point_numbers() -> None:
    right = product_of(SIGNED, _MATRIX)
    assert like("matmul", 0.25 * right, SIGNED, _MATRIX)[0] is False
    whole = [np.round(9 * one).astype(np.int8) for one in (SIGNED, _MATRIX)]
    right = product_of(*(one.astype(float) for one in whole))
    assert like("matmul", 0.25 * right, *whole) is None
    assert like("matmul", 0.3 * right, *whole)[0] is False
    assert like("matmul", -0.25 * right, *whole)[0] is False


def test_strides_of_arrays_with_gaps_make_it_unsure() -> None:
    def sure(**numbers: int) -> bool:
        problem = Problem((Input("a", SIGNED),), (3, 5), numbers)
        found = likeness("exp", problem, SIGNED, _NEAR)
        return found is not None and found.telling

    assert sure(stride=5)
    assert sure(n=7)
    assert not sure(stride=7)


def telling(name: str, got: np.ndarray, *inputs: np.ndarray, **numbers: float) -> bool:
    arrays = tuple(Input(chr(ord("a") + at), array) for at, array in enumerate(inputs))
    found = likeness(name, Problem(arrays, got.shape, numbers), got, _NEAR)
    return found is not None and found.telling


def test_flat_arrays_whose_axes_nothing_says() -> None:
    flat, wrong = SIGNED.reshape(-1), -rows(softmax)
    assert telling("softmax", wrong, SIGNED)
    assert telling("softmax", wrong.reshape(-1), flat)  # all are tried
    assert not telling("batch_norm", wrong.reshape(-1), flat)
    assert telling("exp", wrong.reshape(-1), flat)  # which need no axes
    assert telling("matmul", wrong[:, :4].reshape(-1), flat, _MATRIX.reshape(-1))
    assert telling("sum", wrong[0, :1], _VECTOR, n=5)
    assert not telling("sum", wrong[0, :1], _VECTOR)


def test_axes_of_a_flat_array_that_are_as_long() -> None:
    x = RANDOM.normal(size=(2, 3, 4, 4))
    powers = np.exp(x)
    right = (powers / powers.sum(axis=1, keepdims=True)).reshape(-1)
    found = like("softmax", right, x.reshape(-1), n=2, c=3, h=4, w=4)
    assert found == (True, "softmax(a) along 3 elements, each 16 apart")


@pytest.mark.parametrize("stride", [1, 2])
def test_channels_may_be_the_last_axis(stride: int) -> None:
    x, w, right = _IMAGE, _KERNEL, windows(_IMAGE, _KERNEL, stride, 1)
    last = [np.moveaxis(one, 1, -1).copy() for one in (right, x, w)]
    assert like("conv2d", *last, stride=stride, pad=1)[0]
    assert not like("conv2d", with_one_wrong(last[0]), *last[1:], stride=stride, pad=1)[0]
    pooled = np.stack([x[:, :, 0:6:2], x[:, :, 1:7:2]]).max(axis=0)
    pooled = np.stack([pooled[..., 0::2], pooled[..., 1::2]]).max(axis=0)
    assert like("maxpool2d", np.moveaxis(pooled, 1, -1).copy(), last[1], kernel=2, stride=2)[0]
