"""A log and what it costs, asked how long it would take if it were another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from ...isa import DIALECTS
from ...isa.cached import cached_property
from ...simulator.log import ARITHMETIC, Log
from ...simulator.text import listed
from ...simulator.timing import Costs, Timeline, timed
from ..tracks import HIDDEN, bytes_in_use, rows
from .order import FreeOrder, free_order

#: Source lines that are asked of, those that last longest.
_MOST = 12


@dataclass(frozen=True)
class Advice:
    """A change, the first line that it concerns and how many, and the time that the whole launch would take with it.

    ``after_us`` is an estimate, from the log as the change would leave it; ``least_us`` is a bound: whoever makes this
    change, and no other, gets no less.
    """

    kind: str
    text: str
    file: str
    line: int
    before_us: float
    after_us: float
    least_us: float = 0.0
    lines: int = 1

    @property
    def gain(self) -> float:
        """Share of the time that it saves, about."""
        return 1.0 - self.after_us / self.before_us if self.before_us else 0.0

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON data."""
        return asdict(self) | {"gain": self.gain}


class Question:
    """What advice asks of a timeline; arrays are bool or int64 [records]."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline, self.log, self.rates = timeline, timeline.log, timeline.rates
        self.costs = Costs.of(self.log, self.rates)
        self.records = self.log.records
        self.us = timeline.end - timeline.start
        self.kernel_us = float(timeline.end.max(initial=0.0))
        self.overhead_us = timeline.total_us - self.kernel_us

    def ops(self, chosen: Iterable[bool]) -> np.ndarray:
        """The records of instructions that are chosen, in the order of the log's."""
        found: np.ndarray = np.fromiter(chosen, bool)[self.records["op"]]
        return found

    def of(self, *engines: str) -> np.ndarray:
        """The records of instructions of these engines."""
        return self.ops(op.engine in engines for op in self.log.ops)

    @cached_property
    def copies(self) -> np.ndarray:
        """The records of copies by a DMA engine."""
        return self.of("io", "move", "gdma")

    @cached_property
    def syncs(self) -> np.ndarray:
        """The records that do nothing but wait for pipes of their core."""
        return self.ops(op.engine == "sync" and not op.barrier for op in self.log.ops)

    @cached_property
    def barriers(self) -> np.ndarray:
        """The records that wait for other cores."""
        return self.ops(bool(op.barrier) for op in self.log.ops)

    @cached_property
    def order(self) -> np.ndarray:
        """The records, those of a core together, int64 [records]."""
        return np.argsort(self.records["core"], kind="stable")

    @cached_property
    def phase(self) -> np.ndarray:
        """A number for what a task does between two barriers, int64 [records]."""
        core, task = self.records["core"][self.order], self.records["task"][self.order]
        new = np.append(True, (core[1:] != core[:-1]) | (task[1:] != task[:-1]) | self.barriers[self.order][:-1])
        phase = np.empty(len(self.log), np.int64)
        phase[self.order] = np.cumsum(new[: len(core)])
        return phase

    @cached_property
    def far(self) -> np.ndarray:
        """The row of the operand in the device's memory, -1 for none, int64 [records]."""
        return self._operand("device")

    @cached_property
    def near(self) -> np.ndarray:
        """The row of the first operand in another memory, -1 for none, int64 [records]."""
        return self._operand("core", "cluster")

    def _operand(self, *scopes: str) -> np.ndarray:
        spaces = [n for n, space in enumerate(self.log.shape.spaces.values()) if space.scope in scopes]
        found = np.full(len(self.log), -1, np.int64)
        mine = np.flatnonzero(np.isin(self.log.operand_spaces, spaces))[::-1]
        found[self.log.owners[mine]] = mine
        return found

    @cached_property
    def most_in_use(self) -> dict[str, int]:
        """Space -> the most bytes that variables take at once in one of its memories."""
        found: dict[str, int] = {}
        for (space, _), (_, level) in bytes_in_use(self.log).items():
            found[space] = max(found.get(space, 0), int(level.max(initial=0)))
        return found

    @cached_property
    def fixed_us(self) -> np.ndarray:
        """What a record costs however little it does, float64 [records]."""
        startup = np.array([
            engine.startup_cycles / self.rates.clock_mhz if (engine := self.rates.engines.get(op.engine)) else 0.0
            for op in self.log.ops
        ])  # fmt: skip
        fixed: np.ndarray = np.minimum(startup[self.records["op"]], self.costs.alone) + self.costs.latency
        return fixed

    @cached_property
    def lane_wise(self) -> np.ndarray:
        """The records of instructions that work element by element."""
        entries = [DIALECTS[self.log.shape.isa].named(op.name) for op in self.log.ops]
        return self.ops(bool(found) and all(e.lane_wise for e in found) for found in entries)

    @cached_property
    def _free_order(self) -> FreeOrder:
        return free_order(self.log, self.us, rows(self.log), self.phase, self.rates.task_us)

    @property
    def in_free_order_us(self) -> float:
        """The time if every instruction waited for what it needs, and for nothing else; 0 where that is not known."""
        kernel_us = self._free_order.kernel_us
        return kernel_us + self.overhead_us if kernel_us else 0.0

    @cached_property
    def spare_syncs(self) -> np.ndarray:
        """The syncs that no scalar code needs: other buffers do instead."""
        spare: np.ndarray = self.syncs & ~self._free_order.needed
        return spare

    def lines(self, chosen: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
        """The source lines of the chosen records with their records, those that last longest first."""
        loc = self.records["loc"]
        us = np.bincount(loc[chosen], self.us[chosen], minlength=len(self.log.locations))
        for line in np.argsort(-us, kind="stable")[:_MOST].tolist():
            if us[line] > 0 and self.log.locations[line].line:
                yield line, chosen & (loc == line)

    def longest(self, chosen: np.ndarray) -> int:
        """The line of a pipe's records that last longest among the chosen ones; 0 without any."""
        pipes = np.array([bool(op.engine) and not op.waits and not op.barrier for op in self.log.ops], bool)
        line = next((line for line, _ in self.lines(chosen & pipes[self.records["op"]])), -1)
        return self.log.locations[line].line if line >= 0 else 0

    def repeated(self, mine: np.ndarray) -> np.ndarray:
        """Of some records those of lines that some task comes to more than once between two barriers."""
        loc = self.records["loc"].astype(np.int64)
        places, counts = np.unique(np.stack([loc[mine], self.phase[mine]]), axis=1, return_counts=True)
        return mine & np.isin(loc, places[0, counts > 1])

    def without(self, chosen: np.ndarray, log: Log | None = None) -> Log:
        """A log whose chosen records do nothing and wait for nothing; their operands have no bytes."""
        log = log or self.log
        ops, records, operands = [*log.ops], log.records.copy(), log.operands.copy()
        for number in np.unique(records["op"][chosen]).tolist():
            ops.append(replace(log.ops[number], engine="", waits=(), queues=()))
            records["op"][chosen & (log.records["op"] == number)] = len(ops) - 1
        records["flags"][chosen] = 0
        operands["bytes"][chosen[self.log.owners]] = 0
        return replace(log, records=records, operands=operands, ops=tuple(ops))

    def costing(self, chosen: np.ndarray, alone: np.ndarray | float) -> Costs:
        """The costs of the log, but the chosen records take ``alone`` (us), have no latency, and use no channel."""
        costs = self.costs
        changed = replace(costs, alone=costs.alone.copy(), latency=costs.latency.copy(), moved=costs.moved.copy())
        changed.alone[chosen], changed.latency[chosen], changed.moved[:, chosen] = alone, 0.0, 0.0
        return changed

    def after(self, log: Log, costs: Costs | None = None) -> float:
        """The time of a launch with another log, or other costs."""
        return timed(log, self.rates, costs or Costs.of(log, self.rates)).total_us

    def least(self, log: Log, costs: Costs | None = None, cores: int = 0) -> float:
        """A time below which no order of these records comes: what the busiest pipe and the busiest channel have to do.

        With ``cores`` the records may be dealt to so many of them in any way. Arithmetic of the scalar unit counts as
        nothing, as a loop that is changed has more of it or less; nor does waiting for the result right before.
        """
        costs = costs or Costs.of(log, self.rates)
        counts = log.which(lambda op: op.name != ARITHMETIC and not op.barrier) & ~self.syncs
        us = np.where(counts, np.maximum(costs.alone - self.dependence_us, 0.0) + costs.latency, 0.0)
        shown = rows(log) != HIDDEN
        pipe = log.records["pipe"].astype(np.int64)
        if cores:
            pipes = np.bincount(pipe[shown], us[shown]) / cores
            most = float(pipes.max(initial=0.0))
        else:
            unit = log.records["core"].astype(np.int64) * (len(log.pipes) + 1) + pipe
            begin = np.full(int(unit.max()) + 1, np.inf)
            np.minimum.at(begin, unit, log.records["task"] * self.rates.task_us)
            most = float(
                (np.bincount(unit[shown], us[shown], len(begin)) + np.where(np.isinf(begin), 0.0, begin)).max()
            )
        return max(most, *self._channels_us(costs), 0.0) + self.overhead_us

    @cached_property
    def dependence_us(self) -> np.ndarray:
        """What waiting for the result of the instruction before costs, float64 [records]."""
        none = {f"engines.{name}.dependent_cycles": 0.0 for name, e in self.rates.engines.items() if e.dependent_cycles}
        return (
            self.costs.alone - Costs.of(self.log, self.rates.replace(none)).alone if none else np.zeros(len(self.log))
        )

    def _channels_us(self, costs: Costs) -> Iterator[float]:
        """How long each channel of the whole device is busy at least."""
        for moved, channel in zip(costs.moved, self.rates.channels.values(), strict=True):
            if channel.scope == "device":
                yield float(moved.sum()) / channel.rate

    def advice(self, kind: str, line: int, text: str, after_us: float, least_us: float, lines: int = 1) -> Advice:
        """Advice about a source line, by its number among the log's."""
        place = self.log.locations[line]
        after_us = max(after_us, least_us)
        return Advice(kind, text, place.file, place.line, self.timeline.total_us, after_us, least_us, lines)

    def name(self, line: int) -> str:
        """The number of a source line as text."""
        return str(self.log.locations[line].line)

    def names(self, lines: list[int]) -> str:
        """Several source lines as text: "lines 4, 7 and 9"."""
        numbers = [str(number) for number in sorted({self.log.locations[line].line for line in lines})]
        several = listed(numbers)
        return f"line{'s' if len(numbers) > 1 else ''} {several}"
