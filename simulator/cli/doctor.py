"""The command that looks at the host: what mlusim needs of it, what is there, and what a kernel is kept from."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from ..engines.worker.health import BAD, GOOD, POOR, looked_at
from .screen import Screen

_STYLES = {GOOD: "green", POOR: "yellow", BAD: "red"}


def doctor(options: argparse.Namespace, screen: Screen) -> bool:
    """Show what of the host mlusim uses; false when kernels in C cannot run."""
    del options
    rows = looked_at()
    if screen.json:
        screen.document({"checks": [asdict(row) for row in rows]})
    else:
        for row in rows:
            screen.line(f"{row.state:7}  {row.name:9}  {row.text}", _STYLES[row.state])
    return all(row.state != BAD for row in rows)
