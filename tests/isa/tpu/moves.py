"""What BDC's functions do that move elements, add them up or make them, stated again in plain Python.

Source: tpu_api.md, sections 6.6 to 6.8.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from tests.isa.lane_cases import CODES, Case, Struct, device
from tests.isa.references.lanes import Four
from tests.isa.references.numbers import INTEGERS, encode, is_floating, rounded, wrap
from tests.isa.tpu import products, quantized, transfers, within
from tests.isa.tpu.bench import ALIGNED, COMPACT, Bench, Index, dim4
from tests.isa.tpu.cases import bits
from tests.isa.tpu.rows import EVERY, FLOATS

# --- BDC -------------------------------------------------------------------------------------------------------------


def broadcast(bench: Bench, shape: Four) -> Case:
    n, c, h, w = shape
    shape = (n, min(c, bench.lanes - bench.start), h, w)
    dst = bench.inside(shape)
    src = bench.inside((n, 1, h, w), lane=bench.chance.randrange(bench.lanes))
    given = bench.values(src)
    return bench.case(
        "bdc_npu_bcast", dst, False, lambda i: given[i[0], 0, i[2], i[3]],
        [dst.address, src.address, dim4(shape), CODES[bench.kind]],
    )  # fmt: skip


def _turned(bench: Bench, name: str, shape: Four, lanes: tuple[int, int], layout: str) -> Case:
    n, c, h, w = shape
    dst, src = bench.inside(shape, lane=lanes[0]), bench.inside((n, w, h, c), layout, lane=lanes[1])
    given = bench.values(src)
    return bench.case(
        name, dst, False, lambda i: given[i[0], i[3], i[2], i[1]],
        [dst.address, src.address, dim4(shape), CODES[bench.kind]],
    )  # fmt: skip


def cw_trans(bench: Bench, shape: Four) -> Case:
    return _turned(bench, "bdc_cw_trans", shape, (bench.start, 0), "line")


def wc_trans(bench: Bench, shape: Four) -> Case:
    return _turned(bench, "bdc_wc_trans", shape, (0, bench.start), ALIGNED)


def _sequence(bench: Bench) -> tuple[int, int, int]:
    return bench.chance.randrange(-50, 50), bench.chance.choice((1, -3, 0, 1 << 30)), bench.chance.randrange(1, 150)


def sequence_bcast(bench: Bench, shape: Four) -> Case:
    start, step, num = _sequence(bench)
    lanes = bench.chance.randrange(1, bench.lanes - bench.start + 1)
    dst = bench.inside((1, lanes, 1, num), kind="int32")
    return bench.case(
        "bdc_arithmetic_sequence_bcast", dst, False,
        lambda i: encode("int32", [wrap(start + i[3] * step, 32, True)]), [dst.address, lanes, start, step, num],
    )  # fmt: skip


def sequence_distribute(bench: Bench, shape: Four) -> Case:
    start, step, num = _sequence(bench)
    dst = bench.inside((1, num, 1, 1), COMPACT, kind="int32")
    return bench.case(
        "bdc_arithmetic_sequence_distribute", dst, False,
        lambda i: encode("int32", [wrap(start + i[1] * step, 32, True)]), [dst.address, start, step, num],
    )  # fmt: skip


def _windows(bench: Bench, shape: Four) -> tuple[Four, dict[str, tuple[int, ...] | None], Four]:
    """An input, the geometry (null where it is None), and the shape of the result."""
    chance, (n, c, _, _) = bench.chance, shape
    h, w = chance.randrange(3, 7), chance.randrange(3, 7)
    given: dict[str, tuple[int, ...] | None] = {
        "kernel": (chance.randrange(1, 4), chance.randrange(1, 4)),
        "padding": chance.choice((None, tuple(chance.randrange(3) for _ in range(4)))),
        "stride": chance.choice((None, (chance.randrange(1, 4), chance.randrange(1, 4)))),
        "dilation": chance.choice((None, (1, 1), (1, 2), (2, 1))),
    }
    if given["dilation"] and given["kernel"] == (3, 3):
        h, w = h + 3, w + 3
    top, bottom, left, right = given["padding"] or (0, 0, 0, 0)
    kernel, step, apart = given["kernel"] or (1, 1), given["stride"] or (1, 1), given["dilation"] or (1, 1)
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, apart, strict=True)]
    high, wide = (h + top + bottom - reach[0]) // step[0] + 1, (w + left + right - reach[1]) // step[1] + 1
    return (n, c, h, w), given, (n, c, high, wide)


def _window(given: dict[str, tuple[int, ...] | None], index: Index, source: Mapping[Index, Any], pad: Any) -> list[Any]:
    n, c, y, x = index
    kernel, step, apart = given["kernel"] or (1, 1), given["stride"] or (1, 1), given["dilation"] or (1, 1)
    top, _, left, _ = given["padding"] or (0, 0, 0, 0)
    places = (
        (n, c, y * step[0] - top + ky * apart[0], x * step[1] - left + kx * apart[1])
        for ky in range(kernel[0])
        for kx in range(kernel[1])
    )
    return [source.get(place, pad) for place in places]


def _pool(bench: Bench, shape: Four, name: str, kinds: tuple[str, str], last: list[Any], pad: Any, value: Any) -> Case:
    while True:
        of, given, to = _windows(bench, shape)
        if min(to) > 0:
            break
    dst, src = bench.inside(to, kind=kinds[0]), bench.inside(of, kind=kinds[1])
    if is_floating(kinds[1]):
        count = of[0] * of[1] * of[2] * of[3]
        drawn = [bench.chance.choice([x / 4 for x in range(-40, 40)]) for _ in range(count)]
        bench.local.write(src, drawn)
    source = dict(zip(src.indices(), bench.local.read(src), strict=True))
    structs = [Struct("dim2", given["kernel"]), Struct("padding_t", given["padding"]), Struct("dim2", given["stride"]),
               Struct("dim2", given["dilation"])]  # fmt: skip
    codes = [CODES[kinds[0]]] if name.startswith("bdc_fp") else [CODES[kind] for kind in kinds]
    return bench.case(
        name, dst, False, lambda i: encode(kinds[0], [value(_window(given, i, source, pad))]),
        [dst.address, src.address, dim4(of), *structs, *codes, *last],
    )  # fmt: skip


def mean(bench: Bench, shape: Four) -> Case:
    kind, scale = bench.kind, bench.chance.choice((1.0, 0.25, rounded(bench.kind, 1 / 9)))
    return _pool(
        bench, shape, "bdc_fp_avg_pool2d", (kind, kind), [bits(kind, scale)], 0.0,
        lambda xs: rounded(kind, float(sum(map(Fraction, xs)) * Fraction(scale))),
    )  # fmt: skip


def maximum(bench: Bench, shape: Four) -> Case:
    kind, pad = bench.kind, bench.chance.choice((0.0, -1.5))
    return _pool(bench, shape, "bdc_fp_max_pool2d", (kind, kind), [bits(kind, pad)], pad, max)


def mean_of_bytes(bench: Bench, shape: Four) -> Case:
    kinds = bench.chance.choice((("int8", "int8"), ("int32", "uint8"), ("uint8", "uint8"), ("int16", "int8")))
    scale, shift = bench.chance.randrange(1, 256), bench.chance.randrange(9)
    width, signed = INTEGERS[kinds[0]]
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
    return _pool(
        bench, shape, "bdc_int8_avg_pool2d", kinds, [scale, shift], 0,
        lambda xs: min(max(sum(xs) * scale >> shift, low), high),
    )  # fmt: skip


def taylor(bench: Bench, shape: Four) -> Case:
    """Small whole numbers, so that every step is exact."""
    num, kind = bench.chance.randrange(2, 5), bench.kind
    dst, src = bench.inside(shape), bench.inside(shape)
    coefficients = [float(bench.chance.randrange(-2, 3)) for _ in range(num)]
    coeff = bench.inside((1, bench.lanes, 1, num), lane=0)
    bench.local.write(coeff, coefficients * bench.lanes)
    bench.local.write(src, [float(bench.chance.randrange(-2, 3)) for _ in src.indices()])
    source = dict(zip(src.indices(), bench.local.read(src), strict=True))
    return bench.case(
        "bdc_fp_taylor", dst, False,
        lambda i: encode(kind, [sum(c * source[i] ** k for k, c in enumerate(coefficients))]),
        [dst.address, src.address, coeff.address, dim4(shape), num, CODES[kind]],
    )  # fmt: skip


# --- tables ----------------------------------------------------------------------------------------------------------

_ERF = (-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587,
        -0.82215223, 0.17087277)  # fmt: skip


@cache
def _tangent(k: int) -> Fraction:
    """The coefficient of x ** (2 * k + 1) in the series of tan x, from tan' = 1 + tan ** 2."""
    return sum((_tangent(i) * _tangent(k - 1 - i) for i in range(k)), Fraction(k == 0)) / (2 * k + 1)


