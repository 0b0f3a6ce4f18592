"""Trace-event JSON of a timeline, for Perfetto (https://ui.perfetto.dev) and chrome://tracing.

A process is a core, a thread row is a pipe of it (or its front end). Every instruction is a complete event, every
wait for another record is an arrow from it, bandwidth and memory in use are counters.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..simulator.files import write_atomically
from ..simulator.log.region import region_text
from ..simulator.timing import Timeline
from .drawing import ARROWS, LONGEST_NS, Counter, Drawing
from .pftrace import SUFFIX, write_packets
from .shown import Shown
from .summary import summarise
from .tracks import HIDDEN

#: Records that are text at the same time: bounds the memory of a long trace.
_CHUNK = 16384
_json = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode
#: What stands before the facts of the whole launch, at the beginning of the last line.
SUMMARY = '"otherData":'
_DEVICE_PID, _QUEUES_PID = 1, 2
#: Process of core n is CORE_PID + n, and thread ids are unique over all processes: Perfetto keeps 0 for the
#: idle process and finds the thread that it names by its id alone.
CORE_PID = 100
ROWS = 1000
#: Numbers of processes that a device has for itself, where a trace shows several.
DEVICE_PIDS = 100_000


def write_program_trace(launches: Sequence[Shown], path: str | Path) -> None:
    """Write the trace of all launches of a program to ``path``, each from its start on; as `write_trace`."""
    if Path(path).suffix == SUFFIX:
        write_packets(launches, path)
        return
    with write_atomically(Path(path)) as binary, io.TextIOWrapper(binary, "utf-8", newline="\n") as file:
        file.write('{"traceEvents":[\n')
        file.write(",\n".join(_queues(launches)))
        flow = 0
        for shown in launches:
            for events in _Trace(shown.shifted, flow, shown.device).events():
                if events:
                    file.write(",\n" + ",\n".join(events))
            flow += len(shown.timeline.log)
        file.write(f'\n],\n"displayTimeUnit":"ns","otherData":{_json({"launches": len(launches)})}}}\n')


def _queues(launches: Sequence[Shown]) -> Iterator[str]:
    """A row for each queue, with the kernels that it has launched."""
    for device in sorted({shown.device for shown in launches}):
        pid = _QUEUES_PID + device * DEVICE_PIDS
        yield _metadata("process_name", pid, 0, name=f"queues of device {device}")
        for queue in sorted({shown.queue for shown in launches if shown.device == device}):
            yield _metadata("thread_name", pid, pid * ROWS + queue, name=f"queue {queue}")
    for shown in launches:
        pid, launch = _QUEUES_PID + shown.device * DEVICE_PIDS, shown.timeline.log.launch
        args = {"dim": launch.get("dim"), "type": launch.get("type"), "source": shown.line}
        times = {"ts": round(shown.start, 3), "dur": round(shown.timeline.total_us, 3), "args": args}
        yield _json({"ph": "X", "name": launch.get("kernel", ""), "pid": pid, "tid": pid * ROWS + shown.queue, **times})


def write_trace(timeline: Timeline, path: str | Path) -> None:
    """Write the trace of ``timeline`` to ``path``: all of it, or nothing and the old file stays.

    Times are microseconds from the launch with nanosecond precision; equal timelines give equal bytes.
    Raises OSError when the folder is missing or cannot be written, OverflowError for times beyond what a trace holds.
    """
    longest = max(float(timeline.end.max(initial=0.0)), timeline.total_us)
    if not longest * 1e3 <= LONGEST_NS:  # also for what is no number
        raise OverflowError(
            f"the times reach {longest:g} us, and a trace holds {LONGEST_NS / 1e3:g} us at most; look at the rates"
        )
    if Path(path).suffix == SUFFIX:
        write_packets([Shown(timeline)], path)
        return
    with write_atomically(Path(path)) as binary, io.TextIOWrapper(binary, "utf-8", newline="\n") as file:
        file.write('{"traceEvents":[\n')
        separator = ""
        for events in _Trace(timeline).events():
            if events:
                file.write(separator + ",\n".join(events))
                separator = ",\n"
        facts = {
            "device": timeline.log.device,
            "total_us": timeline.total_us,
            "assumed_share": timeline.assumed_share,
            "fitted_share": timeline.fitted_share,
            "not_modelled": timeline.not_modelled,
            "summary": summarise(timeline, top=len(timeline.log) + 1).to_dict(),
        }
        file.write(f'\n],\n"displayTimeUnit":"ns",\n{SUMMARY}{_json(facts)}}}\n')


class _Trace(Drawing):
    """The events of one timeline, as lists of JSON texts that are made chunk by chunk.

    Of several in one trace, each has ``flow`` arrows before it and the processes of its ``device``.
    """

    def __init__(self, timeline: Timeline, flow: int = 0, device: int = 0) -> None:
        super().__init__(timeline)
        self.flow = flow
        self.device, self.core = _DEVICE_PID + device * DEVICE_PIDS, CORE_PID + device * DEVICE_PIDS
        self.pid = self.log.records["core"].astype(np.int64) + self.core
        self.tid = self.pid * ROWS + self.row
        self.names = [_json(op.name) for op in self.log.ops]
        self.space_texts = [_json(space)[1:-1] for space in self.spaces]
        self.sources = [_json(str(location)) for location in self.log.locations]
        # Kernels use the same few addresses again and again.
        self.operand = lru_cache(maxsize=65536)(self._operand)

    def events(self) -> Iterator[list[str]]:
        """All events: names first, then instructions, arrows and counters."""
        yield list(self._names())
        for first in range(0, len(self.log), _CHUNK):
            yield self._instructions(slice(first, first + _CHUNK))
        waiting = self.arrows()
        for first in range(0, len(waiting), _CHUNK):
            yield self._flows(waiting[first : first + _CHUNK])
        for counter in self.counters():
            yield from self._steps(counter)

    def _names(self) -> Iterator[str]:
        """Names and places of the processes and of those rows that show something."""
        yield _metadata("process_name", self.device, 0, name=f"device {self.log.device}")
        yield _metadata("process_sort_index", self.device, 0, sort_index=0)
        for core in np.unique(self.log.records["core"]).tolist():
            yield _metadata("process_name", self.core + core, 0, name=self.core_name(core))
            yield _metadata("process_sort_index", self.core + core, 0, sort_index=self.core_rank(core))
        for tid in np.unique(self.tid[self.row != HIDDEN]).tolist():
            pid, row = divmod(tid, ROWS)
            yield _metadata("thread_name", pid, tid, name=self.row_name(row))
            yield _metadata("thread_sort_index", pid, tid, sort_index=row)

    def _instructions(self, part: slice) -> list[str]:
        """One complete event per record that a row shows."""
        log, records = self.log, self.log.records[part]
        names, sources, text = self.names, self.sources, self.operand
        dtypes = [_json(op.dtypes) for op in log.ops]
        operands = [[_json(name) for name in op.operands] for op in log.ops]
        touched = self.touched(part)
        columns = zip(
            self.row[part].tolist(),
            records["op"].tolist(),
            self.pid[part].tolist(),
            self.tid[part].tolist(),
            _us(self.start[part]),
            _us(self.end[part] - self.start[part]),
            touched,
            records["work"].tolist(),
            records["loc"].tolist(),
            records["task"].tolist(),
            self._reasons(part),
            strict=True,
        )
        events = []
        for row, op, pid, tid, start, duration, places, work, loc, task, why in columns:
            if row == HIDDEN:
                continue
            regions = ",".join(
                [f"{name}:{text(*place)}" for name, place in zip(operands[op], places, strict=True) if place[1]]
            )
            events.append(
                f'{{"ph":"X","name":{names[op]},"pid":{pid},"tid":{tid},"ts":{start},"dur":{duration},'
                f'"args":{{"dtypes":{dtypes[op]},"operands":{{{regions}}},"work":{work},'
                f'"source":{sources[loc]},"task":{task},"reason":"{why}"}}}}'
            )
        return events

    def _reasons(self, part: slice) -> Iterator[str]:
        """Per record why it did not start earlier, as the inside of a JSON string."""
        records, names = self.log.records, [name[1:-1] for name in self.names]
        cause = self.timeline.cause[part]
        columns = zip(
            self.causes(part),
            records["op"][cause].tolist(),
            records["core"][cause].tolist(),
            (self.start[cause] / 1e3).tolist(),
            (self.end[cause] / 1e3).tolist(),
            strict=True,
        )
        for (why, index), op, core, start, end in columns:
            yield why if index < 0 else f"{why}: {names[op]}, core {core}, {start:.3f}..{end:.3f} us"

    def _operand(self, key: int, size: int, lane: int, lanes: int) -> str:
        """JSON of a row of the operand table."""
        region = region_text(key, size, self.space_texts, lane, lanes)
        return f'{{"region":"{region}","bytes":{size * max(lanes, 1)}}}'

    def _flows(self, waiting: np.ndarray) -> list[str]:
        """Start and finish of the arrows to the records ``waiting``.

        A viewer binds an end of an arrow to the instruction under it, and an arrow must not run backwards. So it
        starts in the last nanosecond of the cause, or later within it; that of a barrier starts at the arrival.
        """
        cause = self.timeline.cause[waiting]
        finish = np.maximum(self.start[waiting], self.start[cause])
        begin = np.clip(np.minimum(finish, self.end[cause] - 1), self.start[cause], None)
        columns = zip(
            waiting.tolist(),
            self.timeline.reason[waiting].tolist(),
            self.pid[cause].tolist(),
            self.tid[cause].tolist(),
            _us(begin),
            self.pid[waiting].tolist(),
            self.tid[waiting].tolist(),
            _us(finish),
            strict=True,
        )
        arrows = {int(reason): name for reason, name in ARROWS.items()}
        return [
            f'{{"ph":"{phase}","name":"{arrows[reason]}","cat":"wait","id":{index + 1 + self.flow}{binding},'
            f'"pid":{pid},"tid":{tid},"ts":{time}}}'
            for index, reason, cause_pid, cause_tid, begun, own_pid, own_tid, done in columns
            for phase, binding, pid, tid, time in (
                ("s", "", cause_pid, cause_tid, begun),
                ("f", ',"bp":"e"', own_pid, own_tid, done),
            )
        ]

    def _steps(self, counter: Counter) -> Iterator[list[str]]:
        pid = self.device if counter.core is None else self.core + counter.core
        head = f'{{"ph":"C","name":{_json(counter.name)},"pid":{pid},"tid":{pid},"ts":'
        for first in range(0, len(counter.times), _CHUNK):
            part = slice(first, first + _CHUNK)
            steps = zip(_us(counter.times[part]), counter.levels[part].tolist(), strict=True)
            yield [f'{head}{time},"args":{{"{counter.unit}":{level}}}}}' for time, level in steps]


def _us(ns: np.ndarray) -> list[float]:
    """Nanoseconds as microseconds, such that a reader that multiplies by 1000 and cuts off gets them back.

    Perfetto does so, and would else see one instruction start before the last has ended, and drop it.
    """
    us = ns / 1e3
    short = (us * 1e3).astype(np.int64) < ns
    us[short] = np.nextafter(us[short], np.inf)
    return us.tolist()  # type: ignore[no-any-return]


def _metadata(kind: str, pid: int, tid: int, **args: str | int) -> str:
    return _json({"ph": "M", "name": kind, "pid": pid, "tid": tid or pid, "args": args})
