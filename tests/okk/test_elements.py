"""What is done to every element, against NumPy; all of local memory is compared."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.okk.lanes import SHAPES, Room, addresses, differences, float32, flushed, run, strides

LAYOUTS = list(
    itertools.product(("aligned", "apart"), ("aligned", "apart", "repeated"), ("apart", "aligned", "repeated"))
)
CASES = [(*SHAPES[n % len(SHAPES)], *layouts) for n, layouts in enumerate(LAYOUTS)]


def quotient(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A product with the reciprocal, which is 0 where it would be subnormal, and infinite of an infinity."""
    b = b.astype(np.float64)
    inverse = np.where(np.isinf(b), b, 1 / b)
    return a * np.where(np.abs(inverse) < 2.0**-126, np.copysign(0, inverse), inverse)


Two = Callable[[np.ndarray, np.ndarray], Any]
BINARY: dict[str, Two] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": quotient,
    "max": lambda a, b: np.where(a > b, a, b),
    "min": lambda a, b: np.where(a <= b, a, b),
}
REVERSED = {"C_sub": lambda a, c: c - a, "C_div": lambda a, c: quotient(c, a)}
ONE: dict[str, Callable[[np.ndarray], Any]] = {
    "neg": lambda x: np.where(x == 0, 0, -x),
    "relu": lambda x: np.where(x > 0, x, 0),
    "reciprocal": lambda x: np.where(np.isinf(x), x, 1 / x.astype(np.float64)),
}
ULPS = {"div": 1, "C_div": 1, "div_C": 1, "reciprocal": 1}


@pytest.mark.parametrize("op", BINARY)
def test_of_two_tensors(op: str) -> None:
    for seed, (start, shape, into, one, other) in enumerate(CASES):
        room = Room(seed, start)
        dst, a, b = room.tensor(shape, into), room.tensor(shape, one), room.tensor(shape, other)
        wanted = Room(seed, start)
        with np.errstate(all="ignore"):
            wanted.put(dst, float32(BINARY[op](flushed(room.read(a)), flushed(room.read(b)))))
        findings, image, _ = run(
            room.image,
            (f"okk_bdc_{op}", *addresses(dst, a, b), shape, *strides(dst, a, b)),
        )
        assert findings == []
        assert differences(image, wanted.image, dst, ULPS.get(op, 0)) == "", (op, start, shape, into, one, other)


@pytest.mark.parametrize("op", [*(f"{op}_C" for op in BINARY), *REVERSED])
def test_of_a_tensor_and_a_number(op: str) -> None:
    function = REVERSED.get(op) or BINARY[op[:-2]]
    for seed, (start, shape, into, one, _) in enumerate(CASES[::2]):
        number = np.float32((0.3, -7.25, np.inf, 0.0, np.nan)[seed % 5])
        room, wanted = Room(seed, start), Room(seed, start)
        dst, a = room.tensor(shape, into), room.tensor(shape, one)
        with np.errstate(all="ignore"):
            wanted.put(dst, float32(function(flushed(room.read(a)), np.array(number))))
        findings, image, _ = run(
            room.image,
            (f"okk_bdc_{op}", *addresses(dst, a), number, shape, *strides(dst, a)),
        )
        assert findings == []
        assert differences(image, wanted.image, dst, ULPS.get(op, 0)) == "", (op, start, shape, number)


@pytest.mark.parametrize("op", ONE)
def test_of_one_tensor(op: str) -> None:
    for seed, (start, shape, into, one, _) in enumerate(CASES[::3]):
        room, wanted = Room(seed, start), Room(seed, start)
        dst, a = room.tensor(shape, into), room.tensor(shape, one)
        with np.errstate(all="ignore"):
            wanted.put(dst, float32(ONE[op](flushed(room.read(a)))))
        findings, image, _ = run(room.image, (f"okk_bdc_{op}", *addresses(dst, a), shape, *strides(dst, a)))
        assert findings == []
        assert differences(image, wanted.image, dst, ULPS.get(op, 0)) == "", (op, start, shape)


