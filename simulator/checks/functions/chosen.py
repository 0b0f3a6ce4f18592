"""Scores of words: what is taken from those that were there, and which of them are left to choose from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import permutations, product

import numpy as np

from .along import softmax
from .pointwise import spread
from .problem import Formula, Input, Problem, function, of_few, spelled, vague
from .scores import LEAST, widths


def _counted(problem: Problem, x: Input) -> Iterator[tuple[str, np.ndarray]]:
    """How often each word of [rows, words] was there: as counts, or in lists of words."""
    for words in widths(problem, x):
        count = x.size // words
        for one in problem.inputs:
            if one is not x and one.size == x.size and not (one.flat % 1).any() and one.flat.min() >= 0:
                yield one.name, one.flat.reshape(count, words)
        for listed in problem.integers:
            if listed.size % count == 0:
                at = listed.index.reshape(count, -1)
                inside, made = (at >= 0) & (at < words), np.zeros((count, words))
                np.add.at(made, (np.broadcast_to(np.arange(count)[:, None], at.shape)[inside], at[inside]), 1)
                yield f"words of {listed.name}", made


def _rates(problem: Problem, x: Input, rows: int) -> list[tuple[str, np.ndarray]]:
    passed = [(f"{f:g}", np.full((1, 1), f)) for f in problem.factors]
    return [*passed, *((one.name, one.flat[:, None]) for one in problem.floats if one.size == rows and one is not x)]


@vague("frequency penalty", unless=of_few(2))
def _punished(problem: Problem) -> Iterator[Formula]:
    """Scores less a number for each time that a word was there, and less another one if it was there at all."""
    for x in problem.like:
        for text, counts in _counted(problem, x):
            rows, seen = x.flat.reshape(counts.shape), counts > 0
            rates = _rates(problem, x, len(rows))
            for name, rate in rates:
                yield Formula(f"{x.name} - {name} * counts of {text}", (rows - rate * counts).reshape(-1))
                yield Formula(f"{x.name} - {name} of {text}", (rows - rate * seen).reshape(-1))
            for (name, rate), (other, once) in permutations(rates, 2):
                made = rows - rate * counts - once * seen
                yield Formula(f"{x.name} - {name} * counts of {text} - {other}", made.reshape(-1))
            for (a, by), (b, rate), (c, once) in permutations(rates, 3):
                divided = np.where(seen, np.where(rows > 0, rows / by, rows * by), rows)
                made = divided - rate * counts - once * seen
                yield Formula(f"{x.name} by {a} - {b} * counts of {text} - {c}", made.reshape(-1))


spelled(
    "frequency penalty",
    """presence penalty, apply frequency penalty, apply presence penalty, frequency presence penalty, presence
    frequency penalty, apply penalties, apply penalty, logits penalty, apply frequency presence penalty, sampling
    penalties, apply token penalties, token penalty""",
)


@vague("min length penalty")
def _too_short(problem: Problem) -> Iterator[Formula]:
    """The least number at the end word of each row whose sequence is shorter than allowed."""
    for x, words in product(problem.like, dict.fromkeys(problem.whole)):
        if words < 2 or x.size % words:
            continue
        counted = [(one.name, one.index) for one in problem.integers if x.size // words % one.size == 0]
        counted += [(name, np.array([n])) for name, n in problem.numbers.items() if isinstance(n, int) and n != words]
        ends, least = (_called(counted, *of) for of in (("end", "eos"), ("min",)))
        firsts = [int(n[0]) for _, n in counted if len(n) == 1 and abs(int(n[0])) < 1 << 31]
        starts = dict.fromkeys((0, 1, *(one - first for first in firsts for one in (1, 0))))
        for (name, end), (other, short), (of, now) in product(ends, least, counted):
            at = np.repeat(end, x.size // words // len(end))
            if len({name, other, of}) < 3 or at.min() < 0 or at.max() >= words:
                continue
            for more in starts:
                rows, inside = (
                    x.flat.reshape(-1, words),
                    np.broadcast_to(_each(now, at) + more < _each(short, at), at.shape),
                )
                for lowest in LEAST if inside.any() else ():
                    made = rows.copy()
                    made[inside, at[inside]] = lowest
                    yield Formula(f"{x.name}, {lowest:g} at {name} where {of} + {more} < {other}", made.reshape(-1))


_Counted = tuple[str, np.ndarray]


def _called(counted: Sequence[_Counted], *words: str) -> Sequence[_Counted]:
    """Those that have one of these words in their name, if any has."""
    return [one for one in counted if any(word in one[0].lower() for word in words)] or counted


def _each(one: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """A number of each row, of as many rows as share one."""
    return np.repeat(one, len(rows) // len(one))


spelled("min length penalty", "apply min length penalty, batch apply min length penalty, minimum length penalty")


def _places(problem: Problem, x: Input) -> Iterator[tuple[str, tuple[int, int], np.ndarray, np.ndarray]]:
    """Rows and words that are listed: for each row, or for all."""
    for words in widths(problem, x):
        count = x.size // words
        for one in problem.integers:
            index = one.index
            for at in ([index.reshape(count, -1)] if index.size % count == 0 else []) + [np.tile(index, (count, 1))]:
                inside = (at >= 0) & (at < words)
                if inside.any():
                    row = np.broadcast_to(np.arange(count)[:, None], at.shape)
                    yield one.name, (count, words), row[inside], at[inside]


@vague("ban tokens", unless=of_few(2))
def _banned(problem: Problem) -> Iterator[Formula]:
    """The least number at words that are listed."""
    for x in problem.like:
        for name, shape, row, word in _places(problem, x):
            for least in (*LEAST, *problem.factors):
                made = x.flat.reshape(shape).copy()
                made[row, word] = least
                yield Formula(f"{x.name}, {least:g} at {name}", made.reshape(-1))


@function("logit bias")
def _biased(problem: Problem) -> Iterator[Formula]:
    """Scores plus a number for each word, or for those that are listed."""
    for x in problem.like:
        for bias in (one for one in problem.floats if one is not x):
            yield from (Formula(f"{x.name} + {bias.name}", left + right) for left, right in spread(problem, x, bias))
            for name, shape, row, word in _places(problem, x):
                for by in [bias.flat] if bias.size == len(word) else [np.tile(bias.flat, shape[0])]:
                    if by.size == len(word):
                        made = x.flat.reshape(shape).copy()
                        np.add.at(made, (row, word), by)
                        yield Formula(f"{x.name} + {bias.name} at {name}", made.reshape(-1))


spelled("ban tokens", "ban bad words, suppress tokens, ban words, block tokens, ban token")
spelled("logit bias", "apply logit bias, add logit bias, logits bias, apply logits bias")


@vague("top k mask", unless=of_few(1))
def _best(problem: Problem) -> Iterator[Formula]:
    """Scores of each row that are among so many largest, else the least number."""
    for x in problem.like:
        for columns in widths(problem, x):
            rows = x.flat.reshape(-1, columns)
            for count in (n for n in problem.whole if 0 < n < columns):
                kept = rows >= -np.sort(-rows, axis=1)[:, count - 1 : count]
                for least in (*LEAST, 0.0, *problem.factors):
                    made = np.where(kept, rows, least)
                    yield Formula(f"{x.name} of the {count} largest of {columns}, else {least:g}", made.reshape(-1))


@vague("top p mask", unless=of_few(2))
def _probable(problem: Problem) -> Iterator[Formula]:
    """Scores of the most probable words, whose shares before them are less than a number; else the least one."""
    for x in problem.like:
        for columns in widths(problem, x):
            rows = x.flat.reshape(-1, columns)
            others = [(f"{one.name} of ", one.flat.reshape(rows.shape)) for one in problem.like if one is not x]
            for how, shares in (("softmax of ", softmax(rows[:, :, None])[:, :, 0]), ("", rows), *others):
                order = np.argsort(-shares, axis=1, kind="stable")
                before = np.take_along_axis(shares, order, 1).cumsum(axis=1)
                for less, most in product((1, 0), (f for f in problem.factors if 0 < f <= 1)):
                    kept = before - less * np.take_along_axis(shares, order, 1) < most
                    kept[:, 0] = True
                    inside = np.zeros(rows.shape, bool)
                    np.put_along_axis(inside, order, kept, 1)
                    for least in (*LEAST, 0.0, *problem.factors):
                        yield Formula(
                            f"{x.name} of {how}{most:g} of {columns}, else {least:g}",
                            np.where(inside, rows, least).reshape(-1),
                        )


@vague("min p mask", unless=of_few(1))
def _likely(problem: Problem) -> Iterator[Formula]:
    """Scores whose shares are not less than a part of the largest one, else the least number."""
    for x in problem.like:
        for columns in widths(problem, x):
            rows = x.flat.reshape(-1, columns)
            for how, shares in (("softmax of ", softmax(rows[:, :, None])[:, :, 0]), ("", rows)):
                for least_share in (f for f in problem.factors if 0 < f < 1):
                    kept = shares >= least_share * shares.max(axis=1, keepdims=True)
                    for least in (*LEAST, 0.0):
                        made = np.where(kept, rows, least)
                        yield Formula(f"{x.name} of {how}{least_share:g} at least, else {least:g}", made.reshape(-1))


spelled("top k mask", "topk mask, top k filter, topk filter, apply top k, top k filtering, apply topk, mask top k")
spelled(
    "top p mask", "topp mask, top p filter, top p filtering, apply top p, topp filter, nucleus filter, nucleus mask"
)
spelled("min p mask", "min p, apply min p, min p filter, min p filtering")
