"""A trace as Perfetto's own packets, for files that end in .pftrace: a third of the JSON, rows in a stated order."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..simulator.files import write_atomically
from ..simulator.log.region import region_text
from ..simulator.timing import Reason
from .drawing import CHUNK, WHY, Drawing
from .packets import PacketTrace, flow
from .packets import Sequence as Events
from .shown import Shown

SUFFIX = ".pftrace"
#: Fields of a TrackEvent for the beginning of an arrow, and for its end.
_OUT, _IN = 47, 48
#: Places below a group behind the rows: of counters, and of queues.
_COUNTERS, _QUEUES = 1 << 8, 1 << 20

_Places = tuple[tuple[int, int, int, int], ...]  # rows of the operand table


def write_packets(launches: Sequence[Shown], path: str | Path) -> None:
    """Write the trace of launches to ``path``: all of it, or nothing and the old file stays. Times are nanoseconds."""
    with write_atomically(Path(path)) as file:
        tracks, flows = _Tracks(PacketTrace(file), launches), 0
        for shown in launches:
            _Launch(shown, tracks, flows).write()
            flows += len(shown.timeline.log)


class _Tracks:
    """The tracks of all launches: devices with their counters and queues, then a group of rows for each core."""

    def __init__(self, trace: PacketTrace, launches: Sequence[Shown]) -> None:
        self.trace = trace
        self._devices: dict[int, int] = {}
        self._queues: dict[tuple[int, int], int] = {}
        self._cores: dict[tuple[int, int], int] = {}
        self._rows: dict[tuple[int, int, int], int] = {}
        self._counters: dict[tuple[int, int | None, str], int] = {}
        for device in sorted({one.device for one in launches}):
            self._add(device, [one for one in launches if one.device == device])

    def _add(self, device: int, launches: Sequence[Shown]) -> None:
        """The tracks of a device."""
        queues = sorted({one.queue for one in launches if one.queue >= 0})
        drawings = [Drawing(one.timeline) for one in launches]
        before = f"{device} " if queues else ""
        # Perfetto sorts groups by their names; a bracket comes before letters.
        self._devices[device] = self.trace.track(f"(device) {before}{drawings[0].log.device}")
        for queue in queues:
            self._queues[device, queue] = self.trace.track(f"queue {queue}", self._devices[device], _QUEUES + queue)
        used = {(core, row): drawing for drawing in drawings for core, row in drawing.used()}
        for (core, row), drawing in sorted(used.items()):
            if (device, core) not in self._cores:
                name = f"device {before}{drawing.core_name(core)}" if device else drawing.core_name(core)
                self._cores[device, core] = self.trace.track(name)
            self._rows[device, core, row] = self.trace.track(drawing.row_name(row), self._cores[device, core], row)

    def row(self, device: int, core: int, row: int) -> Events:
        """The events of a launch in the row of a core."""
        return self.trace.sequence(self._rows[device, core, row])

    def queue(self, device: int, queue: int) -> Events:
        """A launch in a queue."""
        return self.trace.sequence(self._queues[device, queue])

    def counter(self, device: int, core: int | None, name: str, unit: str) -> Events:
        """A counter in a launch: that of a core behind its rows, that of a whole device before its queues."""
        if (device, core, name) not in self._counters:
            group = self._devices[device] if core is None else self._cores.get((device, core), self._devices[device])
            self._counters[device, core, name] = self.trace.track(
                name, group, _COUNTERS + len(self._counters), unit=unit
            )
        return self.trace.sequence(self._counters[device, core, name])


class _Launch(Drawing):
    """The events of one launch; ``flows`` arrows stand before its own."""

    def __init__(self, shown: Shown, tracks: _Tracks, flows: int) -> None:
        super().__init__(shown.shifted)
        self.shown, self.tracks = shown, tracks
        self.out: defaultdict[int, bytes] = defaultdict(bytes)
        self.into: dict[int, bytes] = {}
        cause = self.timeline.cause
        for index in self.arrows().tolist():
            if self.start[cause[index]] <= self.start[index]:  # an arrow must not run backwards
                self.out[int(cause[index])] += flow(_OUT, index + 1 + flows)
                self.into[index] = flow(_IN, index + 1 + flows)

    def write(self) -> None:
        """Write the launch, all rows, then the counters."""
        device, core, row = self.shown.device, self.log.records["core"].astype(np.int64), self.row
        if self.shown.queue >= 0:
            self._whole(self.tracks.queue(device, self.shown.queue))
        for one, at in self.used():
            mine = np.flatnonzero((core == one) & (row == at))
            _Row(self, self.tracks.row(device, one, at)).write(mine[np.argsort(self.start[mine], kind="stable")])
        for counter in self.counters():
            steps = self.tracks.counter(device, counter.core, counter.name, counter.unit)
            for time, level in zip(counter.times.tolist(), counter.levels.tolist(), strict=True):
                steps.count(time, level)

    def _whole(self, events: Events) -> None:
        launch, begin = self.log.launch, round(self.shown.start * 1e3)
        facts = {"dim": launch.get("dim"), "type": launch.get("type"), "source": self.shown.line}
        said = [events.argument(name, str(value)) for name, value in facts.items()]
        end = begin + round(self.timeline.total_us * 1e3)
        events.slice(begin, end, events.event(str(launch.get("kernel", "")), said))


class _Row:
    """What is written of a row of a core; what records have in common is encoded once."""

    def __init__(self, launch: _Launch, events: Events) -> None:
        self.launch, self.log, self.events = launch, launch.log, events
        self.event = lru_cache(maxsize=65536)(self._event)
        self.operands = lru_cache(maxsize=65536)(self._operands)

    def write(self, mine: np.ndarray) -> None:
        """Write the records of the row, given in the order of their times."""
        for first in range(0, len(mine), CHUNK):
            self._write(mine[first : first + CHUNK])

    def _write(self, mine: np.ndarray) -> None:
        launch, log = self.launch, self.log
        records, cause = log.records[mine], self.launch.timeline.cause[mine]
        held = np.where(cause >= 0, log.records["op"][cause].astype(np.int64), -1)
        counts = log.operand_counts[mine]
        past = counts.cumsum()
        operands = log.operands[
            np.repeat(records["first"] - (past - counts), counts) + np.arange(counts.sum())
        ].tolist()
        columns = zip(
            mine.tolist(), launch.start[mine].tolist(), launch.end[mine].tolist(), (past - counts).tolist(),
            past.tolist(), records["op"].tolist(), records["loc"].tolist(), records["task"].tolist(),
            records["work"].tolist(), launch.timeline.reason[mine].tolist(), held.tolist(),
            log.records["core"][cause].tolist(), strict=True,
        )  # fmt: skip
        for index, start, end, first, last, op, *facts in columns:
            event = self.event(op, tuple(operands[first:last]), *facts)
            flows = launch.out.get(index, b"") + launch.into.get(index, b"")
            self.events.slice(start, end, event, flows)

    def _event(
        self, op: int, touched: _Places, loc: int, task: int, work: int, reason: int, held: int, core: int
    ) -> bytes:
        """What is said of a record; ``held`` is the instruction that held it up, on a core, or -1."""
        events, log = self.events, self.log
        why = WHY[Reason(reason)] + (f": {log.ops[held].name}, core {core}" if held >= 0 else "")
        texts = {"dtypes": log.ops[op].dtypes, "source": str(log.locations[loc]), "reason": why}
        said = [events.argument(name, value) for name, value in texts.items()]
        said += [events.count_argument(name, value) for name, value in (("task", task), ("work", work))]
        return events.event(log.ops[op].name, [*said, self.operands(op, touched)])

    def _operands(self, op: int, touched: _Places) -> bytes:
        """The operands of an instruction by name, each with its place."""
        spaces = self.launch.spaces
        return self.events.dictionary("operands", [
            (name, region_text(key, size, spaces, lane, lanes))
            for name, (key, size, lane, lanes) in zip(self.log.ops[op].operands, touched, strict=True) if size
        ])  # fmt: skip