#: Name -> places, and the values of the first of them (sophgo/tpu-mlir, python/debugger/target_1684x/cmodel.py).
TABLES: Mapping[str, tuple[int, Callable[[int], float]]] = {
    "exp_table": (192, lambda k: math.exp(k - 103)),
    "exp_coeff": (32, lambda k: 1 / math.factorial(k)),
    "log_coeff": (64, lambda k: (-1) ** (k + 1) / k if k else 0.0),
    "erf_coeff": (16, lambda k: _ERF[k] if k < 10 else 0.0),
    "arcsin_coeff": (64, lambda k: math.factorial(2 * k) / (4**k * math.factorial(k) ** 2 * (2 * k + 1))),
    "sin_coeff": (32, lambda k: (-1) ** k * (2 * math.pi) ** (2 * k + 1) / math.factorial(2 * k + 1)),
    "tan_coeff": (32, lambda k: float(_tangent(k)) * math.pi ** (2 * k + 1)),
    "cos_coeff": (32, lambda k: (-1) ** k * (2 * math.pi) ** (2 * k) / math.factorial(2 * k)),
}


def load(table: str) -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        count, value = TABLES[table]
        dst = bench.inside((1, bench.lanes, 1, count), lane=0, kind="float")
        return bench.case(
            f"bdc_load_fp32_{table}",
            dst,
            False,
            lambda i: encode("float", [rounded("float", value(i[3]))]),
            [dst.address],
        )

    return make


