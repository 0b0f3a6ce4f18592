"""Mutants that nobody can tell from the original, and why; what can be computed to be so is not generated at all."""

from __future__ import annotations

from collections.abc import Mapping

_K = "0 < K <= len refuses the same calls under the same rule id; only the wording of the finding differs"
#: Pattern of the mutant's text -> why no test can kill it.
EXPLAINED: Mapping[str, str] = {
    "tpu_hau_sort* rules: without len > 0": _K,
    "tpu_hau_sort*(len > 0) *: len > 0 -> len >= 0": _K,
    "tpu_hau_sort*(len > 0) archs: *": _K,
}
