"""Facts of TPU-KERNEL: BDC and GDMA on tensors [n, c, h, w].

Source: tpu_api.md, the entry of each function, "Extents" and "Timing facts"; tpu_isa.md (a), "Constraints". These rows
stand for their families, of which tests/isa/tpu has the other members. 4-bit integers, which NumPy lacks, are left out.
"""

from __future__ import annotations

from typing import Any

from tests.isa.facts.fact import NULLABLE, Aligned, Codes, Fact, Holds, Limit, Within
from tests.isa.facts.tensor import Dim4
from tests.isa.facts.tpu_control import CODES as WIDE

#: Floats of 8 bits from BM1690 on.
NARROW = {"float8e4m3": 47, "float8e5m2": 15}
CODES = {**WIDE, **NARROW}
EVERY = f"{' '.join(WIDE)}, >=1690 {' '.join(NARROW)}"
FLOATS = f"float half bfloat16, >=1690 {' '.join(NARROW)}"
LARGEST, STRIDES = 65535, 1 << 18


def _dims() -> tuple[Limit, ...]:
    """ "each of n,c,h,w in 1..65535"."""
    return tuple(Within(f"shape.{axis}", 1, LARGEST) for axis in "nchw")


def _aligned(**strides: str) -> tuple[Limit, ...]:
    """ "NULL stride: address multiple of EU_BYTES, else multiple of the element size"."""
    return tuple(
        Aligned(f"eu_bytes if {stride} is None else sizeof_{operand}", operand) for operand, stride in strides.items()
    )


def _strides(*names: str, axes: str = "nchw") -> tuple[Limit, ...]:
    """ "strides 0..2^18-1 elements"."""
    return tuple(Within(f"{name}.{axis}", 0, STRIDES - 1, rule="argument") for name in names for axis in axes)


def _no_write_twice(axes: str = "nchw", in_lanes: bool = False) -> tuple[Limit, ...]:
    """ "destination stride 0 only where that dimension is 1"; channels lie apart while each has a lane (inferred)."""
    apart = {"c": " or lane_dst_addr + shape.c <= lanes"} if in_lanes else {}
    return tuple(
        Holds(
            f"dst_stride is None or dst_stride.{axis} != 0 or shape.{axis} == 1{apart.get(axis, '')}",
            ({f"dst_stride.{axis}": 0}, {f"dst_stride.{axis}": 0, f"shape.{axis}": 1}),
        )
        for axis in axes
    )


def _lane(number: int, *operands: str) -> dict[str, Any]:
    """The change that moves operands to another lane, counted from the last one where it is negative."""
    return dict.fromkeys(operands, f"{number} % lanes * lane_bytes")


def _same_lane(first: str, *others: str) -> tuple[Limit, ...]:
    """ "same start lane for all tensor operands"."""
    return tuple(
        Holds(f"lane_{other} == lane_{first}", (_lane(1, other), _lane(-1, other)), rule="lane") for other in others
    )


#: Strides on which one dimension may grow; strides with a gap behind every element; a source that is one element.
_ONE, _FREE, _SAME = Dim4(1, 1, 1, 1), Dim4(120, 40, 12, 2), Dim4(0, 0, 0, 0)
_NULL = dict.fromkeys(NULLABLE)
#: Cycles besides the start: rows of lanes times beats of a row.
_BEATS = "shape.n * -(-shape.c // lanes) * -(-shape.h * shape.w * {} // eu_bytes)"
_BDC: dict[str, Any] = {"pipe": "bdc", "effect": "queued", "engine": "bdc_ar", "call": _NULL}
_BINARY_STRIDES = ("dst_stride", "src0_stride", "src1_stride")
_BINARY_OPERANDS = ("dst_addr", "src0_addr", "src1_addr")


def _binary(name: str, types: str, inferred: bool) -> Fact:
    kinds = [kind for kind in types.replace(",", "").split() if kind in CODES]
    return Fact(
        f"tpu_bdc_{name}",
        "out local T dst_addr[shape @ dst_stride], in local T src0_addr[shape @ src0_stride],"
        " in local T src1_addr[shape @ src1_stride], shape, dst_stride, src0_stride, src1_stride, dtype",
        types,
        limits=(
            *_dims(),
            *_same_lane(*_BINARY_OPERANDS),
            *_aligned(dst_addr="dst_stride", src0_addr="src0_stride", src1_addr="src1_stride"),
            *_strides(*_BINARY_STRIDES),
            *_no_write_twice(),
        ),
        work=_BEATS.format("sizeof"),
        codes=(Codes("dtype", {kind: CODES[kind] for kind in kinds}),),
        inferred=inferred,
        probes=(
            {"shape": Dim4(1, 70, 3, 7)},
            {"shape": Dim4(3, 130, 1, 17)},
            _lane(5, *_BINARY_OPERANDS),
            _lane(-2, *_BINARY_OPERANDS),
            {"shape": Dim4(2, 66, 1, 3), **_lane(-1, *_BINARY_OPERANDS)},
            {"src0_stride": _SAME},
            {"src1_stride": Dim4(0, 1, 0, 0)},
        ),
        variants=(
            {"shape": _ONE, "dst_stride": _ONE, "src0_stride": _SAME, "src1_stride": _SAME},
            {"dst_stride": _FREE, "src0_stride": _FREE, "src1_stride": _FREE},
        ),
        **_BDC,
    )


