"""What every row divides by: a zero there is reported, and no other one."""

from __future__ import annotations

import re
from functools import cache

import pytest
from call import typical
from disputes import rows
from fact import Form
from mlusim.simulator import Device
from mlusim.simulator.checks import Values
from probe import device, dialect_of, newest, run

_DIVIDES = re.compile(r"__bang_(div|rem)|__asm_div_scalar_nram_\w+|__cn_vector_(div|mod)_\w+")


@cache
def _watched(dialect: str, arch: int) -> Device:
    return device(dialect, arch).watched(Values)


@pytest.mark.parametrize("forms", rows("division", lambda fact: bool(_DIVIDES.fullmatch(fact.name))))
def test_what_it_divides_by(forms: list[Form]) -> None:
    form = forms[0]
    by = "src1" if "src1" in form.fact.names else "value"
    is_memory = by in {operand.name for operand in form.fact.operands}

    def zeros(divisor: int) -> list[str]:
        """The operands by which it was divided and that were zero; those in memory are."""
        call = typical(form, newest(form))
        outcome = run(call if is_memory else call.having(**{by: divisor}), on=_watched(dialect_of(form), call.arch))
        return [finding.operand for finding in outcome.findings if finding.rule == "division"]

    assert zeros(0) == [by]
    assert zeros(3) == ([by] if is_memory else []), "the dividend is zero, and may be"
