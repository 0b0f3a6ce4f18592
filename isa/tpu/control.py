"""Waits, meetings and cache maintenance of the kernel's own processor."""

from __future__ import annotations

from typing import Any

from ..declare import INFERRED, declare

#: The engines of a core; the kernel's processor is the scalar pipe.
ENGINES = ("bdc", "gdma", "hau", "sdma")
_WAIT: dict[str, Any] = {"pipe": "sync", "provenance": INFERRED}

initialize = declare(
    "void tpu_initialize()", doc="First call of a kernel: every engine is idle and ready", waits=ENGINES, **_WAIT
)
poll = declare("void tpu_poll()", doc="Wait until every engine is idle", waits=ENGINES, **_WAIT)
poll_descriptor = declare("void tpu_poll_descriptor()", doc="Wait until every engine is idle", waits=ENGINES, **_WAIT)
hau_poll = declare("void tpu_hau_poll()", doc="Wait until HAU is idle", waits=("hau",), **_WAIT)
sync_all = declare(
    "void tpu_sync_all()",
    doc="Meeting of all cores; also waits for the engines",
    waits=ENGINES,
    barrier="union",
    **_WAIT,
)
_CACHE: dict[str, Any] = {
    "space": "global", "pipe": "scalar", "engine": "cache", "provenance": INFERRED, "work": "size",
}  # fmt: skip
flush = declare(
    "void tpu_flush_cache(const void address[size], uint64 size)",
    doc="Scalar stores to the range reach memory, where engines see them",
    cache="flush",
    **_CACHE,
)
invalidate = declare(
    "void tpu_invalidate_cache(const void address[size], uint64 size)",
    doc="Scalar loads of the range come from memory, not from the cache",
    cache="invalidate",
    **_CACHE,
)
