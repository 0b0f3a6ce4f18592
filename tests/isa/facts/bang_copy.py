"""Facts of BANG: copies and fills.

Source: bang_isa.md, "`__memcpy` (documented rules [D])" and "Pipelines"; (b) for fills. hw_specs.md: a DMA is paid by
the bytes that it moves, a fill by the bytes that it writes.
"""

from __future__ import annotations

from dataclasses import replace

from tests.isa.facts.fact import Aligned, Case, Fact, Holds, Limit, Multiple, Within

IO, MOVE, COMPUTE = "io", "move", "compute"
_WRAM_SIZES = (Multiple("size", 64, on="<300"), Multiple("size", 16, on=">=300 <392"))
#: "WRAM 8 B": the 2xx and 3xx rules; 392 was the name of the 5xx core before its release.
_INTO_WRAM = (Aligned(8, "dst", on="<392"), *_WRAM_SIZES)
_FROM_WRAM = (Aligned(8, "src", on="<392"), *_WRAM_SIZES)


def _case(label: str, pipe: str, *limits: Limit, by_memory_core: bool = False) -> Case:
    source, target = label.lower().split("2")
    return Case(label, {"dst": target, "src": source}, pipe, limits, by_memory_core)


#: The user's guide (4.5): copies between SRAM and SRAM, GDRAM or LDRAM "execute on MPU core".
#: In the order of the vendor's enumeration. IO-DMA: GDRAM or LDRAM on one side. Move-DMA: on-chip, but "on 2xx/3xx
#: NRAM2NRAM is a compute-pipe op" (later ones: inferred).
DIRECTIONS = (
    _case("GDRAM2NRAM", IO),
    _case("NRAM2GDRAM", IO),
    _case("LDRAM2NRAM", IO),
    _case("NRAM2LDRAM", IO),
    _case("GDRAM2WRAM", IO, *_INTO_WRAM),
    _case("WRAM2GDRAM", IO, *_FROM_WRAM),
    _case("LDRAM2WRAM", IO, *_INTO_WRAM),
    _case("WRAM2LDRAM", IO, *_FROM_WRAM),
    _case("NRAM2NRAM", COMPUTE),
    _case("NRAM2WRAM", MOVE, *_INTO_WRAM),
    _case("WRAM2NRAM", MOVE, *_FROM_WRAM),
    _case("GDRAM2SRAM", IO, by_memory_core=True),
    _case("SRAM2GDRAM", IO, by_memory_core=True),
    _case("LDRAM2SRAM", IO, by_memory_core=True),
    _case("SRAM2LDRAM", IO, by_memory_core=True),
    _case("SRAM2NRAM", MOVE),
    _case("NRAM2SRAM", MOVE),
    _case("SRAM2WRAM", MOVE, *_INTO_WRAM),
    _case("WRAM2SRAM", MOVE, *_FROM_WRAM),
    _case("GDRAM2GDRAM", IO),
    _case("GDRAM2LDRAM", IO),
    _case("LDRAM2GDRAM", IO),
    _case("LDRAM2LDRAM", IO),
    _case("SRAM2SRAM", MOVE, by_memory_core=True),
)
#: "on 2xx NRAM2NRAM without stride needs 64 B addresses and size %128".
_NRAM2NRAM_FLAT = (Aligned(64, on="<300"), Multiple("size", 128, on="<300", rule="alignment"))


def _flat(case: Case) -> Case:
    return replace(case, limits=_NRAM2NRAM_FLAT) if case.label == "NRAM2NRAM" else case


def _strided(case: Case, *strides: str) -> Case:
    """ "WRAM stride %8"."""
    inside = [stride for stride in strides if case.spaces[stride[:3]] == "wram"]
    steps = tuple(Multiple(stride, 8, on="<392", rule="alignment") for stride in inside)
    return replace(case, limits=(*case.limits, *steps))


