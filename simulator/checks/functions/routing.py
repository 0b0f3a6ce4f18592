"""Functions that choose elements by rank, or send rows to experts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from .problem import Formula, Input, Problem, function, vague


@vague("top k")
def _top(problem: Problem) -> Iterator[Formula]:
    """The largest or smallest of each row, from the outermost on; or their places."""
    for x in problem.inputs:
        for text, rows in problem.along_axes(x):
            outer, n, inner = rows.shape
            count = problem.size // (outer * inner)
            if 0 < count <= n and count * outer * inner == problem.size:
                for how, sign in (("largest", -1.0), ("smallest", 1.0)):
                    at = np.argsort(sign * rows, axis=1, kind="stable")[:, :count]
                    yield Formula(f"{count} {how} of {x.name} {text}", np.take_along_axis(rows, at, 1).reshape(-1))
                    yield Formula(f"places of the {count} {how} of {x.name} {text}", at.reshape(-1))


def _routes(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray, int]]:
    """Samples that are sent somewhere, the rows that they are sent to, and how many rows there are.

    Of an array of experts and one of places, by the number of places that each expert has.
    """
    whole = [one for one in problem.integers if one.size > 1]
    for expert, place in permutations(whole, 2):
        for capacity, experts in product([n for n in problem.whole if n > 0], repeat=2):
            if expert.size == place.size and capacity * experts < 1 << 24:
                of, at = expert.index, place.index
                sent = np.flatnonzero((of >= 0) & (of < experts) & (at >= 0) & (at < capacity))
                text = f"row {expert.name} * {capacity} + {place.name}"
                yield text, sent, of[sent] * capacity + at[sent], capacity * experts


def _rows(one: Input, count: int) -> np.ndarray:
    """An array in so many rows; of no columns if it does not fill them."""
    return one.flat.reshape(count, -1) if one.size and one.size % count == 0 else np.empty((count, 0))


@function("moe dispatch", "moe dispatch backward")
def _dispatch(problem: Problem) -> Iterator[Formula]:
    """Rows times a gate sent to experts, and the gradients of the rows and of the gates."""
    real = [one for one in problem.inputs if one.values.dtype.kind not in "iu"]
    for text, sent, at, count in _routes(problem):
        for gate, x in permutations(real, 2):
            samples = gate.size
            rows, back = _rows(x, samples), _rows(x, count)
            if sent.size and int(sent.max()) >= samples:
                continue
            if rows.shape[1] * count == problem.size:
                for there, before in (
                    ("", np.zeros(problem.size)),
                    *((f"{o.name} with ", o.flat) for o in problem.held),
                ):
                    made = before.reshape(count, -1).copy()
                    made[at] = 0
                    np.add.at(made, at, gate.flat[sent, None] * rows[sent])
                    yield Formula(f"{there}{gate.name} * {x.name} sent to {text}", made.reshape(-1))
            if back.shape[1] * samples == problem.size:
                made = np.zeros((samples, back.shape[1]))
                made[sent] = gate.flat[sent, None] * back[at]
                yield Formula(f"{gate.name} * {x.name} at {text}", made.reshape(-1))
        for x, y in permutations(real, 2):
            rows, back = _rows(x, problem.size), _rows(y, count)
            if 0 < rows.shape[1] == back.shape[1] and int(sent.max(initial=0)) < problem.size:
                products = np.zeros(problem.size)
                products[sent] = (rows[sent] * back[at]).sum(axis=1)
                yield Formula(f"dot({x.name}, {y.name} at {text})", products)
