"""Copies between the memories."""

from __future__ import annotations

import itertools

from ..declare import (
    INFERRED,
    Archs,
    Case,
    Completion,
    Copy,
    Instruction,
    Require,
    Select,
    declare,
)

#: Directions in the order of the vendor's enumeration.
DIRECTIONS = (
    "GDRAM2NRAM",
    "NRAM2GDRAM",
    "LDRAM2NRAM",
    "NRAM2LDRAM",
    "GDRAM2WRAM",
    "WRAM2GDRAM",
    "LDRAM2WRAM",
    "WRAM2LDRAM",
    "NRAM2NRAM",
    "NRAM2WRAM",
    "WRAM2NRAM",
    "GDRAM2SRAM",
    "SRAM2GDRAM",
    "LDRAM2SRAM",
    "SRAM2LDRAM",
    "SRAM2NRAM",
    "NRAM2SRAM",
    "SRAM2WRAM",
    "WRAM2SRAM",
    "GDRAM2GDRAM",
    "GDRAM2LDRAM",
    "LDRAM2GDRAM",
    "LDRAM2LDRAM",
    "SRAM2SRAM",
)


def _case(label: str) -> Case:
    source, target = label.lower().split("2")
    touched = {source, target}
    # The vendor's own wait for NRAM to NRAM is one for the compute pipe (2xx, 3xx). Kernels for later ones too use
    # what was copied after such a wait or after none (inferred).
    pipe = "io" if {"gdram", "ldram"} & touched else "compute" if touched == {"nram"} else "move"
    by_memory_core = "sram" in touched and touched <= {"gdram", "ldram", "sram"}
    return Case(label, {"dst": target, "src": source}, pipe, by_memory_core=by_memory_core)


_CASES = {number: _case(label) for number, label in enumerate(DIRECTIONS)}
#: The one direction of a copy into the SRAM of another cluster.
_FAR = {number: case for number, case in _CASES.items() if case.label == "SRAM2SRAM"}
#: An asynchronous copy has no direction from or to LDRAM.
_NO_LDRAM = {number: case for number, case in _CASES.items() if "LDRAM" not in case.label}
_OLD = Archs("<300")
_INTO_WRAM, _FROM_WRAM = "space_dst == 'wram'", "space_src == 'wram'"
_WRAM = f"{_INTO_WRAM} or {_FROM_WRAM}"
_SIZE = Require("size >= 0", rule="length")
_RULES = (
    _SIZE,
    Require("dst % 8 == 0", Archs("<392"), rule="alignment", when=_INTO_WRAM),
    Require("src % 8 == 0", Archs("<392"), rule="alignment", when=_FROM_WRAM),
    Require("size % 64 == 0", _OLD, rule="length", when=_WRAM),
    Require("size % 16 == 0", Archs(">=300 <392"), rule="length", when=_WRAM),
)
_WHOLE = Require("dst % 64 == 0 and src % 64 == 0 and size % 128 == 0", _OLD, rule="alignment", when="dir == NRAM2NRAM")
_SEGMENTS = Require("segnum >= 0", rule="length")


def _wram_strides(*counted: str) -> tuple[Require, ...]:
    """Strides in WRAM are multiples of 8; each by its operand and what stands behind that in its name."""
    return tuple(
        Require(f"{side}_{stride} % 8 == 0", Archs("<392"), rule="alignment", when=where)
        for side, where in (("dst", _INTO_WRAM), ("src", _FROM_WRAM))
        for stride in counted
    )


_FLAT = "void {name}(void dst[size], const void src[size], int32 size, int32 dir)"
_2D = (
    "void {name}(void dst[segnum + 1 @ dst_stride][size], const void src[segnum + 1 @ src_stride][size], int32 size,"
    " int32 dir, int32 dst_stride, int32 src_stride, int32 segnum)"
)
_3D = (
    "void {name}(void dst[dst_segnum2 + 1 @ dst_stride1][dst_segnum1 + 1 @ dst_stride0][size],"
    " const void src[src_segnum2 + 1 @ src_stride1][src_segnum1 + 1 @ src_stride0][size], int32 size, int32 dir,"
    " int32 dst_stride0, int32 dst_segnum1, int32 dst_stride1, int32 dst_segnum2,"
    " int32 src_stride0, int32 src_segnum1, int32 src_stride1, int32 src_segnum2)"
)
#: Two negative counts may have the right product.
_SAME_SEGMENTS = (
    Require("min(dst_segnum1, dst_segnum2, src_segnum1, src_segnum2) >= 0", rule="length"),
    Require("(dst_segnum1 + 1) * (dst_segnum2 + 1) == (src_segnum1 + 1) * (src_segnum2 + 1)", rule="length"),
)
_APART = tuple(Require(f"abs(dst_stride{n}) >= size", when=f"dst_segnum{n + 1} > 0") for n in (0, 1))
_2D_RULES = (_SEGMENTS, *_wram_strides("stride"))
_3D_RULES = (*_SAME_SEGMENTS, *_APART, *_wram_strides("stride0", "stride1"))
_CLUSTER = "id_dst_cluster"


