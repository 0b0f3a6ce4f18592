"""References of the vector registers: 256 bytes, lane by lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from .form import Call, Form
from .memory import Memory, Pointer
from .numbers import encode, is_floating, rounded, size_of, wrap
from .values import corners, mixed, pairs, scalars

REGISTER = 256


def lanes(kind: str) -> int:
    """How many elements a register holds."""
    return REGISTER // size_of(kind)


def _set(memory: Memory, dst: Pointer, values: list[Any]) -> None:
    memory.write(dst, [rounded(dst.kind, value) for value in values])


def move_value(memory: Memory, dst: Pointer, value: Any) -> None:
    """Every lane = value."""
    _set(memory, dst, [rounded(dst.kind, value)] * lanes(dst.kind))


def move(memory: Memory, dst: Pointer, src: Pointer) -> None:
    """Every lane = that of src; a NaN keeps its bits."""
    memory.put(dst, memory.raw(src, REGISTER))


def index(memory: Memory, dst: Pointer, start: Any, step: Any) -> None:
    """Lane i = start + i * step."""
    _set(memory, dst, [start + i * step for i in range(lanes(dst.kind))])


def _lane_by_lane(function: Callable[[Any, Any], Any]) -> Callable[..., None]:
    def compute(memory: Memory, dst: Pointer, src0: Pointer, other: Any) -> None:
        count = lanes(src0.kind)
        right = memory.read(other, count) if isinstance(other, Pointer) else [rounded(src0.kind, other)] * count
        _set(memory, dst, [function(x, y) for x, y in zip(memory.read(src0, count), right, strict=True)])

    return compute


def store(memory: Memory, dst: Pointer, src: Pointer, count: int | None = None) -> None:
    """The first ``count`` lanes, or all, in memory."""
    memory.put(dst, memory.raw(src, REGISTER if count is None else count * size_of(src.kind)))


def trixor(memory: Memory, dst: Pointer, *sources: Pointer) -> None:
    """Lane by lane the exclusive or of three."""
    columns = (memory.read(source, lanes(dst.kind)) for source in sources)
    _set(memory, dst, [x ^ y ^ z for x, y, z in zip(*columns, strict=True)])


def _register(number: int, kind: str) -> Pointer:
    return Pointer("vreg", number * REGISTER, kind)


def _filled(number: int, kind: str, values: list[Any]) -> tuple[Pointer, bytes]:
    repeated = [values[i % len(values)] for i in range(lanes(kind))]
    return _register(number, kind), encode(kind, repeated)


def _value_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    for value in scalars(kinds[0]):
        yield Call((_register(1, kinds[0]), value), (), f"{value}")


def _move_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    src = _filled(2, kinds[0], mixed(kinds[0], 128, "move"))
    yield Call((_register(0, kinds[0]), src[0]), (src,), "apart")
    yield Call((src[0], src[0]), (src,), "itself")


def _index_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    # Starts and steps whose lanes every float format holds; the ends of the range for integers, which wrap.
    steps = [(0, 1), (1, 3), (5, 0), (3, -2)] if kind[0] != "u" else [(0, 1), (1, 3), (5, 0), (0xFFFF0003, 1), (60, 9)]
    floats = [(0.5, 0.25), (-8.0, 2.0)] if is_floating(kind) else [(2**15 - 4, 1)]
    for start, step in [*steps, *floats]:
        begin = start if is_floating(kind) else wrap(start, 8 * size_of(kind), kind[0] != "u")
        yield Call((_register(1, kind), begin, step), (), f"{start} + i * {step}")


def _binary_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    left, right = pairs(kind)
    for begin in range(0, len(left), lanes(kind)):
        operands = (_filled(1, kind, left[begin:]), _filled(2, kind, right[begin:]))
        yield Call((_register(0, kind), operands[0][0], operands[1][0]), operands, f"pairs from {begin}")
    operands = (_filled(1, kind, mixed(kind, 128, 1)), _filled(2, kind, mixed(kind, 128, 2)))
    (a, _), (b, _) = operands
    for dst, first, second in ((a, a, b), (b, a, b), (a, a, a)):
        yield Call((dst, first, second), operands, "in place")


def _trixor_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    operands = tuple(_filled(number, kinds[0], mixed(kinds[0], 128, number)) for number in (1, 2, 3))
    a, b, c = (pointer for pointer, _ in operands)
    for given in ((_register(0, kinds[0]), a, b, c), (a, a, b, c), (c, a, b, c), (b, b, b, b)):
        yield Call(given, operands, f"{[pointer.offset for pointer in given]}")


def _with_value_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    src = _filled(1, kind, [*corners(kind), *mixed(kind, 100, "value")])
    for value in [*scalars(kind), *([0xD2511F53] if kind == "uint32" else [])]:
        yield Call((_register(0, kind), src[0], value), (src,), f"{value}")
    yield Call((src[0], src[0], scalars(kind)[0]), (src,), "in place")


def _store_calls(kinds: tuple[str, ...]) -> Iterator[Call]:
    kind = kinds[0]
    src = _filled(1, kind, mixed(kind, 128, "store"))
    counts = [(1,), (5,), (lanes(kind) - 1,), (lanes(kind),)] if len(kinds) > 2 else [()]
    for count in counts:
        yield Call((Pointer("nram", 8 + size_of(kind), kind), src[0], *count), (src,), f"{count}")


_PRODUCT = _lane_by_lane(lambda x, y: x * y)
_SUM = _lane_by_lane(lambda x, y: x + y)

FORMS = [
    Form("__vv_move", ("dst", "value"), move_value, _value_calls),
    Form("__vv_move", ("dst", "src"), move, _move_calls),
    Form("__vv_index", ("dst", "start", "step"), index, _index_calls),
    Form("__asm_index_vvr", ("dst", "base", "step"), index, _index_calls),
    Form("__vv_add", ("dst", "src0", "src1"), _SUM, _binary_calls),
    Form("__vv_mul", ("dst", "src0", "src1"), _PRODUCT, _binary_calls),
    Form("__vv_add", ("dst", "src", "value"), _SUM, _with_value_calls),
    Form("__vv_mul", ("dst", "src", "value"), _PRODUCT, _with_value_calls),
    Form("__vv_xor", ("dst", "src0", "src1"), _lane_by_lane(lambda x, y: x ^ y), _binary_calls),
    Form("__vv_trixor", ("dst", "src0", "src1", "src2"), trixor, _trixor_calls),
    Form("__vv_mulh", ("dst", "src", "value"), _lane_by_lane(lambda x, y: x * y // 2**32), _with_value_calls),
    Form("__vv_store", ("dst", "src"), store, _store_calls),
    Form("__vv_store", ("dst", "src", "count"), store, _store_calls),
]
