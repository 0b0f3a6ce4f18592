"""Steps of fields, transforms, whole numbers and tables of sequences in plain Python, and what they are asked of."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .algebra import named
from .elements import RANDOM

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]

_NOW, _LAST = RANDOM.uniform(size=(6, 7)), RANDOM.uniform(size=(6, 7))
_SIGNAL, _NUMBERS = RANDOM.normal(size=16), RANDOM.integers(1, 1 << 31, 12).astype(np.int32)
_CHIP, _POWER = RANDOM.uniform(300, 320, (3, 4, 5)), RANDOM.uniform(0, 50, (3, 4, 5))
_SIDES = {"ce": 0.05, "cw": 0.06, "cn": 0.03, "cs": 0.04, "ct": 0.02, "cb": 0.01, "cc": 0.79, "sdc": 0.3}
_WALL, _START = RANDOM.integers(0, 9, (4, 7)), RANDOM.integers(0, 9, 7)
_EX, _EY, _HZ = (RANDOM.normal(size=size) for size in ((4, 6), (5, 5), (4, 5)))
_ROWS = {"from": 1, "rows": 2}
_LEFT, _RIGHT = RANDOM.integers(0, 3, 6), RANDOM.integers(0, 3, 8)
_KEYS = RANDOM.permutation(16).astype(float)


def around(x: np.ndarray, i: int, j: int) -> float:
    """The four neighbours, of which those beyond the border are what is at the border."""
    rows, columns = x.shape
    near = ((i - 1, j), (i + 1, j), (i, j - 1), (i, j + 1))
    return sum(x[min(max(p, 0), rows - 1), min(max(q, 0), columns - 1)] for p, q in near)


def inside(form: Callable[[int, int], float]) -> np.ndarray:
    """A function of the places of a grid that are not at its border, where it is 0."""
    made = np.zeros(_NOW.shape)
    for i in range(1, 5):
        for j in range(1, 6):
            made[i, j] = form(i, j)
    return made


def everywhere(form: Callable[[int, int], float]) -> np.ndarray:
    return np.array([[form(i, j) for j in range(7)] for i in range(6)])


def warmed(z: int, y: int, x: int) -> float:
    """A step of a chip."""
    total = _SIDES["cc"] * _CHIP[z, y, x] + _SIDES["sdc"] * _POWER[z, y, x] + _SIDES["ct"] * 80
    for side, (axis, by) in {
        "ce": (2, 1),
        "cw": (2, -1),
        "cn": (1, -1),
        "cs": (1, 1),
        "ct": (0, 1),
        "cb": (0, -1),
    }.items():
        at = [z, y, x]
        at[axis] = min(max(at[axis] + by, 0), _CHIP.shape[axis] - 1)
        total += _SIDES[side] * _CHIP[tuple(at)]
    return total


def turned(i: int, j: int) -> float:
    return float(_HZ[i, j] - 0.7 * (_EX[i, j + 1] - _EX[i, j] + _EY[i + 1, j] - _EY[i, j]))


def down(costs: Sequence[int], row: Sequence[int]) -> list[int]:
    return [cost + min(costs[max(at - 1, 0) : at + 2]) for at, cost in enumerate(row)]


def signs(n: int, k: int) -> int:
    return -1 if (n & k).bit_count() % 2 else 1


def fourier(sign: int, scale: float) -> np.ndarray:
    return np.array(
        [scale * sum(x * cmath.exp(sign * 2j * math.pi * k * n / 16) for n, x in enumerate(_SIGNAL)) for k in range(16)]
    )


def cosine(k: int, n: int) -> float:
    return math.sqrt((1 if k == 0 else 2) / 16) * math.cos(math.pi * (2 * n + 1) * k / 32)


def hashed(number: int, first: bool = True) -> int:
    made = 0x811C9DC5
    for byte in (number & 0xFFFFFFFF).to_bytes(4, "little"):
        made = ((made ^ byte) * 0x01000193 if first else (made * 0x01000193) ^ byte) & 0xFFFFFFFF
    return made


def mixed(number: int) -> int:
    made = number
    made = ((made ^ made >> 16) * 0x85EBCA6B) & 0xFFFFFFFF
    made = ((made ^ made >> 13) * 0xC2B2AE35) & 0xFFFFFFFF
    return made ^ made >> 16


def wang(number: int) -> int:
    made = number ^ 61 ^ number >> 16
    made = made * 9 & 0xFFFFFFFF
    made = (made ^ made >> 4) * 0x27D4EB2D & 0xFFFFFFFF
    return made ^ made >> 15


def xorshift(number: int) -> int:
    made = (number ^ number << 13) & 0xFFFFFFFF
    made ^= made >> 17
    return (made ^ made << 5) & 0xFFFFFFFF


def collatz(number: int) -> int:
    return 0 if number == 1 else 1 + collatz(number // 2 if number % 2 == 0 else 3 * number + 1)


def whole(form: Callable[[int], int]) -> np.ndarray:
    return np.array([form(int(n)) for n in _NUMBERS], np.uint32)


def table(entry: Callable[[int, int, int, bool], int], border: Callable[[int], int]) -> np.ndarray:
    """Of all pairs of beginnings of two sequences."""
    made = np.zeros((7, 9), int)
    for i in range(7):
        for j in range(9):
            equal = i > 0 < j and _LEFT[i - 1] == _RIGHT[j - 1]
            made[i, j] = (
                border(i + j) if 0 in (i, j) else entry(made[i - 1, j], made[i, j - 1], made[i - 1, j - 1], equal)
            )
    return made


def stepped(j: int, k: int) -> np.ndarray:
    made = _KEYS.copy()
    for i in range(16):
        if i ^ j > i and (made[i] > made[i ^ j]) == ((i & k) == 0):
            made[i], made[i ^ j] = made[i ^ j], made[i]
    return made


def paired(first: int) -> np.ndarray:
    made = _KEYS.copy()
    for at in range(first, 15, 2):
        made[at : at + 2] = sorted(made[at : at + 2])
    return made


_FED = {"Du": 0.16, "Dv": 0.08, "F": 0.035, "K": 0.065}
_SMALL = np.arange(2, 14)
_HEIGHT = everywhere(lambda i, j: around(_NOW, i, j) - 4 * _NOW[i, j])
PHYSICS: Mapping[str, Case] = {
    **named(
        (
            inside(lambda i, j: 2 * _NOW[i, j] - _LAST[i, j] + 0.2 * _HEIGHT[i, j]),
            [_NOW, _LAST],
            {"c2": 0.2},
        ),
        "wave", "wave equation", "wave step", "wave propagation",
    ),
    **named(
        (
            everywhere(lambda i, j: _LAST[i, j] + 0.08 * (around(_LAST, i, j) - 4 * _LAST[i, j])
                       + _NOW[i, j] * _LAST[i, j] ** 2 - 0.1 * _LAST[i, j]),
            [_NOW, _LAST],
            _FED,
        ),
        "gray scott", "gray scott step", "reaction diffusion", "reaction diffusion step",
    ),
    "divergence": (
        inside(lambda i, j: 0.5 * (_NOW[i, j + 1] - _NOW[i, j - 1] + _LAST[i + 1, j] - _LAST[i - 1, j])),
        [_NOW, _LAST],
        {},
    ),
    **named(
        (np.array([warmed(*at) for at in np.ndindex(3, 4, 5)]).reshape(3, 4, 5), [_CHIP, _POWER], _SIDES),
        "hotspot", "hotspot opt", "hotspot3d", "hotspot 3d",
    ),
    "calculate temp": (
        everywhere(lambda i, j: _NOW[i, j] + 0.5 / 2 * (
            _LAST[i, j]
            + (_NOW[max(i - 1, 0), j] + _NOW[min(i + 1, 5), j] - 2 * _NOW[i, j]) / 4
            + (_NOW[i, max(j - 1, 0)] + _NOW[i, min(j + 1, 6)] - 2 * _NOW[i, j]) / 3
            + (80 - _NOW[i, j]) / 8)),
        [_NOW, _LAST],
        {"step": 0.5, "Cap": 2.0, "Rx": 3.0, "Ry": 4.0, "Rz": 8.0},
    ),
    **named(
        (np.array(down(down(_START.tolist(), _WALL[1].tolist()), _WALL[2].tolist())), [_WALL, _START], _ROWS),
        "pathfinder", "dynproc", "dyn proc", "path finder",
    ),
    **named(
        (
            np.array([turned(*at) for at in np.ndindex(4, 5)]).reshape(4, 5),
            [_EX, _EY, _HZ],
            {},
        ),
        "fdtd step", "fdtd", "fdtd2d", "fdtd 2d",
    ),
    **named(
        (np.array([sum(signs(n, k) * x for n, x in enumerate(_SIGNAL)) for k in range(16)]), [_SIGNAL], {}),
        "walsh hadamard", "hadamard transform", "walsh transform", "walsh hadamard transform", "fwht", "fwt",
    ),
    **named(
        (
            np.array([_SIGNAL[n] + _SIGNAL[n + 4] if n & 4 == 0 else _SIGNAL[n - 4] - _SIGNAL[n] for n in range(16)]),
            [_SIGNAL],
            {"h": 4},
        ),
        "fast walsh hadamard transform", "fast hadamard transform", "fast walsh transform",
    ),
    **named(
        (np.array([sum(cosine(k, n) * x for n, x in enumerate(_SIGNAL)) for k in range(16)]), [_SIGNAL], {}),
        "dct", "dct2d", "dct 8x8", "dct8x8", "discrete cosine transform",
    ),
    **named(
        (np.array([sum(cosine(k, n) * x for k, x in enumerate(_SIGNAL)) for n in range(16)]), [_SIGNAL], {}),
        "idct", "idct2d", "idct 8x8", "idct8x8", "inverse dct",
    ),
    **named((fourier(-1, 1), [_SIGNAL + 0j], {}), "fft", "dft", "fourier transform", "discrete fourier transform"),
    **named(
        (fourier(1, 1 / 16), [_SIGNAL + 0j], {}),
        "ifft", "idft", "inverse fft", "inverse dft", "inverse fourier transform",
    ),
    **named(
        (
            np.array([(_SIGNAL[n] + s * _SIGNAL[n + 1]) / math.sqrt(2) for s in (1, -1) for n in range(0, 16, 2)]),
            [_SIGNAL],
            {},
        ),
        "haar", "haar wavelet", "haar transform", "haar wavelet transform",
    ),
    **named(
        (np.array([_SIGNAL[int(f"{n:04b}"[::-1], 2)] for n in range(16)]), [_SIGNAL], {}),
        "bit reverse", "bit reversal", "bit reverse copy", "bit reversal permutation",
    ),
    **named(
        (stepped(2, 8), [_KEYS], {"j": 2, "k": 8}),
        "bitonic sort step", "bitonic step", "bitonic merge step", "bitonic sort stage", "bitonic sort",
    ),
    **named(
        (paired(1), [_KEYS], {"phase": 1}),
        "odd even step", "odd even sort step", "odd even transposition", "odd even phase",
        "odd even transposition sort step", "odd even sort",
    ),
    "bubble sort": (np.array(sorted(_KEYS)), [_KEYS], {}),
    "interleave": (np.array([x for pair in zip(_SIGNAL, _KEYS, strict=True) for x in pair]), [_SIGNAL, _KEYS], {}),
    **named((whole(lambda n: hashed(hashed(n))), [_NUMBERS], {"rounds": 2}), "fnv", "fnv 1a", "fnv1a", "fnv1a hash"),
    **named((whole(lambda n: hashed(n, first=False)), [_NUMBERS], {}), "fnv hash", "fnv 1a hash", "rainbow table"),
    **named(
        (whole(mixed), [_NUMBERS], {}),
        "murmur finalizer", "murmur finalize", "murmur3 finalizer", "fmix", "fmix32", "murmur mix",
    ),
    "xorshift": (whole(xorshift), [_NUMBERS], {}),
    "wang hash": (whole(wang), [_NUMBERS], {}),
    "lcg": (whole(lambda n: (1664525 * n + 1013904223) & 0xFFFFFFFF), [_NUMBERS], {}),
    **named(
        (np.array([collatz(int(n)) for n in _SMALL]), [_SMALL], {}), "collatz", "collatz steps", "collatz sequence"
    ),
    **named(
        (np.array([all(n % d for d in range(2, n)) for n in _SMALL]), [_SMALL], {}),
        "is prime", "prime", "check prime", "primes", "find primes", "prime check", "mark primes",
    ),
    **named(
        (whole(lambda n: f"{n:b}".count("1")), [_NUMBERS], {}),
        "popcount", "pop count", "count bits", "bit count", "hamming weight", "popc", "count set bits",
    ),
    **named((whole(lambda n: 32 - n.bit_length()), [_NUMBERS], {}), "leading zeros", "count leading zeros", "clz"),
    **named((whole(lambda n: int(f"{n:032b}"[::-1], 2)), [_NUMBERS], {}), "reverse bits", "brev"),
    "gray code": (whole(lambda n: n ^ n >> 1), [_NUMBERS], {}),
    "gcd": (np.array([math.gcd(int(n), 360) for n in _NUMBERS]), [_NUMBERS, np.full(12, 360)], {}),
    "lcm": (np.array([math.lcm(int(n), 36) for n in _SMALL]), [_SMALL, np.full(12, 36)], {}),
    **named(
        (
            table(lambda above, beside, both, equal: both + 1 if equal else max(above, beside), lambda at: 0),
            [_LEFT, _RIGHT],
            {},
        ),
        "lcs", "longest common subsequence",
    ),
    **named(
        (
            table(lambda above, beside, both, equal: min(above + 1, beside + 1, both + (not equal)), lambda at: at),
            [_LEFT, _RIGHT],
            {},
        ),
        "levenshtein", "edit distance", "levenshtein distance",
    ),
    "needleman wunsch": (
        table(
            lambda above, beside, both, equal: max(both + (2 if equal else -1), above - 3, beside - 3),
            lambda at: -3 * at,
        ),
        [_LEFT, _RIGHT],
        {"match": 2, "mismatch": -1, "gap": -3},
    ),
    "smith waterman": (
        table(
            lambda above, beside, both, equal: max(0, both + (2 if equal else -1), above - 3, beside - 3), lambda at: 0
        ),
        [_LEFT, _RIGHT],
        {"match": 2, "mismatch": -1, "gap": -3},
    ),
}  # fmt: skip
