"""Records of what was executed, and how a place in memory or in a source is named.

Here belongs what a log holds, and how it is written and read. Not what follows from it: that is `timing`'s and
`checks`'.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...isa.late import late

if TYPE_CHECKING:
    from .joining import joined
    from .log import (
        ALLOC,
        ARITHMETIC,
        ASYNC,
        ATOMIC,
        BLOCKING,
        CROSSED,
        EXCHANGE,
        FREE,
        LOAD,
        MESSAGE_KINDS,
        OPERAND,
        RECORD,
        REQUEST,
        RESULT,
        RUNS,
        SERIAL,
        SHORT,
        STORE,
        Log,
        Op,
        parts,
    )
    from .recorder import Recorder
    from .region import NOWHERE, Location, Region, region_key, region_of

#: Module -> the names of it that are this package's.
_HOMES = {
    "joining": "joined",
    "log": (
        "ALLOC ARITHMETIC ASYNC ATOMIC BLOCKING CROSSED EXCHANGE FREE LOAD MESSAGE_KINDS OPERAND RECORD REQUEST "
        "RESULT RUNS SERIAL SHORT STORE Log Op parts"
    ),
    "recorder": "Recorder",
    "region": "NOWHERE Location Region region_key region_of",
}
__all__ = [
    "ALLOC",
    "ARITHMETIC",
    "ASYNC",
    "ATOMIC",
    "BLOCKING",
    "CROSSED",
    "EXCHANGE",
    "FREE",
    "LOAD",
    "MESSAGE_KINDS",
    "NOWHERE",
    "OPERAND",
    "RECORD",
    "REQUEST",
    "RESULT",
    "RUNS",
    "SERIAL",
    "SHORT",
    "STORE",
    "Location",
    "Log",
    "Op",
    "Recorder",
    "Region",
    "joined",
    "parts",
    "region_key",
    "region_of",
]

__getattr__, __dir__ = late(__name__, _HOMES)
