"""Steps of optimizers, losses, places, bags and streams in plain Python, and what these are asked of."""

from __future__ import annotations

import bisect
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import PART, SIGNED, sigmoid
from .tokens import filled

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
RANDOM = np.random.default_rng(62)
_GRADS, _MEANS, _OTHERS = RANDOM.normal(size=(3, 5)), RANDOM.normal(size=(3, 5)), RANDOM.uniform(1, 2, (3, 5))
_RATES = {"rate": 0.1, "beta1": 0.8, "beta2": 0.95, "eps": 1e-3}
_CLASSES, _PAIR_SIGNS = np.array([2, 0, 4]), np.array([1, -1, 1])
_SIGNS = np.where(RANDOM.uniform(size=(3, 5)) > 0.5, 1.0, -1.0)
_SORTED, _VALUES = np.sort(RANDOM.normal(size=8)), RANDOM.normal(size=6)
_EDGES, _ASKED = np.array([1, 3, 3, 7, 9]), np.array([3, 4, 9, 0])
_ROW_OF, _STARTS = np.array([0, 0, 2, 3, 3, 3]), np.array([0, 2, 2, 3, 6])
_SQUARE, _SPACE, _TURNED = RANDOM.normal(size=(4, 4)), RANDOM.normal(size=(5, 3)), RANDOM.normal(size=(5, 3))
_TABLE, _CHOSEN, _FIRST = RANDOM.normal(size=(7, 4)), np.array([3, 0, 6, 6, 2]), np.array([0, 2, 2])
_SEGMENTS = np.array([0, 0, 2, 2, 2])
_POOLED, _AT = RANDOM.normal(size=(2, 3, 2, 2)), RANDOM.permuted(np.tile(np.arange(16), (2, 3, 1)), axis=2)[..., :4]
_FRAMES = RANDOM.normal(size=(4, 6, 2))
_LEFT, _RIGHT = RANDOM.normal(size=(2, 3, 4)), RANDOM.normal(size=(2, 2, 4))
_IMAGE, _KERNEL = RANDOM.normal(size=(1, 2, 3, 4)), RANDOM.normal(size=(2, 3, 3, 3))
_SIGNAL, _TAPS = RANDOM.normal(size=(2, 3, 6)), RANDOM.normal(size=(3, 4))
_INPUT, _STEPS, _DECAYS = (
    RANDOM.normal(size=(2, 3, 5)),
    RANDOM.uniform(0.1, 1, (2, 3, 5)),
    -RANDOM.uniform(1, 2, (3, 2)),
)
_TO, _FROM = RANDOM.normal(size=(2, 2, 2, 5))


def each(form: Callable[..., float], *arrays: np.ndarray) -> np.ndarray:
    return np.array(
        [form(*one) for one in zip(*(array.reshape(-1).tolist() for array in arrays), strict=True)]
    ).reshape(arrays[0].shape)


def adam_like(second: Callable[[float, float, float], float]) -> np.ndarray:
    def step(x: float, g: float, m: float, v: float) -> float:
        mean = 0.8 * m + 0.2 * g
        return x - 0.1 * mean / (math.sqrt(second(v, g, mean)) + 1e-3)

    return each(step, SIGNED, _GRADS, _MEANS, PART)


def adamax(x: float, g: float, m: float, v: float) -> float:
    return x - 0.1 * (0.8 * m + 0.2 * g) / (max(0.95 * v, abs(g)) + 1e-3)


def nadam(x: float, g: float, m: float, v: float) -> float:
    mean = 0.8 * (0.8 * m + 0.2 * g) + 0.2 * g
    return x - 0.1 * mean / (math.sqrt(0.95 * v + 0.05 * g * g) + 1e-3)


def amsgrad(x: float, g: float, m: float, v: float, most: float) -> float:
    square = max(most, 0.95 * v + 0.05 * g * g)
    return x - 0.1 * (0.8 * m + 0.2 * g) / (math.sqrt(square) + 1e-3)


def ftrl(x: float, g: float, n: float, z: float) -> float:
    after = n + g * g
    moved = z + g - (math.sqrt(after) - math.sqrt(n)) / 0.5 * x
    return 0.0 if abs(moved) <= 0.2 else (math.copysign(0.2, moved) - moved) / ((1.0 + math.sqrt(after)) / 0.5)


def lars() -> np.ndarray:
    norms = [math.sqrt(math.fsum(x * x for x in one.flat)) for one in (SIGNED, _GRADS)]
    return each(lambda g, v: 0.9 * v + 0.1 * 0.02 * norms[0] / norms[1] * g, _GRADS, _MEANS)


