"""Facts of BANG: vector registers, waits and barriers. Source: bang_isa.md (c), "Pipelines" and its sync family."""

from __future__ import annotations

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


def _wait(name: str, pipes: str, inferred: bool = True, arguments: str = "", asm: str = "") -> Fact:
    return Fact(name, arguments, pipe="sync", waits=pipes, inferred=inferred, asm=asm)


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
)


def _barrier(name: str, joins: str, inferred: bool = False) -> Fact:
    """A barrier also drains the core's own pipes (4-pipeline templates rely on it)."""
    return Fact(name, pipe="sync", waits=_ALL, joins=joins, inferred=inferred)


BARRIERS = (
    _barrier("__sync_cluster", "cores and memory cores of a cluster"),
    _barrier("__sync_all_ipu", "cores of a union"),
    _barrier("__sync_all_ipu_within_cluster", "cores of a cluster", inferred=True),
    _barrier("__sync_all", "cores and memory cores of a union"),
    _barrier("__sync_all_mpu", "memory cores of a union"),
)
ROWS = (*REGISTERS, *WAITS, *BARRIERS)
