"""References of the atomic updates of device memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import is_floating, rounded
from .values import lengths, mixed, pairs, scalars


def _wins(choose: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Maximum and minimum; beside a NaN the number wins."""
    return lambda old, given: given if old != old else old if given != given else choose(old, given)


#: What becomes of an element.
UPDATES: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda old, given: old + given,
    "max": _wins(max),
    "min": _wins(min),
    "inc": lambda old, given: 0 if old >= given else old + 1,
    "dec": lambda old, given: given if old == 0 or old > given else old - 1,
    "and": lambda old, given: old & given,
    "or": lambda old, given: old | given,
    "xor": lambda old, given: old ^ given,
    "exch": lambda old, given: given,
}
_ZEROS = {"max": False, "min": False}


def reduce(op: str) -> Callable[..., None]:
    """The form that returns nothing: each of ``size`` elements in device memory with its own operand or with one."""

    def compute(memory: Memory, dst: Pointer, src: Any, size: int = 1) -> None:
        given = memory.read(src, size) if isinstance(src, Pointer) else [rounded(dst.kind, src)] * size
        found = [UPDATES[op](x, y) for x, y in zip(memory.read(dst, size), given, strict=True)]
        memory.write(dst, [rounded(dst.kind, value) for value in found], zeros=_ZEROS.get(op, True))

    return compute


reduce_add = reduce("add")


def fetch(op: str) -> Callable[..., None]:
    """The form that gives what was there before; its destination may be the operand."""

    def compute(memory: Memory, dst: Pointer, held: Pointer, src: Any, size: int = 1) -> None:
        before = memory.read(held, size)
        reduce(op)(memory, held, src, size)
        memory.write(dst, before)

    return compute


def reduce_segments(memory: Memory, dst: Pointer, src: Pointer, size: int, *numbers: int) -> None:
    """`reduce_add` of ``segnum2 + 1`` groups of ``segnum1 + 1`` segments, at strides in bytes."""
    segnum1, segnum2, dst1, dst2, src1, src2 = numbers
    for j in range(segnum2 + 1):
        for i in range(segnum1 + 1):
            reduce_add(memory, dst.moved(i * dst1 + j * dst2), src.moved(i * src1 + j * src2), size)


def _segment_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for size, *numbers in (
        (3, 1, 1, 64, 256, 32, 128), (5, 2, 0, 128, 0, 64, 0), (5, 0, 1, 0, -64, 0, 64), (1, 3, 2, 16, 128, 0, 16),
        (40, 1, 1, 512, 1024, 256, -512),
    ):  # fmt: skip
        yield Call(
            (Pointer("gdram", 512, kinds[0]), Pointer("nram", 1024, kinds[0]), size, *numbers), (), f"{numbers}", 4096
        )


def reduce_swap(memory: Memory, dst: Pointer, compare: Any, value: Any) -> None:
    """`__bang_atomic_reduce_cas`: value where compare is."""
    (old,) = memory.read(dst, 1)
    memory.write(dst, [rounded(dst.kind, value) if old == rounded(dst.kind, compare) else old])


def swap(memory: Memory, dst: Pointer, held: Pointer, compare: Any, value: Any) -> None:
    """`__bang_atomic_cas`: so, and what was there before."""
    before = memory.read(held, 1)
    reduce_swap(memory, held, compare, value)
    memory.write(dst, before)


def _columns(kind: str) -> Iterator[tuple[list[Any], list[Any]]]:
    yield pairs(kind)
    for count in lengths(kind):
        yield mixed(kind, count, "dst"), mixed(kind, count, "src")


def _vector_calls(fetches: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        for there, given in _columns(kinds[0]):
            pieces = [(kinds[0], given), (kinds[0], given)]
            contents = (*packed([(kinds[0], there)], "gdram"), *packed(pieces, "nram"))
            (held, _), (src, _), (dst, _) = contents
            label = f"{len(there)} elements"
            for place in (dst, src) if fetches else (None,):
                arguments = (held, src) if place is None else (place, held, src)
                yield Call((*arguments, len(there)), contents, label, length_of(contents))

    return calls


def _value_calls(fetches: bool, sized: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        for there, _ in _columns(kind) if sized else (([old], ()) for old in mixed(kind, 12, "one")):
            # A float that the element type cannot hold is rounded to it first.
            for value in (*scalars(kind), *([1 / 3] if is_floating(kind) else [])):
                contents = (*packed([(kind, there)], "gdram"), *(packed([(kind, there)], "nram") if fetches else ()))
                places = [place for place, _ in contents]
                arguments = (*places[1:], places[0], value, *([len(there)] if sized else []))
                yield Call(arguments, contents, f"{value}", length_of(contents))

    return calls


def _swap_calls(fetches: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        for old in (*scalars(kind), 1):
            for compare in (*scalars(kind), old):
                contents = packed([(kind, [rounded(kind, old)])], "gdram") + (packed([(kind, [0])], "nram") * fetches)
                places = [place for place, _ in contents]
                arguments = (*places[1:], places[0], compare, scalars(kind)[0])
                yield Call(arguments, tuple(contents), f"{old} {compare}", length_of(contents))

    return calls


FORMS = [
    form
    for op in UPDATES
    for form in (
        Form(f"__bang_atomic_reduce_{op}", ("dst", "src", "size"), reduce(op), _vector_calls(False)),
        Form(f"__bang_atomic_reduce_{op}", ("dst", "value", "size"), reduce(op), _value_calls(False, True)),
        Form(f"__bang_atomic_reduce_{op}", ("dst", "value"), reduce(op), _value_calls(False, False)),
        Form(f"__bang_atomic_{op}", ("dst", "dst_held", "src", "size"), fetch(op), _vector_calls(True)),
        Form(f"__bang_atomic_{op}", ("dst", "dst_held", "value", "size"), fetch(op), _value_calls(True, True)),
        Form(f"__bang_atomic_{op}", ("dst", "dst_held", "value"), fetch(op), _value_calls(True, False)),
    )
] + [
    Form(
        "__bang_atomic_reduce_add",
        ("dst", "src", "size", *(f"n{n}" for n in range(6))),
        reduce_segments,
        _segment_calls,
    ),
    Form("__bang_atomic_reduce_cas", ("dst", "compare", "value"), reduce_swap, _swap_calls(False)),
    Form("__bang_atomic_cas", ("dst", "dst_held", "compare", "value"), swap, _swap_calls(True)),
]
