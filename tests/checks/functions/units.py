"""Activations, channels, losses, steps of optimizers and gradients in plain Python, and what they are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import ABOVE, PART, RANDOM, SIGNED, sigmoid

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
_BACK, _HELD, _THIRD = RANDOM.normal(size=(3, 3, 5))
_IMAGES = RANDOM.normal(size=(2, 3, 4))
_TO_IMAGES, _MORE = RANDOM.normal(size=(2, 2, 3, 4))
_ONE, _TWO, _THREE = RANDOM.normal(size=(3, 3))
_SPREAD = RANDOM.uniform(0.5, 2, 3)
_GAIN = RANDOM.normal(size=5)
_CLASSES = np.array([2, 0, 4])
_FLAGS = np.array([[0, 1, 1, 0, 1], [1, 0, 0, 1, 1], [0, 0, 1, 1, 0]], float)


def each(form: Callable[..., Any], *arrays: np.ndarray) -> np.ndarray:
    """A function of single numbers, of each element."""
    values = [form(*numbers) for numbers in zip(*(array.reshape(-1).tolist() for array in arrays), strict=True)]
    return np.array(values).reshape(arrays[0].shape)


def of_channels(form: Callable[[list[float], int], Any]) -> np.ndarray:
    """A function of the numbers of each channel, and of which it is."""
    return np.array([form(_IMAGES[:, at].reshape(-1).tolist(), at) for at in range(3)])


def by_channel(form: Callable[..., float], *arrays: np.ndarray) -> np.ndarray:
    """A function of the elements of images and of the channel that they are in."""
    made = np.zeros(_IMAGES.shape)
    for at in np.ndindex(*made.shape):
        made[at] = form(at[1], *(float(one[at]) for one in arrays))
    return made


def slope(form: Callable[[float], float], x: float) -> float:
    return (form(x + 1e-6) - form(x - 1e-6)) / 2e-6


def gelu(x: float) -> float:
    return x * (1 + math.erf(x / math.sqrt(2))) / 2


def silu(x: float) -> float:
    return x * sigmoid(x)


def relu(x: float) -> float:
    return max(x, 0.0)


def back_to_gate(form: Callable[[float], float]) -> Case:
    made = each(lambda a, b, g: slope(form, a) * b * g, SIGNED, _HELD, _BACK)
    return made, [SIGNED, _HELD, _BACK], {}


def biased(form: Callable[[float], float]) -> Case:
    return each(lambda x, b: form(x + b), SIGNED, np.tile(_GAIN, (3, 1))), [SIGNED, _GAIN], {}


def shares(row: Sequence[float]) -> list[float]:
    total = math.fsum(map(math.exp, row))
    return [math.exp(x) / total for x in row]


def smoothed(row: Sequence[float], at: int, share: float) -> float:
    logs = [math.log(p) for p in shares(row)]
    return -(1 - share) * logs[at] - share * statistics.fmean(logs)


_ROWS = [shares(row) for row in SIGNED.tolist()]
_OF_CLASS = [row[at] for row, at in zip(_ROWS, _CLASSES.tolist(), strict=True)]
#: Losses of two arrays and gradients of losses: the function, the arrays, the numbers.
_LOSSES: Mapping[str, tuple[Callable[..., float], Sequence[np.ndarray], Mapping[str, float]]] = {
    "binary cross entropy with logits": (lambda x, t: math.log(1 + math.exp(x)) - t * x, [SIGNED, PART], {}),
    "logistic cross entropy": (lambda p, t: -t * math.log(p) - (1 - t) * math.log(1 - p), [PART, _FLAGS], {}),
    "softmax cross entropy of each": (lambda p, t: -math.log(p) if t else 0, [PART, _FLAGS], {}),
    "wasserstein": (lambda p, t: -p if t else p, [PART, _FLAGS], {}),
    "huber backward": (lambda x, y: min(max(x - y, -0.5), 0.5), [SIGNED, PART], {"delta": 0.5}),
    "mae backward": (lambda x, y: math.copysign(1, x - y) / 15, [SIGNED, PART], {}),
    "binary cross entropy backward": (
        lambda p, t, g: (p - t) / (p * (1 - p)) * g, [PART, PART[::-1].copy(), _BACK], {},
    ),
    "binary cross entropy with logits backward": (
        lambda x, t, g: (sigmoid(x) - t) * g, [SIGNED, PART, _BACK], {},
    ),
    "kl div backward": (lambda x, y, g: -y * g, [SIGNED, PART, _BACK], {}),
    "hinge embedding": (lambda x, t: x if t == 1 else max(0, 0.7 - x), [SIGNED, 2 * _FLAGS - 1], {"margin": 0.7}),
    "log cosh": (lambda x, y: math.log(math.cosh(x - y)), [SIGNED, PART], {}),
    "charbonnier": (lambda x, y: math.sqrt((x - y) ** 2 + 0.04), [SIGNED, PART], {"eps": 0.2}),
    "poisson nll": (lambda x, y: math.exp(x) - y * x, [SIGNED, PART], {}),
}  # fmt: skip
#: Functions of elements: the function, the arrays, the numbers.
_UNITS: Mapping[str, tuple[Callable[..., float], Sequence[np.ndarray], Mapping[str, float]]] = {
    "quick gelu": (lambda x: x * sigmoid(1.702 * x), [SIGNED], {}),
    "logit": (lambda x: math.log(x) - math.log(1 - x), [PART], {}),
    "squared relu": (lambda x: x * x if x > 0 else 0, [SIGNED], {}),
    "frac": (lambda x: math.fmod(x, 1), [SIGNED], {}),
    "signbit": (lambda x: x < 0, [SIGNED], {}),
    "exp10": (lambda x: math.exp(x * math.log(10)), [SIGNED], {}),
    "sinc": (lambda x: math.sin(math.pi * x) / (math.pi * x), [SIGNED], {}),
    "rad2deg": (math.degrees, [SIGNED], {}),
    "deg2rad": (math.radians, [SIGNED], {}),
    "cube": (lambda x: x * x * x, [SIGNED], {}),
    "nan to num": (lambda x: x, [SIGNED], {}),
    "logaddexp": (lambda x, y: math.log(math.exp(x) + math.exp(y)), [SIGNED, PART], {}),
    "logaddexp2": (lambda x, y: math.log2(2**x + 2**y), [SIGNED, PART], {}),
    "heaviside": (lambda x, y: float(x > 0), [SIGNED, PART], {}),
    "xlogy": (lambda x, y: x * math.log(y), [SIGNED, PART], {}),
    "ldexp": (lambda x, y: x * math.exp(y * math.log(2)), [SIGNED, PART], {}),
    "squared relu backward": (lambda x, g: 2 * relu(x) * g, [SIGNED, _BACK], {}),
    "softplus backward": (lambda x, g: sigmoid(x) * g, [SIGNED, _BACK], {}),
    "quick gelu backward": (lambda x, g: slope(lambda y: y * sigmoid(1.702 * y), x) * g, [SIGNED, _BACK], {}),
    "clamp backward": (lambda x, g: g if -0.5 <= x <= 0.7 else 0, [SIGNED, _BACK], {"low": -0.5, "high": 0.7}),
    "hardtanh backward": (lambda x, g: g if -1 < x < 1 else 0, [SIGNED, _BACK], {}),
    "threshold backward": (lambda x, g: g if x > 0.3 else 0, [SIGNED, _BACK], {"threshold": 0.3}),
    "swish backward": (lambda x, g: slope(lambda y: y * sigmoid(2 * y), x) * g, [SIGNED, _BACK], {"beta": 2.0}),
    "weighted sum": (lambda a, b, s: s * a + (1 - s) * b, [SIGNED, _BACK, PART], {}),
    "weighted delta": (lambda d, g, s: d + g * (1 - s), [_HELD, _BACK, PART], {}),
    "mult add into": (lambda a, b, c: c + a * b, [SIGNED, _BACK, _HELD], {}),
    "constrain": (lambda x: max(min(x, 0.6), -0.6), [SIGNED], {"alpha": 0.6}),
    "shortcut": (lambda out, x: 0.5 * out + 2 * x, [SIGNED, _BACK], {"s1": 0.5, "s2": 2.0}),
    "dropout": (lambda x, r: x / 0.6 if r > 0.4 else 0, [SIGNED, PART], {"p": 0.4}),
    "dropout backward": (lambda g, m: g * m * 2, [_BACK, _FLAGS], {"scale": 2.0}),
    "prelu": (lambda x, w: x if x > 0 else w * x, [SIGNED, np.tile(_GAIN, (3, 1))], {}),
    "prelu backward": (lambda x, g, w: g if x > 0 else w * g, [SIGNED, _BACK, np.tile(_GAIN, (3, 1))], {}),
    "scale shift": (lambda x: 1.5 * x - 0.25, [SIGNED], {"a": 1.5, "b": -0.25}),
    "ema": (lambda x, y: 0.9 * x + 0.1 * y, [SIGNED, PART], {"decay": 0.9}),
    "rmsprop": (
        lambda x, g, h: x - 0.1 * g / (math.sqrt(0.9 * h + 0.1 * g * g) + 1e-3),
        [SIGNED, _BACK, PART], {"rate": 0.1, "decay": 0.9, "eps": 1e-3},
    ),
    "adagrad": (
        lambda x, g, h: x - 0.1 * g / (math.sqrt(h + g * g) + 1e-3), [SIGNED, _BACK, PART], {"rate": 0.1, "eps": 1e-3},
    ),
    "adadelta": (
        lambda x, g, h, s: x - 0.5 * g * math.sqrt((s + 1e-3) / (0.9 * h + 0.1 * g * g + 1e-3)),
        [SIGNED, _BACK, PART, ABOVE], {"rate": 0.5, "rho": 0.9, "eps": 1e-3},
    ),
    "nesterov": (
        lambda g, h: 1.9 * (0.9 * h + 0.1 * g) - 0.9 * h, [_BACK, _HELD], {"momentum": 0.9, "rate": 0.1},
    ),
    "lion": (
        lambda x, g, m: x - 0.1 * (math.copysign(1, 0.9 * m + 0.1 * g) + 0.2 * x),
        [SIGNED, _BACK, _HELD], {"rate": 0.1, "beta1": 0.9, "beta2": 0.99, "decay": 0.2},
    ),
}  # fmt: skip
UNITS: Mapping[str, Case] = {
    **{name: (each(form, *of), of, numbers) for name, (form, of, numbers) in {**_LOSSES, **_UNITS}.items()},
    **{f"bias {name}": biased(form) for name, form in (
        ("relu", relu), ("gelu", gelu), ("silu", silu), ("sigmoid", sigmoid), ("tanh", math.tanh),
    )},
    **{f"{name} backward": back_to_gate(form) for name, form in (
        ("swiglu", silu), ("silu and mul", silu), ("gelu and mul", gelu), ("geglu", gelu), ("reglu", relu),
        ("glu", sigmoid),
    )},
    "scale bias": (by_channel(lambda c, x: x * _ONE[c] + _TWO[c], _IMAGES), [_IMAGES, _ONE, _TWO], {}),
    "scale backward": (
        of_channels(lambda x, c: sum(a * b for a, b in zip(x, _TO_IMAGES[:, c].reshape(-1), strict=True))),
        [_IMAGES, _TO_IMAGES], {},
    ),
    "mean delta": (of_channels(lambda x, c: -sum(x) / math.sqrt(_SPREAD[c] + 1e-5)), [_IMAGES, _SPREAD], {}),
    "variance delta": (
        of_channels(lambda x, c: -0.5 * (_SPREAD[c] + 1e-5) ** -1.5 * sum(
            g * (a - _ONE[c]) for a, g in zip(x, _TO_IMAGES[:, c].reshape(-1), strict=True))),
        [_IMAGES, _TO_IMAGES, _ONE, _SPREAD], {},
    ),
    "normalize delta": (
        by_channel(lambda c, x, g: g / math.sqrt(_SPREAD[c] + 1e-5) + (2 * _THREE[c] * (x - _ONE[c]) + _TWO[c]) / 8,
                   _IMAGES, _MORE),
        [_IMAGES, _ONE, _SPREAD, _TWO, _THREE, _MORE], {},
    ),
    "softmax tree": (
        np.array([shares(row[:2]) + shares(row[2:]) for row in SIGNED.tolist()]),
        [SIGNED, np.array([2, 3]), np.array([0, 2])], {},
    ),
    "nll loss": (
        np.array([-row[at] for row, at in zip(SIGNED.tolist(), _CLASSES, strict=True)]), [SIGNED, _CLASSES], {},
    ),
    "label smoothing": (
        np.array([smoothed(row, at, 0.1) for row, at in zip(SIGNED.tolist(), _CLASSES.tolist(), strict=True)]),
        [SIGNED, _CLASSES], {"smoothing": 0.1},
    ),
    "softmax focal loss": (
        np.array([-0.25 * (1 - p) ** 2 * math.log(p) for p in _OF_CLASS]),
        [np.array(_ROWS), _CLASSES], {"gamma": 2.0, "alpha": 0.25},
    ),
    "accuracy": (
        np.array([sum(row.index(max(row)) == at for row, at in zip(SIGNED.tolist(), _CLASSES, strict=True)) / 3]),
        [SIGNED, _CLASSES], {},
    ),
}  # fmt: skip
