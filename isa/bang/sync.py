"""Waits for the pipes of a core, and barriers."""

from __future__ import annotations

from typing import Any

from ..declare import DOCUMENTED, INFERRED, Barrier, Instruction, Wait, declare
from .spaces import PIPES


def _wait(name: str, *pipes: str, provenance: str = INFERRED, doc: str = "", **facts: Any) -> Instruction:
    idle = f"Wait until {', '.join(pipes)} of this core {'is' if len(pipes) == 1 else 'are'} idle"
    prototype = f"void {name}({facts.pop('arguments', '')})"
    return declare(prototype, doc=idle + doc, pipe="sync", effect=Wait(pipes), provenance=provenance, **facts)


#: The copies that each wait is named after use one pipe; the wait is for all copies of that pipe.
_COPIES = {
    "io": "dram_to_nram nram_to_dram dram_to_wram wram_to_dram dram_to_sram sram_to_dram",
    "move": "nram_to_sram sram_to_nram wram_to_sram sram_to_wram",
    "compute": "nram_to_nram",
}


waits = (
    _wait("__sync", *PIPES),
    _wait("__sync_compute", "compute", provenance=DOCUMENTED),
    _wait("__sync_io", "io"),
    _wait("__sync_move", "move"),
    _wait("__sync_io_move_compute", "io", "move", "compute"),
    # What the six flags of public kernels mean is not published; the wait is for all three pipes (inferred).
    _wait("__sync_io_move_compute", "io", "move", "compute", arguments=", ".join(f"int32 flag{n}" for n in range(6))),
    _wait("__asm_sync", *PIPES, asm="sync"),
    *(
        _wait(f"__sync_copy_{copy}", pipe, provenance=DOCUMENTED)
        for pipe, copies in _COPIES.items()
        for copy in copies.split()
    ),
    # A lock lets one core of a cluster after the other use DRAM. Cores run one after the other here; that the lock
    # orders what they do to memory is not known to the search for races.
    *(
        _wait(
            f"__bang_{name}lock", "io", "move", doc=f"; {does} (for large copies: it orders no data)",
            arguments="int32 lock_id_0, int32 lock_id_1", archs=">=200",
        )
        for name, does in (("", "then take the lock"), ("un", "then give the lock back"))
    ),
)  # fmt: skip
barriers = tuple(
    declare(
        f"void {name}()",
        doc=f"Barrier for {who}; also waits for the core's own pipes (a plain wait in a Block task)",
        pipe="sync",
        effect=Barrier(reach, PIPES, members),
        provenance=provenance,
    )
    for name, reach, members, who, provenance in (
        ("__sync_cluster", "cluster", "", "the cores of a cluster and its memory core", DOCUMENTED),
        ("__sync_all_ipu", "union", "ipu", "all cores of the union but the memory cores", DOCUMENTED),
        ("__sync_all_ipu_within_cluster", "cluster", "ipu", "the cores of a cluster but its memory core", INFERRED),
        ("__sync_all", "union", "", "all cores and memory cores of the union", DOCUMENTED),
        ("__sync_copy_sram_to_sram", "union", "", "all cores and memory cores of the union", DOCUMENTED),
        ("__sync_all_mpu", "union", "mpu", "the memory cores of the union", DOCUMENTED),
    )
)
