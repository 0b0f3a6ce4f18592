"""The issue port: the one way by which an instruction reaches simulated memory and the log.

For every overload in use a Python function is generated from the declaration, as `dataclasses` does for ``__init__``:
it tests the guards, finds the operands, runs the semantics and appends the record. What does not apply to an
instruction on an architecture is not in its function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from ....isa import FUNCTIONS, Overload, ValueOutOfRange, result_type, wires
from ...findings import Squashed
from ...log.recorder import pack_record
from ..execution import VACANT, Execution
from .arguments import ArgumentWriter
from .check import Check
from .effects import EffectWriter
from .failures import Failures
from .operands import operands_of
from .plans import PlanWriter, has_plans
from .records import write_record
from .source import PortSource
from .uses import UseWriter

Port = Callable[..., Any]


def issue(execution: Execution, overload: Overload, checks: Sequence[Check]) -> Port:
    """The function that executes an overload: ``port(pc, *numbers)``; see `isa.wire` for the numbers."""
    entry = overload.instruction.on(execution.shape.arch)
    source = PortSource(execution, Overload(entry, overload.binding))
    operands, names = operands_of(source), [wire.name for wire in wires(source.overload)]
    effect, fail = EffectWriter(source, operands, checks), Failures(source, operands)
    uses = UseWriter(effect, checks)
    plan = PlanWriter(effect, fail, checks) if has_plans(entry) else None
    #: What a plan leaves open: where operands in system memory lie.
    outside = {operand.name for operand in operands if plan and not operand.parameter.is_lanes}
    arguments = ArgumentWriter(effect, checks, outside)
    _bind_all(source, fail)
    with source.block(f"def _port({', '.join(['_pc', *names])}):"):
        with source.block("try:"):
            if plan:
                plan.write(arguments, names, outside)
                uses.write(operands)
            else:
                arguments.test()
                uses.write(unchecked=arguments.find(uses))
            effect.prepare()
            for check in checks:
                check.before_effect(source, operands)
            effect.write()
            uses.take_back()
            write_record(effect, planned=plan is not None)
            if plan:
                plan.repeat()
            source.line(f"return {_result(source.overload)}")
        source.line("except _Squashed: _overruns.clear(); return 0")
        source.bad_values("return ")
        source.line("except BaseException as _error: return _crash(_error)")
    exec(_compiled(plan.completed() if plan else source.text, source.overload.name), source.names)
    port: Port = source.names["_port"]
    return port


@lru_cache(maxsize=4096)
def _compiled(text: str, name: str) -> CodeType:
    """The code of a port: devices with other memories, and other runs of one, have it in common."""
    return compile(text, f"<issue port of {name}>", "exec")


def _bind_all(source: PortSource, fail: Failures) -> None:
    """What the lines of any port name."""
    collector, recorder = source.execution.collector, source.execution.recorder
    source.names |= {
        **FUNCTIONS, "_Squashed": Squashed, "_ValueOutOfRange": ValueOutOfRange, "_fail": fail,
        "_bad_value": collector.bad_value, "_crash": collector.crash, "_unfit": collector.unfit_arguments,
        "_rec": recorder, "_failed": fail.numbers, "_VACANT": VACANT, "_records": recorder.records,
        "_operands": recorder.operands, "_pack": pack_record, "_overruns": source.execution.map.overruns,
    }  # fmt: skip


def _result(overload: Overload) -> str:
    """Expression: what a call returns."""
    if overload.instruction.prototype.returns == "void":
        return "0"
    return f"{'_float' if result_type(overload).is_float else '_int'}(_result)"
