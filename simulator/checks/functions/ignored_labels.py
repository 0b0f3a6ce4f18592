"""Losses of rows whose labels may say that a row does not count."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from . import losses  # noqa: F401  (whose function has more forms here)
from .along import log_sum_exp
from .problem import Formula, Problem, also


@also("cross entropy")
def _of_counted(problem: Problem) -> Iterator[Formula]:
    """log(sum(exp(x))) - x[label], 0 of rows with a label that is passed and none of a class; their sum or mean."""
    for x, label in product(problem.floats, problem.integers):
        count = label.size
        if x.size % count or count == x.size:
            continue
        rows, at = x.flat.reshape(count, -1), label.index
        inside = (at >= 0) & (at < rows.shape[1])
        if inside.all() or not inside.any() or not {*at[~inside].tolist()} <= {*problem.numbers.values()}:
            continue
        taken = rows[np.arange(count), np.where(inside, at, 0)]
        each = np.where(inside, log_sum_exp(rows[:, :, None]).reshape(-1) - taken, 0)
        text = f"cross entropy of {x.name} by {label.name}, 0 of others"
        for how, made in (("", each), (", sum", each.sum(keepdims=True)), (", mean", each[inside].mean(keepdims=True))):
            if made.size == problem.size:
                yield Formula(f"{text}{how}", made)
