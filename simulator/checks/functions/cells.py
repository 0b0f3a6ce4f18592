"""Cells of recurrent networks, whose gates are products that are computed already."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np

from .pointwise import sigmoid
from .problem import Formula, Input, Problem, function, of_all_results, spelled

#: Cells whose gates are arrays of their own; more arrays than these are not tried in all orders.
_MOST_ARRAYS = 6

_Gates = Sequence[np.ndarray]  # of each gate, [rows, width]


def _widths(problem: Problem, state: Input) -> list[int]:
    """How long a row of a state may be."""
    return [n for n in dict.fromkeys((*state.axes[-1:], *problem.whole, state.size)) if n > 0 and state.size % n == 0]


def _parts(one: np.ndarray, count: int, width: int) -> Iterator[tuple[str, _Gates]]:
    """The gates of one array: of each row, one gate after the other, or the numbers of one gate together."""
    rows = one.reshape(-1, count, width)
    yield "gates of each row", [rows[:, at] for at in range(count)]
    if len(rows) > 1:
        yield "one gate after the other", [*one.reshape(count, -1, width)]


def _summed(problem: Problem, state: Input, count: int) -> Iterator[tuple[str, _Gates]]:
    """Sums of one or two products [rows, gates, width] and of biases [gates, width]; or of arrays of each gate."""
    wide = [one for one in problem.floats if one.size == count * state.size][:2]
    for width in _widths(problem, state) if wide else ():
        biases = [one for one in problem.floats if one.size == count * width and one not in (*wide, state)][:2]
        for others in (biases, [])[0 if biases else 1 :]:
            text = " + ".join(one.name for one in (*wide, *others))
            for how, gates in _parts(np.sum([one.flat for one in wide], axis=0), count, width):
                added = [one.flat.reshape(count, width) for one in others]
                yield f"{text}, {how}", [sum((one[at] for one in added), gates[at]) for at in range(count)]
    alone = [one for one in problem.floats if one.size == state.size and one is not state]
    if count <= len(alone) < _MOST_ARRAYS:
        for some in combinations(alone, count):
            yield ", ".join(one.name for one in some), [one.flat for one in some]


def _as_they_lie(how: str, gates: _Gates) -> np.ndarray:
    return np.stack(gates, axis=1) if how.endswith("row") else np.stack(gates)


@function("lstm cell")
def _lstm(problem: Problem) -> Iterator[Formula]:
    """c' = f * c + i * g, h = o * tanh(c'), of gates in any order, before their functions or behind these."""
    states = [one for one in problem.floats if problem.size in (one.size, 4 * one.size)]
    for extra, state in product(dict.fromkeys((0.0, *problem.factors, 1.0)), states):
        for text, gates in _summed(problem, state, 4):
            for order in permutations(range(4)):
                i, f, g, o = (gates[at] for at in order)
                names = f"c = {state.name}, ifgo = {order} of {text}, forget bias {extra:g}"
                made = [sigmoid(i), sigmoid(f + extra), np.tanh(g), sigmoid(o)]
                yield from _of_state(problem, state, made, names)
                if problem.size > state.size:
                    held = [made[order.index(at)] for at in range(4)]
                    yield Formula(f"gates: {names}", _as_they_lie(text, held).reshape(-1))
                if not extra and " + " not in text:
                    yield from _of_state(problem, state, [i, f, g, o], f"{names}, as they are")


def _of_state(problem: Problem, state: Input, gates: _Gates, text: str) -> Iterator[Formula]:
    if problem.size == state.size:
        i, f, g, o = gates
        after = f * state.flat.reshape(f.shape) + i * g
        yield Formula(f"cell: {text}", after.reshape(-1))
        yield Formula(f"hidden: {text}", (o * np.tanh(after)).reshape(-1))


@function("gru cell")
def _gru(problem: Problem) -> Iterator[Formula]:
    """n = tanh(x_n + r * h_n), h' = (1 - z) * n + z * h, or with z for 1 - z; of gates in any order."""
    for state in problem.like:
        wide = [one for one in problem.floats if one.size == 3 * state.size]
        for (x, hidden), width in product(permutations(wide, 2), _widths(problem, state)):
            biases = [one for one in problem.floats if one.size == 3 * width and one not in wide]
            for pair in (*permutations(biases, 2), *((one, None) for one in biases), (None, None)):
                both = [_biased(one, bias, width) for one, bias in zip((x, hidden), pair, strict=True)]
                for (how, of_x), (_, of_h) in zip(*both, strict=True):
                    text = f"{x.name}, {hidden.name}, {state.name}, {how}"
                    yield from _renewed(state, of_x, of_h, text)


def _biased(one: Input, bias: Input | None, width: int) -> list[tuple[str, _Gates]]:
    added = bias.flat.reshape(3, width) if bias else np.zeros((3, 1))
    return [(how, [gate + added[at] for at, gate in enumerate(gates)]) for how, gates in _parts(one.flat, 3, width)]


def _renewed(state: Input, of_x: _Gates, of_h: _Gates, text: str) -> Iterator[Formula]:
    for r, z, n in permutations(range(3)):
        new = np.tanh(of_x[n] + sigmoid(of_x[r] + of_h[r]) * of_h[n])
        share, held = sigmoid(of_x[z] + of_h[z]), state.flat.reshape(new.shape)
        yield Formula(f"gru({text}), rzn = {r, z, n}", ((1 - share) * new + share * held).reshape(-1))
        yield Formula(f"gru({text}), rzn = {r, z, n}, z of what is new", (share * new + (1 - share) * held).reshape(-1))


spelled(
    "lstm cell",
    """lstm unit, lstm pointwise, lstm elementwise, lstm cell pointwise, lstm element wise, lstm cell elementwise, lstm
    gates, lstm activation, lstm gate, lstm unit forward, lstm cell update, lstm forward pointwise, lstm cell act""",
)
spelled(
    "gru cell",
    "gru unit, gru pointwise, gru elementwise, gru cell pointwise, gru element wise, gru gates, gru cell update",
)
of_all_results("lstm cell")
