"""Numbers of few bits in words, blocks and tables in plain Python, and what these are asked of."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from .elements import SIGNED
from .tokens import filled
from .trained import each

Case = tuple[Any, Sequence[np.ndarray], Mapping[str, float]]
RANDOM = np.random.default_rng(63)
_FOURS, _ZEROS = RANDOM.integers(0, 16, (16, 8)), RANDOM.integers(0, 16, (2, 8))
_SCALES, _ROWS = RANDOM.uniform(0.5, 2, (2, 8)), RANDOM.normal(size=(3, 16))
_PLACES, _CODE, _MOST = (
    RANDOM.integers(0, 256, 12).astype(np.uint8),
    np.sort(RANDOM.normal(size=256)),
    RANDOM.uniform(1, 2, 3),
)
_NF4 = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
)  # fmt: skip
_FP4 = (0.0, 0.0625 / 12, 2 / 3, 1.0, 1 / 3, 0.5, 1 / 6, 0.25)


def packed(numbers: np.ndarray) -> np.ndarray:
    """Eight rows of four bits in each word."""
    words = [
        [sum(int(part) << 4 * k for k, part in enumerate(column)) for column in eight.T]
        for eight in numbers.reshape(-1, 8, 8)
    ]
    return np.array(words, np.uint32).view(np.int32)


def by_zeros() -> np.ndarray:
    weights = filled((16, 8), lambda k, n: (_FOURS[k, n] - (_ZEROS[k // 8, n] + 1) % 16) * _SCALES[k // 8, n])
    return np.array(
        [[sum(float(x) * float(w) for x, w in zip(row, column, strict=True)) for column in weights.T] for row in _ROWS]
    )


def halves(byte: int, table: Sequence[float]) -> list[float]:
    return [table[byte >> 4], table[byte & 15]]


def nearest(x: float, most: float) -> int:
    return min(range(256), key=lambda at: abs(_CODE[at] - x / most))


def fake(x: float) -> float:
    return (max(-128, min(127, round(x / 0.05) + 3)) - 3) * 0.05


def _blocks(size: int, *halves_at: int) -> list[list[int]]:
    """Two blocks of random bytes whose scales are small numbers of half precision."""
    made = RANDOM.integers(0, 256, (2, size)).tolist()
    for block in made:
        for at in halves_at:
            block[at : at + 2] = struct.pack("<e", float(RANDOM.uniform(0.1, 2)))
    return made


def half(block: Sequence[int], at: int) -> float:
    return float(struct.unpack("<e", bytes(block[at : at + 2]))[0])


def nibble(block: Sequence[int], start: int, at: int) -> int:
    byte = block[start + at % 16]
    return byte >> 4 if at >= 16 else byte & 15


def signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def fifth(block: Sequence[int], start: int, at: int) -> int:
    return 16 * (int.from_bytes(bytes(block[start : start + 4]), "little") >> at & 1)


def sixes(b: Sequence[int], group: int) -> tuple[int, int]:
    """The scale and the minimum of one of eight groups, of twelve bytes from the fifth on."""
    if group < 4:
        return b[4 + group] & 63, b[8 + group] & 63
    return b[8 + group] & 15 | b[group] >> 6 << 4, b[8 + group] >> 4 | b[4 + group] >> 6 << 4


def of_group(b: Sequence[int], at: int, number: int) -> float:
    scale, least = sixes(b, at // 32)
    return half(b, 0) * scale * number - half(b, 2) * least


def q4(b: Sequence[int], at: int, start: int = 16) -> int:
    byte = b[start + at // 64 * 32 + at % 32]
    return byte >> 4 if at // 32 % 2 else byte & 15


def q6(b: Sequence[int], at: int) -> float:
    part, k, low = at // 128, at % 128 // 32, at % 32
    four = b[64 * part + 32 * (k % 2) + low] >> 4 * (k // 2) & 15
    number = (four | (b[128 + 32 * part + low] >> 2 * k & 3) << 4) - 32
    return half(b, 208) * signed(b[192 + at // 16]) * number


def q2(b: Sequence[int], at: int) -> float:
    number = b[16 + at // 128 * 32 + at % 32] >> 2 * (at % 128 // 32) & 3
    scale = b[at // 16]
    return half(b, 80) * (scale & 15) * number - half(b, 82) * (scale >> 4)


#: How long blocks are, where their halves lie, how many numbers they have, and what each of these is.
_FORMATS: Mapping[str, tuple[int, tuple[int, ...], int, Callable[[Sequence[int], int], float]]] = {
    "q4 0": (18, (0,), 32, lambda b, at: half(b, 0) * (nibble(b, 2, at) - 8)),
    "q4 1": (20, (0, 2), 32, lambda b, at: half(b, 0) * nibble(b, 4, at) + half(b, 2)),
    "q5 0": (22, (0,), 32, lambda b, at: half(b, 0) * (nibble(b, 6, at) + fifth(b, 2, at) - 16)),
    "q5 1": (24, (0, 2), 32, lambda b, at: half(b, 0) * (nibble(b, 8, at) + fifth(b, 4, at)) + half(b, 2)),
    "q8 0": (34, (0,), 32, lambda b, at: half(b, 0) * signed(b[2 + at])),
    "q8 1": (36, (0, 2), 32, lambda b, at: half(b, 0) * signed(b[4 + at])),
    "q2 k": (84, (80, 82), 256, q2),
    "q4 k": (144, (0, 2), 256, lambda b, at: of_group(b, at, q4(b, at))),
    "q5 k": (176, (0, 2), 256, lambda b, at: of_group(b, at, q4(b, at, 48) + 16 * (b[16 + at % 32] >> at // 32 & 1))),
    "q6 k": (210, (208,), 256, q6),
}  # fmt: skip


def _of_blocks() -> Mapping[str, Case]:
    cases: dict[str, Case] = {}
    for name, (size, at, count, form) in _FORMATS.items():
        blocks, x = _blocks(size, *at), RANDOM.normal(size=count)
        numbers = [[form(block, place) for place in range(count)] for block in blocks]
        held = np.array(blocks, np.uint8)
        cases[f"dequantize {name}"] = (np.array(numbers).reshape(-1), [held.reshape(-1)], {"n": 2 * count})
        products = [math.fsum(a * b for a, b in zip(row, x.tolist(), strict=True)) for row in numbers]
        cases[f"dequantize gemv {name}"] = (np.array(products), [held.reshape(-1), x], {"n": count})
    return cases


FEW_BITS: Mapping[str, Case] = {
    **_of_blocks(),
    "packed matmul": (
        by_zeros(),
        [_ROWS, packed(_FOURS), _SCALES, packed(_ZEROS.repeat(8, 0).reshape(2, 8, 8).swapaxes(1, 2))[:, :1].copy()],
        {"width": 8},
    ),
    "dequantize blockwise": (
        np.array([_CODE[at] * _MOST[n // 4] for n, at in enumerate(_PLACES)]),
        [_CODE, _PLACES, _MOST], {"blocksize": 4},
    ),
    "dequantize nf4": (
        np.array([x * _MOST[n // 4] for n, byte in enumerate(_PLACES.tolist()) for x in halves(byte, _NF4)]),
        [_PLACES, _MOST], {"blocksize": 8},
    ),
    "dequantize fp4": (
        np.array([x * _MOST[n // 4] for n, byte in enumerate(_PLACES.tolist())
                  for x in halves(byte, (*_FP4, *(-x for x in _FP4)))]),
        [_PLACES, _MOST], {"blocksize": 8},
    ),
    "quantize blockwise": (
        np.array([nearest(x, max(map(abs, row))) for row in SIGNED.tolist() for x in row]).astype(np.uint8),
        [_CODE, SIGNED.reshape(-1)], {"blocksize": 5},
    ),
    "fake quantize": (each(fake, 3 * SIGNED), [3 * SIGNED], {"scale": 0.05, "zero_point": 3}),
}  # fmt: skip