def load_typed(table: str) -> Callable[[Bench, Four], Case]:
    def make(bench: Bench, shape: Four) -> Case:
        count, value = TABLES[table]
        kind = bench.kind
        terms = {"exp_coeff": 10, "erf_coeff": 10}.get(table, 16)  # kernels leave room for 10 of exp, of any type
        count, terms = (count, count) if kind == "float" and table != "exp_coeff" else (16, terms)
        dst = bench.inside((1, bench.lanes, 1, count), lane=0)
        once = [rounded(kind, rounded("float", value(k))) if k < terms else 0.0 for k in range(count)]
        return bench.case(
            f"bdc_load_fp_{table}", dst, False, lambda i: encode(kind, [once[i[3]]]), [dst.address, CODES[kind]]
        )

    return make


def from_static(bench: Bench, shape: Four) -> Case:
    """The powers come first in static memory."""
    lanes, first, num = bench.chance.randrange(1, bench.lanes - bench.start + 1), bench.chance.randrange(90), 20
    dst = bench.inside((1, lanes, 1, num), kind="float")
    return bench.case(
        "bdc_npu_bcast_from_static", dst, False,
        lambda i: encode("float", [rounded("float", math.exp(first + i[3] - 103))]),
        [dst.address, 4 * first, lanes, num, CODES["float"]],
    )  # fmt: skip


def distributed_from_static(bench: Bench, shape: Four) -> Case:
    """The numbers from 0 to 63 lie behind the tables of powers, exp, log and erf."""
    dst = bench.inside((1, 64, 1, 1), COMPACT, kind="int32")
    return bench.case(
        "bdc_npu_distribute_from_static", dst, False, lambda i: encode("int32", [i[1]]),
        [dst.address, 4 * (256 + 32 + 64 + 16), 64, CODES["int32"]],
    )  # fmt: skip


#: Name -> how a call is made, and the types to draw from.
MOVES: Mapping[str, tuple[Callable[[Bench, Four], Case], tuple[str, ...]]] = {
    "bdc_npu_bcast": (broadcast, EVERY),
    "bdc_cw_trans": (cw_trans, EVERY),
    "bdc_wc_trans": (wc_trans, EVERY),
    "bdc_arithmetic_sequence_bcast": (sequence_bcast, ("int32",)),
    "bdc_arithmetic_sequence_distribute": (sequence_distribute, ("int32",)),
    "bdc_fp_avg_pool2d": (mean, FLOATS),
    "bdc_fp_max_pool2d": (maximum, FLOATS),
    "bdc_int8_avg_pool2d": (mean_of_bytes, ("int8",)),
    "bdc_fp_taylor": (taylor, FLOATS),
    **{f"bdc_load_fp32_{table}": (load(table), ("float",)) for table in TABLES},
    **{f"bdc_load_fp_{table}": (load_typed(table), FLOATS) for table in ("exp_coeff", "log_coeff", "erf_coeff")},
    "bdc_npu_bcast_from_static": (from_static, ("float",)),
    "bdc_npu_distribute_from_static": (distributed_from_static, ("int32",)),
    **products.MOVES,
    **quantized.MOVES,
    **transfers.MOVES,
    **within.MOVES,
}


def cases(chip: str, name: str, places: Iterator[tuple[random.Random, int, Four]]) -> Iterator[Case]:
    """Calls of a function, one for each place."""
    make, kinds = MOVES[name]
    older = device(chip).shape.arch < 1690
    if older and "sdma" in name:
        return
    for at, (chance, start, shape) in enumerate(places):
        kind = kinds[(at * 3 + len(name)) % len(kinds)]
        if older and kind.startswith("float8"):
            kind = kinds[0]
        yield make(Bench(chip, chance, start, kind), shape)
