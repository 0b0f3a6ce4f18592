"""Instructions that do the same to every element, and the calls that try them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from .form import Call, Form
from .memory import Memory, length_of, packed
from .numbers import rounded
from .values import corners, lengths, mixed, pairs, scalars

#: From the elements of the sources and then the value: one element.
Function = Callable[..., Any]
_APART: Mapping[str, str] = {}


def vector(
    name: str, roles: str, function: Function, *, ulps: float = 0, zeros: bool = True, in_place: bool = True,
    extra: Sequence[float] = (),
) -> Form:  # fmt: skip
    """An element-wise form; ``extra`` are further values of the sources, ``zeros`` says whether their sign counts.

    ``roles``: dst, src*, value (one element of the destination's type) and count, in the order of the prototype.
    """
    names = tuple(roles.split())
    sources = [role for role in names if role.startswith("src")]

    def compute(memory: Memory, *arguments: Any) -> None:
        given = dict(zip(names, arguments, strict=True))
        dst = given["dst"]
        values = [rounded(dst.kind, given["value"])] if "value" in given else []
        columns = [memory.read(given[source], given["count"]) for source in sources]
        results = [function(*row, *values) for row in zip(*columns, strict=True)]
        # Python's numbers have no width; a double holds a sum, product, quotient or root of narrower floats well
        # enough for one more rounding to be the right one.
        memory.write(dst, results if ulps else [rounded(dst.kind, result) for result in results], ulps, zeros)

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = dict(zip(names, kinds, strict=True))

        def call(columns: Sequence[Sequence[Any]], value: Any, label: str, same: Mapping[str, str] = _APART) -> Call:
            count = len(columns[0])
            rows = [*zip((kind[source] for source in sources), columns, strict=True), (kind["dst"], [0] * count)]
            contents = packed(rows, "nram", gap=24 + 4 * count)
            place = dict(zip([*sources, "dst"], (pointer for pointer, _ in contents), strict=True))
            for operand, other in same.items():
                place[operand] = replace(place[other], kind=kind[operand])
            given = {**place, "value": value, "count": count}
            return Call(tuple(given[role] for role in names), tuple(contents[:-1]), label, length_of(contents))

        several = scalars(kind["dst"]) if "value" in names else [None]
        for value in several:
            yield call([[*corners(kind[source]), *extra] for source in sources], value, f"corners, value {value}")
        if len(sources) == 2:
            yield call(pairs(kind["src0"]), None, "pairs of corners")
        for count in lengths(kind["dst"]):
            columns = [mixed(kind[source], count, f"{name} {source}") for source in sources]
            yield call(columns, several[0], f"{count} elements")
        for source in sources if in_place else ():
            yield call(columns, several[0], f"dst is {source}", {"dst": source})
        if len(sources) == 2:
            yield call(columns, None, "src1 is src0", {"src1": "src0"})
        if len(sources) == 2 and in_place:
            yield call(columns, None, "one operand", {"src1": "src0", "dst": "src0"})

    return Form(name, names, compute, calls)
