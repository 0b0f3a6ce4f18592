"""A launch with other bytes in uninitialized memory: whether what it reads there has a part in its results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..checks.after_run import Given
from ..checks.results import differing, offset_of
from ..findings import ERROR, WARNING, Finding, rules
from ..flow import Accesses, common, merged
from ..log import Log
from .repeatable import RepeatableLaunch

#: What every byte of uninitialized memory holds in further runs; the launch itself finds NaN and -1. Zeros, an ordinary
#: number in every type (0.75 as a float, 1.8 as a half, 63 as a byte), and a large one of either sign, which is above
#: and below what a kernel computes with and leads an index out of its array.
POISONS = 0x00, 0x3F, 0x7B, 0xFB


def _of_uninitialized(finding: Finding) -> bool:
    """Whether a finding of a launch says that it reads uninitialized memory, which may have no part in its results."""
    own = finding.rule == rules.uninitialized.UNINITIALIZED and not rules.uninitialized.is_of_locals(finding)
    return own and finding.severity == WARNING


def with_poisons(launched: RepeatableLaunch) -> list[Finding] | None:
    """The findings of a launch; reads of uninitialized memory say what other bytes there have changed.

    They are advice where the launch leaves the same to the bit, unless they are not of a place in memory: a mask that
    names threads which have ended is wrong whatever comes of it. None where no bytes are tried: there are no such
    reads, or the launch leaves something elsewhere than in its arrays.
    """
    own, findings = launched.itself, launched.findings
    if not any(map(_of_uninitialized, findings)) or not _are_compared(launched.log, launched.outputs):
        return None
    said = harmless = rules.uninitialized.without_effect(len(POISONS))
    for poison in POISONS:
        _, others = launched.run(replace(own, launch=own.launch._replace(poison=poison)))
        if broken := next((one for one in others if one.severity == ERROR), None):
            said = rules.uninitialized.breaks(broken, poison)
            break
        if reached := _first_changed(launched, poison):
            said = reached
            break
    return [said(one) if _of_uninitialized(one) and (one.region or said is not harmless) else one for one in findings]


def _are_compared(log: Log, outputs: Sequence[Given]) -> bool:
    """Whether a launch leaves something, and all of it in its arrays."""
    written = Accesses(log).touched[1]
    ends = [(offset_of(array), offset_of(array) + array.bytes) for array in outputs]
    ranges = merged(np.array(ends, np.int64).reshape(-1, 2))
    return len(written) > 0 and np.array_equal(common(written, ranges), written)


def _first_changed(launched: RepeatableLaunch, poison: int) -> Callable[[Finding], Finding] | None:
    """What is to be said of the first array that holds something else now."""
    after = launched.reruns.after
    for array in launched.outputs:
        if (changed := after.changed(array)).size:
            found = differing(array, changed, after.of(array), array.contents())
            return rules.uninitialized.reaches(found, poison)
    return None
