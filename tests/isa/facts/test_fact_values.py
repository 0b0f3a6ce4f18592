"""What every row divides by: a zero there is reported, and no other one."""

from __future__ import annotations

import re
from functools import cache

from mlusim.simulator import Device
from mlusim.simulator.checks.at_issue.values import Values

from tests.isa.facts.call import typical
from tests.isa.facts.fact import Form
from tests.isa.facts.probe import device, dialect_of, newest, run
from tests.isa.facts.rows import of_rows

_DIVIDES = re.compile(
    r"__bang_(div|rem)|__asm_div_scalar_nram_\w+|__cn_vector_(div|mod)_\w+|__cn_scalar_div_vector_\w+"
)


@cache
def _watched(dialect: str, arch: int) -> Device:
    return device(dialect, arch).watched(Values)


def _zeros(form: Form, by: str, divisor: int) -> list[str]:
    """The operands by which it was divided and that were zero; those in memory are."""
    call = typical(form, newest(form))
    if by not in {operand.name for operand in form.fact.operands}:
        call = call.having(**{by: divisor})
    findings = run(call, on=_watched(dialect_of(form), call.arch)).findings
    return [finding.operand for finding in findings if finding.rule == "division"]


@of_rows(lambda fact: bool(_DIVIDES.fullmatch(fact.name)))
def check_what_it_divides_by(forms: list[Form]) -> None:
    by = "src1" if "src1" in forms[0].fact.names else "value"
    for form in forms:  # one declaration has the floats, another one the integers
        is_memory = by in {operand.name for operand in form.fact.operands}
        assert _zeros(form, by, 0) == [by], str(form)
        assert _zeros(form, by, 3) == ([by] if is_memory else []), f"{form}: the dividend is zero, and may be"
