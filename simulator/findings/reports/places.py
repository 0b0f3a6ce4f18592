"""Paths as editors and CI look for them."""

from __future__ import annotations

from pathlib import Path


def shown_path(file: str) -> str:
    """A path relative to the working directory where it lies below it, else as it is; with forward slashes."""
    try:
        return Path(file).resolve().relative_to(Path.cwd().resolve()).as_posix()
    except (ValueError, OSError):
        return file
