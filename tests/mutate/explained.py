"""Mutants that cannot be told from the original, and why; what can be computed to be so is not generated at all."""

from __future__ import annotations

from collections.abc import Mapping

_K = "0 < K <= len refuses the same calls under the same rule id; only the wording of the finding differs"
_LAYOUT = "without strides the start of a layout is asked for, a multiple of every element, and refuses the same calls"
#: Pattern of the mutant's text -> why no test can kill it.
EXPLAINED: Mapping[str, str] = {
    "tpu_* (*_addr % sizeof_*_addr == 0 where *_stride) when: *_stride -> none": _LAYOUT,
    "tpu_hau_sort* rules: without len > 0": _K,
    "tpu_hau_sort*(len > 0) *: len > 0 -> len >= 0": _K,
    "tpu_hau_sort*(len > 0) archs: *": _K,
}
