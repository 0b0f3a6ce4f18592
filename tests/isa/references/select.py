"""References of what masks keep of a vector, and of rows that lie anywhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .copy import DIRECTIONS
from .form import Call, Form
from .memory import Memory, Pointer, length_of, packed
from .numbers import encode, size_of
from .values import lengths, mixed


def bit(memory: Memory, mask: Pointer, number: int) -> bool:
    """A bit of a mask, the lowest of the first byte first."""
    return bool(memory.raw(mask.moved(number // 8), 1)[0] >> number % 8 & 1)


def _kept(memory: Memory, src: Pointer, mask: Pointer, count: int, bits: bool) -> list[bytes]:
    """The bytes of the elements that a mask keeps."""
    size = size_of(src.kind)
    chosen = [bit(memory, mask, i) if bits else memory.read(mask + i, 1)[0] != 0 for i in range(count)]
    return [memory.raw(src + i, size) for i in range(count) if chosen[i]]


def collect(bits: bool, counted: bool) -> Callable[..., Any]:
    """`__bang_collect`, `__bang_filter`: nothing behind the kept elements changes."""

    def compute(memory: Memory, dst: Pointer, src: Pointer, mask: Pointer, count: int) -> int | None:
        kept = _kept(memory, src, mask, count, bits)
        memory.put(dst, b"".join(kept))
        return len(kept) if counted else None

    return compute


def select(bits: bool) -> Callable[..., None]:
    """`__bang_select`: the number, a gap that stays up to byte 128, the elements, zeros up to 128 bytes."""

    def compute(memory: Memory, dst: Pointer, src: Pointer, mask: Pointer, count: int) -> None:
        kept = _kept(memory, src, mask, count, bits)
        data = b"".join(kept)
        memory.put(dst, len(kept).to_bytes(4, "little"))
        memory.put(dst.moved(128), data + bytes(-len(data) % 128))

    return compute


def _mask_calls(bits: bool) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        kind = kinds[0]
        for count in lengths(kind):
            values = mixed(kind, count, "values")
            some = [v if i % 3 else 0.0 for i, v in enumerate(mixed(kind, count, "mask"))]
            for masks in (some, [0.0, -0.0] * count, [float("nan")] * count):
                if bits:
                    data = bytes(
                        sum((v != 0) << i for i, v in enumerate(masks[at : at + 8])) for at in range(0, count, 8)
                    )
                    mask = ("uint8", list(data))
                else:
                    mask = (kind, masks[:count])
                contents = packed([mask, (kind, [0.0] * (count + 256)), (kind, values)], "nram")
                (given, _), (dst, _), (src, _) = contents
                for place in (dst, src):
                    label = f"{count} elements{', in place' if place == src else ''}"
                    length = length_of([*contents, (src, bytes(len(encode(kind, values)) + 384))])
                    yield Call((place, src, given, count), (contents[0], contents[2]), label, length)

    return calls


def _rows(memory: Memory, offset: Pointer, mask: Pointer | None, count: int) -> Iterator[tuple[int, int]]:
    """Number and offset of the rows that a mask leaves."""
    for number, distance in enumerate(memory.read(offset, count)):
        if mask is None or bit(memory, mask, number):
            yield number, distance


def gather(memory: Memory, dst: Pointer, src: Pointer, offset: Pointer, *given: Any) -> None:
    """Rows at offsets from src to dst, one every ``stride`` bytes."""
    mask, size, stride, count = _arguments(given)
    for number, distance in _rows(memory, offset, mask, count):
        memory.put(dst.moved(number * stride), memory.raw(src.moved(distance), size))


def scatter(memory: Memory, dst: Pointer, src: Pointer, offset: Pointer, *given: Any) -> None:
    """Rows from src, one every ``stride`` bytes, to offsets from dst."""
    mask, size, stride, count = _arguments(given)
    for number, distance in _rows(memory, offset, mask, count):
        memory.put(dst.moved(distance), memory.raw(src.moved(number * stride), size))


def _arguments(given: tuple[Any, ...]) -> tuple[Pointer | None, int, int, int]:
    """Mask, size, stride and count; a direction between size and stride says nothing more."""
    mask = given[0] if isinstance(given[0], Pointer) else None
    numbers = given[1:] if mask else given
    return mask, numbers[0], numbers[-2], numbers[-1]


def asm_gather(memory: Memory, dst: Pointer, src: Pointer, offset: Pointer, size: int, count: int, stride: int) -> None:
    """`gather.vector`: the stride comes last."""
    gather(memory, dst, src, offset, size, stride, count)


_OFFSETS = [40, 0, 40, 7, 201, 64, 13, 3, 90]
_MASKS = [0b10110101, 1]


def _move_calls(gathers: bool, masked: bool, directions: bool = True) -> Callable[[tuple[str, ...]], Iterator[Call]]:
    def calls(kinds: tuple[str, ...]) -> Iterator[Call]:
        for number, label in enumerate(DIRECTIONS):
            source, target = label.split("2")
            if (target if gathers else source) != "nram" or "ldram" in label or "wram" in label:
                continue
            if not directions and source != "gdram":
                continue
            lists = [("uint32", _OFFSETS if gathers else sorted({o * 2 for o in _OFFSETS})), ("uint8", _MASKS)]
            contents = packed(lists, "nram")
            (offset, _), (mask, _) = contents
            count = len(lists[0][1])
            for size, stride in ((1, 1), (8, 8), (5, 11), (16, 24)):
                ends = Pointer(target, 1024, "uint8"), Pointer(source, 200, "uint8")
                given = (size, *([number] if directions else []), stride, count)
                arguments = (*ends, offset, *([mask] if masked else []), *given)
                yield Call(arguments, tuple(contents[: 1 + masked]), f"{label} {size} {stride}", 2048)

    return calls


def _asm_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for call in _move_calls(True, False)(kinds):
        dst, src, offset, size, _, stride, count = call.arguments
        if src.space == "nram":
            yield Call((dst, src, offset, size, count, stride), call.contents, call.label, call.length)


def extension(
    memory: Memory, dst: Pointer, src: Pointer, times: Pointer, size: int, direction: int, count: int
) -> None:
    """`__extension`: each of ``count`` pieces as often as it says."""
    place = dst
    for number, often in enumerate(memory.read(times, count)):
        for _ in range(often):
            memory.put(place, memory.raw(src.moved(number * size), size))
            place = place.moved(size)


def _extension_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for often, size in (([3, 3], 2), ([1], 1), ([2, 0, 5, 1, 40], 7), ([0, 0], 4)):
        contents = packed([("uint8", often)], "nram")
        ends = Pointer("nram", 1024, "uint8"), Pointer("nram", 200, "uint8")
        arguments = (*ends, contents[0][0], size, DIRECTIONS.index("nram2nram"), len(often))
        yield Call(arguments, tuple(contents), f"{often}", 2048)


_MASKED = ("dst", "src", "src_mask", "count")
_ENDS = ("dst", "src", "src_offset")
FORMS = [
    Form("__bang_filter", _MASKED, collect(False, True), _mask_calls(False)),
    Form("__bang_filter_bitindex", _MASKED, collect(True, True), _mask_calls(True)),
    Form("__bang_collect", _MASKED, collect(False, False), _mask_calls(False)),
    Form("__bang_collect_bitindex", _MASKED, collect(True, False), _mask_calls(True)),
    Form("__bang_maskmove_bitindex", _MASKED, collect(True, False), _mask_calls(True)),
    Form("__bang_select", _MASKED, select(False), _mask_calls(False)),
    Form("__bang_select_bitindex", _MASKED, select(True), _mask_calls(True)),
    *(
        Form(
            f"{name}{suffix}", (*_ENDS, *mask, "size", "direction", "step", "count"), compute,
            _move_calls(compute is gather, bool(mask)),
        )
        for name, compute in (("__gather", gather), ("__scatter", scatter))
        for suffix in ("", "_async")
        for mask in ((), ("src_mask",))
    ),
    Form(
        "__bang_gather_async", (*_ENDS, "src_mask", "size", "step", "count"), gather, _move_calls(True, True, False)
    ),
    Form("__extension", (*_ENDS[:2], "src_times", "size", "direction", "count"), extension, _extension_calls),
    Form("__asm_gather_vector", (*_ENDS, "size", "count", "step"), asm_gather, _asm_calls),
]  # fmt: skip
