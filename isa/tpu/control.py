"""Waits, barriers, parallel sections and cache maintenance of the kernel's own processor."""

from __future__ import annotations

from typing import Any

from ..declare import INFERRED, Barrier, Cache, Completion, Instruction, Require, Section, Signal, Wait, declare
from .spaces import ENGINES

_WAIT: dict[str, Any] = {"pipe": "sync", "provenance": INFERRED}

# Of waits for the same engines, a finding suggests the first one.
poll = declare("void tpu_poll()", doc="Wait until every engine is idle", effect=Wait(ENGINES), **_WAIT)
initialize = declare(
    "void tpu_initialize()", doc="First call of a kernel: every engine is idle and ready", effect=Wait(ENGINES), **_WAIT
)
poll_descriptor = declare(
    "void tpu_poll_descriptor()", doc="Wait until every engine is idle", effect=Wait(ENGINES), **_WAIT
)
hau_poll = declare("void tpu_hau_poll()", doc="Wait until HAU is idle", effect=Wait(("hau",)), **_WAIT)
_FOUND = "the number of elements that its last nonzero or mask_select of the core has found, 0 before"
filtered = declare(
    "uint32 tpu_gdma_get_filter_num()",
    doc=f"Wait until GDMA is idle: {_FOUND}",
    effect=Wait(("gdma",)),
    **_WAIT,
)
filtered_by_sdma = declare(
    "uint32 tpu_sdma_get_filter_num()",
    doc=f"Wait until SDMA is idle: {_FOUND}",
    effect=Wait(("sdma",)),
    archs=">=1690",
    **_WAIT,
)
sync_all = declare(
    "void tpu_sync_all()",
    doc="Barrier of all cores; also waits for the engines",
    effect=Barrier("union", ENGINES),
    **_WAIT,
)
_SECTION: dict[str, Any] = {"pipe": "sync", "provenance": INFERRED}
parallel_start = declare(
    "void tpu_parallel_start()", doc="BDC and GDMA run side by side from here", effect=Section(True), **_SECTION
)
parallel_end = declare(
    "void tpu_parallel_end()",
    doc="BDC and GDMA take turns again; what follows comes after both",
    effect=Section(False),
    **_SECTION,
)
_NUMBERS, _MOST = 512, 127  # bits of the commands


def _message(engine: str, sends: bool) -> Instruction:
    verb, count = ("send", "wait_cnt") if sends else ("wait", "send_cnt")
    what = f"Send a message when {engine.upper()} has come this far; wait_cnt commands wait for it"
    return declare(
        f"void tpu_{engine}_{verb}_msg(int32 msg_id, int32 {count})",
        doc=what if sends else f"Hold {engine.upper()} until a message has been sent send_cnt times",
        effect=Signal(sends, Completion.QUEUED if engine in ("bdc", "gdma") else Completion.DEFERRED),
        pipe=engine,
        engine="sync",
        archs=">=1690" if engine == "sdma" else "",
        rules=(Require(f"0 <= msg_id < {_NUMBERS}", needed=True), Require(f"1 <= {count} <= {_MOST}", needed=True)),
        work=f"msg_id + {_NUMBERS} * {count}",
        provenance=INFERRED,
    )


messages = tuple(_message(engine, sends) for engine in ENGINES for sends in (True, False))
_CACHE: dict[str, Any] = {
    "space": "global", "pipe": "scalar", "engine": "cache", "provenance": INFERRED, "work": "size",
}  # fmt: skip
flush = declare(
    "void tpu_flush_cache(const void address[size], uint64 size)",
    doc="Scalar stores to the range reach memory, where engines see them",
    effect=Cache("flush"),
    **_CACHE,
)
invalidate = declare(
    "void tpu_invalidate_cache(const void address[size], uint64 size)",
    doc="Scalar loads of the range come from memory, not from the cache",
    effect=Cache("invalidate"),
    **_CACHE,
)
