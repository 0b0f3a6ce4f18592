"""Records of what was executed, and how a place in memory or in a source is named.

Here belongs what a log holds, and how it is written and read. Not what follows from it: that is `timing`'s and
`checks`'.
"""

from .joined import joined
from .log import (
    ALLOC,
    ARITHMETIC,
    ASYNC,
    ATOMIC,
    BLOCKING,
    CROSSED,
    FREE,
    LOAD,
    MESSAGE_KINDS,
    OPERAND,
    RECORD,
    REQUEST,
    RESULT,
    RUNS,
    SERIAL,
    STORE,
    Log,
    Op,
)
from .recorder import RAW, ROW, Recorder
from .region import NOWHERE, Location, Region, region_key, region_of

__all__ = [
    "ALLOC",
    "ARITHMETIC",
    "ASYNC",
    "ATOMIC",
    "BLOCKING",
    "CROSSED",
    "FREE",
    "LOAD",
    "MESSAGE_KINDS",
    "NOWHERE",
    "OPERAND",
    "RAW",
    "RECORD",
    "REQUEST",
    "RESULT",
    "ROW",
    "RUNS",
    "SERIAL",
    "STORE",
    "Location",
    "Log",
    "Op",
    "Recorder",
    "Region",
    "joined",
    "region_key",
    "region_of",
]
