"""Facts of BANG: vector registers, waits and barriers. Source: bang_isa.md (c), "Pipelines" and its sync family."""

from __future__ import annotations

from itertools import permutations

from tests.isa.facts.fact import Fact, Within

_TYPES = "float half int16 uint16 int32 uint32"
_WIDTH = "256"


def _vv(op: str, arguments: str, types: str = _TYPES, archs: str = "") -> Fact:
    return Fact(f"__vv_{op}", arguments, types, archs, work=_WIDTH, inferred=True)


REGISTERS = (
    _vv("move", "out T &dst, T value"),
    _vv("move", "out T &dst, in T &src"),
    _vv("index", "out T &dst, T start, T step"),
    Fact("__asm_index_vvr", "out float &dst, base, step", work=_WIDTH, inferred=True, asm="index.vvr.f32"),
    _vv("add", "out T &dst, in T &src0, in T &src1"),
    _vv("add", "out T &dst, in T &src, T value"),
    _vv("mul", "out T &dst, in T &src0, in T &src1"),
    _vv("mul", "out T &dst, in T &src, T value"),
    _vv("mulh", "out T &dst, in T &src, T value", "uint32"),
    _vv("xor", "out T &dst, in T &src0, in T &src1", "uint32 int32", "<=520"),
    _vv("trixor", "out T &dst, in T &src0, in T &src1, in T &src2", "uint32 int32", ">520"),
    _vv("store", "out T dst[256 // sizeof], in T &src"),
    Fact(
        "__vv_store", "out T dst[count], in T &src, count", _TYPES, limits=(Within("count", 1, "256 // sizeof"),),
        work=_WIDTH, inferred=True,
    ),
)  # fmt: skip

_ALL = "compute io move"


def _wait(name: str, pipes: str, inferred: bool = True, arguments: str = "", asm: str = "", archs: str = "") -> Fact:
    locks = {"lock_id_0": 0, "lock_id_1": 0} if "lock_id_0" in arguments else {}
    return Fact(name, arguments, archs=archs, pipe="sync", waits=pipes, inferred=inferred, asm=asm, call=locks)


WAITS = (
    _wait("__sync", _ALL),
    _wait("__asm_sync", _ALL, asm="sync"),
    _wait("__sync_compute", "compute", inferred=False),
    _wait("__sync_io", "io"),
    _wait("__sync_move", "move"),
    _wait("__sync_io_move_compute", _ALL),
    _wait("__sync_io_move_compute", _ALL, arguments="flag0, flag1, flag2, flag3, flag4, flag5"),
    _wait("__sync_copy_dram_to_nram", "io", inferred=False),
    _wait("__sync_copy_nram_to_dram", "io", inferred=False),
    _wait("__sync_copy_nram_to_nram", "compute", inferred=False),
    # bang_device_functions.h: sync.copy.{dram,sram}.{wram,...}; DRAM is reached through the io pipe, see the copies.
    *(_wait(f"__sync_copy_{a}_to_{b}", "io", inferred=False) for a, b in permutations(("dram", "wram"))),
    *(_wait(f"__sync_copy_{a}_to_{b}", "io", inferred=False) for a, b in permutations(("dram", "sram"))),
    *(_wait(f"__sync_copy_{a}_to_{b}", "move", inferred=False) for a, b in permutations(("nram", "sram"))),
    *(_wait(f"__sync_copy_{a}_to_{b}", "move", inferred=False) for a, b in permutations(("wram", "sram"))),
    # The same header: pv.p.dma0_sync.dma1_sync, "supported on (m)tp_2xx and higher".
    _wait("__bang_lock", "io move", arguments="lock_id_0, lock_id_1", archs=">=200"),
    _wait("__bang_unlock", "io move", arguments="lock_id_0, lock_id_1", archs=">=200"),
)


def _barrier(name: str, joins: str, inferred: bool = False) -> Fact:
    """A barrier also drains the core's own pipes (4-pipeline templates rely on it)."""
    return Fact(name, pipe="sync", waits=_ALL, joins=joins, inferred=inferred)


BARRIERS = (
    _barrier("__sync_cluster", "cores and memory cores of a cluster"),
    _barrier("__sync_all_ipu", "cores of a union"),
    _barrier("__sync_all_ipu_within_cluster", "cores of a cluster", inferred=True),
    _barrier("__sync_all", "cores and memory cores of a union"),
    # The same header: it ends with __sync_all.
    _barrier("__sync_copy_sram_to_sram", "cores and memory cores of a union"),
    _barrier("__sync_all_mpu", "memory cores of a union"),
)
ROWS = (*REGISTERS, *WAITS, *BARRIERS)
