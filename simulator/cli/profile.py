"""What `--profile` shows: where the simulator's own time went."""

from __future__ import annotations

from typing import Any

from ..spent import current
from .screen import Screen

#: Phases that a table shows; the others are one line.
_SHOWN = 16


def print_profile(screen: Screen) -> None:
    """Print where time went, the longest phase first, if that was asked for."""
    if (spent := current()) is None:
        return
    phases = spent.phases
    whole = sum(seconds for seconds, _ in phases.values())
    lines = [(name, seconds, times) for name, (seconds, times) in phases.items()]
    shown, others = lines[:_SHOWN], lines[_SHOWN:]
    if others:
        shown.append((f"{len(others)} more", sum(entry[1] for entry in others), sum(entry[2] for entry in others)))
    screen.line()
    screen.table(
        [("SIMULATOR'S OWN TIME", False), ("ms", True), ("share", True), ("times", True), ("us each", True)],
        (
            (name, f"{seconds * 1e3:.2f}", f"{seconds / whole:.1%}", f"{times}", f"{seconds / times * 1e6:.2f}")
            for name, seconds, times in shown
        ),
    )


def profile_document() -> dict[str, Any]:
    """The same for a JSON document, all phases; no key if it was not asked for."""
    if (spent := current()) is None:
        return {}
    rows = [
        {"phase": name, "seconds": round(seconds, 9), "times": times} for name, (seconds, times) in spent.phases.items()
    ]
    return {"profile": rows}
