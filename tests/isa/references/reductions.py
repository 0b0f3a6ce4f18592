"""References of the reductions of vectors to one value."""

from __future__ import annotations

from collections.abc import Iterator

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import is_floating
from .values import corners, lengths, mixed


def count(memory: Memory, src: Pointer, elem_count: int) -> int:
    """`__bang_count`: how many elements are not zero; -0 is zero, NaN is not."""
    return sum(1 for value in memory.read(src, elem_count) if value != 0)


def count_into(memory: Memory, dst: Pointer, src: Pointer, elem_count: int) -> None:
    """The older form of `__bang_count`: the number as a uint32 at dst."""
    memory.write(Pointer(dst.space, dst.offset, "uint32"), [count(memory, src, elem_count)])


def find_first(memory: Memory, src: Pointer, elem_count: int) -> int:
    """`__bang_findfirst1`: where the first element is that is not zero; none: all ones."""
    return next((i for i, value in enumerate(memory.read(src, elem_count)) if value != 0), 2**32 - 1)


def _calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    """Corners, all zeros of both signs, random values with zeros among them; dst in front of src, apart or on it."""
    into, kind = len(kinds) > 2, kinds[-2]
    zeros = [0.0, -0.0] if is_floating(kind) else [0]
    columns = [corners(kind), zeros * 40, *([*mixed(kind, n - 1, "count"), 0] for n in lengths(kind))]
    for values in columns:
        contents = packed([("uint32", [0xDEADBEEF]), (kind, values)], "nram")
        (dst, _), (src, _) = contents
        given = (src, len(values))
        for place in (dst, Pointer("nram", src.offset, "uint32")) if into else (dst,):
            arguments = (place, *given) if into else given
            yield Call(arguments, tuple(contents), f"{len(values)} elements", length_of(contents))


FORMS = [
    Form("__bang_count", ("src", "count"), count, _calls),
    Form("__bang_count", ("dst", "src", "count"), count_into, _calls),
    Form("__bang_findfirst1", ("src", "count"), find_first, _calls),
]
