"""Values at which instructions go wrong, of every element type, and the lengths at which vectors do."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from typing import Any

from .numbers import FORMATS, INTEGERS, decode, edges, is_floating, size_of

#: Bytes that the vector unit takes at once.
BEAT = 128
_PRIME = 131


def lengths(kind: str) -> list[int]:
    """One element, one fewer than a beat, a beat, one more, and a prime."""
    beat = BEAT // size_of(kind)
    return [1, beat - 1, beat, beat + 1, _PRIME]


def corners(kind: str) -> list[Any]:
    """Zeros, ends of the range, subnormal numbers, NaN, infinities; what is next to a sign or a carry."""
    if is_floating(kind):
        return edges(kind)
    bits, signed = INTEGERS[kind]
    half = 1 << (bits - 1)
    return [0, 1, 2, 3, 100, *((-1, -2, -7, half - 1, -half) if signed else (half - 1, half, 2 * half - 1))]


def mixed(kind: str, count: int, seed: object) -> list[Any]:
    """Corners, numbers of ordinary size and random bits (subnormal and NaN among them), in a random order."""
    chance = random.Random(f"{kind} {count} {seed}")
    choices = corners(kind)
    return [_one(kind, choices, chance) for _ in range(count)]


def _one(kind: str, choices: list[Any], chance: random.Random) -> Any:
    which = chance.randrange(3)
    if which == 0:
        return chance.choice(choices)
    if which == 1 and is_floating(kind):
        return FORMATS[kind].round(chance.uniform(-40, 40))
    if which == 1:
        return chance.randrange(-20 * INTEGERS[kind][1], 21)
    return decode(kind, chance.randbytes(size_of(kind)))[0]


def pairs(kind: str) -> tuple[list[Any], list[Any]]:
    """Every corner beside every corner."""
    first, second = zip(*itertools.product(corners(kind), repeat=2), strict=True)
    return list(first), list(second)


def scalars(kind: str) -> list[Any]:
    """A few values for an operand that is a single number."""
    if is_floating(kind):
        return [0.1, -3.0, -0.0, float("inf"), float("nan"), float(FORMATS[kind].largest)]
    _, signed = INTEGERS[kind]
    return [3, -1 if signed else 7, 0, corners(kind)[-1]]


def of_numbers(choose: Callable[..., Any]) -> Callable[[list[Any]], Any]:
    """A choice of one of many that a NaN loses; the first of them where there is no number."""

    def chosen(values: list[Any]) -> Any:
        numbers = [value for value in values if value == value]
        return choose(numbers) if numbers else values[0]

    return chosen
