"""The kernels that faults are seeded into, each with the launches that its author would try."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .source import Source, Span

#: The kernels, in one source: the second file goes on where the first ends.
KERNELS = "".join(Path(__file__).with_name(name).read_text("utf-8") for name in ("kernels.mlu", "kernels_more.mlu"))


@dataclass(frozen=True)
class Trial:
    """A launch: numbers of tasks (of blocks), their kind, and what makes its arguments anew; ``how`` it is launched."""

    tasks: int | tuple[int, ...]
    kind: str
    arguments: Callable[[], Any]
    how: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Subject:
    """A kernel of a source, and where in it faults may be seeded; ``name`` with template arguments, if it has any."""

    name: str
    source: Source
    trials: Sequence[Trial]
    device: str = "mlu370-x4"
    language: str = "mlu"  # the end of the source's name


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
    return tuple(Trial((tasks, 1, 1), kind, lambda made=made: made(Random())) for tasks, kind, made in given)


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


def _blocks(
    blocks: int | tuple[int, ...], threads: int | tuple[int, int], made: Callable[[Random], list[Any]], shared: int = 0
) -> tuple[Trial, ...]:
    return (Trial(blocks, "grid", lambda: made(Random()), {"block": threads, "shared": shared}),)


def _cores(cores: int, rows: int, columns: int) -> tuple[Trial, ...]:
    """A launch of a TPU kernel on two matrices, of which one may be room for what cores leave each other."""

    def made() -> dict[str, Any]:
        random = Random()
        arrays = {"out": zeros(rows, columns), "in": random(rows, columns), "other": random(rows, columns)}
        return arrays | {"rows": rows, "columns": columns, "factor": 2.5}

    return (Trial((cores, 1, 1), "cores", made),)


CUDA: dict[str, tuple[Trial, ...]] = {
    "axpy": _blocks(3, 64, lambda r: [zeros(1000), r(1000), r(1000), 3.0, 1000]),
    "sums": _blocks(4, 64, lambda r: [zeros(4), r(250), 250]),
    "turned": _blocks((3, 2), (8, 8), lambda r: [zeros(20, 13), r(13, 20), 13, 20]),
    "product": _blocks((2, 2), (8, 8), lambda r: [zeros(13, 14), r(13, 20), r(20, 14), 13, 20, 14]),
    "smoothed": _blocks(4, 64, lambda r: [zeros(250), r(250), 250]),
    "row_maxima": _blocks(5, 64, lambda r: [zeros(5), r(5, 150), 150]),
    "biased": _blocks(3, 32, lambda r: [zeros(9, 50), r(9, 50), r(50), 9, 50]),
    "softmax_rows": _blocks(6, 32, lambda r: [zeros(6, 75), r(6, 75), 75], shared=428),
    "normalized": _blocks(3, 32, lambda r: [zeros(8, 50), r(8, 50), r(50), 8, 50]),
    "counted": _blocks(3, 64, lambda r: [zeros(48, dtype=np.int32), r.below(48, 700), 700, 48]),
    "scanned": _blocks(4, 64, lambda r: [zeros(4, 50), r(4, 50), 50]),
    "blurred": _blocks((3, 2), (8, 8), lambda r: [zeros(14, 20), r(14, 20), 14, 20]),
    "column_totals": _blocks((2, 3), 32, lambda r: [zeros(50), r(10, 50), 10, 50]),
    "looked_up": _blocks(3, 64, lambda r: [zeros(11, 30), r(20, 30), r.below(22, 11), 11, 30, 20]),
    "rotated": _blocks((2, 6), 32, lambda r: [zeros(6, 80), r(6, 80), r(6, 40), r(6, 40), 6, 40]),
    "pooled": _blocks((2, 2, 3), (8, 4), lambda r: [zeros(3, 6, 11), r(3, 12, 22), 12, 22]),
}
TPU: dict[str, tuple[Trial, ...]] = {
    "scaled_rows": _cores(4, 300, 24), "added": _cores(1, 256, 16), "rectified": _cores(1, 150, 32),
    "neighbours": _cores(4, 256, 16), "in_columns": _cores(1, 100, 40),
}  # fmt: skip
#: Sources by the end of their names: text, device, what begins a kernel, launches.
_LANGUAGES: dict[str, tuple[str, str, dict[str, tuple[Trial, ...]]]] = {
    "mlu": ("mlu370-x4", r"__mlu_entry__ void", TRIALS),
    "c": ("bm1690", r"int", TPU),
    "cu": ("cuda-sm80", r"__global__ void", CUDA),
}


def ours(language: str = "mlu") -> list[Subject]:
    """The kernels of a language, each alone in its source, lines where they are."""
    device, begins, trials = _LANGUAGES[language]
    text = KERNELS if language == "mlu" else Path(__file__).with_name(f"kernels.{language}").read_text("utf-8")
    kernel = rf"^({begins} (\w+)\(.*?^\}})(?:\nTPU\w+\(\w+\);)?"
    bodies = {m[2]: (m.span(), m.end(1)) for m in re.finditer(kernel, text, re.DOTALL | re.MULTILINE)}
    found = []
    for name, ((start, _), end) in bodies.items():
        alone = text
        for other, ((first, last), _) in bodies.items():
            if other != name:
                alone = alone[:first] + re.sub(r"[^\n]", " ", text[first:last]) + alone[last:]
        found.append(Subject(name, Source(alone, Span(start, end)), trials[name], device, language))
    return found
