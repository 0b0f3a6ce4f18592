"""The lines of a port that keep plans: of calls with equal arguments, what the first of them has tested and found."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from ....isa import Barrier, Cache, Instruction
from .arguments import ArgumentWriter, names_in
from .check import Check
from .effects import EffectWriter
from .failures import Failures
from .records import gaps
from .repeats import RepeatWriter

#: Plans that a port keeps for each core: those of the commands of a loop, in a few places each.
_MOST_PLANS = 1024
#: Stands in the lines of a port for the names of its plan, until it is known which are used.
_KEPT = "_KEPT_NAMES"
_ASSIGNED = re.compile(r"(?:^ *|; )((?:[A-Za-z_]\w*, )*[A-Za-z_]\w*) = ", re.M)


def has_plans(entry: Instruction) -> bool:
    """Whether calls with equal arguments are equal but for operands in system memory, until memory moves.

    What has been tested and found at the first of them then holds for the others: it is their plan.
    """
    memory = entry.prototype.memory
    varies = entry.select or entry.measured or isinstance(entry.effect, (Barrier, Cache))
    return bool(memory) and not varies and all(p.is_tensor and not p.local_if for p in memory)


class PlanWriter:
    """Writes how a call takes up the plan of an equal one, or makes it."""

    def __init__(self, effect: EffectWriter, fail: Failures, checks: Sequence[Check]) -> None:
        self._source, self._entry, self._operands = effect.port, effect.entry, effect.operands
        self._planned: list[str] = []  # what the lines of a plan assign
        self._repeats = RepeatWriter.of(effect, fail, checks)

    def write(self, arguments: ArgumentWriter, names: Iterable[str], outside: set[str]) -> None:
        """The plan of a call with arguments of these names, and the operands ``outside`` of it."""
        source, slot = self._source, self._source.execution.map.cache.new()
        source.line(f"_plans = _cur.found[{slot}]")
        source.line(f"if _plans is _VACANT: _plans = _cur.found[{slot}] = {{}}")
        source.line(f"_said = ({''.join(f'{name}, ' for name in names if name not in outside)})")
        source.line("_plan = _plans.get(_said)")
        begin = len(source.text)
        with source.block("if _plan is None:"):
            source.line("_failed.clear()")
            arguments.test()
            inside = [operand for operand in self._operands if operand.name not in outside]
            arguments.locate(inside, outside | {f"_t_{name}" for name in outside})
            source.line(f"_work = {source.expression(self._entry.work_expression)}; _gaps = {gaps(self._operands)}")
            source.line("_wrong = _fail.kept(_locals()) if _failed else None")
            if self._repeats:
                source.line(self._repeats.begin())
            source.line(f"if _len(_plans) >= {_MOST_PLANS}: _plans.clear()")
            source.line(f"_plans[_said] = {_KEPT}")
        self._planned = _ASSIGNED.findall(source.text[begin:])
        with source.block("else:"):
            source.line(f"{_KEPT} = _plan")
            source.line("if _wrong: _fail.again(_pc, _wrong, _locals())")
        tested = len(source.guards)
        arguments.locate(operand for operand in self._operands if operand.name in outside)
        if len(source.guards) > tested:  # rules on places outside are tested
            self._repeats = None

    def repeat(self) -> None:
        """After the record: native code may carry out the call when it is made again."""
        if self._repeats:
            self._source.line(self._repeats.line())

    def completed(self) -> str:
        """The text of the port: a plan keeps what later lines use."""
        text = self._source.text
        later = names_in(text[text.rindex(_KEPT) :])
        kept = sorted({name for group in self._planned for name in group.split(", ")} & later)
        return text.replace(_KEPT, ", ".join(kept) + ("," if kept else "()"))
