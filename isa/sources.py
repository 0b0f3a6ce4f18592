"""The files that declare the dialects, as a key for what is made of them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from .dialect import Dialect
from .dialects import declared


def declared_in(dialect: Dialect) -> str:
    """The name of a dialect with a digest of the files; "" when its instructions are not those that they declare."""
    return f"{dialect.name} {_digest()}" if dialect.instructions is declared(dialect.name) else ""


@cache
def _digest() -> str:
    files = sorted(Path(__file__).parent.rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
