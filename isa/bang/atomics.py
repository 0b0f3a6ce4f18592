"""Atomic updates of GDRAM: nobody comes between the read and the write of an element."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..declare import Atomic, Require, declare

_FACTS: dict[str, Any] = {
    "types": "half bfloat16 float int16 int32",
    "archs": ">=300",
    "pipe": "io",
    "effect": Atomic(),
    "semantics": np.add,
    "rules": (Require("size > 0", rule="length"), Require("dst % sizeof_dst == 0", rule="alignment")),
    "work": "size * sizeof_dst",
}

reduce_add = declare(
    "void __bang_atomic_reduce_add(inout gdram T dst[size], const T src[size], int32 size)",
    doc="dst[i] = dst[i] + src[i] in GDRAM, one element after the other in one step each",
    **_FACTS,
)
reduce_add_value = declare(
    "void __bang_atomic_reduce_add(inout gdram T dst[size], T value, int32 size)",
    doc="dst[i] = dst[i] + value in GDRAM, one element after the other in one step each",
    **_FACTS,
)
