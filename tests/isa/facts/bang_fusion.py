"""Facts of BANG: several operations in one instruction.

Source: bang_isa.md, row `__bang_fusion` and (c) "Grammar of fuse"; the vendor's header: "the element number of dst and
src0 must be a multiple of that of src1 and src2", all counts above 0, from 322 on.
"""

from __future__ import annotations

from tests.isa.facts.fact import Fact, Holds, Within

#: Documented for floats; mutual_information calls it with int.
_TYPES = "half bfloat16 float, inferred int32 uint32"
_OP = Within("op_code", 0, 7, rule="argument")
_COUNT = "dst_src0_elem_count"


def _fusion(src1: str, src2: str, short: str) -> Fact:
    """``short``: the count of those that are vectors."""
    arguments = f"op_code, out T dst[{_COUNT}], in T src0[{_COUNT}], {src1}, {src2}, {_COUNT}"
    limits = [Within(_COUNT, 1), _OP]
    probes: tuple[dict[str, int], ...] = tuple({"op_code": code} for code in range(8))
    if short:
        arguments += f", {short}"
        multiple = Holds(
            f"{short} < 1 or {_COUNT} % {short} == 0", ({short: 100}, {short: 512}, {short: 256}), rule="length"
        )
        limits += [Within(short, 1), multiple]
    return Fact(
        "__bang_fusion", arguments, _TYPES, ">=322", tuple(limits), work=f"{_COUNT} * max(2, sizeof)", probes=probes,
        call={"op_code": 0, _COUNT: 256, short: 128, "src1": 1, "src2": 1},
    )  # fmt: skip


def _vector(name: str, count: str) -> str:
    return f"in T {name}[{count}]"


_CODES = tuple(f"op{n}" for n in range(4))
_VALUES = ", ".join(f"{code}, {{kind}} value{n}" for n, code in enumerate(_CODES))


def _chain(name: str, kind: str, last: int, other: bool) -> Fact:
    """A chain of up to four operations; 0 is none; ``last`` is the last one that the type has."""
    size = {"half": 2}.get(kind, 4)
    vectors = f"out {kind} dst[elem_count], in {kind} src[elem_count]"
    vectors += f", in {kind} other[elem_count], elem_count, at" if other else ", elem_count"
    values = ", ".join(f"op{n}, value{n}" for n in range(4))
    limits = [Within("elem_count", 1), *(Within(code, 0, last, rule="argument") for code in _CODES)]
    if other:
        limits.append(Within("at", 0, 3, rule="argument"))
    return Fact(
        f"__asm_fuse_nram_{name}", f"{vectors}, {values}", limits=tuple(limits), work=f"elem_count * {size}",
        inferred=True, asm=f"fuse.nram.{name}",
        call={"at": 1, **dict.fromkeys(_CODES, 1), **{f"value{n}": 1 for n in range(4)}},
    )  # fmt: skip


ROWS = (
    _fusion("T src1", "T src2", ""),
    _fusion(_vector("src1", "src1_elem_count"), "T src2", "src1_elem_count"),
    _fusion("T src1", _vector("src2", "src2_elem_count"), "src2_elem_count"),
    _fusion(_vector("src1", "src1_src2_elem_count"), _vector("src2", "src1_src2_elem_count"), "src1_src2_elem_count"),
    *(
        _chain(name, kind, last, other)
        for name, kind, last in (("f16", "half", 9), ("f32", "float", 9), ("s32", "int32", 12), ("u32", "uint32", 12))
        for other in (False, True)
    ),
)