def _copy(
    name: str, shape: str, doc: str, *rules: Require, wait: bool, cluster: str = "", archs: str = ""
) -> Instruction:
    """One form; ``cluster``: with the argument that names the cluster into whose SRAM it copies."""
    segments = {_FLAT: "1", _2D: "(segnum + 1)", _3D: "(dst_segnum1 + 1) * (dst_segnum2 + 1)"}[shape]
    prototype = shape.format(name=name)
    cases = _FAR if cluster else _CASES if wait else _NO_LDRAM
    return declare(
        prototype.removesuffix(")") + f", int32 {cluster})" if cluster else prototype,
        doc=doc
        + (f" to where dst lies in the SRAM of another cluster of the union, {cluster}" if cluster else "")
        + ("; the core waits for its end" if wait else "; returns at once, a sync of its pipe waits for its end"),
        pipe="io",
        work=f"size * {segments}",
        archs=archs,
        effect=Copy(Completion.BLOCKING if wait else Completion.DEFERRED, cluster),
        overlap="any",
        rules=rules if cluster else (*_RULES, *rules),
        select=Select("dir", "mluMemcpyDirection_t", cases),
    )


copies = tuple(
    itertools.chain.from_iterable(
        (
            _copy(name, _FLAT, "Copy size bytes", _WHOLE, wait=wait),
            _copy(name, _2D, "Copy segnum + 1 segments of size bytes; strides in bytes", *_2D_RULES, wait=wait),
            _copy(name, _3D, "Copy segments of size bytes in two nested strides", *_3D_RULES, wait=wait),
        )
        for name, wait in (("__memcpy", True), ("__memcpy_async", False))
    )
)
#: Copies of a whole union's clusters to each other, which the 5xx does not have any more.
far_copies = tuple(
    _copy(name, shape, doc, *rules, wait=wait, cluster=_CLUSTER, archs=archs)
    for name, shape, doc, rules, wait, archs in (
        ("__memcpy", _FLAT, "Copy size bytes", (_SIZE,), True, ">=200 <500"),
        (
            "__memcpy", _2D, "Copy segnum + 1 segments of size bytes; strides in bytes", (_SIZE, _SEGMENTS), True,
            ">=200 <500",
        ),
        ("__memcpy", _3D, "Copy segments in two nested strides", (_SIZE, *_SAME_SEGMENTS, *_APART), True, ">=300 <500"),
        (
            "__memcpy_async", _3D, "Copy segments in two nested strides", (_SIZE, *_SAME_SEGMENTS, *_APART), False,
            ">=300 <500",
        ),
    )
)  # fmt: skip
#: Loads that lock what they bring in the last-level cache, unlock it, or do neither: of that only time could tell.
cache_loads = tuple(
    declare(
        f"void __asm_load_{mode}(void dst[dst_segnum2 + 1 @ dst_stride1][dst_segnum1 + 1 @ dst_stride0][size],"
        " const gdram void src[src_segnum2 + 1 @ src_stride1][src_segnum1 + 1 @ src_stride0][size], int32 size,"
        " int32 dst_stride0, int32 dst_segnum1, int32 dst_stride1, int32 dst_segnum2,"
        " int32 src_stride0, int32 src_segnum1, int32 src_stride1, int32 src_segnum2)",
        doc=f"Load segments of size bytes in two nested strides, {what} in the cache; a sync of its pipe waits for it",
        pipe="io",
        work="size * (dst_segnum1 + 1) * (dst_segnum2 + 1)",
        archs=">=592",
        effect=Copy(Completion.DEFERRED),
        overlap="any",
        provenance=INFERRED,
        rules=(_SIZE, *_SAME_SEGMENTS, *_APART),
        asm=f"ld.3d.async.nram.gdram.{mode}",
    )
    for mode, what in (("scmlock", "kept"), ("scmunlock", "no longer kept"), ("scmnormal", "as usual"))
)
