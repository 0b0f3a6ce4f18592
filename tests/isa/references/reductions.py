"""References of the reductions of vectors to one value."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import is_floating, rounded, size_of
from .values import BEAT, corners, lengths, mixed, of_numbers


def count(memory: Memory, src: Pointer, elem_count: int) -> int:
    """`__bang_count`: how many elements are not zero; -0 is zero, NaN is not."""
    return sum(1 for value in memory.read(src, elem_count) if value != 0)


def find_first(memory: Memory, src: Pointer, elem_count: int) -> int:
    """`__bang_findfirst1`: where the first element is that is not zero; none: all ones."""
    return next((i for i, value in enumerate(memory.read(src, elem_count)) if value != 0), 2**32 - 1)


def find_last(memory: Memory, src: Pointer, elem_count: int) -> int:
    """`__bang_findlast1`: where the last element is that is not zero; none: all ones."""
    return next((elem_count - 1 - i for i, v in enumerate(memory.read(src, elem_count)[::-1]) if v != 0), 2**32 - 1)


def into(search: Callable[[Memory, Pointer, int], int]) -> Callable[..., None]:
    """The older forms: the number as a uint32 at dst."""

    def compute(memory: Memory, dst: Pointer, src: Pointer, elem_count: int) -> None:
        memory.write(Pointer(dst.space, dst.offset, "uint32"), [search(memory, src, elem_count)])

    return compute


count_into = into(count)


def total(memory: Memory, src: Pointer, elem_count: int) -> Any:
    """`__bang_sum`: integers wrap; the calls have sums that no order of additions rounds."""
    return rounded(src.kind, sum(memory.read(src, elem_count)))


def reduce_sum(memory: Memory, dst: Pointer, src: Pointer, elem_count: int) -> None:
    """`__bang_reduce_sum`: the sum of every 128 bytes at their begin; a rest is added up as well."""
    beat = BEAT // size_of(src.kind)
    values = memory.read(src, elem_count)
    for at in range(0, elem_count, beat):
        memory.write(dst + at, [sum(values[at : at + beat])], zeros=False)


def best(choose: Callable[[list[Any]], Any]) -> Callable[..., None]:
    """`__bang_argmax` and its kin: the value, then the index of the first such, and zeros up to 8 bytes."""

    def compute(memory: Memory, dst: Pointer, src: Pointer, elem_count: int) -> None:
        values = memory.read(src, elem_count)
        number = values.index(choose(values))
        size = size_of(src.kind)
        memory.put(dst, memory.raw(src + number, size) + number.to_bytes(8, "little"))

    return compute


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


def _sums(kinds: tuple[str, ...]) -> Iterator[Call]:
    """Whole numbers and halves of them, whose sums are exact; where they are written: apart, or in place."""
    kind = kinds[-2]
    for count in lengths(kind):
        chance = random.Random(f"{kind} {count}")
        numbers = [chance.randrange(-3, 4) for _ in range(count)]
        values = [n / 2 for n in numbers] if is_floating(kind) else [n << 29 for n in numbers]
        contents = packed([(kind, values), (kind, [0] * count)], "nram")
        (src, _), (dst, _) = contents
        for place in (dst, src) if len(kinds) > 2 else (None,):
            arguments = (src, count) if place is None else (place, src, count)
            yield Call(arguments, (contents[0],), f"{count} elements", length_of(contents))


def _extremes(in_place: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    """NaN among the values, or nothing else; equals, of which the first counts."""

    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        for count in lengths(kind):
            for values in (
                [*corners(kind), *mixed(kind, 2 * count, "best")][-count:],
                [math.nan] * count,
                [float(n * n % 5) for n in range(count)],
                [-1.0] * count,
            ):
                contents = packed([(kind, values), (kind, [0] * 8)], "nram")
                (src, _), (dst, _) = contents
                for place in (dst, src) if in_place else (dst,):
                    yield Call((place, src, count), (contents[0],), f"{count} elements", length_of(contents))

    return calls


_SEARCHES = {"__bang_count": count, "__bang_findfirst1": find_first, "__bang_findlast1": find_last}
_LARGEST, _SMALLEST = of_numbers(max), of_numbers(min)
_EXTREMES = {
    "argmax": (_LARGEST, True), "argmin": (_SMALLEST, True), "max": (_LARGEST, False), "min": (_SMALLEST, False),
}  # fmt: skip
_VECTOR = ("src", "count")
FORMS = [
    *(Form(name, _VECTOR, search, _calls) for name, search in _SEARCHES.items()),
    *(Form(name, ("dst", *_VECTOR), into(search), _calls) for name, search in _SEARCHES.items()),
    Form("__bang_sum", _VECTOR, total, _sums),
    Form("__bang_reduce_sum", ("dst", *_VECTOR), reduce_sum, _sums),
    *(
        Form(f"__bang_{name}", ("dst", *_VECTOR), best(choose), _extremes(in_place))
        for name, (choose, in_place) in _EXTREMES.items()
    ),
]
