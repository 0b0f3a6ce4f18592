"""Facts of BANG: conversions between element types.

Source: bang_isa.md (b), rows `__bang_half2float`, `__bang_float2half_*`, `__bang_*2int*`, `__bang_int*2float`, and the
paragraph on conversion suffixes. On 2xx: addresses %64, counts %64, and %128 where a side is int8.
"""

from __future__ import annotations

from fact import SIZES, Aligned, Fact, Limit, Multiple, Within

_COUNT = Within("src_count", 1)
_SEGMENTS = Within("segnum", 0)
_POSITION = Within("fix_position", -127, 127, rule="argument")
_FLAT = "out {dst} dst[src_count], in {src} src[src_count], src_count"
_BLOCKS = (
    "out {dst} dst{{src_count * {d}, segnum x dst_stride}},"
    " in {src} src{{src_count * {s}, segnum x src_stride}}, src_count"
)
_STRIDES = ", dst_stride, src_stride, segnum"
_ROUNDINGS = ("_tz", "_oz", "_up", "_dn", "_rd", "_rn")
#: Gaps, no gaps, a source block repeated (stride 0), downwards, and one block.
_SHAPES = ({"segnum": 1}, {"segnum": 4}, {"src_stride": 0}, {"dst_stride": -2048}, {"segnum": 0})


def _row(
    name: str, src: str, dst: str, position: bool = False, blocks: bool = False, archs: str = "",
    overlap: str = "same", inferred: bool = False,
) -> Fact:  # fmt: skip
    d, s = SIZES[dst], SIZES[src]
    form = (_BLOCKS if blocks else _FLAT) + (", fix_position" if position else "") + (_STRIDES if blocks else "")
    multiple = 128 if "int8" in (src, dst) else 64
    limits: list[Limit] = [_COUNT, Aligned(64, on="<300"), Multiple("src_count", multiple, on="<300")]
    limits += [_POSITION] * position + [_SEGMENTS] * blocks
    work = f"src_count * {max(2, d, s)}"
    return Fact(
        f"__bang_{name}",
        form.format(dst=dst, src=src, d=d, s=s),
        archs=archs,
        limits=tuple(limits),
        overlap=overlap,
        work=f"{work} * (segnum + 1)" if blocks else work,
        inferred=inferred,
        probes=_SHAPES if blocks else (),
    )


TO_INT = (
    # The int32 forms are newer names that no public document has; a form without a suffix is nowhere documented.
    *(
        _row(f"{src}2{dst}{suffix}", src, dst, position=True, inferred=dst == "int32" or suffix == "")
        for src in ("float", "half")
        for dst in ("int32", "int16", "int8")
        for suffix in ("", *_ROUNDINGS)
    ),
    _row("half2int8_dn", "half", "int8", position=True, blocks=True),
    _row("half2int8_rd", "half", "int8", position=True, blocks=True),
)
FROM_INT = (
    *(_row(f"int322float{suffix}", "int32", "float", position=True, inferred=True) for suffix in ("", "_rn", "_rd")),
    *(_row(f"int322half{suffix}", "int32", "half", position=True, inferred=True) for suffix in ("", "_rn", "_rd")),
    _row("int162float", "int16", "float", position=True),
    _row("int162half", "int16", "half", position=True),
    _row("int82float", "int8", "float", position=True, overlap="apart"),
    _row("int82half", "int8", "half", position=True),
)
TO_HALF = (
    *(_row(f"float2half{suffix}", "float", "half") for suffix in ("_tz", "_oz", "_up", "_dn", "_rd")),
    _row("float2half_rn", "float", "half", archs=">=300"),
    *(_row(f"float2half{suffix}", "float", "half", blocks=True) for suffix in ("_tz", "_dn", "_rd")),
    *(_row(f"float2bfloat16{suffix}", "float", "bfloat16", archs=">=322") for suffix in _ROUNDINGS),
)
TO_FLOAT = (
    # bang_missing.md, "Rules found wrong" 2: the vendor's text forbids coinciding operands, and stands at the strided
    # form only; src in the upper half of dst is a common idiom, safe because elements move in ascending order.
    _row("half2float", "half", "float", overlap="upper half"),
    _row("half2float", "half", "float", blocks=True, overlap="apart"),
    _row("bfloat162float", "bfloat16", "float", archs=">=322", overlap="any", inferred=True),
)
DEVICE_LIBRARY = (
    Fact(
        "__cn_vector_cast_f32_to_s32",
        "n, out int32 dst[n], in float src[n]",
        limits=(Within("n", 1),),
        work="n * 4",
        inferred=True,
    ),
)
ROWS = (*TO_INT, *FROM_INT, *TO_HALF, *TO_FLOAT, *DEVICE_LIBRARY)
