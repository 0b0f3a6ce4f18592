"""What a process that runs kernels cannot know of a finding: the lines of the host's program."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..findings import Finding
from ..memory.global_memory import GlobalMemory


def sourced(findings: Iterable[Finding], memory: GlobalMemory) -> list[Finding]:
    """Findings about device memory, with the line at which it was allocated."""
    found = []
    for finding in findings:
        region = finding.region
        if region is not None and region.space == memory.memory.name and finding.origin is None:
            entry = memory.memory.nearest(memory.address + region.offset)
            if entry is not None and entry.origin.line:
                finding = replace(finding, origin=entry.origin)
        found.append(finding)
    return found