_FLAT = "out any dst{size}, in any src{size}, size, dir"
_2D = (
    "out any dst{size, segnum x dst_stride}, in any src{size, segnum x src_stride}, size, dir,"
    " dst_stride, src_stride, segnum"
)
_3D = (
    "out any dst{size, dst_segnum1 x dst_stride0, dst_segnum2 x dst_stride1},"
    " in any src{size, src_segnum1 x src_stride0, src_segnum2 x src_stride1}, size, dir,"
    " dst_stride0, dst_segnum1, dst_stride1, dst_segnum2, src_stride0, src_segnum1, src_stride1, src_segnum2"
)
_SIZE = Within("size", 0)
_3D_CALL = {
    "dst_stride0": 512, "dst_segnum1": 1, "dst_stride1": 2048, "dst_segnum2": 2,
    "src_stride0": 256, "src_segnum1": 2, "src_stride1": 1024, "src_segnum2": 1,
}  # fmt: skip
_3D_LIMITS = (
    _SIZE,
    Holds(
        "min(dst_segnum1, dst_segnum2, src_segnum1, src_segnum2) >= 0",
        ({"dst_segnum1": -3, "dst_segnum2": -4}, {"src_segnum1": -2, "src_segnum2": -7}),
        rule="length",
    ),
    Holds(
        "(dst_segnum1 + 1) * (dst_segnum2 + 1) == (src_segnum1 + 1) * (src_segnum2 + 1)",
        ({"dst_segnum1": 2}, {"src_segnum2": 0}, {"dst_segnum2": 0, "src_segnum2": 0}, {"src_segnum1": 5}),
        rule="length",
    ),
    Holds(
        "dst_segnum1 == 0 or abs(dst_stride0) >= size",
        ({"dst_stride0": 256}, {"dst_stride0": 248}, {"dst_stride0": -256}, {"dst_stride0": -248}, {"dst_stride0": 0}),
    ),
    Holds(
        "dst_segnum2 == 0 or abs(dst_stride1) >= size",
        ({"dst_stride1": 256}, {"dst_stride1": 248}, {"dst_stride1": -256}, {"dst_stride1": 0}),
    ),
)
_2D_PROBES = (
    {"segnum": 1}, {"segnum": 6}, {"dst_stride": 256}, {"src_stride": 0}, {"dst_stride": -2048}, {"src_stride": -512},
    {"size": 16, "dst_stride": 256, "src_stride": 64, "segnum": 30}, {"dst_stride": 2052}, {"src_stride": 1028},
)  # fmt: skip
_3D_PROBES = (
    {"dst_stride1": -2048}, {"src_stride0": 0}, {"dst_segnum1": 5, "dst_segnum2": 0},
    {"dst_segnum1": 0, "dst_segnum2": 0, "src_segnum1": 0, "src_segnum2": 0, "dst_stride0": 0, "dst_stride1": 0},
    {"dst_stride0": 516}, {"dst_stride1": 2052}, {"src_stride0": 260}, {"src_stride1": 1028},
)  # fmt: skip


def _copies(name: str, effect: str, directions: tuple[Case, ...]) -> tuple[Fact, ...]:
    flat = tuple(_flat(case) for case in directions)
    two = tuple(_strided(case, "dst_stride", "src_stride") for case in directions)
    three = tuple(_strided(case, "dst_stride0", "dst_stride1", "src_stride0", "src_stride1") for case in directions)
    common = {"overlap": "any", "effect": effect, "select": "dir"}
    return (
        Fact(name, _FLAT, limits=(_SIZE,), work="size", cases=flat, **common),  # type: ignore[arg-type]
        Fact(
            name, _2D, limits=(_SIZE, Within("segnum", 0)), work="size * (segnum + 1)", cases=two, probes=_2D_PROBES,
            **common,  # type: ignore[arg-type]
        ),
        Fact(
            name, _3D, limits=_3D_LIMITS, work="size * (dst_segnum1 + 1) * (dst_segnum2 + 1)", cases=three,
            call=_3D_CALL, probes=_3D_PROBES,
            **common,  # type: ignore[arg-type]
        ),
    )  # fmt: skip


#: "`__memcpy_async` is not defined for LDRAM directions"; GDRAM2GDRAM is accepted by newer compilers (inferred).
ASYNC = tuple(case for case in DIRECTIONS if "LDRAM" not in case.label)
COPIES = (*_copies("__memcpy", "blocking", DIRECTIONS), *_copies("__memcpy_async", "deferred", ASYNC))


def _far(fact: Fact, archs: str) -> Fact:
    """The user's guide (4.5): SRAM2SRAM with id_dst_cluster, "not supported on (m)tp_5xx or higher"."""
    return replace(
        fact,
        arguments=f"{fact.arguments}, id_dst_cluster",
        archs=archs,
        cases=tuple(case for case in fact.cases if case.label == "SRAM2SRAM"),
        limits=(*fact.limits, Within("id_dst_cluster", 0, 0, rule="argument")),  # there is one cluster
        call={**fact.call, "id_dst_cluster": 0},
    )


#: The asynchronous one has the form with two strides alone; that form is there from the 3xx on.
FAR_COPIES = (
    *(_far(fact, ">=200 <500") for fact in COPIES[:2]),
    *(_far(fact, ">=300 <500") for fact in (COPIES[2], COPIES[5])),
)
#: As the 3-D copy from GDRAM into NRAM; where they are used there are caches that can be locked (all inferred).
CACHE_LOADS = tuple(
    Fact(
        f"__asm_load_{mode}",
        _3D.replace("in any", "in gdram any").replace(" dir,", ""),
        archs=">=592", limits=_3D_LIMITS, work="size * (dst_segnum1 + 1) * (dst_segnum2 + 1)", pipe=IO,
        effect="deferred", overlap="any", call=_3D_CALL, probes=_3D_PROBES, inferred=True,
        asm=f"ld.3d.async.nram.gdram.{mode}",
    )
    for mode in ("scmlock", "scmunlock", "scmnormal")
)  # fmt: skip
ROWS = (*COPIES, *FAR_COPIES, *CACHE_LOADS)