@pytest.mark.parametrize("constant", [False, True])
def test_mac(constant: bool) -> None:
    for seed, (start, shape, into, one, other) in enumerate(CASES[::3]):
        room, wanted = Room(seed, start), Room(seed, start)
        dst, a, b = room.tensor(shape, into), room.tensor(shape, one), room.tensor(shape, other)
        factor = np.float32(-2.7) if constant else flushed(room.read(b))
        with np.errstate(all="ignore"):
            product = float32(flushed(room.read(a)) * factor) if constant else flushed(room.read(a)) * factor
            wanted.put(dst, float32(flushed(room.read(dst)) + product))
        name, rest = ("mac_C", [float(np.float32(-2.7))]) if constant else ("mac", [b.address])
        shown = strides(dst, a) if constant else strides(dst, a, b)
        findings, image, _ = run(room.image, (f"okk_bdc_{name}", *addresses(dst, a), *rest, shape, *shown))
        assert findings == []
        assert differences(image, wanted.image, dst, 1) == "", (start, shape)


def test_copy_and_fill() -> None:
    for seed, (start, shape, into, one, _) in enumerate(CASES[::2]):
        room, wanted = Room(seed, start), Room(seed, start)
        dst, a, filled = room.tensor(shape, into), room.tensor(shape, one), room.tensor(shape, into)
        wanted.put(dst, room.raw(a))
        wanted.put(filled, np.array(0xDEADBEEF, np.uint32))

        calls = [
            ("okk_bdc_32bit_cpy", *addresses(dst, a), shape, *strides(dst, a)),
            ("okk_bdc_32bit_set_C", filled.address, 0xDEADBEEF, shape, filled.stride),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted.image) == ""


LOGIC = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@pytest.mark.parametrize("op", LOGIC)
def test_bits(op: str) -> None:
    for seed, (start, shape, into, one, other) in enumerate(CASES[::4]):
        room, wanted = Room(seed, start), Room(seed, start)
        dst, a, b, dst_c = (room.tensor(shape, layout) for layout in (into, one, other, into))
        wanted.put(dst, LOGIC[op](room.raw(a), room.raw(b)))
        wanted.put(dst_c, LOGIC[op](room.raw(a), np.uint32(0xF0F01234)))

        calls = [
            (f"okk_bdc_32bit_{op}", *addresses(dst, a, b), shape, *strides(dst, a, b)),
            (f"okk_bdc_32bit_{op}_C", *addresses(dst_c, a), 0xF0F01234, shape, *strides(dst_c, a)),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted.image) == ""


def moved(value: int, by: int, signed: bool) -> int:
    """One word, on Python's integers."""
    value = value - (1 << 32) if signed and value >> 31 else value
    return (value << by if by > 0 else value >> -by) & 0xFFFFFFFF


@pytest.mark.parametrize("name", ["arithmetic", "logical"])
def test_shifts(name: str) -> None:
    signed = name == "arithmetic"
    amounts = np.arange(-32, 33, dtype=np.int32).reshape(1, 65, 1, 1)
    shape = (1, 65, 1, 4)
    for start, layout in ((0, "aligned"), (60, "apart")):
        room = Room(start, start)
        dst, dst_c, dst_of = (room.tensor(shape, layout) for _ in range(3))
        values = room.chance.integers(0, 1 << 32, shape, np.uint32)
        a, by = room.tensor(shape, layout, values), room.tensor(shape, layout, np.broadcast_to(amounts, shape).copy())
        expected = room.image.copy()
        for target, given, by_how in ((dst, values, amounts), (dst_c, values, -5), (dst_of, 0x9234567, amounts)):
            pairs = np.broadcast_arrays(given, by_how)
            words = [moved(int(v), int(b), signed) for v, b in zip(*(p.ravel() for p in pairs), strict=True)]
            expected[target.places()] = np.broadcast_to(np.array(words, np.uint32).reshape(pairs[0].shape), shape)

        calls = [
            (f"okk_bdc_32bit_{name}_shift", *addresses(dst, a, by), shape, *strides(dst, a, by)),
            (f"okk_bdc_32bit_{name}_shift_C", *addresses(dst_c, a), -5, shape, *strides(dst_c, a)),
            (f"okk_bdc_32bit_C_{name}_shift", *addresses(dst_of, by), 0x9234567, shape, *strides(dst_of, by)),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, expected) == ""