def clipped() -> np.ndarray:
    size = math.sqrt(math.fsum(x * x for x in SIGNED.flat))
    return each(lambda x: x * 0.5 / (size + 1e-6), SIGNED)


def margin_slopes(row: int) -> list[float]:
    x, own = SIGNED[row].tolist(), int(_CLASSES[row])
    off = [1.0 if at != own and 1 - x[own] + one > 0 else 0.0 for at, one in enumerate(x)]
    return [(-sum(off) if at == own else one) / 5 for at, one in enumerate(off)]


def cosine(row: int) -> float:
    a, b = SIGNED[row].tolist(), _GRADS[row].tolist()
    alike = math.fsum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(
        math.fsum(x * x for x in a) * math.fsum(y * y for y in b)
    )
    return 1 - alike if _PAIR_SIGNS[row] > 0 else max(0.0, alike - 0.1)


def contrastive(row: int) -> float:
    square = math.fsum((a - b) ** 2 for a, b in zip(SIGNED[row].tolist(), _GRADS[row].tolist(), strict=True))
    return square if _PAIR_SIGNS[row] > 0 else max(0.0, 4 - math.sqrt(square)) ** 2


def dice(row: int) -> float:
    both = math.fsum(a * b for a, b in zip(PART[row].tolist(), PART[2 - row].tolist(), strict=True))
    return 1 - (2 * both + 1) / (math.fsum(PART[row].tolist()) + math.fsum(PART[2 - row].tolist()) + 1)


def cross(a: Sequence[float], b: Sequence[float]) -> list[float]:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def renormed(row: Sequence[float]) -> list[float]:
    size = math.sqrt(math.fsum(x * x for x in row))
    return [x * 2 / (size + 1e-7) if size > 2 else x for x in row]


def unpooled() -> np.ndarray:
    made = np.zeros((2, 3, 16))
    for n, c, at in np.ndindex(2, 3, 4):
        made[n, c, _AT[n, c, at]] = _POOLED.reshape(2, 3, 4)[n, c, at]
    return made.reshape(2, 3, 4, 4)


