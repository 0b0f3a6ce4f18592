"""Functions of whole numbers: hashes and generators of fixed definition, counts of bits, primes, steps of Collatz."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from itertools import combinations

import numpy as np

from .problem import Formula, Input, Problem, function, vague

#: Hashes of all numbers in all rounds, and numbers of which steps or bits are counted, at most.
_MOST_HASHES, _MOST_COUNTED = 1 << 22, 1 << 16
#: Rounds of a hash, steps of a sequence and numbers of a sieve, at most.
_MOST_ROUNDS, _MOST_STEPS, _MOST_PRIME = 4096, 1 << 12, 1 << 24
#: The first value and the factor of FNV, by the number of bits.
_FNV = {32: (0x811C9DC5, 0x01000193), 64: (0xCBF29CE484222325, 0x100000001B3)}
#: Multipliers and increments of congruential generators of 32 bits.
_CONGRUENT = ((1664525, 1013904223), (1103515245, 12345), (22695477, 1), (214013, 2531011), (69069, 1))

_Whole = np.ndarray  # of 64 bits without sign


def _numbers_of(problem: Problem) -> Iterator[tuple[Input, _Whole]]:
    """The arrays of whole numbers that are as large as the output, in 64 bits."""
    for one in problem.like:
        if one.values.dtype.kind in "iu":
            yield one, one.index.view(np.uint64)


def _as_whole(text: str, values: _Whole, bits: int = 32) -> Iterator[Formula]:
    """Numbers of so many bits, without a sign and with one."""
    kept = values.astype(np.uint32 if bits == 32 else np.uint64)
    yield Formula(text, kept)
    yield Formula(f"{text}, with a sign", kept.view(np.int32 if bits == 32 else np.int64))


def _rounds(problem: Problem) -> dict[int, None]:
    most = min(_MOST_ROUNDS, _MOST_HASHES // max(problem.size, 1))
    return dict.fromkeys((1, *(n for n in problem.whole if 1 < n <= most and n != problem.size)))


def _fnv(x: _Whole, bits: int, first: bool, width: int) -> _Whole:
    """Of the bytes of each number, the lowest first; ``first``: each is added before it is multiplied (FNV-1a)."""
    start, factor = _FNV[bits]
    mask, made = np.uint64((1 << bits) - 1), np.full(x.shape, start, np.uint64)
    for at in range(width):
        byte = (x >> np.uint64(8 * at)) & np.uint64(255)
        made = ((made ^ byte) * np.uint64(factor)) & mask if first else ((made * np.uint64(factor)) & mask) ^ byte
    return made


@function("fnv", "fnv 1a", "fnv1a", "fnv1a hash", "fnv hash", "fnv 1a hash", "rainbow table")
def _hashed(problem: Problem) -> Iterator[Formula]:
    """FNV-1a, or FNV-1, of the four or eight bytes of each number; of those again, as many rounds as are passed."""
    rounds = _rounds(problem)
    for one, x in _numbers_of(problem):
        for bits, width, first in ((32, 4, True), (32, 4, False), (64, 8, True), (64, 8, False), (64, 4, True)):
            made, done = x, 0
            for count in sorted(rounds):
                for _ in range(count - done):
                    made = _fnv(made, bits, first, width)
                done = count
                yield from _as_whole(f"FNV-1{'a' * first} of {bits} bits of {one.name}, {count} times", made, bits)


def _mixed(x: _Whole, bits: int) -> _Whole:
    """The last step of MurmurHash3."""
    mask = np.uint64((1 << bits) - 1)
    (a, b, c), (f, g) = (
        ((16, 13, 16), (0x85EBCA6B, 0xC2B2AE35))
        if bits == 32
        else ((33, 33, 33), (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53))
    )
    made = x & mask
    for shift, factor in ((a, f), (b, g)):
        made = ((made ^ (made >> np.uint64(shift))) * np.uint64(factor)) & mask
    return made ^ (made >> np.uint64(c))


def _shifted(x: _Whole, bits: int, by: tuple[int, int, int]) -> _Whole:
    mask, (left, right, last) = np.uint64((1 << bits) - 1), by
    made = x & mask
    made = (made ^ (made << np.uint64(left))) & mask
    made = made ^ (made >> np.uint64(right))
    return (made ^ (made << np.uint64(last))) & mask


def _wang(x: _Whole) -> _Whole:
    """The hash of 32 bits by Thomas Wang that begins with 61."""
    mask = np.uint64((1 << 32) - 1)
    made = x & mask
    made = (made ^ np.uint64(61)) ^ (made >> np.uint64(16))
    made = (made * np.uint64(9)) & mask
    made = made ^ (made >> np.uint64(4))
    made = (made * np.uint64(0x27D4EB2D)) & mask
    return made ^ (made >> np.uint64(15))


def _of_each(name: str, form: Callable[[_Whole, int], _Whole], sizes: tuple[int, ...]) -> None:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for one, x in _numbers_of(problem):
            for bits in sizes:
                yield from _as_whole(f"{name} of {bits} bits of {one.name}", form(x, bits), bits)

    spelled = {"murmur finalizer": ("murmur finalize", "murmur3 finalizer", "fmix", "fmix32", "murmur mix")}
    (vague if name == "xorshift" else function)(name, *spelled.get(name, ()))(formulas)


_of_each("murmur finalizer", _mixed, (32, 64))
_of_each("xorshift", lambda x, bits: _shifted(x, bits, (13, 17, 5) if bits == 32 else (13, 7, 17)), (32, 64))
_of_each("wang hash", lambda x, bits: _wang(x), (32,))


@vague("lcg")
def _congruent(problem: Problem) -> Iterator[Formula]:
    """a * x + c of 32 bits, by usual numbers or those that are passed."""
    passed = [(a, c) for a, c in combinations(problem.counts, 2)]
    for one, x in _numbers_of(problem):
        for a, c in dict.fromkeys((*_CONGRUENT, *passed)):
            made = x * np.uint64(a) + np.uint64(c)
            yield from _as_whole(f"{a} * {one.name} + {c} of 32 bits", made & np.uint64((1 << 32) - 1))
            yield from _as_whole(f"{a} * {one.name} + {c} of 31 bits", made & np.uint64((1 << 31) - 1))


def _next(x: np.ndarray) -> np.ndarray:
    """Halves of even numbers and 3 n + 1 of odd ones."""
    return np.where(x % 2 == 0, x // 2, 3 * x + 1)


def _steps_of(x: np.ndarray) -> np.ndarray:
    """The steps from each number to 1."""
    steps, left, now = np.zeros(len(x), np.int64), np.flatnonzero(x > 1), x[x > 1]
    for _ in range(_MOST_STEPS):
        now = _next(now)
        steps[left] += 1
        left, now = left[now > 1], now[now > 1]
    return steps


def _primes(most: int) -> np.ndarray:
    """Whether each of the numbers from 0 is prime."""
    found = np.ones(most + 1, bool)
    found[:2] = False
    for n in range(2, math.isqrt(most) + 1):
        if found[n]:
            found[n * n :: n] = False
    return found


def _several(problem: Problem) -> Iterator[tuple[str, np.ndarray]]:
    """The arrays of whole numbers that are as large as the output, of more than one element."""
    for one in problem.like if problem.size > 1 else ():
        if one.values.dtype.kind in "iu":
            yield one.name, one.index


@function("collatz", "collatz steps", "collatz sequence")
def _collatz(problem: Problem) -> Iterator[Formula]:
    """The steps of each number to 1, the numbers on the way, or the next one."""
    for text, x in _several(problem):
        yield Formula(f"what is next to {text}", _next(x))
        steps = _steps_of(x) if len(x) <= _MOST_COUNTED else np.zeros(0)
        yield Formula(f"steps of {text} to 1", steps)
        yield Formula(f"numbers from {text} to 1", steps + 1)


@function("is prime", "prime", "check prime", "primes", "find primes", "prime check", "mark primes")
def _prime(problem: Problem) -> Iterator[Formula]:
    """Whether each number is prime, or those that are, with 0 for others."""
    for text, x in _several(problem):
        if int(x.max()) <= _MOST_PRIME:
            found = _primes(max(int(x.max()), 2))[np.maximum(x, 0)]
            yield Formula(f"whether {text} are prime", found.astype(np.float64))
            yield Formula(f"primes of {text}", np.where(found, x, 0))


_BITS: Mapping[str, Callable[[int, int], int]] = {
    "popcount": lambda x, bits: x.bit_count(),
    "leading zeros": lambda x, bits: bits - x.bit_length(),
    "reverse bits": lambda x, bits: int(f"{x:0{bits}b}"[::-1], 2),
    "gray code": lambda x, bits: x ^ (x >> 1),
}
_BIT_SPELLINGS = {
    "popcount": ("pop count", "count bits", "bit count", "hamming weight", "popc", "count set bits"),
    "leading zeros": ("count leading zeros", "clz"), "reverse bits": ("brev",), "gray code": (),
}  # fmt: skip


def _of_bits(name: str, form: Callable[[int, int], int]) -> None:
    def formulas(problem: Problem) -> Iterator[Formula]:
        for one in problem.like:
            if one.values.dtype.kind in "iu" and one.size <= _MOST_COUNTED:
                bits = 8 * one.values.dtype.itemsize
                made = [form(int(x) & ((1 << bits) - 1), bits) for x in one.values.reshape(-1).tolist()]
                yield from _as_whole(f"{name} of {one.name}", np.array(made, np.uint64), max(bits, 32))

    function(name, *_BIT_SPELLINGS[name])(formulas)


for _name, _form in _BITS.items():
    _of_bits(_name, _form)


def _whole_pairs(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    whole = [(one, one.index) for one in problem.like if one.values.dtype.kind in "iu"]
    for (one, x), (other, y) in combinations(whole, 2):
        yield f"{one.name} and {other.name}", x, y


@function("gcd")
def _common_divisor(problem: Problem) -> Iterator[Formula]:
    for names, x, y in _whole_pairs(problem):
        yield Formula(f"greatest common divisors of {names}", np.gcd(x, y))


@function("lcm")
def _common_multiple(problem: Problem) -> Iterator[Formula]:
    for names, x, y in _whole_pairs(problem):
        yield Formula(f"least common multiples of {names}", np.lcm(x, y))