def test_an_amount_of_more_than_all_bits_is_a_finding() -> None:
    room = Room(1, 0)
    shape = (1, 2, 1, 2)
    amounts = np.array([0, 5, 33, -1], np.int32).reshape(shape)
    dst, a, by = room.tensor(shape), room.tensor(shape), room.tensor(shape, "aligned", amounts)
    (finding,), _, _ = run(
        room.image,
        ("okk_bdc_32bit_logical_shift", *addresses(dst, a, by), shape, None, None, None),
    )
    assert (finding.instruction, finding.operand) == ("okk_bdc_32bit_logical_shift", "src1_addr")
    assert "src1_addr[2] is 33" in finding.message


def same_bits(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a.view(np.uint32) == b.view(np.uint32)


VALUE = 0x41100001


def test_selected_values() -> None:
    """Greater compares numbers, without subnormal ones; equal compares bits: a NaN equals itself, 0 is not -0."""
    number = np.float32(-0.0)
    for seed, (start, shape, into, one, other) in enumerate(CASES[::3]):
        room = Room(seed, start)
        targets = [room.tensor(shape, into) for _ in range(5)]
        a, b = room.tensor(shape, one), room.tensor(shape, other)
        room.put(b, np.where(room.chance.random(shape) < 0.5, room.read(a), room.read(b)))
        wanted = room.image.copy()
        x, y = room.read(a), room.read(b)
        fx, fy = flushed(x), flushed(y)
        masks = (fx > fy, fx > 1, fx < 1, same_bits(x, y), same_bits(x, np.full_like(x, number)))
        for target, mask in zip(targets, masks, strict=True):
            wanted[target.places()] = np.where(mask, np.uint32(VALUE), 0)

        t = targets
        calls = [
            ("okk_bdc_greater_select_value", *addresses(t[0], a, b), VALUE, shape, *strides(t[0], a, b)),
            ("okk_bdc_greater_C_select_value", *addresses(t[1], a), 1.0, VALUE, shape, *strides(t[1], a)),
            ("okk_bdc_C_greater_select_value", *addresses(t[2], a), 1.0, VALUE, shape, *strides(t[2], a)),
            ("okk_bdc_equal_select_value", *addresses(t[3], a, b), VALUE, shape, *strides(t[3], a, b)),
            ("okk_bdc_equal_C_select_value", *addresses(t[4], a), -0.0, VALUE, shape, *strides(t[4], a)),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted) == ""


@pytest.mark.parametrize("op", ["greater", "equal"])
@pytest.mark.parametrize("tensors", [(1, 1, 1, 1), (1, 0, 0, 1), (0, 1, 1, 0), (1, 0, 0, 0)])
def test_selections(op: str, tensors: tuple[int, ...]) -> None:
    for seed, (start, shape) in enumerate(SHAPES):
        room = Room(seed, start)
        dst, *given = (room.tensor(shape) for _ in range(5))
        number = np.float32(0.5)
        values = [room.read(t) if placed else np.full(shape, number) for t, placed in zip(given, tensors, strict=True)]
        mask = flushed(values[0]) > flushed(values[1]) if op == "greater" else same_bits(values[0], values[1])
        wanted = room.image.copy()
        wanted[dst.places()] = np.where(mask, values[2].view(np.uint32), values[3].view(np.uint32))

        scalar = (1, int(number.view(np.uint32)))
        passed = [(0, t.address) if placed else scalar for t, placed in zip(given, tensors, strict=True)]
        calls = [
            (f"okk_bdc_{op}_select", dst.address, *passed, shape),
        ]

        findings, image, _ = run(room.image, *calls)
        assert findings == []
        assert differences(image, wanted) == ""


@pytest.mark.parametrize("op", ["bias", "scale", "scale_bias"])
def test_by_channel(op: str) -> None:
    for seed, (start, shape, into, one, _) in enumerate(CASES[::3]):
        room = Room(seed, start)
        dst, a = room.tensor(shape, into), room.tensor(shape, one)
        vectors = [room.tensor((1, shape[1], 1, 1), "compact") for _ in op.split("_")]
        x, v = flushed(room.read(a)), [flushed(room.read(t)) for t in vectors]
        with np.errstate(all="ignore"):
            value = x + v[0] if op == "bias" else x * v[0] if op == "scale" else x * v[0] + v[1]
        wanted = Room(seed, start)
        wanted.put(dst, float32(value))
        findings, image, _ = run(
            room.image,
            (f"okk_bdc_{op}", *addresses(dst, a, *vectors), shape, *strides(dst, a)),
        )
        assert findings == []
        assert differences(image, wanted.image, dst) == "", (op, start, shape)
