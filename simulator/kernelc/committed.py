"""Sources as the last commit of their repository has them."""

from __future__ import annotations

import subprocess
from pathlib import Path


def committed(path: Path) -> str | None:
    """The text of a file in the last commit; None if it is as there, not there at all, or git is not."""
    words = ["git", "-C", str(path.absolute().parent), "cat-file", "blob", f"HEAD:./{path.name}"]
    try:
        done = subprocess.run(words, capture_output=True, stdin=subprocess.DEVNULL)
        if done.returncode or done.stdout == path.read_bytes():
            return None
    except OSError:
        return None
    return done.stdout.decode("utf-8", errors="surrogateescape")
