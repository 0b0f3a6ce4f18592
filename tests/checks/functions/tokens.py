"""Experts, caches, scores, heads of attention and packed numbers in plain Python, and what they are asked of."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import RANDOM, SIGNED, sigmoid

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
_SCORES = RANDOM.normal(size=(4, 6))
_MADE, _SHARES = RANDOM.normal(size=(4, 2, 3)), RANDOM.uniform(0, 1, (4, 2))
_TOKENS = RANDOM.normal(size=(4, 3))
_SENT = np.array([5, 0, 3, 7, 1, 6, 2, 4])
_EXPERTS = np.array([2, 0, 1, 2, 2, 0, 1, 2])
_CACHE, _KEYS, _SLOTS = RANDOM.normal(size=(3, 4, 2, 5)), RANDOM.normal(size=(3, 2, 5)), np.array([7, -1, 2])
_PAIRS = np.array([[0, 2]])
_LONG, _NEW, _PAST = RANDOM.normal(size=(2, 3, 6, 4)), RANDOM.normal(size=(2, 3, 2, 4)), np.array([3, 1])
_SEEN = np.array([[1, 0, 0, 1, 0], [0, 1, 1, 0, 0], [0, 0, 0, 0, 1]], bool)
_WORDS = np.array([2, 0, 4])
_FIRST, _SECOND = RANDOM.normal(size=(2, 4, 2, 3))
_SUMS, _OTHER_SUMS = RANDOM.normal(size=(2, 4, 2))
_HEADS, _PARTS = RANDOM.normal(size=(2, 5, 3, 4)), RANDOM.normal(size=(2, 5, 3, 2, 4))
_BIAS, _GAIN, _REST = RANDOM.normal(size=5), RANDOM.normal(size=5), RANDOM.normal(size=(3, 5))
_BIASES = RANDOM.normal(size=(3, 2, 4))
_CHANNELS = RANDOM.normal(size=(2, 6, 4))
_ORDER = (0, 4, 1, 5, 2, 6, 3, 7)
_FOURS, _ZEROS = RANDOM.integers(0, 16, (8, 16)), RANDOM.integers(0, 16, (2, 16))
_SCALES = RANDOM.uniform(0.5, 2, (2, 16))
_BYTES = RANDOM.integers(0, 256, 12).astype(np.uint8)
_FILTERS = RANDOM.normal(size=(2, 3, 4))
_TURNS = np.array([[1, 3], [2, 1], [3, 4], [4, 2]])


def of_rows(form: Callable[[list[float]], Sequence[float]]) -> np.ndarray:
    return np.array([form(row) for row in _SCORES.tolist()])


def shares(row: Sequence[float]) -> list[float]:
    return [math.exp(x) / math.fsum(map(math.exp, row)) for x in row]


def largest(row: Sequence[float]) -> list[float]:
    return sorted(row, reverse=True)[:2]


def normed(row: Sequence[float]) -> list[float]:
    return [x / math.fsum(row) for x in row]


def filled(shape: Sequence[int], form: Callable[..., float]) -> np.ndarray:
    """An array by its indices."""
    made = np.zeros(shape)
    for at in np.ndindex(*made.shape):
        made[at] = form(*at)
    return made


def permuted() -> np.ndarray:
    made = np.zeros((8, 3))
    for token in range(8):
        made[_SENT[token]] = _TOKENS[token // 2]
    return made


def combined() -> np.ndarray:
    rows = _MADE.reshape(8, 3)
    return filled((4, 3), lambda t, d: sum(_SHARES[t, k] * rows[_SENT[2 * t + k], d] for k in range(2)))


def aligned() -> np.ndarray:
    """Tokens by their experts in blocks of three, 8 where there is none."""
    lists = [[t for t in range(8) if _EXPERTS[t] == expert] for expert in range(3)]
    return np.array([t for held in lists for t in held + [8] * (-len(held) % 3)])


def cached() -> np.ndarray:
    made = _CACHE.copy()
    for token, slot in enumerate(_SLOTS.tolist()):
        if slot >= 0:
            made[slot // 4, slot % 4] = _KEYS[token]
    return made


def appended() -> np.ndarray:
    made = _LONG.copy()
    for n, past in enumerate(_PAST.tolist()):
        for new in range(2):
            made[n, :, past + new] = _NEW[n, :, new]
    return made


def merged(token: int, head: int, depth: int) -> float:
    first, second = (math.exp(one[token, head]) for one in (_SUMS, _OTHER_SUMS))
    return (first * _FIRST[token, head, depth] + second * _SECOND[token, head, depth]) / (first + second)


def summed(i: int, j: int) -> float:
    return float(SIGNED[i, j] + _REST[i, j] + _BIAS[j])


def layer_norm(i: int, j: int) -> float:
    row = [summed(i, at) for at in range(5)]
    return (row[j] - statistics.fmean(row)) / math.sqrt(statistics.pvariance(row) + 1e-5) * _GAIN[j] + _BIAS[j]


def lrn(n: int, c: int, at: int) -> float:
    squares = sum(_CHANNELS[n, one, at] ** 2 for one in range(max(c - 1, 0), min(c + 2, 6)))
    return _CHANNELS[n, c, at] / (1 + 0.1 / 3 * squares) ** 0.75


def packed(rows: np.ndarray, axis: int, order: Sequence[int]) -> np.ndarray:
    """Eight numbers of four bits in each word, along an axis."""
    parts = np.moveaxis(rows, axis, -1).reshape(-1, 8)
    words = [sum(int(part) << 4 * at for part, at in zip(row, order, strict=True)) for row in parts.tolist()]
    shape = [n // 8 if at == axis else n for at, n in enumerate(rows.shape)]
    turned = shape if axis == len(shape) - 1 else shape[::-1]
    made = np.array(words, np.uint32).view(np.int32).reshape(turned)
    return made if axis == len(shape) - 1 else made.T.copy()


def turned() -> np.ndarray:
    made = np.zeros((2, 2, 3, 4))
    for out, plane, place, turn in np.ndindex(2, 3, 4, 2):
        made[out, turn, plane, _TURNS[place, turn] - 1] = _FILTERS[out, plane, place]
    return made


_EIGHTH = np.arange(8) // 4
TOKENS: Mapping[str, Case] = {
    "topk softmax": (of_rows(lambda row: normed(largest(shares(row)))), [_SCORES], {"topk": 2}),
    "topk sigmoid": (of_rows(lambda row: largest([sigmoid(x) for x in row])), [_SCORES], {"topk": 2}),
    "topk gating": (of_rows(lambda row: largest(shares(row))), [_SCORES], {"topk": 2}),
    "moe softmax": (of_rows(shares), [_SCORES], {}),
    "moe sum": (filled((4, 3), lambda t, d: _MADE[t, 0, d] + _MADE[t, 1, d]), [_MADE], {}),
    "moe combine": (combined(), [_MADE.reshape(8, 3), _SENT, _SHARES], {}),
    "moe permute": (permuted(), [_TOKENS, _SENT], {}),
    "expert counts": (np.array([list(_EXPERTS).count(expert) for expert in range(3)]), [_EXPERTS], {}),
    "moe align block size": (aligned(), [_EXPERTS], {"experts": 3, "block": 3}),
    "reshape and cache": (cached(), [_KEYS, _CACHE, _SLOTS], {"block_size": 4, "heads": 2}),
    "copy blocks": (np.stack([_CACHE[0], _CACHE[1], _CACHE[0]]), [_CACHE, _PAIRS], {"numel": 40}),
    "kv caching": (appended(), [_LONG, _NEW, _PAST], {"heads": 3, "new": 2, "depth": 4}),
    "repetition penalty": (
        filled((3, 5), lambda i, j: SIGNED[i, j] * (1 if not _SEEN[i, j] else 1.5 if SIGNED[i, j] < 0 else 1 / 1.5)),
        [SIGNED, _SEEN], {"penalty": 1.5},
    ),
    "apply temperature": (filled((3, 5), lambda i, j: SIGNED[i, j] / 0.7), [SIGNED], {"temperature": 0.7}),
    "token log probs": (
        np.array([math.log(shares(row)[at]) for row, at in zip(SIGNED.tolist(), _WORDS, strict=True)]),
        [SIGNED, _WORDS], {},
    ),
    "merge attention states": (filled((4, 2, 3), merged), [_FIRST, _SECOND, _SUMS, _OTHER_SUMS], {}),
    "merge heads": (filled((2, 3, 5, 4), lambda b, h, t, d: _HEADS[b, t, h, d]), [_HEADS], {}),
    "split heads": (filled((2, 3, 5, 4), lambda b, h, t, d: _HEADS[b, t, h, d]), [_HEADS], {}),
    "split qkv": (
        filled((2, 2, 5, 4), lambda b, h, t, d: _PARTS[b, t, 1, h, d] + _BIASES[1, h, d]), [_PARTS, _BIASES],
        {"tokens": 5, "heads": 2, "depth": 4},
    ),
    "permute backward": (
        filled((2, 5, 3, 2, 4), lambda b, t, p, h, d: _PARTS[b, t, p, h, d]),
        [_PARTS[:, :, part].swapaxes(1, 2).copy() for part in range(3)], {"tokens": 5, "heads": 2, "depth": 4},
    ),
    "add bias residual": (filled((3, 5), summed), [SIGNED, _REST, _BIAS], {}),
    "add bias residual layer norm": (
        filled((3, 5), layer_norm), [SIGNED, _REST, _BIAS, _GAIN, _BIAS.copy()], {"eps": 1e-5},
    ),
    "lrn": (filled((2, 6, 4), lrn), [_CHANNELS], {"size": 3, "alpha": 0.1, "beta": 0.75, "k": 1.0}),
    "awq dequantize": (
        (_FOURS - _ZEROS[_EIGHTH]) * _SCALES[_EIGHTH],
        [packed(_FOURS, 1, _ORDER), packed(_ZEROS, 1, _ORDER), _SCALES], {"columns": 16},
    ),
    "gptq dequantize": (
        (_FOURS - _ZEROS[_EIGHTH] - 1) * _SCALES[_EIGHTH],
        [packed(_FOURS, 0, range(8)), packed(_ZEROS, 1, range(8)), _SCALES], {"columns": 16},
    ),
    "unpack int4": (np.array([part - 8 for byte in _BYTES.tolist() for part in (byte % 16, byte // 16)]), [_BYTES], {}),
    "active rotated filter": (turned(), [_FILTERS, _TURNS], {}),
}  # fmt: skip
