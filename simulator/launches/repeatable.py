"""A launch that has run, with what runs it again: what it is compared with itself by."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...isa.cached import cached_property
from ..checks.after_run import Given
from ..core.memory import POISON
from ..engines.engine import Outcome
from ..findings import Finding, failed
from ..log import Log
from ..log.region import offset_numbers
from .contents import Reruns
from .variants import Variant

#: Numbers for elements of an array, which are chosen in C order.
Change = tuple[Given, slice | Sequence[int] | np.ndarray, np.ndarray]


@dataclass(frozen=True)
class RepeatableLaunch:
    """A launch that has run from the contents before ``reruns``; ``execute`` carries out it or one of its variants."""

    itself: Variant
    log: Log
    findings: Sequence[Finding]
    arrays: Sequence[Given]
    reruns: Reruns
    execute: Callable[[Variant], Outcome]

    @property
    def outputs(self) -> list[Given]:
        """The arrays that it may write."""
        return [array for array in self.arrays if array.output]

    def again(self) -> Outcome:
        """What comes of it with what its arrays hold while it is called, as `Reruns.run` calls it."""
        return self.execute(self.itself)

    @cached_property
    def _known(self) -> set[object]:
        """What the launch itself breaks."""
        return {(finding.cause, finding.carried_out) for finding in self.findings}

    def run(self, variant: Variant) -> Outcome:
        """The log of a variant, and of its findings those that are not of the launch itself."""
        whole = variant.launch.poison == POISON
        log, findings = self.reruns.run(lambda: self.execute(variant), whole)
        return log, [finding for finding in findings if (finding.cause, finding.carried_out) not in self._known]

    def keeps_the_rules(self, changes: Sequence[Change]) -> bool:
        """Whether it does with other numbers in arrays that it only reads, which hold their own again afterwards."""

        def changed() -> Outcome:
            own = []
            for array, at, numbers in changes:
                flat = array.contents().reshape(-1)
                own.append((flat, at, flat[at].copy()))
                flat[at] = numbers
            try:
                return self.again()
            finally:
                for flat, at, numbers in reversed(own):
                    flat[at] = numbers

        _, findings = self.reruns.run(changed)
        return not failed(findings)

    def leaves_the_same(self) -> bool:
        """Whether the last run has left in its arrays what the launch itself has."""
        return not any(map(self.reruns.after.differs, self.outputs))

    def followed(self, variant: Variant, key: int) -> Log:
        """What the blocks of a variant do, access by access, that write the byte of device memory with a key."""
        launch = variant.launch._replace(focus=int(offset_numbers(np.array([key], np.uint64))[0]))
        log, _ = self.reruns.run(lambda: self.execute(replace(variant, launch=launch)), whole=False)
        return log
