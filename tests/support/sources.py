"""Lines of sources, as findings name them."""

from __future__ import annotations

import re
from pathlib import Path


def line_of(source: Path, pattern: str) -> int:
    """The number of the one line of a file in which a pattern is found."""
    lines = source.read_text(encoding="utf-8").splitlines()
    (found,) = (number for number, line in enumerate(lines, 1) if re.search(pattern, line))
    return found
