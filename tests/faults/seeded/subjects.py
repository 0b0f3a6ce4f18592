"""The kernels that faults are seeded into, each with the launches that its author would try."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .source import Source, Span

#: The kernels, in one source: the second file goes on where the first ends.
KERNELS = "".join(Path(__file__).with_name(name).read_text("utf-8") for name in ("kernels.mlu", "kernels_more.mlu"))


@dataclass(frozen=True)
class Trial:
    """A launch: numbers of tasks, their kind, and what makes its arguments anew."""

    tasks: int
    kind: str
    arguments: Callable[[], list[Any]]


@dataclass(frozen=True)
class Subject:
    """A kernel of a source, and where in it faults may be seeded; ``name`` with template arguments, if it has any."""

    name: str
    source: Source
    trials: Sequence[Trial]
    device: str = "mlu370-x4"


class Random:
    """Arrays that are the same each time: what is asked of them first has the seed 0."""

    def __init__(self) -> None:
        self._rng = np.random.default_rng(5)

    def __call__(self, *shape: int, dtype: type = np.float32) -> np.ndarray:
        return self._rng.uniform(0.5, 2, shape).astype(dtype)

    def below(self, most: int, *shape: int) -> np.ndarray:
        return self._rng.integers(0, most, shape, dtype=np.int32)


def zeros(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.zeros(shape, dtype)


def _trials(*given: tuple[int, str, Callable[[Random], list[Any]]]) -> tuple[Trial, ...]:
    return tuple(Trial(tasks, kind, lambda made=made: made(Random())) for tasks, kind, made in given)


# ruff: noqa: E501 (a launch a line)
TRIALS: dict[str, tuple[Trial, ...]] = {
    "scale": _trials((4, "block", lambda r: [zeros(1500), r(1500), 3.0, 1500]), (3, "block", lambda r: [zeros(1024), r(1024), 0.5, 1024])),
    "axpy": _trials((4, "block", lambda r: [zeros(1502), r(1502), r(1502), 3.0, 1502]), (1, "block", lambda r: [zeros(300), r(300), r(300), 2.0, 300])),
    "three_stages": _trials((2, "block", lambda r: [zeros(2048), r(2048), 8]), (1, "block", lambda r: [zeros(768), r(768), 3])),
    "double_buffer": _trials((2, "block", lambda r: [zeros(2000), r(2000), 2000]), (4, "block", lambda r: [zeros(900), r(900), 900])),
    "cluster_table": _trials((4, "union1", lambda r: [zeros(6 * 256), r(6 * 256), r(256), 6])),
    "neighbours": _trials((4, "union1", lambda r: [zeros(1024), r(1024)]), (8, "union2", lambda r: [zeros(2048), r(2048)])),
    "total": _trials((4, "union1", lambda r: [zeros(1), zeros(4), r(1800), 1800])),
    "softmax": _trials((4, "block", lambda r: [zeros(10, 100), r(10, 100), 10, 100]), (1, "block", lambda r: [zeros(3, 256), r(3, 256), 3, 256])),
    "layer_norm": _trials((4, "block", lambda r: [zeros(10, 100), r(10, 100), r(100), r(100), 10, 100])),
    "filter": _trials((1, "block", lambda r: [zeros(1024), r(1024), r(8), 4])),
    "bordered": _trials((2, "block", lambda r: [zeros(5, 256), r(5, 256), r(9), 5])),
    "causal": _trials((4, "block", lambda r: [zeros(12, 12), r(12, 12), 12])),
    "transpose": _trials((4, "block", lambda r: [zeros(48, 32), r(32, 48), 32, 48])),
    "crop": _trials((4, "block", lambda r: [zeros(10, 40), r(20, 64), 20, 64, 3, 7, 10, 40])),
    "concatenate": _trials((4, "block", lambda r: [zeros(9, 160), r(9, 100), r(9, 60), 9, 100, 60])),
    "embedding": _trials((4, "block", lambda r: [zeros(13, 80), r(20, 80), r.below(20, 13), 13, 80])),
    "max_pool": _trials((2, "block", lambda r: [zeros(5, 256), r(5, 1024), 5, 4])),
    "batch_norm": _trials((4, "block", lambda r: [zeros(100, 48), r(100, 48), r(48), r(48), 100, 48])),
    "widened": _trials((2, "block", lambda r: [zeros(900, dtype=np.float16), r(900, dtype=np.float16), 900])),
    "histogram": _trials((4, "block", lambda r: [zeros(64, dtype=np.int32), r.below(64, 1500), 1500, 64])),
    "running_sums": _trials((4, "block", lambda r: [zeros(6, 50), r(6, 50), 6, 50])),
    "matrix_vector": _trials((4, "block", lambda r: [zeros(30), r(30, 90), r(90), 30, 90])),
    "product": _trials((4, "block", lambda r: [zeros(10, 12), r(10, 14), r(14, 12), 10, 14, 12])),
    "arg_max": _trials((4, "block", lambda r: [zeros(9, dtype=np.int32), zeros(9), r(9, 40), 9, 40])),
    "rotary": _trials((4, "block", lambda r: [zeros(6, 128), r(6, 128), r(6, 64), r(6, 64), 6, 128])),
    "gated": _trials((4, "block", lambda r: [zeros(6, 96), r(6, 192), 6, 96])),
    "clipped": _trials((2, "block", lambda r: [zeros(1500), r(1500), 0.8, 1.5, 1500])),
    "column_sums": _trials((1, "block", lambda r: [zeros(48), r(10, 48), 10, 48])),
    "rounds": _trials((4, "union1", lambda r: [zeros(1024), r(768), 3])),
    "differences": _trials((2, "block", lambda r: [zeros(1200), r(1201), 1200])),
}  # fmt: skip


def ours() -> list[Subject]:
    """The kernels, each alone in its source, lines where they are."""
    text = KERNELS
    bodies = {
        m[1]: Span(*m.span()) for m in re.finditer(r"^__mlu_entry__ void (\w+)\(.*?^\}", text, re.DOTALL | re.MULTILINE)
    }
    found = []
    for name, span in bodies.items():
        alone = text
        for other, place in bodies.items():
            if other != name:
                blank = re.sub(r"[^\n]", " ", text[place.start : place.end])
                alone = alone[: place.start] + blank + alone[place.end :]
        found.append(Subject(name, Source(alone, span), TRIALS[name]))
    return found
