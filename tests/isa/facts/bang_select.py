"""Facts of BANG: what masks keep of a vector, and rows that lie anywhere.

Source: bang_isa.md (b), and for `__bang_collect` and `__bang_select` the vendor's header. How much is written, and
where rows lie, depends on contents: probes pass masks that keep everything, and offsets of zero.
"""

from __future__ import annotations

from tests.isa.facts.bang_copy import DIRECTIONS
from tests.isa.facts.bang_vector import PER_ELEMENT, POSITIVE
from tests.isa.facts.fact import Aligned, Case, Fact, Limit, Multiple, Within

_ALIGNED = Aligned(64, on="<300")
_WHOLE: tuple[Limit, ...] = (POSITIVE, _ALIGNED, Multiple("elem_count * sizeof", 128, on="<300"))
#: "divisible by 1024 on 2xx, and divisible by 8 on mtp_372 and tp_322".
_BITS: tuple[Limit, ...] = (
    POSITIVE, _ALIGNED, Multiple("elem_count", 1024, on="<300"), Multiple("elem_count", 8, on=">=300 <392"),
)  # fmt: skip
#: 128 bytes of header, of which the number takes four; elements up to a multiple of 128 bytes.
_SELECTED = "(128 + (elem_count * sizeof + 127) // 128 * 128) // sizeof"


def _masked(name: str, types: str, bits: bool = False, dst: str = "elem_count", **facts: object) -> Fact:
    mask = "in any mask{(elem_count + 7) // 8}" if bits else "in T mask[elem_count]"
    given = {
        "limits": _BITS if bits else _WHOLE, "work": PER_ELEMENT, "holds": {"mask": 0xFF if bits else 0x3C},
        "call": {"elem_count": 1024}, **facts,
    }  # fmt: skip
    return Fact(f"__bang_{name}", f"out T dst[{dst}], in T src[elem_count], {mask}, elem_count", types, **given)  # type: ignore[arg-type]


_NEW = {"inferred": True, "returns": "uint32"}
_COLLECTED = "half float, inferred bfloat16"
MASKS = (
    # "returns number selected"; names of newer toolkits.
    _masked("filter", "half bfloat16 float", **_NEW),
    _masked("filter_bitindex", "half bfloat16 float", bits=True, **_NEW),
    _masked("collect", _COLLECTED),
    _masked("collect_bitindex", _COLLECTED, bits=True),
    _masked("maskmove_bitindex", _COLLECTED, bits=True, archs=">=200"),
    _masked("select", _COLLECTED, dst=_SELECTED),
    _masked("select_bitindex", _COLLECTED, bits=True, dst=_SELECTED),
)

_COUNTS = (Within("transfer_size", 1), Within("transfer_num", 1))
_LISTED, _SPACED = "{transfer_size}", "{transfer_size, (transfer_num - 1) x stride}"
_CALL = {"transfer_size": 64, "transfer_num": 24, "stride": 128}


def _move(name: str, gathers: bool, masked: bool, tail: str, **facts: object) -> Fact:
    dst, src = (_SPACED, _LISTED) if gathers else (_LISTED, _SPACED)
    source = facts.pop("source", "")
    return Fact(
        name,
        f"out any dst{dst}, in {source}any src{src}, in uint32 offset[transfer_num]"
        + (", in any mask{(transfer_num + 7) // 8}" if masked else "")
        + f", {tail}",
        overlap="any", inferred=True, work="transfer_size * transfer_num", call=_CALL, holds={"mask": 0xFF},
        follows=("dst", "src"), **facts,  # type: ignore[arg-type]
    )  # fmt: skip


def _cases(gathers: bool, masked: bool) -> tuple[Case, ...]:
    found = []
    for case in DIRECTIONS:
        source, target = case.label.lower().split("2")
        inside, other = (target, source) if gathers else (source, target)
        if inside == "nram" and other in ("gdram", "sram", "nram"):
            lists = {"offset": "nram", **({"mask": "nram"} if masked else {})}
            found.append(Case(case.label, {**case.spaces, **lists}, case.pipe))
    return tuple(found)


MOVES = (
    *(
        _move(
            name + suffix, name == "__gather", masked, "transfer_size, dir, stride, transfer_num", archs=">=592",
            limits=_COUNTS, effect=effect, select="dir", cases=_cases(name == "__gather", masked),
        )
        for name in ("__gather", "__scatter")
        for suffix, effect in (("", "blocking"), ("_async", "deferred"))
        for masked in (False, True)
    ),
    _move(
        "__bang_gather_async", True, True, "transfer_size, stride, transfer_num", archs=">=592", limits=_COUNTS,
        effect="deferred", source="gdram ", pipe="io",
    ),
    _move(
        "__asm_gather_vector", True, False, "transfer_size, transfer_num, stride", archs=">=372 !=520",
        limits=_COUNTS, asm="gather.vector.nram.nram.nram.u32",
    ),
)  # fmt: skip
#: Kernels build 0, 0, 0, 1, 1, 1 of 0, 1 and of 3, 3. Probes repeat everything once.
EXTENSION = Fact(
    "__extension",
    "out any dst{transfer_size * transfer_num}, in any src{transfer_size * transfer_num}, in uint8 times[transfer_num],"
    " transfer_size, dir, transfer_num",
    archs=">=592", limits=_COUNTS, overlap="apart", pipe="move", effect="blocking", inferred=True,
    work="transfer_size * transfer_num", call=_CALL, holds={"times": 1}, follows=("dst",), select="dir",
    cases=(Case("NRAM2NRAM", {"dst": "nram", "src": "nram", "times": "nram"}, "move"),),
)  # fmt: skip
ROWS = (*MASKS, *MOVES, EXTENSION)
