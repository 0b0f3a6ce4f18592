"""Facts of BANG: fills.

Source: bang_isa.md (b), rows `__bang_write_value`, `__nramset`, `__gdramset`, and the vendor's published header: an
element count, 64 bytes and addresses of 64 on 2xx, three-dimensional forms from 3xx on, every type by its name.
"""

from __future__ import annotations

from tests.isa.facts.fact import Aligned, Fact, Multiple, Within

IO, MOVE = "io", "move"
_FILL = "out {space}T dst[elem_count], elem_count, T value"
_FILL_3D = (
    "out {space}T dst{{elem_count * sizeof, iter1 x stride0, iter2 x stride1}}, elem_count, T value,"
    " stride0, iter1, stride1, iter2"
)
_FILL_3D_CALL = {"stride0": 1024, "iter1": 1, "stride1": 4096, "iter2": 2, "elem_count": 128}
_FILL_3D_PROBES = ({"iter1": 0}, {"iter2": 0}, {"iter1": 3}, {"stride1": -4096}, {"stride0": 0}, {"elem_count": 7})
_COUNT = Within("elem_count", 1)
_ON_2XX = (_COUNT, Aligned(64, on="<300"), Multiple("elem_count * sizeof", 64, on="<300"))
_BYTES = "elem_count * sizeof"
_BYTES_3D = "elem_count * sizeof * (iter1 + 1) * (iter2 + 1)"
#: "T decided by the C type of `value` (char..float; 8/16/32 bit)"; kernels fill 64 bits too.
_TYPES = "half bfloat16 float int8 uint8 int16 uint16 int32 uint32, inferred int64 uint64"


def _blocks(name: str, space: str = "", **facts: object) -> Fact:
    """The three-dimensional form."""
    given = {"limits": (_COUNT,), "call": _FILL_3D_CALL, "probes": _FILL_3D_PROBES, "work": _BYTES_3D, **facts}
    return Fact(name, _FILL_3D.format(space=space), _TYPES, ">=322", **given)  # type: ignore[arg-type]


def _apart(name: str, space: str = "", **facts: object) -> Fact:
    """Source: (dst, elem_count, value, stride_bytes, iter = blocks - 1)."""
    return Fact(
        name, f"out {space}T dst{{elem_count * sizeof, iter x stride}}, elem_count, T value, stride, iter", _TYPES,
        limits=(_COUNT, Within("iter", 0, inferred=True)), work="elem_count * sizeof * (iter + 1)", inferred=True,
        call={"stride": 1024, "iter": 2, "elem_count": 128}, probes=({"iter": 5}, {"stride": -1024}, {"stride": 0}),
        **facts,  # type: ignore[arg-type]
    )  # fmt: skip


#: "Synchronous": the core waits. GDRAM, LDRAM: IO-DMA; SRAM: the move pipe of the cluster (inferred from copies).
_AWAY = {"limits": (_COUNT,), "work": _BYTES, "effect": "blocking"}
ROWS = (
    Fact("__bang_write_value", _FILL.format(space=""), _TYPES, limits=_ON_2XX, work=_BYTES),
    _blocks("__bang_write_value"),
    Fact(
        "__bang_write_zero", "out T dst[elem_count], elem_count",
        "half float int16 uint16 int32 uint32 int8 uint8, inferred bfloat16 int64 uint64", limits=_ON_2XX, work=_BYTES,
    ),
    Fact("__nramset", _FILL.format(space=""), _TYPES, limits=_ON_2XX, work=_BYTES),
    _blocks("__nramset"),
    Fact("__memset_nram", _FILL.format(space=""), _TYPES, limits=(_COUNT,), work=_BYTES, inferred=True),
    *(
        Fact(
            f"__nramset_{name}", f"out {kind} dst[elem_count], elem_count, value", limits=tuple(
                Multiple("elem_count * sizeof_dst", 64, on="<300") if isinstance(limit, Multiple) else limit
                for limit in _ON_2XX
            ), work="elem_count * sizeof_dst",
        )
        for name, kind in (
            ("float", "float"), ("half", "half"), ("int", "int32"), ("unsigned_int", "uint32"), ("short", "int16"),
            ("unsigned_short", "uint16"),
        )
    ),
    _apart("__nramset"),
    _apart("__nramset_async"),
    Fact("__gdramset", _FILL.format(space="gdram "), _TYPES, pipe=IO, **_AWAY),
    _blocks("__gdramset", "gdram ", pipe=IO, effect="blocking"),
    Fact("__ldramset", _FILL.format(space="ldram "), _TYPES, pipe=IO, **_AWAY),
    _blocks("__ldramset", "ldram ", pipe=IO, effect="blocking"),
    Fact("__sramset", _FILL.format(space="sram "), _TYPES, pipe=MOVE, **_AWAY),
    _blocks("__sramset", "sram ", pipe=MOVE, effect="blocking"),
    _apart("__sramset", "sram ", pipe=MOVE, effect="blocking"),
)  # fmt: skip