def in_time(frame: int, channel: int, at: int) -> float:
    """Two videos of two frames; two channels from the frame before, two from the one behind."""
    from_frame = frame % 2 + (-1, 1, 0)[channel // 2]
    return float(_FRAMES[frame // 2 * 2 + from_frame, channel, at]) if 0 <= from_frame < 2 else 0.0


def transposed() -> np.ndarray:
    """Strides of 2, paddings of 1."""
    made = np.zeros((1, 3, 5, 7))
    for c, o, i, j, p, q in np.ndindex(2, 3, 3, 4, 3, 3):
        y, x = 2 * i + p - 1, 2 * j + q - 1
        if 0 <= y < 5 and 0 <= x < 7:
            made[0, o, y, x] += _IMAGE[0, c, i, j] * _KERNEL[c, o, p, q]
    return made


def before(b: int, c: int, t: int) -> float:
    return sum(float(_SIGNAL[b, c, t + k - 3] * _TAPS[c, k]) for k in range(4) if t + k >= 3)


def scanned(b: int, c: int, t: int) -> float:
    held = [0.0, 0.0]
    for now in range(t + 1):
        step, u = float(_STEPS[b, c, now]), float(_INPUT[b, c, now])
        held = [math.exp(step * _DECAYS[c, n]) * held[n] + step * float(_TO[b, n, now]) * u for n in range(2)]
    return sum(held[n] * float(_FROM[b, n, t]) for n in range(2))


TRAINED: Mapping[str, Case] = {
    "adamax": (each(adamax, SIGNED, _GRADS, _MEANS, PART), [SIGNED, _GRADS, _MEANS, PART], _RATES),
    "nadam": (each(nadam, SIGNED, _GRADS, _MEANS, PART), [SIGNED, _GRADS, _MEANS, PART], _RATES),
    "adabelief": (
        adam_like(lambda v, g, m: 0.95 * v + 0.05 * (g - m) ** 2), [SIGNED, _GRADS, _MEANS, PART], _RATES,
    ),
    "yogi": (
        adam_like(lambda v, g, m: max(v - 0.05 * math.copysign(1, v - g * g) * g * g, 0)),
        [SIGNED, _GRADS, _MEANS, PART], _RATES,
    ),
    "lamb": (
        each(lambda x, g, m, v: (0.8 * m + 0.2 * g) / (math.sqrt(0.95 * v + 0.05 * g * g) + 1e-3) + 0.02 * x,
             SIGNED, _GRADS, _MEANS, PART),
        [SIGNED, _GRADS, _MEANS, PART], {**_RATES, "decay": 0.02},
    ),
    "amsgrad": (
        each(amsgrad, SIGNED, _GRADS, _MEANS, PART, _OTHERS), [SIGNED, _GRADS, _MEANS, PART, _OTHERS], _RATES,
    ),
    "lars": (lars(), [SIGNED, _GRADS, _MEANS], {"trust": 0.02, "rate": 0.1, "momentum": 0.9}),
    "ftrl": (
        each(ftrl, SIGNED, _GRADS, PART, _MEANS), [SIGNED, _GRADS, PART, _MEANS], {"rate": 0.5, "beta": 1.0, "l1": 0.2},
    ),
    "sign sgd": (each(lambda x, g: x - 0.1 * math.copysign(1, g), SIGNED, _GRADS), [SIGNED, _GRADS], {"rate": 0.1}),
    "lookahead": (each(lambda x, y: x + 0.3 * (y - x), SIGNED, _GRADS), [SIGNED, _GRADS], {"alpha": 0.3}),
    "clip gradient norm": (clipped(), [SIGNED], {"max_norm": 0.5}),
    "mape": (each(lambda x, t: abs(x - t) / abs(t), SIGNED, PART), [SIGNED, PART], {}),
    "mape backward": (each(lambda x, t: math.copysign(1, x - t) / abs(t) / 15, SIGNED, PART), [SIGNED, PART], {}),
    "smape": (each(lambda x, t: 2 * abs(x - t) / (abs(t) + abs(x)), SIGNED, PART), [SIGNED, PART], {}),
    "smape backward": (
        each(lambda x, t: 2 * math.copysign(1, x - t) / (abs(t) + abs(x)), SIGNED, PART), [SIGNED, PART], {},
    ),
    "relative l2": (each(lambda x, t: (x - t) ** 2 / (x * x + 0.01), SIGNED, PART), [SIGNED, PART], {}),
    "relative l2 backward": (each(lambda x, t: 2 * (x - t) / (x * x + 0.01), SIGNED, PART), [SIGNED, PART], {}),
    "relative l1": (each(lambda x, t: abs(x - t) / (abs(x) + 0.01), SIGNED, PART), [SIGNED, PART], {}),
    "relative l1 backward": (
        each(lambda x, t: math.copysign(1, x - t) / (abs(x) + 0.01), SIGNED, PART), [SIGNED, PART], {},
    ),
    "l2 loss": (each(lambda x, t: (x - t) ** 2 / 2, SIGNED, PART), [SIGNED, PART], {}),
    "l2 loss backward": (each(lambda x, t: 2 * (x - t) / 15, SIGNED, PART), [SIGNED, PART], {}),
    "msle": (each(lambda x, t: (math.log1p(x) - math.log1p(t)) ** 2, PART, _OTHERS), [PART, _OTHERS], {}),
    "msle backward": (
        each(lambda x, t: 2 * (math.log1p(x) - math.log1p(t)) / (1 + x), PART, _OTHERS), [PART, _OTHERS], {},
    ),
    "log loss": (
        each(lambda p, t: -t * math.log(p + 1e-4) - (1 - t) * math.log(1 - p + 1e-4), PART, PART[::-1]),
        [PART, PART[::-1].copy()], {"epsilon": 1e-4},
    ),
    "log loss backward": (
        each(lambda p, t: -t / (p + 1e-4) + (1 - t) / (1 - p + 1e-4), PART, PART[::-1]), [PART, PART[::-1].copy()],
        {"epsilon": 1e-4},
    ),
    "soft margin loss": (each(lambda x, t: math.log1p(math.exp(-x * t)), SIGNED, _SIGNS), [SIGNED, _SIGNS], {}),
    "soft margin loss backward": (each(lambda x, t: -t * sigmoid(-x * t), SIGNED, _SIGNS), [SIGNED, _SIGNS], {}),
    "squared hinge": (each(lambda x, t: max(0, 1 - x * t) ** 2, SIGNED, _SIGNS), [SIGNED, _SIGNS], {}),
    "squared hinge backward": (each(lambda x, t: -2 * t * max(0, 1 - x * t), SIGNED, _SIGNS), [SIGNED, _SIGNS], {}),
    "quantile loss": (
        each(lambda x, t: 0.9 * (t - x) if t > x else 0.1 * (x - t), SIGNED, PART), [SIGNED, PART], {"tau": 0.9},
    ),
    "quantile loss backward": (
        each(lambda x, t: -0.9 if t > x else 1 - 0.9, SIGNED, PART), [SIGNED, PART], {"tau": 0.9},
    ),
    "margin ranking loss": (
        each(lambda x, y, t: max(0, -t * (x - y) + 0.5), SIGNED, _GRADS, _SIGNS),
        [SIGNED, _GRADS, _SIGNS], {"margin": 0.5},
    ),
    "rank loss": (
        each(lambda x, y, t: math.log1p(math.exp(x - y)) - t * (x - y), SIGNED, _GRADS, PART),
        [SIGNED, _GRADS, PART], {},
    ),
    "gaussian nll": (
        each(lambda x, t, v: (math.log(v) + (x - t) ** 2 / v) / 2, SIGNED, _GRADS, PART), [SIGNED, _GRADS, PART], {},
    ),
    "multi margin loss": (
        np.array([sum(max(0, 1 - row[to] + x) for at, x in enumerate(row) if at != to) / 5
                  for row, to in zip(SIGNED.tolist(), _CLASSES, strict=True)]),
        [SIGNED, _CLASSES], {},
    ),
    "multi margin loss backward": (np.array([margin_slopes(row) for row in range(3)]), [SIGNED, _CLASSES], {}),
    "cosine embedding loss": (
        np.array([cosine(row) for row in range(3)]), [SIGNED, _GRADS, _PAIR_SIGNS], {"margin": 0.1},
    ),
    "contrastive loss": (
        np.array([contrastive(row) for row in range(3)]), [SIGNED, _GRADS, _PAIR_SIGNS], {"margin": 4.0},
    ),
    "dice loss": (np.array([dice(row) for row in range(3)]), [PART, PART[::-1].copy()], {"smooth": 1.0}),
    "bucketize": (np.array([bisect.bisect_right(_EDGES, x) for x in _ASKED]), [_EDGES, _ASKED], {}),
    "binary search": (np.array([1, -1, 4, -1]), [_EDGES, _ASKED], {}),
    "eye": (filled((4, 4), lambda i, j: i == j), [], {"n": 4}),
    "diagonal": (np.array([_SQUARE[at, at] for at in range(4)]), [_SQUARE], {}),
    "diag": (filled((5, 5), lambda i, j: _MEANS[0, i] * (i == j)), [_MEANS[0].copy()], {}),
    "trace": (np.array([math.fsum(_SQUARE[at, at] for at in range(4))]), [_SQUARE], {}),
    "symmetrize": (filled((4, 4), lambda i, j: (_SQUARE[i, j] + _SQUARE[j, i]) / 2), [_SQUARE], {}),
    "tril indices": (np.array([0, 1, 1, 2, 2, 2, 0, 0, 1, 0, 1, 2]), [], {"n": 3, "size": 6}),
    "triu indices": (np.array([0, 0, 1, 1, 2, 2]), [], {"rows": 2, "columns": 3, "k": 1}),
    "cross": (
        np.array([cross(a, b) for a, b in zip(_SPACE.tolist(), _TURNED.tolist(), strict=True)]), [_SPACE, _TURNED], {},
    ),
    "renorm": (np.array([renormed(row) for row in SIGNED.tolist()]), [SIGNED], {"maxnorm": 2.0}),
    "embedding bag": (
        np.array([_TABLE[[3, 0]].sum(axis=0), 0 * _TABLE[0], _TABLE[[6, 6, 2]].sum(axis=0)]),
        [_TABLE, _CHOSEN, _FIRST], {},
    ),
    "sequence pool": (np.array([_TABLE[1], _TABLE[6]]), [_TABLE, np.array([0, 2, 7])], {}),
    "max unpool": (unpooled(), [_POOLED, _AT.reshape(2, 3, 2, 2)], {"height": 4, "width": 4}),
    "max unpool backward": (_POOLED, [unpooled(), _AT.reshape(2, 3, 2, 2)], {"height": 4, "width": 4}),
    "index mul": (
        filled((5, 4), lambda i, j: _TABLE[_CHOSEN[i], j] * _TABLE[i, j]), [_TABLE, _CHOSEN, _TABLE[:5].copy()], {},
    ),
    "temporal shift": (filled((4, 6, 2), in_time), [_FRAMES], {"frames": 2, "ratio": 0.34}),
    "transducer joint": (
        filled((2, 3, 2, 4), lambda b, t, u, d: _LEFT[b, t, d] + _RIGHT[b, u, d]), [_LEFT, _RIGHT], {},
    ),
    "causal conv": (filled((2, 3, 6), before), [_SIGNAL, _TAPS], {}),
    "conv transpose": (transposed(), [_IMAGE, _KERNEL], {"stride": 2, "pad": 1}),
    "selective scan": (filled((2, 3, 5), scanned), [_INPUT, _STEPS, _DECAYS, _TO, _FROM], {}),
}  # fmt: skip
