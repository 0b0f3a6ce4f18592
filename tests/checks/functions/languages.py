"""Positions, sequences, scores and cells of language models in plain Python, and what these are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import PART, SIGNED, sigmoid
from .tokens import filled

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
RANDOM = np.random.default_rng(61)
_GATES, _MORE = RANDOM.normal(size=(3, 4, 5)), RANDOM.normal(size=(3, 4, 5))
_BIASES, _CELL = RANDOM.normal(size=(4, 5)), RANDOM.normal(size=(3, 5))
_THREE, _HIDDEN = RANDOM.normal(size=(3, 3, 5)), RANDOM.normal(size=(3, 3, 5))
_TIMES = np.array([3.0, 0.0, 250.0])
_WORDS, _PLACES, _TOKENS = RANDOM.normal(size=(9, 4)), RANDOM.normal(size=(3, 4)), np.array([[3, 0, 8], [1, 1, 5]])
_SCORES = RANDOM.normal(size=(2, 6, 4, 4))
_TABLE = RANDOM.normal(size=(3, 16))
_LENGTHS, _PADDED = np.array([3, 1, 4]), RANDOM.normal(size=(3, 5, 2))
_KEPT = [(n, t) for n, length in enumerate(_LENGTHS.tolist()) for t in range(length)]
_BEAMS, _PARENTS = RANDOM.integers(0, 99, (3, 4)), np.array([[0, 0, 0, 0], [1, 0, 1, 1], [0, 0, 1, 0]])
_ROWS = SIGNED.tolist()
_MASK = np.array([[1, 0, 1, 1, 0], [1, 1, 1, 1, 1], [0, 1, 0, 0, 1]])
_SEEN = np.array([[2, 0, 0, 1, 0], [0, 1, 1, 0, 3], [0, 0, 0, 0, 1]])
_SQUARES = RANDOM.normal(size=(6, 3))
_HALVES, _TWICE, _TILES = RANDOM.normal(size=(4, 6)), RANDOM.normal(size=6), RANDOM.normal(size=(1, 4, 4, 3))
_ENDS, _NOW = np.array([4, 1, 0]), np.array([2, 9, 3])
_BANNED, _SLOPES = np.array([1, 4]), (0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125)


def lstm(row: int, at: int) -> tuple[float, float]:
    """Input, forget, cell and output gates, in this order."""
    i, f, g, o = (float(_GATES[row, gate, at] + _MORE[row, gate, at] + _BIASES[gate, at]) for gate in range(4))
    cell = sigmoid(f) * float(_CELL[row, at]) + sigmoid(i) * math.tanh(g)
    return cell, sigmoid(o) * math.tanh(cell)


def gru(row: int, at: int) -> float:
    x, h = (one[row, :, at].tolist() for one in (_THREE, _HIDDEN))
    r, z = sigmoid(x[0] + h[0]), sigmoid(x[1] + h[1])
    return (1 - z) * math.tanh(x[2] + r * h[2]) + z * float(_CELL[row, at])


def glu(row: int, at: int) -> float:
    a, b = (float(_HALVES[row, k] + _TWICE[k]) for k in (at, at + 3))
    return a * sigmoid(b)


def wave(place: float, at: int) -> float:
    angle = place / 10000 ** (at // 2 * 2 / 6)
    return math.cos(angle) if at % 2 else math.sin(angle)


def bucket(off: int) -> int:
    """Of sixteen for both directions, the farthest 32."""
    first, off = 8 * (off > 0), abs(off)
    return first + (off if off < 4 else min(7, 4 + int(math.log(off / 4) / math.log(8) * 4)))


def softmax(row: Sequence[float]) -> list[float]:
    return [math.exp(x) / math.fsum(map(math.exp, row)) for x in row]


def of_some(row: Sequence[float], kept: Sequence[bool]) -> list[float]:
    total = math.fsum(math.exp(x) for x, there in zip(row, kept, strict=True) if there)
    return [math.exp(x) / total if there else 0.0 for x, there in zip(row, kept, strict=True)]


def softmax_back(y: Sequence[float], back: Sequence[float]) -> list[float]:
    return [a * (b - math.fsum(p * q for p, q in zip(y, back, strict=True))) for a, b in zip(y, back, strict=True)]


def rows(form: Callable[[Sequence[float]], Any]) -> np.ndarray:
    return np.array([form(row) for row in _ROWS])


def of_beam(step: int, beam: int) -> int:
    """From the end of a beam of four, the last step first."""
    for now in range(2, step, -1):
        beam = int(_PARENTS[now, beam])
    return int(_BEAMS[step, beam])


def kept_by_share(row: Sequence[float], most: float) -> list[float]:
    order = sorted(range(len(row)), key=lambda at: -row[at])
    shares = softmax(row)
    kept = {at for n, at in enumerate(order) if n == 0 or math.fsum(shares[k] for k in order[:n]) < most}
    return [x if at in kept else -1e4 for at, x in enumerate(row)]


_OF_MASK = np.array([of_some(row, mask) for row, mask in zip(_ROWS, (_MASK > 0).tolist(), strict=True)])
_HALVED = [[x / 2 for x in row] for row in _ROWS]
_SOFT = rows(softmax)
_BACKS = [softmax_back(y, back) for y, back in zip(_SOFT.tolist(), PART.tolist(), strict=True)]
LANGUAGES: Mapping[str, Case] = {
    "lstm cell": (filled((3, 5), lambda r, c: lstm(r, c)[0]), [_GATES, _MORE, _BIASES, _CELL], {}),
    "gru cell": (filled((3, 5), gru), [_THREE, _HIDDEN, _CELL], {}),
    "positional encoding": (filled((3, 6), lambda n, at: wave(_TIMES[n], at)), [_TIMES], {}),
    "add position embedding": (
        filled((2, 3, 4), lambda n, t, d: _WORDS[_TOKENS[n, t], d] + _PLACES[t, d]), [_TOKENS, _WORDS, _PLACES], {},
    ),
    "alibi slopes": (np.array(_SLOPES), [], {"heads": 6}),
    "alibi": (
        filled(_SCORES.shape, lambda b, h, i, j: _SCORES[b, h, i, j] + _SLOPES[h] * (j - i)),
        [_SCORES], {"heads": 6},
    ),
    "relative position bias": (
        filled((3, 9, 9), lambda h, i, j: _TABLE[h, bucket(j - i)]), [_TABLE],
        {"heads": 3, "buckets": 16, "max_distance": 32, "bidirectional": 1},
    ),
    "remove padding": (np.array([_PADDED[at] for at in _KEPT]), [_PADDED, _LENGTHS], {"max_len": 5}),
    "rebuild padding": (
        filled((3, 5, 2), lambda n, t, d: _PADDED[n, t, d] if t < _LENGTHS[n] else 0),
        [np.array([_PADDED[at] for at in _KEPT]), _LENGTHS], {"max_len": 5},
    ),
    "padding offset": (np.array([0, 0, 0, 2, 6, 6, 6, 6]), [_LENGTHS], {"max_len": 5}),
    "sequence mask": (filled((3, 5), lambda n, t: t < _LENGTHS[n]), [_LENGTHS], {"max_len": 5}),
    "last token": (np.array([_PADDED[n, length - 1] for n, length in enumerate(_LENGTHS)]), [_PADDED, _LENGTHS], {}),
    "gather tree": (filled((3, 4), of_beam), [_BEAMS, _PARENTS], {"beams": 4}),
    "softcap": (rows(lambda row: [3 * math.tanh(x / 3) for x in row]), [SIGNED], {"cap": 3.0}),
    "diag mask inf": (
        filled((6, 3), lambda i, j: _SQUARES[i, j] if j <= i % 3 else -math.inf), [_SQUARES], {"rows": 3, "n_past": 0},
    ),
    "masked softmax": (_OF_MASK, [SIGNED, _MASK], {}),
    "scaled softmax": (np.array([softmax(row) for row in _HALVED]), [SIGNED], {"scale": 0.5}),
    "scaled causal softmax": (
        np.array([of_some((_SQUARES[i] / 2).tolist(), [j <= i % 3 for j in range(3)]) for i in range(6)]),
        [_SQUARES], {"scale": 0.5, "rows": 3},
    ),
    "scaled softmax backward": (0.5 * np.array(_BACKS), [_SOFT, PART], {"scale": 0.5}),
    "masked softmax backward": (_MASK * np.array(_BACKS), [_SOFT, PART, _MASK], {}),
    "bias softmax": (
        np.array([softmax([x + y for x, y in zip(row, _BIASES[0].tolist(), strict=True)]) for row in _ROWS]),
        [SIGNED, _BIASES[0].copy()], {},
    ),
    "frequency penalty": (
        filled((3, 5), lambda i, j: SIGNED[i, j] - 0.3 * _SEEN[i, j] - 0.7 * (_SEEN[i, j] > 0)), [SIGNED, _SEEN],
        {"frequency": 0.3, "presence": 0.7},
    ),
    "min length penalty": (
        filled((3, 5), lambda i, j: -1e4 if j == _ENDS[i] and _NOW[i] < 4 else SIGNED[i, j]), [SIGNED, _ENDS, _NOW],
        {"min_length": 4, "words": 5},
    ),
    "ban tokens": (filled((3, 5), lambda i, j: -math.inf if j in (1, 4) else SIGNED[i, j]), [SIGNED, _BANNED], {}),
    "logit bias": (
        filled((3, 5), lambda i, j: SIGNED[i, j] + (0.5 if j == 1 else -2 if j == 4 else 0)),
        [SIGNED, _BANNED, np.array([0.5, -2.0])], {},
    ),
    "top k mask": (rows(lambda row: [x if x in sorted(row)[-2:] else -1e4 for x in row]), [SIGNED], {"k": 2}),
    "top p mask": (rows(lambda row: kept_by_share(row, 0.6)), [SIGNED], {"p": 0.6}),
    "min p mask": (
        rows(lambda row: [x if math.exp(x - max(row)) >= 0.4 else -1e4 for x in row]), [SIGNED], {"min_p": 0.4},
    ),
    "bias glu": (filled((4, 3), glu), [_HALVES, _TWICE], {}),
    "window partition": (
        filled((1, 2, 2, 2, 2, 3), lambda n, y, x, i, j, c: _TILES[n, (2 * y + i + 1) % 4, (2 * x + j + 1) % 4, c]),
        [_TILES], {"window": 2, "shift": 1},
    ),
    "window reverse": (
        filled((1, 4, 4, 3), lambda n, y, x, c: _TILES.reshape(2, 2, 2, 2, 3)[y // 2, x // 2, y % 2, x % 2, c]),
        [_TILES], {"window": 2},
    ),
    "patch merge": (
        filled((1, 2, 2, 12), lambda n, y, x, c: _TILES[n, 2 * y + c // 3 % 2, 2 * x + c // 6, c % 3]), [_TILES], {},
    ),
    "mean and variance": (rows(statistics.pvariance), [SIGNED], {}),
}  # fmt: skip
