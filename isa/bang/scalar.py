"""What the scalar unit does to memory, and what a task takes of it: records without a vendor's name."""

from __future__ import annotations

from typing import Any

from ..declare import INFERRED, declare

_FACTS: dict[str, Any] = {"pipe": "scalar", "provenance": INFERRED}

load = declare(
    "void scalar.load(const void src[bytes], int32 bytes)",
    doc="A run of scalar loads at one stride (work = loads)",
    **_FACTS,
)
store = declare(
    "void scalar.store(void dst[bytes], int32 bytes)",
    doc="A run of scalar stores at one stride (work = stores)",
    **_FACTS,
)
take = declare(
    "void alloc(void dst[bytes], int32 bytes)", doc="A task takes on-chip memory for its variables", **_FACTS
)
give = declare("void free(void dst[bytes], int32 bytes)", doc="A task returns on-chip memory", **_FACTS)
