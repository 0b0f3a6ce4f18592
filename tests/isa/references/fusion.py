"""References of several operations in one instruction: one after the other in 32 bits, then rounded to the type."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import is_floating, rounded
from .values import corners, lengths, mixed

#: In the order of the vendor's enumeration: what is done first, and then.
CODES = [
    (operator.mul, operator.add), (operator.mul, operator.sub), (operator.add, operator.mul),
    (operator.sub, operator.mul), (operator.add, operator.add), (operator.add, operator.sub),
    (operator.sub, operator.sub), (operator.sub, operator.add),
]  # fmt: skip
#: The operations of a chain in assembly by their numbers; the last three are of whole numbers.
CHAINED: list[Callable[[Any, Any], Any]] = [
    lambda x, y: x, operator.add, operator.sub, operator.mul, operator.eq, operator.ne, operator.lt, operator.le,
    operator.gt, operator.ge, operator.and_, operator.or_, operator.xor,
]  # fmt: skip


def steps(kind: str, x: Any, todo: list[tuple[Callable[[Any, Any], Any], Any]]) -> Any:
    """One element after a chain of operations."""
    wide = "float" if is_floating(kind) else kind
    for function, operand in todo:
        x = rounded(wide, function(x, operand))
    return rounded(kind, x)


def _column(memory: Memory, given: Any, kind: str, count: int, short: int) -> list[Any]:
    """A vector that is repeated, or a value, as one operand for each element."""
    if isinstance(given, Pointer):
        held = memory.read(given, short)
        return [held[i % short] for i in range(count)]
    return [rounded(kind, given)] * count


def _fusion(*vectors: str) -> Form:
    """The form of `__bang_fusion` in which src1, src2 or both are vectors."""
    roles = ("op_code", "dst", "src0", *(n if n in vectors else n.replace("src", "value") for n in ("src1", "src2")))
    roles = (*roles, "count", "short") if vectors else (*roles, "count")

    def compute(memory: Memory, code: int, dst: Pointer, src0: Pointer, one: Any, two: Any, *counts: int) -> None:
        count, short = counts[0], counts[-1]
        columns = (_column(memory, given, dst.kind, count, short) for given in (one, two))
        rows = zip(memory.read(src0, count), *columns, strict=True)
        first, second = CODES[code]
        memory.write(dst, [steps(dst.kind, x, [(first, a), (second, b)]) for x, a, b in rows])

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[1]
        sizes = [(len(corners(kind)), 1), *((n, n) for n in lengths(kind)), (3 * 131, 131)]
        for number, (count, short) in enumerate([*sizes, *sizes[-3:]]):
            long = corners(kind) if count == len(corners(kind)) else mixed(kind, count, "fusion")
            pieces = [long, mixed(kind, short, "one"), mixed(kind, short, "two"), [0] * count]
            placed = packed([(kind, piece) for piece in pieces], "nram")
            src0, src1, src2, dst = (pointer for pointer, _ in placed)
            one = src1 if "src1" in vectors else mixed(kind, 3, number)[0]
            two = src2 if "src2" in vectors else mixed(kind, 3, f"second {number}")[1]
            counts = (count, short) if vectors else (count,)
            for code in range(len(CODES)) if number < 2 else [number % len(CODES)]:
                for target in (dst, src0):
                    label = f"code {code}, {counts}, in place: {target is src0}"
                    yield Call((code, target, src0, one, two, *counts), tuple(placed[:3]), label, length_of(placed))

    return Form("__bang_fusion", roles, compute, calls)


def _chain(name: str, other: bool) -> Form:
    """A chain of four operations, one of them with a vector."""
    roles = ("dst", "src", *(["src_other"] if other else []), "count", *(["at"] if other else []))
    roles += tuple(f"{what}{n}" for n in range(4) for what in ("op", "value"))

    def compute(memory: Memory, dst: Pointer, src: Pointer, *rest: Any) -> None:
        vector, count, at, *chain = rest if other else (None, rest[0], -1, *rest[1:])
        todo = [(chain[2 * n], rounded(dst.kind, chain[2 * n + 1])) for n in range(4)]
        columns = memory.read(vector, count) if vector else [0] * count
        results = []
        for x, y in zip(memory.read(src, count), columns, strict=True):
            row = [(CHAINED[code], y if n == at else value) for n, (code, value) in enumerate(todo) if code]
            results.append(steps(dst.kind, x, row))
        memory.write(dst, results)

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        last = 9 if is_floating(kind) else 12
        for number, count in enumerate((*lengths(kind), *[37] * 16)):
            values = corners(kind) if count == 1 else mixed(kind, count, "chain")
            pieces = [values, mixed(kind, len(values), "other"), [0] * len(values)]
            placed = packed([(kind, piece) for piece in pieces], "nram")
            src, vector, dst = (pointer for pointer, _ in placed)
            codes = [(number + k * 5) % (last + 1) for k in range(4)]
            numbers = mixed(kind, 4, f"chain {number}")
            chain = [x for pair in zip(codes, numbers, strict=True) for x in pair]
            for target in (dst, src, *([vector] if other else [])):
                given = (target, src, vector, len(values), number % 4) if other else (target, src, len(values))
                yield Call((*given, *chain), tuple(placed[:2]), f"{codes} of {len(values)}", length_of(placed))

    return Form(f"__asm_fuse_nram_{name}", roles, compute, calls)


FORMS = [
    _fusion(),
    _fusion("src1"),
    _fusion("src2"),
    _fusion("src1", "src2"),
    *(_chain(name, other) for name in ("f16", "f32", "s32", "u32") for other in (False, True)),
]
