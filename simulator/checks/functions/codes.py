"""Functions of words of bits: the nearest of several codes, and masks of tokens."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations

import numpy as np

from . import models  # noqa: F401  (whose function has more forms here)
from .problem import Formula, Input, Problem, also, function, spelled

#: Pairs of codes, at most; the bits of a word.
_MOST_PAIRS, _WORD = 1 << 22, 32


@also("assign clusters")
def _nearest(problem: Problem) -> Iterator[Formula]:
    """The code in which the fewest bits differ, of as many for each sequence, or how many do.

    Places behind the lengths of sequences have the number behind all others, and -1 bits.
    """
    for codes, centres in permutations([one for one in problem.integers if one.axes], 2):
        outer = codes.values.shape[:-1]
        count = centres.values.shape[-1]
        if codes.size != problem.size or centres.values.shape[:-1] != outer or codes.size * count > _MOST_PAIRS:
            continue
        a, b = (one.values.reshape(math.prod(outer), -1).view(np.uint8) for one in (codes, centres))
        off = np.bitwise_count(
            a.reshape(len(a), -1, 1, codes.values.itemsize) ^ b.reshape(len(b), 1, count, codes.values.itemsize)
        ).sum(axis=3, dtype=np.int64) if codes.values.itemsize == centres.values.itemsize else np.empty(0)  # fmt: skip
        if off.size:
            for text, inside in _inside(problem, codes, centres):
                said = f"{codes.name} and {centres.name}{text}"
                for what, made, other in (("codes", off.argmin(axis=2), count + 1), ("bits", off.min(axis=2), -1)):
                    for name, outside in ((f", {other} behind", other), ("", 0)) if text else (("", 0),):
                        values = np.where(inside, made, outside)
                        yield Formula(f"nearest {what} of {said}{name}", values.reshape(-1).astype(np.float64))


def _inside(problem: Problem, codes: Input, centres: Input) -> Iterator[tuple[str, np.ndarray]]:
    """The places before the lengths of sequences."""
    rows, n = codes.size // codes.values.shape[-1], codes.values.shape[-1]
    others = [one for one in problem.integers if one not in (codes, centres) and one.size == codes.values.shape[0]]
    for one in others if n > 1 else ():
        yield f" before {one.name}", np.arange(n) < np.repeat(one.index, rows // one.size)[:, None]
    if not others:
        yield "", np.ones((rows, n), dtype=bool)


@function("token bitmask")
def _tokens(problem: Problem) -> Iterator[Formula]:
    """Scores of tokens whose bits are not set become as small as can be, in all rows or those that are listed."""
    for x in problem.held or problem.like:
        for mask in (one for one in problem.integers if one.values.dtype.itemsize == _WORD // 8):
            for rows in dict.fromkeys((*x.axes[:1], *mask.axes[:1])):
                if x.size % rows or mask.size % rows:
                    continue
                bits = np.unpackbits(mask.values.reshape(rows, -1).view(np.uint8), axis=1, bitorder="little")
                wide = x.size // rows
                for n in (n for n in dict.fromkeys((wide, *problem.whole)) if wide < 2 * n <= 2 * min(wide, 1 << 30)):
                    if n <= bits.shape[1]:
                        yield from _without(problem, x, mask, bits[:, :n] == 0)


def _without(problem: Problem, x: Input, mask: Input, banned: np.ndarray) -> Iterator[Formula]:
    rows, n = banned.shape
    listed = [one for one in problem.integers if one is not mask and one.size <= rows]
    listed = [one for one in listed if int(one.index.min()) >= 0 and int(one.index.max()) < rows]
    for name, which in (*((f", rows {one.name}", one.index) for one in listed), ("", np.arange(rows))):
        for least in (-np.inf, float(np.finfo(np.float32).min), -1e10):
            made = x.flat.reshape(rows, -1).copy()
            made[which, :n] = np.where(banned[which], least, made[which, :n])
            yield Formula(f"{x.name}, {least:g} where bits of {mask.name} are not set{name}", made.reshape(-1))


spelled(
    "token bitmask",
    "apply token bitmask, logits bitmask, apply logits bitmask, logit bitmask, apply bitmask, vocab mask bits",
)
