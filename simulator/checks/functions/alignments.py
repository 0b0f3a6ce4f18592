"""Tables of two sequences: distances, alignments and common subsequences, of one diagonal at a time or whole."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function

#: Entries of a table, at most.
_MOST = 1 << 16

#: What the entries above and beside (left) and before both, and whether the elements are equal, make of one.
_Entry = Callable[[float, float, float, bool], float]


def _sequences(problem: Problem) -> Iterator[tuple[Input, Input]]:
    """Two arrays of letters or whole numbers, in their order."""
    yield from ((a, b) for a, b in permutations(problem.integers, 2) if a.size != problem.size != b.size)


def _borders(gap: float) -> Callable[[int], float]:
    return lambda at: gap * at


def _whole(a: Input, b: Input, entry: _Entry, border: Callable[[int], float]) -> np.ndarray:
    """The table [a + 1, b + 1] of all pairs of beginnings."""
    rows, columns = a.size + 1, b.size + 1
    table = np.zeros((rows, columns))
    table[0], table[:, 0] = [border(at) for at in range(columns)], [border(at) for at in range(rows)]
    left, right = a.values.reshape(-1).tolist(), b.values.reshape(-1).tolist()
    for i, j in product(range(1, rows), range(1, columns)):
        equal = left[i - 1] == right[j - 1]
        table[i, j] = entry(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1], equal)
    return table


def _diagonals(problem: Problem, a: Input, b: Input, entry: _Entry) -> Iterator[tuple[str, np.ndarray]]:
    """A table that is there, with one diagonal filled whose number is passed: that of i + j, from 0, 1 or 2."""
    rows, columns = a.size + 1, b.size + 1
    left, right = a.values.reshape(-1).tolist(), b.values.reshape(-1).tolist()
    tables = [(one.name, one.flat) for one in problem.like] or [("zeros", np.zeros(problem.size))]
    for name, before in tables:
        for k in dict.fromkeys(n + less for n in problem.whole for less in (0, 1, 2)):
            if not 2 <= k <= rows + columns - 2:
                continue
            table = before.reshape(rows, columns).copy()
            for i in range(max(1, k - columns + 1), min(rows - 1, k - 1) + 1):
                j = k - i
                equal = left[i - 1] == right[j - 1]
                table[i, j] = entry(table[i - 1, j], table[i, j - 1], table[i - 1, j - 1], equal)
            yield f"diagonal {k} of {name}", table


def _tables(problem: Problem, entry: _Entry, border: Callable[[int], float]) -> Iterator[Formula]:
    for a, b in _sequences(problem):
        if (a.size + 1) * (b.size + 1) > _MOST:
            continue
        names = f"of {a.name} and {b.name}"
        if problem.size == (a.size + 1) * (b.size + 1):
            yield Formula(f"table {names}", _whole(a, b, entry, border).reshape(-1))
            for text, table in _diagonals(problem, a, b, entry):
                yield Formula(f"{text} {names}", table.reshape(-1))
        elif problem.size == 1:
            yield Formula(f"last entry {names}", _whole(a, b, entry, border)[-1, -1:])


def _common(above: float, beside: float, both: float, equal: bool) -> float:
    return both + 1 if equal else max(above, beside)


def _edits(above: float, beside: float, both: float, equal: bool) -> float:
    return min(above + 1, beside + 1, both + (not equal))


@function("lcs", "longest common subsequence")
def _longest(problem: Problem) -> Iterator[Formula]:
    """Lengths of common subsequences."""
    yield from _tables(problem, _common, _borders(0))


@function("levenshtein", "edit distance", "levenshtein distance")
def _distance(problem: Problem) -> Iterator[Formula]:
    """Numbers of letters that are left out, put in or exchanged."""
    yield from _tables(problem, _edits, _borders(1))


def _scores(problem: Problem) -> Sequence[tuple[float, float, float]]:
    """Scores of a match, a mismatch and a gap, as they are passed by their names or in this order."""
    by_name: Mapping[str, float] = {name.lower(): float(value) for name, value in problem.numbers.items()}

    def said(*words: str) -> list[float]:
        return [value for name, value in by_name.items() if any(word in name for word in words)]

    gaps = said("gap", "penalty", "indel")
    wrong = said("mismatch", "mis_match")
    right = [value for name, value in by_name.items() if "match" in name and "mis" not in name]
    found = [*product(right, wrong, gaps)]
    return [(a, b, sign * c) for a, b, c in found for sign in (1, -1)]


def _aligned(problem: Problem, least: float, of_gaps: bool) -> Iterator[Formula]:
    """Scores of alignments, of a match, a mismatch and a gap that are passed; ``of_gaps``: they begin with gaps."""
    for match, other, gap in _scores(problem):

        def entry(above: float, beside: float, both: float, equal: bool) -> float:
            return max(least, both + (match if equal else other), above + gap, beside + gap)  # noqa: B023

        yield from _tables(problem, entry, _borders(gap if of_gaps else 0))


@function("needleman wunsch")
def _global(problem: Problem) -> Iterator[Formula]:
    """Of whole sequences."""
    yield from _aligned(problem, -math.inf, of_gaps=True)


@function("smith waterman")
def _local(problem: Problem) -> Iterator[Formula]:
    """Of parts of sequences."""
    yield from _aligned(problem, 0, of_gaps=False)
