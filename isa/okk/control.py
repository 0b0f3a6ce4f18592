"""Waits and parallel sections: those of TPU-KERNEL, documented here."""

from __future__ import annotations

from dataclasses import replace

from ..declare import DOCUMENTED, Instruction, Wait, alias
from ..tpu import control
from .spaces import ENGINES


def _taken(entry: Instruction) -> Instruction:
    effect = replace(entry.effect, pipes=ENGINES) if isinstance(entry.effect, Wait) else entry.effect
    return alias(entry, entry.name.replace("tpu_", "okk_"), effect=effect, provenance=DOCUMENTED)


waits = tuple(
    _taken(entry) for entry in (control.poll, control.initialize, control.parallel_start, control.parallel_end)
)
