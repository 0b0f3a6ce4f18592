"""Masks of attention by the lengths of sequences of queries and of keys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations

import numpy as np

from . import masked  # noqa: F401  (whose function has more forms here)
from .problem import VAGUE, Formula, Problem, also, spelled

#: The most sequences; so many times as many elements as lengths a mask has, at least.
_MOST, _FEW = 1024, 4


@also("apply mask")
def _made(problem: Problem) -> Iterator[Formula]:
    """1 where a query may see a key: its own, those before, those in a window, all but the last for all but the last.

    The rows of sequences follow each other without padding, or each has as many; what lies behind stays as it is.
    """
    lists = [one for one in problem.integers if 0 < one.size <= _MOST and int(one.index.min()) >= 0]
    pairs = [(q, k) for q, k in permutations(lists, 2) if q.size == k.size]
    for q, k in pairs or [(one, one) for one in lists]:
        for columns in (n for n in dict.fromkeys(problem.counts) if problem.size % n == 0 and n >= k.index.max()):
            rows = problem.size // columns
            tall = [n for n in problem.counts if n * q.size == rows and n >= q.index.max()]
            for packed in (*([None] if q.index.sum() <= rows else []), *tall):
                for how, masks in _kinds(problem, q.index, k.index, columns, packed):
                    held = next((one.flat for one in problem.held), np.zeros(problem.size))
                    made = np.concatenate([*masks, held.reshape(rows, columns)[sum(map(len, masks)) :]])
                    text = f"{how} mask of {q.name} and {k.name}{', packed' if packed is None else ''}"
                    yield Formula(text, made.reshape(-1))
                    yield Formula(f"{text}, 0 where seen", 1 - made.reshape(-1))


def _of_lengths(problem: Problem) -> bool:
    """Whether nothing is passed that a mask may be made of but whole numbers, which are far fewer than its elements."""
    few = all(_FEW * one.size <= problem.size for one in problem.integers)
    return few and len(problem.integers) > 1 and all(one.name == problem.output for one in problem.floats)


spelled("apply mask", "prepare attention mask, build attention mask, make attention mask, create attention mask")
VAGUE["apply mask"] = _of_lengths


def _kinds(
    problem: Problem, q: np.ndarray, k: np.ndarray, columns: int, tall: int | None
) -> Iterator[tuple[str, list[np.ndarray]]]:
    window = next(iter(problem.named("window")), 0)
    found: dict[str, list[np.ndarray]] = {}
    for own, keys in zip(q, k, strict=True):
        row, col = np.ogrid[: own if tall is None else tall, :columns]
        padding = (row < own) & (col < keys)
        last = (row == own - 1) & (col < keys)
        kinds = {
            "padding": padding, "causal": padding & (col <= row),
            "causal to the end": padding & (col <= row + keys - own),
            "sliding": (col > row - window) & (col >= 0),
            "sliding causal": padding & (col <= row) & (col > row - window),
            "bidirectional": ((row < own - 1) & (col < keys - 1)) | last,
            "bidirectional to the last": (col < keys - 1) | ((row == own - 1) & (col == keys - 1)),
        }  # fmt: skip
        for how, mask in kinds.items():
            found.setdefault(how, []).append(mask.astype(np.float64))
    yield from found.items()
