"""Linear units with gates: an activation of one half times the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations

import numpy as np

from .pointwise import OF_ONE
from .problem import Formula, Function, Problem, function

#: Gates by the names of their units.
GATES: Mapping[str, str] = {
    "swiglu": "silu", "silu and mul": "silu", "gelu and mul": "gelu", "geglu": "gelu", "reglu": "relu",
    "glu": "sigmoid",
}  # fmt: skip


def _gated(unit: str, gates: Sequence[Callable[[np.ndarray], np.ndarray]]) -> Function:
    """Of two arrays; or of one, whose halves along an axis or even and odd elements they are."""

    def formulas(problem: Problem) -> Iterator[Formula]:
        for gate in gates:
            for text, a, b in _parts(problem):
                yield Formula(f"{unit}({text})", (gate(a) * b).reshape(-1))

    return formulas


def _parts(problem: Problem) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    for x, y in permutations(problem.like, 2):
        yield f"{x.name}, {y.name}", x.flat, y.flat
    for x in (x for x in problem.inputs if x.size == 2 * problem.size):
        for text, rows in problem.along_axes(x):
            half = rows.shape[1] // 2
            if rows.shape[1] % 2 == 0:
                yield f"halves of {x.name}, {text}", rows[:, :half], rows[:, half:]
                yield f"second and first halves of {x.name}, {text}", rows[:, half:], rows[:, :half]
                yield f"even and odd elements of {x.name}, {text}", rows[:, ::2], rows[:, 1::2]
                yield f"odd and even elements of {x.name}, {text}", rows[:, 1::2], rows[:, ::2]


NAMES = frozenset(GATES)
for _name, _gate in GATES.items():
    function(_name)(_gated(_name, OF_ONE[_gate]))
