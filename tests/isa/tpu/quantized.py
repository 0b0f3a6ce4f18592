"""What requantization and dequantization do, stated again: one element in plain Python.

Source: the vendor's own tests and checkers of these commands, for the order of the numbers in a table; tpu_api.md.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from tests.isa.lane_cases import CODES, Case
from tests.isa.references import tensors
from tests.isa.references.lanes import Four
from tests.isa.references.numbers import decode, encode, round_to, rounded
from tests.isa.tpu.bench import Bench, dim4

NARROW, WIDE = ("int8", "uint8", "int16", "uint16"), ("int8", "uint8", "int16", "uint16", "int32")
MULTIPLIERS, SCALES = (1, 3, -7, 1 << 20, -(1 << 31)), (1.0, 0.5, -0.0625, 3.0, 1e-3)
_SHIFTS, _OFFSETS = (0, -1, -5, -31, -45, 4, 31), (0.0, 2.5, -7.0)
Elements = Mapping[str, Any]


def _clamped(kind: str, value: int) -> int:
    low, high = tensors._limits(kind)
    return min(max(value, low), high)


def _times(exact: int, factor: int, shift: int, mode: int) -> int:
    return round_to(Fraction(exact * factor) * Fraction(2) ** shift, tensors.ROUNDING[mode])


def requantized(k: Mapping[str, str], x: Elements) -> int:
    return _clamped(k["D"], _times(x["src"], x["multiplier"], x["shift"], x["mode"]) + x["offset"])


def dequantized(k: Mapping[str, str], x: Elements) -> int:
    return _clamped(k["D"], _times(x["src"] - x["offset"], x["multiplier"], x["shift"], x["mode"]))


def scaled(k: Mapping[str, str], x: Elements) -> Any:
    value = tensors.cast_value(x["src"], "float", x["src_mode"]) * rounded("float", x["scale"])
    return tensors.cast_value(rounded("float", rounded("float", value) + x["zero"]), k["D"], x["dst_mode"])


def unscaled(k: Mapping[str, str], x: Elements) -> float:
    return rounded("float", (x["src"] - x["offset"]) * rounded("float", x["scale"]))


def kinds(to: Sequence[str], of: Sequence[str]) -> tuple[dict[str, str], ...]:
    """Each type of the result and of the source."""
    return tuple({"D": to[at % len(to)], "S": of[at % len(of)]} for at in range(max(len(to), len(of))))


#: Name of the function by channel -> what it does, whether it goes to narrow types, its numbers in order, its modes.
_BY_CHANNEL: Mapping[str, tuple[Callable[..., Any], bool, str, str]] = {
    "int_pc_requant": (requantized, True, "multiplier shift offset", "mode"),
    "int_pc_dequant": (dequantized, False, "offset multiplier shift", "mode"),
    "fp32_pc_requant": (scaled, True, "scale zero", "dst_mode src_mode"),
    "fp32_pc_dequant": (unscaled, False, "offset scale", "mode"),
}


def _by_channel(name: str) -> Callable[[Bench, Four], Case]:
    function, narrows, columns, modes = _BY_CHANNEL[name]

    def make(bench: Bench, shape: Four) -> Case:
        chance = bench.chance
        to_float = name == "fp32_pc_dequant"
        other = "float" if to_float else chance.choice(WIDE)
        to, of = (bench.kind, other) if narrows else (other, bench.kind)
        dst, src = bench.inside(shape, kind=to), bench.inside(shape, kind=of)
        drawn = {
            "multiplier": ("int32", MULTIPLIERS), "shift": ("int8", _SHIFTS), "scale": ("float", SCALES),
            "zero": ("float", _OFFSETS), "offset": (bench.kind, (*tensors._limits(bench.kind), 3)),
        }  # fmt: skip
        table = bench.inside((1, shape[1], 1, len(columns.split())), "aligned", kind="uint32")
        numbers: list[dict[str, Any]] = []
        words = []
        for _ in range(shape[1]):
            numbers.append({name: chance.choice(drawn[name][1]) for name in columns.split()})
            for column, value in numbers[-1].items():
                raw = encode(drawn[column][0], [value])
                words.append(raw + chance.randbytes(4 - len(raw)))  # only the low bytes count
        bench.local.put(table, words)
        given = bench.values(src)
        rounding = {mode: chance.randrange(7 if name.startswith("int") else 5) for mode in modes.split()}

        def value(index: tuple[int, int, int, int]) -> bytes:
            element = {"src": decode(of, given[index])[0], **numbers[index[1]], **rounding}
            return encode(to, [function({"D": to, "S": of}, element)])

        types = [CODES[of]] if to_float else [CODES[to], CODES[of]]
        return bench.case(
            f"bdc_{name}", dst, False, value,
            [dst.address, src.address, table.address, dim4(shape), *types, *rounding.values()],
        )  # fmt: skip

    return make


MOVES = {f"bdc_{name}": (_by_channel(name), NARROW) for name in _BY_CHANNEL}
