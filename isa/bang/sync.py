"""Waits for the pipes of a core, and barriers."""

from __future__ import annotations

from ..declare import DOCUMENTED, INFERRED, Barrier, Instruction, Wait, declare
from .spaces import PIPES


def _wait(name: str, *pipes: str, provenance: str = INFERRED, arguments: str = "", asm: str = "") -> Instruction:
    return declare(
        f"void {name}({arguments})",
        doc=f"Wait until {', '.join(pipes)} of this core {'is' if len(pipes) == 1 else 'are'} idle",
        pipe="sync",
        effect=Wait(pipes),
        provenance=provenance,
        asm=asm,
    )


waits = (
    _wait("__sync", *PIPES),
    _wait("__sync_compute", "compute", provenance=DOCUMENTED),
    _wait("__sync_io", "io"),
    _wait("__sync_move", "move"),
    _wait("__sync_io_move_compute", "io", "move", "compute"),
    # What the six flags of public kernels mean is not published; the wait is for all three pipes (inferred).
    _wait("__sync_io_move_compute", "io", "move", "compute", arguments=", ".join(f"int32 flag{n}" for n in range(6))),
    _wait("__asm_sync", *PIPES, asm="sync"),
    _wait("__sync_copy_dram_to_nram", "io", provenance=DOCUMENTED),
    _wait("__sync_copy_nram_to_dram", "io", provenance=DOCUMENTED),
    _wait("__sync_copy_nram_to_nram", "compute", provenance=DOCUMENTED),
)
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
        ("__sync_all_mpu", "union", "mpu", "the memory cores of the union", DOCUMENTED),
    )
)
