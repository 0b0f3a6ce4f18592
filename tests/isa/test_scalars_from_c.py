"""The conversions of one scalar that TPU-KERNEL's processor makes, called from C, in exact fractions."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError

from tests.isa.lane_cases import CODES
from tests.isa.references import tensors
from tests.isa.references.numbers import BYTES, decode, encode, is_floating, same, size_of
from tests.isa.tensors_from_c import built

CAST, FP_CAST, FP_TO_INT, INT_TO_FP, INT_CAST = range(5)
TO_ZERO = tensors.ROUNDING.index("tz")
#: Every so many of the bit patterns of a half or a bfloat16 is tried; a prime, so that all their fields vary.
STEP = 61


class CastArguments(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_uint64) for name in ("out", "input", "how")), ("count", ctypes.c_int)]


def scalars(source: str, target: str) -> list[Any]:
    """Values of a type that are worth a cast, among them bit patterns of short floats: samples of 16 bits, all of 8."""
    found = tensors.worth_casting(source, target)
    if source in ("half", "bfloat16"):
        found += decode(source, np.arange(0, 1 << 16, STEP, np.uint16).tobytes())
    if source in BYTES:
        found += decode(source, bytes(range(256)))
    return found


def functions(source: str, target: str) -> Iterator[tuple[int, int]]:
    """The functions that convert between two types, each with a rounding mode."""
    for mode in range(len(tensors.ROUNDING)):
        yield CAST, mode
    special = {(True, True): FP_CAST, (True, False): FP_TO_INT, (False, True): INT_TO_FP, (False, False): INT_CAST}
    yield special[is_floating(source), is_floating(target)], TO_ZERO


@pytest.mark.parametrize("source", CODES)
def test_casts_of_scalars(source: str) -> None:
    device = Device.load("bm1690")
    calls = [
        (target, function, mode, value)
        for target in CODES
        for function, mode in functions(source, target)
        for value in scalars(source, target)
    ]
    given = b"".join(encode(source, [value]).ljust(4, b"\xa5") for *_, value in calls)  # the rest of the union is noise
    how = [f | mode << 8 | CODES[target] << 16 | CODES[source] << 24 for target, f, mode, _ in calls]
    out, held, hows = map(
        device.array, (np.zeros(len(calls), np.uint32), np.frombuffer(given, np.uint32), np.uint32(how))
    )
    arguments = CastArguments(out.address, held.address, hows.address, len(calls))
    assert built(device).launch("casts", (1, 1, 1), args=arguments).findings == []
    results = out.numpy().tobytes()
    wrong = []
    for number, (target, function, mode, value) in enumerate(calls):
        (found,) = decode(target, results[4 * number : 4 * number + size_of(target)])
        wanted = tensors.cast_value(value, target, mode)
        if not (same(found, wanted) if is_floating(target) else found == wanted):
            wrong.append((target, function, mode, value, found, wanted))
    assert not wrong, f"{len(wrong)} of {len(calls)}: type, function, mode, value, result, wanted: {wrong[:5]}"


@pytest.mark.parametrize("narrow", BYTES)
@pytest.mark.parametrize("to_narrow", [True, False])
def test_older_chips_have_no_floats_of_8_bits(narrow: str, to_narrow: bool) -> None:
    device = Device.load("bm1688")
    target, source = (narrow, "float") if to_narrow else ("float", narrow)
    out, held, hows = (
        device.array(np.uint32([x])) for x in (0, 0, CAST | TO_ZERO << 8 | CODES[target] << 16 | CODES[source] << 24)
    )
    with pytest.raises(KernelError, match=f"not-modelled: a cast {'to' if to_narrow else 'of'} this data_type_t"):
        built(device).launch("casts", (1, 1, 1), args=CastArguments(out.address, held.address, hows.address, 1))
