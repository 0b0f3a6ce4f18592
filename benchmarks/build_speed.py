"""What a build of a kernel costs that the cache lacks, its headers compiled ahead."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

from mlusim.simulator import load

from .measure import Figure, best, device

_KERNEL = """
__mlu_entry__ void scale(float *x, float *y, int count) {{
  __nram__ float tile[1024];
  for (int at = 0; at < count; at += 1024) {{
    __memcpy(tile, x + at, sizeof tile, GDRAM2NRAM);
    __bang_mul_scalar(tile, tile, {number}.0f, 1024);
    __memcpy(y + at, tile, sizeof tile, NRAM2GDRAM);
  }}
}}
"""
#: What operators include before their kernels.
_NAMES = ("string", "vector", "sstream", "iostream", "algorithm", "memory")
_HEADERS = "".join(f"#include <{name}>\n" for name in _NAMES)


def builds() -> Iterator[Figure]:
    """A kernel that is another one each time, without headers of its own and with those of the C++ library."""
    with tempfile.TemporaryDirectory() as folder:
        plain, headed = best(_another(Path(folder), ""), _another(Path(folder), _HEADERS), rounds=6)
    yield Figure("a build of a new small kernel", plain * 1e3, "ms", 350)
    yield Figure("a build of a new kernel behind six headers of the C++ library", headed * 1e3, "ms", 800)


def _another(folder: Path, headers: str) -> Callable[[], object]:
    source, numbers = folder / f"kernel{len(headers)}.mlu", count()

    def build() -> None:
        source.write_text(headers + _KERNEL.format(number=_new(folder, next(numbers))))
        load([source], device=device())

    return build


def _new(folder: Path, number: int) -> int:
    """A number that no kernel in the cache has yet."""
    return hash((folder.name, number)) % 1_000_000
