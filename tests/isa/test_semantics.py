"""Results of the vector instructions against scalar references, over edge values.

Tolerance: none, but 2 ulp for 2**x, the logarithm, sine and cosine, and 1 ulp for the reciprocal.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from execute import BANG, DTYPES, execute, is_floating, newest, types_of
from mlusim.simulator import KernelError, launch
from numbers_reference import FORMATS, edges, same, wrap

Reference = Callable[..., Any]

BITS = {"int8": (8, True), "int16": (16, True), "uint16": (16, False), "int32": (32, True), "uint32": (32, False),
        "int64": (64, True)}  # fmt: skip


def values(kind: str) -> list[Any]:
    if is_floating(kind):
        return edges(kind)
    bits, signed = BITS[kind]
    half = 1 << (bits - 1)
    return [0, 1, 2, 3, 100, *((-1, -2, -7, half - 1, -half) if signed else (half, 2 * half - 1))]


def rounded(kind: str, value: Any) -> Any:
    return FORMATS[kind].round(float(value)) if is_floating(kind) else wrap(int(value), *BITS[kind])


def cases(name: str) -> list[tuple[str, str]]:
    return [(name, kind) for kind in types_of(name)]


def check_binary(name: str, kind: str, reference: Reference, zeros: bool = True) -> None:
    pairs = list(itertools.product(values(kind), repeat=2))
    a, b = [list(column) for column in zip(*pairs, strict=True)]
    wanted = [rounded(kind, reference(x, y)) for x, y in pairs]
    in_place = all(e.overlap == "same" for e in BANG.named(name))
    for again in {False, in_place}:
        found = execute(name, kind, [(kind, a), (kind, b)], in_place=again)
        wrong = [row for row in zip(pairs, found, wanted, strict=True) if not same(*row[1:], zeros)]
        assert not wrong, f"{name}<{kind}>: (operands, found, wanted) {wrong[:5]}"


ARITHMETIC = {"add": operator.add, "sub": operator.sub, "mul": operator.mul}
COMPARISONS = {op: getattr(operator, op) for op in ("eq", "ne", "lt", "le", "gt", "ge")}


@pytest.mark.parametrize(("name", "kind"), [case for op in ARITHMETIC for case in cases(f"__bang_{op}")])
def test_arithmetic_rounds_to_nearest_and_integers_wrap(name: str, kind: str) -> None:
    # A double holds sums and products of narrower formats well enough for one more rounding to be exact.
    check_binary(name, kind, ARITHMETIC[name.removeprefix("__bang_")])


def _quotient(x: float, y: float) -> float:
    if y == 0:
        sign = math.copysign(1, x) * math.copysign(1, y)
        return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, sign)
    return x / y


@pytest.mark.parametrize("kind", types_of("__bang_div"))
def test_division(kind: str) -> None:
    check_binary("__bang_div", kind, _quotient)


def _number_wins(choose: Reference) -> Reference:
    return lambda x, y: y if math.isnan(x) else x if math.isnan(y) else choose(x, y)


def _nan_wins(choose: Reference) -> Reference:
    return lambda x, y: math.nan if math.isnan(x) or math.isnan(y) else choose(x, y)


@pytest.mark.parametrize(
    ("name", "reference"),
    [
        ("maxequal", _number_wins(max)), ("minequal", _number_wins(min)), ("maximum", _number_wins(max)),
        ("minimum", _number_wins(min)), ("nan_maximum", _nan_wins(max)), ("nan_minimum", _nan_wins(min)),
    ],
)  # fmt: skip
def test_extremes(name: str, reference: Reference) -> None:
    for kind in types_of(f"__bang_{name}"):
        check_binary(f"__bang_{name}", kind, reference, zeros=False)


@pytest.mark.parametrize(("name", "kind"), [case for op in COMPARISONS for case in cases(f"__bang_{op}")])
def test_comparisons_give_one_or_zero(name: str, kind: str) -> None:
    compare = COMPARISONS[name.removeprefix("__bang_")]
    check_binary(name, kind, lambda x, y: int(compare(x, y)))


@pytest.mark.parametrize(("name", "kind"), [case for op in ("and", "or") for case in cases(f"__bang_{op}")])
def test_logic_looks_at_zero_or_not(name: str, kind: str) -> None:
    check_binary(name, kind, lambda x, y: int((x and y if name == "__bang_and" else x or y) != 0))


@pytest.mark.parametrize(("name", "kind"), [case for op in ("band", "bor", "bxor") for case in cases(f"__bang_{op}")])
def test_bitwise(name: str, kind: str) -> None:
    check_binary(name, kind, {"band": operator.and_, "bor": operator.or_, "bxor": operator.xor}[name[7:]])


def test_logical_and_is_not_bitwise_and() -> None:
    both = [("int32", [2, 1]), ("int32", [1, 0])]
    assert execute("__bang_and", "int32", both) == [1, 0]
    assert execute("__bang_band", "int32", both) == [0, 0]


@pytest.mark.parametrize(
    ("name", "kind"),
    [case for op in (*ARITHMETIC, *COMPARISONS) for case in cases(f"__bang_{op}_scalar")],
)
def test_scalar_operand(name: str, kind: str) -> None:
    op = name.removeprefix("__bang_").removesuffix("_scalar")
    source = values(kind)
    for given in (0.1, -3.0, math.inf, math.nan) if is_floating(kind) else (3, -1 if BITS[kind][1] else 7):
        scalar = rounded(kind, given)  # the scalar is of type T
        wanted = [rounded(kind, (ARITHMETIC | COMPARISONS)[op](x, scalar)) for x in source]
        for in_place in (False, True):
            found = execute(name, kind, [(kind, source)], given, in_place=in_place)
            assert all(map(same, found, wanted)), (
                f"{name}<{kind}> {given}: {list(zip(source, found, wanted, strict=True))}"
            )


def _square_root(x: float) -> float:
    return x if x == 0 else math.nan if x < 0 else math.sqrt(x)


UNARY: dict[str, Reference] = {
    "not": lambda x: int(x == 0),
    "bnot": lambda x: -1 - x,
    "abs": abs,
    "square": lambda x: x * x,
    "sqrt": _square_root,
    "floor": lambda x: x if not math.isfinite(x) or x == 0 else math.floor(x),
}


@pytest.mark.parametrize(("op", "kind"), [(op, kind) for op in UNARY for kind in types_of(f"__bang_{op}")])
def test_unary(op: str, kind: str) -> None:
    source = [*values(kind), *((-0.5, 2.5, -2.5) if is_floating(kind) else ())]
    wanted = [rounded(kind, UNARY[op](x)) for x in source]
    found = execute(f"__bang_{op}", kind, [(kind, source)])
    wrong = [row for row in zip(source, found, wanted, strict=True) if not same(*row[1:])]
    assert not wrong, f"(operand, found, wanted) {wrong}"


def _power(x: float) -> float:
    return math.inf if x > 2000 else 0.0 if x < -2000 else 2.0**x


def _logarithm(x: float) -> float:
    return -math.inf if x == 0 else math.nan if x < 0 else math.log2(x)


@pytest.mark.parametrize(
    ("op", "reference", "ulps"),
    [
        ("pow2", _power, 2), ("log2", _logarithm, 2), ("recip", lambda x: _quotient(1.0, x), 1),
        ("sin", lambda x: math.sin(x) if math.isfinite(x) else math.nan, 2),
        ("cos", lambda x: math.cos(x) if math.isfinite(x) else math.nan, 2),
    ],
)  # fmt: skip
def test_mathematics(op: str, reference: Reference, ulps: int) -> None:
    form = FORMATS["float"]
    source = [*edges("float"), *(form.round(x / 7) for x in range(-1000, 1000, 13)), -126.5, -149.0, 127.875]
    for x, found in zip(source, execute(f"__bang_{op}", "float", [("float", source)]), strict=True):
        wanted = reference(x)
        if math.isfinite(wanted) and math.isfinite(found):
            assert abs(found - wanted) <= ulps * form.ulp(wanted), f"{op}({x}) is {found}, not {wanted}"
        else:
            assert same(found, form.round(wanted)), f"{op}({x}) is {found}, not {wanted}"


@pytest.mark.parametrize(
    "name", sorted({o.name for o in BANG.overloads if o.name.startswith("__bang_lut")})
)  # fmt: skip
def test_table_look_up(name: str) -> None:
    for overload in (o for o in BANG.overloads if o.name == name):
        kind, index = overload.binding["T"], overload.binding["I"]
        table, source = [7 * i - 200 for i in range(64)], [63, 0, 1, 62, 5, 5, 0]
        for in_place in (False, True):
            found = execute(name, kind, [(index, source), (kind, table)], 64, in_place=in_place, first_count=True)
            assert found == [7 * i - 200 for i in source]


@pytest.mark.parametrize("wrong", [64, -1])
def test_an_index_outside_the_table_is_a_finding(wrong: int) -> None:
    with pytest.raises(KernelError) as caught:
        execute("__bang_lut_s32", "int32", [("int32", [3, wrong]), ("int32", [0] * 64)], 64, first_count=True)
    finding = caught.value.finding
    assert (finding.rule, finding.operand) == ("value", "src")
    assert f"src[1] is {wrong}" in finding.message


def test_move_counts_bytes_and_may_overlap() -> None:
    data = np.arange(64, dtype=np.uint8)

    def kernel(mlu: Any, x: Any) -> None:
        a = mlu.nram("uint8", 64)
        mlu.__memcpy(a, x, 64, mlu.GDRAM2NRAM)
        mlu.__bang_move(a + 3, a, 50)
        mlu.__memcpy(x, a, 64, mlu.NRAM2GDRAM)

    assert launch(kernel, args=[data], device=newest()).findings == []
    assert data.tolist() == [0, 1, 2, *range(50), *range(53, 64)]


def _registers(kind: str, program: Callable[..., None]) -> list[Any]:
    """All lanes of the register that ``program(mlu, make)`` leaves in the first register it makes."""
    lanes = 256 // np.dtype(DTYPES[kind]).itemsize
    out = np.zeros(lanes, DTYPES[kind])

    def kernel(mlu: Any, target: Any) -> None:
        made: list[Any] = []

        def make() -> Any:
            made.append(mlu.vreg(kind, lanes))
            return made[-1]

        program(mlu, make)
        nram = mlu.nram(kind, lanes)
        mlu.__vv_store(nram, made[0])
        mlu.__memcpy(target, nram, out.nbytes, mlu.NRAM2GDRAM)

    run = launch(kernel, args=[out], device=newest(), on_finding="collect")
    assert [f for f in run.findings if f.instruction] == []
    return out.tolist()


@pytest.mark.parametrize("kind", types_of("__vv_index"))
def test_register_index_add_mul(kind: str) -> None:
    def program(mlu: Any, make: Any) -> None:
        result, lane, two = make(), make(), make()
        mlu.__vv_index(lane, 1, 3)
        mlu.__vv_move(two, 2)
        mlu.__vv_mul(result, lane, two)
        mlu.__vv_add(result, result, lane)
        mlu.__vv_add(result, result, 5)

    found = _registers(kind, program)
    assert found == [3 * (1 + 3 * i) + 5 for i in range(len(found))]


def test_registers_of_unsigned_integers_wrap() -> None:
    start, factor = 0xFFFF0003, 0xD2511F53

    def product(part: str) -> list[Any]:
        def program(mlu: Any, make: Any) -> None:
            result, lane = make(), make()
            mlu.__vv_index(lane, start, 1)
            getattr(mlu, part)(result, lane, factor)

        return _registers("uint32", program)

    whole = [(start + i) * factor for i in range(64)]
    assert product("__vv_mul") == [x % 2**32 for x in whole]
    assert product("__vv_mulh") == [x // 2**32 for x in whole]


def test_a_part_of_a_register_is_stored() -> None:
    out = np.full(8, -1, np.int32)

    def kernel(mlu: Any, target: Any) -> None:
        register, nram = mlu.vreg("int32", 64), mlu.nram("int32", 8)
        mlu.__memcpy(nram, target, 32, mlu.GDRAM2NRAM)
        mlu.__vv_index(register, 10, 1)
        mlu.__vv_store(nram, register, 5)
        mlu.__memcpy(target, nram, 32, mlu.NRAM2GDRAM)

    run = launch(kernel, args=[out], device=newest(), on_finding="collect")
    assert [f for f in run.findings if f.instruction] == []
    assert out.tolist() == [10, 11, 12, 13, 14, -1, -1, -1]
