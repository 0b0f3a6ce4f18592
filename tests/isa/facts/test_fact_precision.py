"""What becomes of every row that gives floats, or a value, when float64 is carried beside it."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, ClassVar

from mlusim.simulator import Device
from mlusim.simulator.checks.at_issue.precision import Precision

from tests.isa.facts.call import typical
from tests.isa.facts.fact import Fact, Form
from tests.isa.facts.probe import device, dialect_of, newest, run
from tests.isa.facts.rows import of_rows

_FLOATS = ("half", "bfloat16", "float")
#: The result jumps where an input changes a little: comparisons, logic of zero and not zero, whole numbers, signs.
_DECIDE = re.compile(
    r"__bang_(cycle_)?(eq|ne|lt|le|gt|ge|and|or|xor|not)(_scalar|_const)?"
    r"|__bang_(floor|round|active_sign)|__cn_vector_(sign|ceil|floor|trunc|round)_f32"
)
#: It works on bits, or puts a position or a count beside values in one array.
_BITS = re.compile(
    r"__bang_(band|bor|bxor|bnot)(_scalar)?|__bang_select(_bitindex)?"
    r"|__bang_(max|min)pool_value_index|__bang_atomic_(reduce_)?cas|tpu_hau_sort\w*"
)


class _Spy(Precision):
    """Tells which way an instruction goes."""

    ways: ClassVar[list[str]] = []

    def _wrote(self, *given: Any) -> None:
        self.ways.append("runs")
        super()._wrote(*given)

    def _returned(self, *given: Any) -> None:
        self.ways.append("runs")
        super()._returned(*given)

    def _decided(self, *given: Any) -> None:
        self.ways.append("decides")
        super()._decided(*given)


@cache
def _watched(dialect: str, arch: int) -> Device:
    return device(dialect, arch).watched(_Spy)


def _gives_floats(form: Form) -> bool:
    """Whether it writes floats where others can see them."""
    return any(o.writes and not o.is_work and form.type_of(o) in _FLOATS for o in form.fact.operands)


def _wanted(fact: Fact) -> str:
    if _BITS.fullmatch(fact.name) or "8 // sizeof" in fact.arguments:  # where a position stands
        return "bits"
    return "decides" if _DECIDE.fullmatch(fact.name) else "runs"


def _gives(fact: Fact) -> bool:
    """Whether there is a result that float64 could stand beside; a copy carries what stands there."""
    return "_cpy_" not in fact.name and (
        (fact.returns != "void" and not fact.waits) or any(_gives_floats(form) for form in fact.forms)
    )


@of_rows(_gives)
def check_which_way_it_goes_on_float64(forms: list[Form]) -> None:
    form = next(filter(_gives_floats, forms), forms[0])
    arch = newest(form)
    run(typical(form, arch), first=lambda *_: _Spy.ways.clear(), on=_watched(dialect_of(form), arch))
    way = "decides" if "decides" in _Spy.ways else "runs" if _Spy.ways else "bits"
    assert way == _wanted(form.fact), str(form)
