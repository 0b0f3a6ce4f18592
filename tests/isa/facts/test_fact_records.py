"""What the log says of every legal call of every row: work, pipe, engine, types, operands, their bytes."""

from __future__ import annotations

from tests.isa.facts.boundary import by_size, probes
from tests.isa.facts.call import Call, typical
from tests.isa.facts.fact import Form
from tests.isa.facts.probe import Row, newest, run, work_of
from tests.isa.facts.rows import of_rows
from tests.isa.facts.tensor import lanes_of

#: Operands that a tensor unit multiplies; it adds the others.
_FACTORS = ("left", "right", "src", "kernel", "weight")


def _engine(form: Form) -> str:
    """The key of the cost; a tensor unit has one for each kind of factors."""
    fact = form.fact
    if fact.engine != "tensor":
        return "" if fact.engine == "free" else fact.engine or form.pipe
    factors = {form.type_of(operand) for operand in fact.operands if operand.name in _FACTORS}
    if factors & {"half", "bfloat16"}:
        return "tensor_mixed" if "float" in factors else "tensor_half"
    if factors == {"float"}:
        return "tensor"
    return "tensor_int16" if "int16" in factors else "tensor_int8"


def _check(call: Call, row: Row, addresses: dict[str, int], origins: dict[str, set[int]]) -> None:
    form, fact, op = call.form, call.form.fact, row.op
    assert (op.operands, op.writes) == (
        tuple(operand.name for operand in fact.operands),
        tuple(operand.writes for operand in fact.operands),
    )
    assert (row.pipe, op.engine) == (form.pipe, _engine(form)), str(call)
    assert op.dtypes == (form.case.label if form.case else str(form.binding)), str(call)
    assert op.provenance == ("inferred" if fact.inferred or form.binding.inferred else "documented"), str(call)
    assert set(op.waits) == set(fact.waits.split())
    assert bool(op.barrier) == bool(fact.joins)
    assert (row.waited, row.serial) == (fact.effect == "blocking", fact.effect in ("queued", "section"))
    assert row.late == (fact.effect in ("deferred", "queued"))
    if not fact.joins:  # the work of a barrier is its number
        assert row.work == work_of(call), str(call)
    for operand in fact.operands:
        space, offset, size, lane, lanes = row.regions[operand.name]
        low, length = call.span(operand)
        assert size == length, f"{call}: bytes of {operand.name}"
        if operand.is_local and call.chip:
            start, inside = divmod(call.address(operand), call.chip.lane_bytes)
            touched = len(lanes_of(operand.tensor(call.names)[0], start, call.chip))
            assert (space, offset, lane, lanes) == ("local", inside, start, touched), f"{call}: {operand.name}"
        elif length:
            wanted = {"system": "global"}.get(form.space_of(operand), form.space_of(operand))
            assert (space, lane, lanes) == (wanted, 0, 0), f"{call}: space of {operand.name}"
            origins.setdefault(space, set()).add(addresses[operand.name] + low - offset)


def _legal(form: Form, is_known: bool) -> list[Call]:
    """Legal calls; one alone where another form already stands for this one."""
    if is_known:
        return [typical(form, newest(form))]
    return [call for call, limits in probes(form, newest(form)) if not limits]


@of_rows()
def check_records(forms: list[Form]) -> None:
    for form, is_known in by_size(forms):
        calls = _legal(form, is_known)
        outcome = run(*calls)
        assert len(outcome.rows) == len(calls)
        origins: dict[str, set[int]] = {}
        for call, row, addresses in zip(calls, outcome.rows, outcome.addresses, strict=True):
            _check(call, row, addresses, origins)
        assert all(len(starts) == 1 for starts in origins.values()), f"{form}: offsets do not follow the addresses"
