"""Which of the operator library's kernels a case is one for: by broadcasting, type and layout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import prod

import numpy as np

from .metadata import Shape, dense_strides
from .types import HALF

#: In the order in which they are tried.
VARIANTS = (
    "nobroadcast", "one_scalar", "one_dimension", "one_not_broadcast", "one_broadcast", "limit_nhwc", "half8", "stride",
)  # fmt: skip
#: Halfs in a vector of the half8 variant.
HALF8 = 8


@dataclass
class VariantLayout:
    """The output and the inputs on merged axes: strides in bytes, types, addresses modulo 64."""

    shape: Shape
    strides: Sequence[Shape]  # of the output, then of the inputs
    types: Sequence[np.dtype]
    addresses: Sequence[int]
    channels_last: bool  # the output is an image whose memory order is NHWC and no other
    dense: list[bool] = field(init=False)  # for each array whether it has each of the output's elements without gaps
    #: Which of two inputs is broadcast, and its runs of axes (broadcast?, elements); None unless both are dense.
    shorter: tuple[int, list[tuple[bool, int]]] | None = field(init=False)

    def __post_init__(self) -> None:
        self.dense = [
            own == dense_strides(self.shape, dtype.itemsize)
            for own, dtype in zip(self.strides, self.types, strict=True)
        ]
        self.shorter = self._shorter()

    def _shorter(self) -> tuple[int, list[tuple[bool, int]]] | None:
        if len(self.strides) != 3 or not self.dense[0] or not (self.dense[1] or self.dense[2]):
            return None
        short = 2 if self.dense[1] else 1
        strides, itemsize = self.strides[short], self.types[short].itemsize
        kept = [length for length, step in zip(self.shape, strides, strict=True) if step]
        if tuple(step for step in strides if step) != dense_strides(tuple(kept), itemsize):
            return None
        axes = zip(strides, self.shape, strict=True)
        runs = [
            (broadcast, prod(length for _, length in run)) for broadcast, run in groupby(axes, lambda axis: not axis[0])
        ]
        return short - 1, runs


def find_variant(layout: VariantLayout, wanted: str | None) -> tuple[str, Mapping[str, int]] | None:
    """The variant and its parameters: the first that applies, or the wanted one; None where that does not apply."""
    for name in VARIANTS if wanted is None else (wanted,):
        parameters = _TESTS[name](layout)
        if parameters is not None:
            return name, parameters
    return None


def _nobroadcast(layout: VariantLayout) -> dict[str, int] | None:
    return {} if all(layout.dense) else None


def _stride(layout: VariantLayout) -> dict[str, int] | None:
    return {"dim_count": len(layout.shape)}


def _limit_nhwc(layout: VariantLayout) -> dict[str, int] | None:
    return {"dim_count": len(layout.shape)} if layout.channels_last else None


def _half8(layout: VariantLayout) -> dict[str, int] | None:
    """All halfs, and every row of every array whole vectors of 8 at aligned addresses."""
    vector = HALF8 * HALF.itemsize
    if any(dtype != HALF for dtype in layout.types) or not layout.shape or layout.shape[-1] % HALF8:
        return None
    for strides, address in zip(layout.strides, layout.addresses, strict=True):
        if strides[-1] != HALF.itemsize or address % vector or any(step % vector for step in strides[:-1]):
            return None
    return {"dim_count": len(layout.shape)}


def _one(layout: VariantLayout, pattern: Sequence[bool], names: Sequence[str]) -> dict[str, int] | None:
    """The shorter input's runs on a pattern of (broadcast?) runs, some of which may be missing (of 1 element)."""
    if layout.shorter is None:
        return None
    number, runs = layout.shorter
    lengths = [1] * len(pattern)
    at = 0
    for broadcast, elements in runs:
        while at < len(pattern) and pattern[at] != broadcast:
            at += 1
        if at == len(pattern):
            return None
        lengths[at] = elements
        at += 1
    sizes = dict(zip(("outer", "middle", "inner")[-len(pattern) :], lengths, strict=True))
    values = {
        "inner_dim": sizes["inner"],
        "axis_lgt": sizes.get("middle", 1),
        "outer_stride": sizes.get("middle", 1) * sizes["inner"],
    }
    return {**{name: values[name] for name in names}, "first_shorter": int(number == 0)}


def _one_scalar(layout: VariantLayout) -> dict[str, int] | None:
    return _one(layout, (True,), ())


def _one_dimension(layout: VariantLayout) -> dict[str, int] | None:
    return _one(layout, (True, False), ("inner_dim",))


def _one_not_broadcast(layout: VariantLayout) -> dict[str, int] | None:
    return _one(layout, (True, False, True), ("axis_lgt", "inner_dim"))


def _one_broadcast(layout: VariantLayout) -> dict[str, int] | None:
    return _one(layout, (False, True, False), ("outer_stride", "inner_dim"))


_TESTS = {
    "nobroadcast": _nobroadcast, "one_scalar": _one_scalar, "one_dimension": _one_dimension,
    "one_not_broadcast": _one_not_broadcast, "one_broadcast": _one_broadcast, "limit_nhwc": _limit_nhwc,
    "half8": _half8, "stride": _stride,
}  # fmt: skip
