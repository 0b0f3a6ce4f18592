"""Functions of NumPy's as loops over elements: which they are, carried out one by one, and which have none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from mlusim.isa import Partial, ValueOutOfRange
from mlusim.isa.rounding import Rounding, narrow, to_int
from mlusim.simulator.core.issue.loops import loop_of
from mlusim.simulator.core.issue.steps import NotNativeError
from mlusim.simulator.core.issue.traced import Elements, Loop, LoopKind, LoopValue, loops_of, shared

FLOAT, HALF, WHOLE, WIDE = (np.dtype(name) for name in ("f4", "f2", "i4", "f8"))
UFUNCS = [one for one in vars(np).values() if isinstance(one, np.ufunc) and one.nout == 1]


def ufunc_of(loop: Loop) -> np.ufunc:
    """Which one has a loop at that address."""
    dtypes = [value.dtype for value in loop.inputs]
    for ufunc in UFUNCS:
        found = loop_of(ufunc, dtypes) if ufunc.nin == len(dtypes) else None
        if found and (found.function, found.data, found.inputs) == (loop.function, loop.data, tuple(dtypes)):
            return ufunc
    raise AssertionError("no ufunc has this loop")


def carried_out(loops: list[Loop], given: dict[str, np.ndarray], numbers: dict[str, float]) -> np.ndarray:
    """What the last loop makes."""
    parts: dict[int, np.ndarray] = {}

    def contents(value: LoopValue) -> Any:
        if value.operand:
            return given[value.operand].view(value.dtype)
        if value.part >= 0:
            return parts[value.part].view(value.dtype)
        return (
            value.dtype.type(numbers[value.number]) if value.number else np.frombuffer(value.constant, value.dtype)[0]
        )

    for loop in loops:
        inputs = [contents(value) for value in loop.inputs]
        if loop.kind == LoopKind.NUMPY:
            made = ufunc_of(loop)(*inputs)
        elif loop.kind == LoopKind.EXP:
            made = np.exp(*inputs)
        elif loop.kind == LoopKind.CAST:
            made = np.asarray(inputs[0]).astype(loop.output.dtype)
        else:
            made = np.where(*inputs)
        assert made.dtype == loop.output.dtype
        parts[loop.output.part] = made
    return made


CASES: list[tuple[Callable[..., Any], dict[str, np.dtype], np.dtype]] = [
    (np.add, {"a": FLOAT, "b": FLOAT}, FLOAT),
    (np.less, {"a": HALF, "b": HALF}, HALF),
    (lambda a: a, {"a": FLOAT}, FLOAT),
    (lambda a: 1 / np.sqrt(a.astype(np.float64)), {"a": FLOAT}, FLOAT),
    (lambda a: np.where(a < -9, 0.5, np.exp(a.astype(np.float64))), {"a": FLOAT}, FLOAT),
    (lambda a: np.where(np.isnan(a), a, np.where(a < 0, -1, 1)), {"a": HALF}, HALF),
    (lambda a: np.copysign(np.ones_like(a), a), {"a": FLOAT}, FLOAT),
    (lambda a, b: (a.view(np.int32) & b.view(np.int32)).view(np.float32), {"a": FLOAT, "b": FLOAT}, FLOAT),
    *((lambda a, r=r: to_int(a, WHOLE, r), {"a": WIDE}, WHOLE) for r in Rounding),
    *((lambda a, r=r: narrow(a, HALF, r), {"a": FLOAT}, HALF) for r in Rounding),
]


@pytest.mark.parametrize("number", range(len(CASES)))
def test_loops_make_what_the_function_makes(number: int) -> None:
    function, dtypes, target = CASES[number]
    rng = np.random.default_rng(number)
    with np.errstate(all="ignore"):
        given = {name: (rng.standard_normal(500) * 70000).astype(dtype) for name, dtype in dtypes.items()}
        for array in given.values():
            array[:5] = [np.nan, np.inf, -np.inf, 0.5, -1.5]
        elements = {name: Elements(dtype) for name, dtype in dtypes.items()}
        loops = shared(loops_of(function, elements, LoopValue(target, operand="made")), 8)
        assert loops[-1].output == LoopValue(target, operand="made")
        named = function(*given.values()) if isinstance(function, np.ufunc) else function(**given)
        assert carried_out(loops, given, {}).tobytes() == np.asarray(named).astype(target).tobytes()


def test_numbers_are_weak_and_constants_have_the_type_of_what_they_meet() -> None:
    given = {"a": Elements(HALF), "n": float}
    (loop,) = loops_of(lambda a, n: a * n, given, LoopValue(HALF, operand="made"))
    assert loop.inputs == (LoopValue(HALF, operand="a"), LoopValue(HALF, number="n"))
    (loop,) = loops_of(lambda n: n, {"n": int}, LoopValue(WHOLE, operand="made"))
    assert loop == Loop(LoopKind.CAST, (LoopValue(WHOLE, number="n"),), LoopValue(WHOLE, operand="made"))
    (loop,) = loops_of(lambda a: a + 1, {"a": Elements(HALF)}, LoopValue(HALF, operand="made"))
    assert loop.inputs[1] == LoopValue(HALF, constant=np.float16(1).tobytes())


def test_native_code_makes_no_number_a_condition_that_it_has_as_a_double() -> None:
    taken = {"a": Elements(np.dtype(np.int16)), "n": int}
    loop = next(one for one in loops_of(np.logical_xor, taken, LoopValue(WHOLE)) if one.kind == LoopKind.NUMPY)
    assert loop.inputs[1] == LoopValue(np.dtype(bool), number="n")
    with pytest.raises(NotNativeError, match="does not make n a bool"):
        loops_of(np.logical_xor, {"a": Elements(FLOAT), "n": float}, LoopValue(FLOAT))


def test_what_is_asked_of_all_elements_is_tested_first() -> None:
    def function(a: Any, table: Any, n: Any) -> Any:
        places = a.view(np.uint32)
        found = places < n
        return Partial(table.take(places), found) if found.all() else Partial(a, found, ValueOutOfRange("a", 0, 0, ""))

    given = {"a": Elements(WHOLE), "table": Elements(WHOLE), "n": int}
    compare, test, look_up = loops_of(function, given, LoopValue(WHOLE, operand="made"))
    assert ufunc_of(compare) == np.less
    assert (test.kind, test.inputs) == (LoopKind.TEST, (compare.output,))
    places = LoopValue(np.dtype(np.uint32), operand="a")
    assert (look_up.kind, look_up.inputs) == (LoopKind.LOOK_UP, (LoopValue(WHOLE, operand="table"), places))
    for others in (lambda a, table, n: Partial(table, a < n), lambda a, table, n: table.take(a)):
        with pytest.raises(NotNativeError, match=r"decides what it writes|numbers with a sign"):
            loops_of(others, given, LoopValue(WHOLE, operand="made"))


EXP, WIDE_EXP = lambda a: np.exp(a.astype(np.float64)), lambda a: np.exp(a * 1.0)


@pytest.mark.parametrize(
    ("function", "dtypes", "rounded"),
    [
        (EXP, (FLOAT, FLOAT), True),
        (lambda a: np.where(a < 0, 1.0, np.where(a > 9, 2.0, EXP(a))), (FLOAT, FLOAT), True),
        (EXP, (FLOAT, WIDE), False),
        (EXP, (FLOAT, HALF), False),
        (WIDE_EXP, (WIDE, FLOAT), True),
        (lambda a: 1 / (1 + EXP(a)), (FLOAT, FLOAT), False),
        (lambda a: (lambda e: np.where(e > 1, 1.0, e))(EXP(a)), (FLOAT, FLOAT), False),
        (np.exp, (FLOAT, FLOAT), False),
    ],
)
def test_exponentials_that_become_floats_alone_need_only_round_to_them(
    function: Callable[..., Any], dtypes: tuple[np.dtype, np.dtype], rounded: bool
) -> None:
    given, made = dtypes
    loops = loops_of(
        function, {"x": Elements(given)} if function is np.exp else {"a": Elements(given)}, LoopValue(made)
    )
    assert [loop.kind == LoopKind.EXP for loop in loops].count(True) == rounded


def test_parts_are_used_again() -> None:
    loops = loops_of(lambda a: np.abs(-np.abs(-np.abs(a))), {"a": Elements(FLOAT)}, LoopValue(FLOAT, operand="made"))
    assert {loop.output.part for loop in shared(loops, 2)} == {0, 1, -1}
    with pytest.raises(NotNativeError, match="keeps too many arrays"):
        shared(loops_of(lambda a: (a + 1) * (a + 2), {"a": Elements(FLOAT)}, LoopValue(FLOAT, operand="made")), 1)


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (lambda a: a if a.any() else -a, "asks for any"),
        (lambda a: a if a == 0 else -a, "looks at elements"),
        (lambda a: a[::-1], "no chain of loops"),
        (lambda a: a * len(a), "how many elements"),
        (lambda a: np.cumsum(a), "calls cumsum"),
        (lambda a: np.add.reduce(a), "calls add.reduce"),
        (lambda a: np.frompyfunc(float, 1, 1)(a), "no loop of its own"),
        (lambda a: a + np.arange(3), "arrays of its own"),
        (lambda a: a.view(np.int8), "parts of elements"),
        (lambda a: a.astype(np.complex64), "casts no complex64"),
        (lambda a: a.astype(np.uint32), "casts no float32 to uint32"),
    ],
)
def test_what_is_no_chain_of_loops(function: Callable[..., Any], reason: str) -> None:
    with pytest.raises(NotNativeError, match=reason):
        loops_of(function, {"a": Elements(FLOAT)}, LoopValue(FLOAT, operand="made"))
