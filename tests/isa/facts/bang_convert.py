"""Facts of BANG: conversions between element types.

Source: bang_isa.md (b), rows `__bang_half2float`, `__bang_float2half_*`, `__bang_*2int*`, `__bang_int*2float`, the
paragraph on conversion suffixes, and the published header: which suffix came with which architecture, which forms have
strides, and which may not be in place. On 2xx: addresses %64, counts %64, and %128 where a side has one byte.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.isa.facts.fact import SIZES, Aligned, Fact, Limit, Multiple, Within

_COUNT = Within("src_count", 1)
_SEGMENTS = Within("segnum", 0)
_FLAT = "out {dst} dst[src_count], in {src} src[src_count], src_count"
_BLOCKS = (
    "out {dst} dst{{src_count * {d}, segnum x dst_stride}},"
    " in {src} src{{src_count * {s}, segnum x src_stride}}, src_count"
)
_STRIDES = ", dst_stride, src_stride, segnum"
#: The suffixes of the first architectures, and those that came with 322.
_FIRST, _LATER = ("_tz", "_oz", "_up", "_dn", "_rd"), ("_rn", "_rm")
_ROUNDINGS = (*_FIRST, *_LATER)
#: Gaps, no gaps, a source block repeated (stride 0), downwards, and one block.
_SHAPES = ({"segnum": 1}, {"segnum": 4}, {"src_stride": 0}, {"dst_stride": -2048}, {"segnum": 0})
_FIX, _BOTH = "fix_position", "dst_position, src_position"


def _row(
    name: str, src: str, dst: str, positions: str = "", blocks: bool = False, archs: str = "",
    overlap: str = "same", inferred: bool = False,
) -> Fact:  # fmt: skip
    d, s = SIZES[dst], SIZES[src]
    form = (_BLOCKS if blocks else _FLAT) + (f", {positions}" if positions else "") + (_STRIDES if blocks else "")
    multiple = 128 if 1 in (s, d) else 64
    limits: list[Limit] = [_COUNT, Aligned(64, on="<300"), Multiple("src_count", multiple, on="<300")]
    limits += [Within(p, -127, 127, rule="argument") for p in positions.split(", ") if p] + [_SEGMENTS] * blocks
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
        call={"dst_position": 0, "src_position": 0},
    )


def _rows(name: str, suffixes: Iterable[str], src: str, dst: str, positions: str = "", **facts: object) -> list[Fact]:
    return [_row(name + suffix, src, dst, positions, **facts) for suffix in suffixes]  # type: ignore[arg-type]


def _to_int(src: str, dst: str) -> list[Fact]:
    """The forms of 32 bits are newer names that no public document has; one without a suffix is nowhere documented."""
    name, known = f"{src}2{dst}", not dst.endswith("int32")
    return [
        _row(name, src, dst, _FIX, inferred=True),
        *_rows(name, _FIRST, src, dst, _FIX, inferred=not known),
        *_rows(name, _LATER, src, dst, _FIX, inferred=not known, archs=">=322" if known else ""),
    ]


_INTEGERS = ("int32", "uint32", "int16", "int8")
TO_INT = (
    *(row for src in ("float", "half") for dst in _INTEGERS for row in _to_int(src, dst)),
    # No public document has bfloat16 and whole numbers; bfloat16 itself came with 322.
    *(
        row
        for dst in _INTEGERS
        for row in _rows(
            f"bfloat162{dst}", ("", *_ROUNDINGS), "bfloat16", dst, _FIX, archs=">=322", inferred=True
        )
    ),
    *_rows("float2int", _ROUNDINGS, "float", "int32", _FIX, archs=">=322"),
    *_rows("half2int8", _FIRST, "half", "int8", _FIX, blocks=True),
    _row("half2fix16_rd", "half", "int16", _FIX, inferred=True),
    *_rows("half2short", _FIRST, "half", "int16"),
    *_rows("half2short", _FIRST, "half", "int16", blocks=True),
    *_rows("half2short", _LATER, "half", "int16", archs=">=322"),
    _row("half2char_dn", "half", "int8"),
    Fact(  # the header has it for signed bytes too
        "__bang_half2uchar_dn", "out T dst[src_count], in half src[src_count], src_count", "uint8 int8",
        limits=(_COUNT, Aligned(64, on="<300"), Multiple("src_count", 128, on="<300")), work="src_count * 2",
    ),
    *_rows("float2uchar", ("", *_ROUNDINGS), "float", "uint8", inferred=True),
    # The user's guide (4.5.1), "Requirements" of each.
    *_rows("half2uchar", ("_tz", "_oz", "_up", "_rd", "_rn", "_rm"), "half", "uint8", archs=">=322"),
    *_rows("bfloat162uchar", ("", *_ROUNDINGS), "bfloat16", "uint8", archs=">=520"),
    _row("float2uint8_tz", "float", "uint8", _FIX, archs=">=300"),
    *_rows("float2uint8", _ROUNDINGS[1:], "float", "uint8", _FIX, archs=">=322"),
    *_rows("float2uint16", _ROUNDINGS, "float", "uint16", _FIX, archs=">=322"),
)  # fmt: skip
FROM_INT = (
    *(
        row
        for dst, archs in (("float", ""), ("half", ""), ("bfloat16", ">=322"))
        for row in (
            *_rows(f"int322{dst}", ("", *_ROUNDINGS), "int32", dst, _FIX, inferred=True, archs=archs),
            *_rows(f"uint322{dst}", ("", *_ROUNDINGS), "uint32", dst, _FIX, inferred=True, archs=archs),
            _row(f"int162{dst}", "int16", dst, _FIX, inferred=bool(archs), archs=archs),
            # "`src` and `dst` can not be homologous operands"
            _row(f"int82{dst}", "int8", dst, _FIX, inferred=bool(archs), archs=archs, overlap="apart"),
        )
    ),
    _row("int2float", "int32", "float", _FIX, archs=">=322", overlap="apart"),
    _row("int82half", "int8", "half", _FIX, blocks=True, overlap="apart"),
    _row("short2half", "int16", "half"),
    _row("short2half", "int16", "half", blocks=True),
    _row("uchar2half", "uint8", "half", overlap="apart"),
    _row("uchar2half", "uint8", "half", blocks=True, overlap="apart"),
    _row("uchar2float", "uint8", "float", overlap="apart", inferred=True),
    # The user's guide (4.5.1).
    _row("uchar2bfloat16", "uint8", "bfloat16", archs=">=520", overlap="apart"),
    _row("uint82float", "uint8", "float", _FIX, archs=">=322", overlap="apart"),
    _row("uint162float", "uint16", "float", _FIX, archs=">=322", overlap="apart"),
    *_rows("int162half", _FIRST, "int16", "half", _FIX),
    *_rows("int162half", _LATER, "int16", "half", _FIX, archs=">=322"),
    *_rows("int162bfloat16", _ROUNDINGS, "int16", "bfloat16", _FIX, archs=">=520"),
    *_rows("int82bfloat16", _ROUNDINGS, "int8", "bfloat16", _FIX, archs=">=520", overlap="apart"),
)
_WHOLE = {"int8": "char", "int16": "short", "int32": "int"}
BETWEEN_INTS = (
    *(
        _row(name, src, dst, _BOTH, archs=">=322", overlap=overlap, inferred=inferred)
        for src, old_src in _WHOLE.items()
        for dst, old_dst in _WHOLE.items()
        if src != dst
        for overlap in ("apart" if SIZES[dst] > SIZES[src] else "same",)
        # The header has the older names; three_interpolate calls int322int16.
        for name, inferred in ((f"{old_src}2{old_dst}", False), (f"{src}2{dst}", True))
    ),
    # The user's guide (4.5.1) has them and a position, and does not say which way it works.
    *(
        row
        for whole in _WHOLE
        for row in (
            *_rows(f"{whole}2uchar", ("", *_ROUNDINGS), whole, "uint8", _FIX, archs=">=322", inferred=True),
            *_rows(
                f"uchar2{whole}",
                ("", *_ROUNDINGS),
                "uint8",
                whole,
                _FIX,
                archs=">=322",
                inferred=True,
                overlap="apart" if SIZES[whole] > 1 else "same",
            ),
        )
    ),
)
TO_HALF = (
    *_rows("float2half", _FIRST, "float", "half"),
    _row("float2half_rn", "float", "half", archs=">=300"),
    _row("float2half_rm", "float", "half", archs=">=322"),
    *_rows("float2half", _FIRST, "float", "half", blocks=True),
    *_rows("float2bfloat16", _ROUNDINGS, "float", "bfloat16", archs=">=322"),
    *_rows("bfloat162half", ("", *_ROUNDINGS), "bfloat16", "half", archs=">=520"),
    *_rows("half2bfloat16", ("", *_ROUNDINGS), "half", "bfloat16", archs=">=520"),
    # Newer names, seen in kernels only.
    _row("float2half", "float", "half", inferred=True),
    _row("float2bfloat16", "float", "bfloat16", archs=">=322", inferred=True),
)
TO_FLOAT = (
    # bang_missing.md, "Rules found wrong" 2: the vendor's text forbids coinciding operands, and stands at the strided
    # form only; src in the upper half of dst is a common idiom, safe because elements move in ascending order.
    _row("half2float", "half", "float", overlap="upper half"),
    _row("half2float", "half", "float", blocks=True, overlap="apart"),
    _row("bfloat162float", "bfloat16", "float", archs=">=322", overlap="any", inferred=True),
    *_rows("bfloat162float", _ROUNDINGS, "bfloat16", "float", archs=">=322", overlap="upper half"),
)


def _legacy(name: str, src: str, dst: str, dst_room: bool) -> Fact:
    """A form of 2xx that needs vectors to work in."""
    room = f"work {dst} dst_addition[src_count], " if dst_room else ""
    return Fact(
        f"__bang_{name}",
        f"out {dst} dst[src_count], {room}in {src} src[src_count], work {src} src_addition[src_count], src_count",
        archs=">=200",
        limits=(_COUNT, Aligned(64, on="<300"), Multiple("src_count", 64 if dst_room else 128, on="<300")),
        work=f"src_count * {max(SIZES[src], SIZES[dst])}",
    )


LEGACY = (
    _legacy("int2float", "int32", "float", True),
    _legacy("float2int", "float", "int32", True),
    _legacy("half2uchar_dn", "half", "uint8", False),
)
ROWS = (*TO_INT, *FROM_INT, *BETWEEN_INTS, *TO_HALF, *TO_FLOAT, *LEGACY)