ARITHMETIC = (
    *(_binary(f"fp_{op}", FLOATS, inferred=True) for op in ("add", "sub", "mul")),
    # "max/min take any type"; the page of binary functions states them.
    *(_binary(op, EVERY, inferred=False) for op in ("max", "min")),
)
_COPY_STRIDES, _COPY_OPERANDS = ("dst_stride", "src_stride"), ("dst_addr", "src_addr")
CAST = Fact(
    "tpu_bdc_cast",
    "out local D dst_addr[shape @ dst_stride], in local S src_addr[shape @ src_stride], shape, dst_stride, src_stride,"
    " dst_dtype, src_dtype, mode",
    " ".join(f"{target}/{source}" for target in WIDE for source in WIDE)
    + ", >=1690 "
    + " ".join(f"{target}/{source}" for target in CODES for source in CODES if {target, source} & {*NARROW}),
    limits=(
        *_dims(),
        *_same_lane(*_COPY_OPERANDS),
        *_aligned(dst_addr="dst_stride", src_addr="src_stride"),
        *_strides(*_COPY_STRIDES),
        *_no_write_twice(),
        Within("mode", 0, 6, rule="argument"),
    ),
    # "in place only if dst is not wider".
    overlap="same unless wider",
    # EU(dt) of the wider type (inferred).
    work=_BEATS.format("max(sizeof_dst_addr, sizeof_src_addr)"),
    codes=(Codes("dst_dtype", CODES, "D"), Codes("src_dtype", CODES, "S")),
    inferred=True,
    probes=(
        {"shape": Dim4(1, 70, 3, 7)},
        _lane(-2, *_COPY_OPERANDS),
        *({"mode": mode} for mode in range(7)),
        {"src_stride": _SAME},
    ),
    variants=(
        {"shape": _ONE, "dst_stride": _ONE, "src_stride": _SAME},
        {"dst_stride": _FREE, "src_stride": _FREE},
    ),
    **_BDC,
)


def _copy(name: str, arguments: str, local: str, system: str) -> Fact:
    """``local`` and ``system`` are ``dst`` and ``src``, or the other way round."""
    return Fact(
        f"tpu_gdma_cpy_{name}",
        f"{arguments}, shape, dst_stride, src_stride, dtype",
        EVERY,
        limits=(
            *_dims(),
            # "w strides nonzero and w stride*size <= 128 bytes".
            *(Within(f"{side}_stride.w", 1, "128 // sizeof", rule="argument") for side in (local, system)),
            # Stated of BDC, and of the copies of OKK as far as alignment goes; taken over (inferred).
            *_aligned(**{f"{local}_addr": f"{local}_stride"}),
            *_strides(f"{local}_stride", axes="nch"),
            *_no_write_twice("nch", in_lanes=local == "dst"),
        ),
        overlap="any",
        pipe="gdma",
        effect="queued",
        work="shape.n * shape.c * shape.h * shape.w * sizeof",
        call=_NULL,
        codes=(Codes("dtype", CODES),),
        probes=(
            {"shape": Dim4(1, 70, 3, 7)},
            _lane(-2, f"{local}_addr"),
            {f"{system}_stride": Dim4(1000, 100, 20, 3)},
            {f"{system}_stride": Dim4(30, 10, 5, 1)},
        ),
        variants=(
            {"shape": _ONE, "dst_stride": _ONE, "src_stride": _ONE},
            {"dst_stride": _FREE, "src_stride": _FREE},
        ),
        room=1 << 19,
    )


COPIES = (
    _copy("S2L", "out local T dst_addr[shape @ dst_stride], in system T src_addr[shape @ src_stride]", "dst", "src"),
    _copy("L2S", "out system T dst_addr[shape @ dst_stride], in local T src_addr[shape @ src_stride]", "src", "dst"),
)
#: Sections "close" and "open"; "BDC and GDMA run side by side from here", "commands after it depend on all in it".
SECTIONS = (
    Fact("tpu_parallel_start", pipe="sync", engine="free", effect="section", after="tpu_parallel_end", inferred=True),
    Fact("tpu_parallel_end", pipe="sync", engine="free", effect="section", before="tpu_parallel_start", inferred=True),
)
ROWS = (*ARITHMETIC, CAST, *COPIES, *SECTIONS)
