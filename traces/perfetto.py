"""Trace-event JSON of a timeline, for Perfetto (https://ui.perfetto.dev) and chrome://tracing.

A process is a core, a thread row is a pipe of it (or its front end). Every instruction is a complete event, every
wait for another record is an arrow from it, bandwidth and memory in use are counters.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, chain, groupby
from json.encoder import encode_basestring_ascii
from operator import attrgetter
from pathlib import Path

import numpy as np

from ..simulator.files import write_atomically
from ..simulator.log.region import lanes_text, offset_numbers, owner_numbers, space_numbers
from ..simulator.timing import Reason, Timeline
from .drawing import ARROWS, CHUNK, LONGEST_NS, WHY, Counter, Drawing
from .lines import Piece, Texts, hexadecimal, lines, microseconds, number, thousandths
from .pftrace import SUFFIX, write_packets
from .shown import Shown
from .summary import summarise
from .tracks import HIDDEN

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
    flows = accumulate((len(shown.timeline.log) for shown in launches), initial=0)
    traces = (_Trace(shown.shifted, flow, shown.device) for shown, flow in zip(launches, flows, strict=False))
    events = chain([Texts.of(_queues(launches))], chain.from_iterable(trace.events() for trace in traces))
    _write(path, events, f'"otherData":{_json({"launches": len(launches)})}')


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
        yield ",\n" + _json(
            {"ph": "X", "name": launch.get("kernel", ""), "pid": pid, "tid": pid * ROWS + shown.queue, **times}
        )


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
    facts = {
        "device": timeline.log.device,
        "total_us": timeline.total_us,
        "assumed_share": timeline.assumed_share,
        "fitted_share": timeline.fitted_share,
        "not_modelled": timeline.not_modelled,
        "summary": summarise(timeline, top=len(timeline.log) + 1).to_dict(),
    }
    _write(path, _Trace(timeline).events(), f"\n{SUMMARY}{_json(facts)}")


def _write(path: str | Path, events: Iterable[Texts], facts: str) -> None:
    """A whole file: events, each behind a separator, and what is known besides."""
    with write_atomically(Path(path)) as file:
        file.write(b'{"traceEvents":[')
        for part, texts in enumerate(events):
            file.write(texts.data[part == 0 :].data)  # nothing to separate the first one from
        file.write(f'\n],\n"displayTimeUnit":"ns",{facts}}}\n'.encode())


class _Trace(Drawing):
    """The events of one timeline, each behind a separator, which are made chunk by chunk.

    Of several in one trace, each has ``flow`` arrows before it and the processes of its ``device``.
    """

    def __init__(self, timeline: Timeline, flow: int = 0, device: int = 0) -> None:
        super().__init__(timeline)
        self.flow = flow
        self.device, self.core = _DEVICE_PID + device * DEVICE_PIDS, CORE_PID + device * DEVICE_PIDS
        self.pid = self.log.records["core"].astype(np.int64) + self.core
        self.tid = self.pid * ROWS + self.row
        ops = self.log.ops
        self.names = _encoded(op.name for op in ops)
        self.dtypes = _encoded(op.dtypes for op in ops)
        self.sources = _encoded(str(location) for location in self.log.locations)
        self.space_texts = _encoded(self.spaces)
        self.operands = _encoded(name for op in ops for name in op.operands)
        self.first_operand = np.cumsum([0, *(len(op.operands) for op in ops)])

    def events(self) -> Iterator[Texts]:
        """All events: names first, then instructions, arrows and counters."""
        yield Texts.of(self._names())
        for first in range(0, len(self.log), CHUNK):
            yield self._instructions(slice(first, first + CHUNK))
        waiting = self.arrows()
        for first in range(0, len(waiting), CHUNK):
            yield self._flows(waiting[first : first + CHUNK])
        for _, alike in groupby(self.counters(), key=attrgetter("unit")):
            yield from self._steps([*alike])

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

    def _instructions(self, part: slice) -> Texts:
        """One complete event per record that a row shows."""
        shown = self.row[part] != HIDDEN
        operands, reasons = self._operands(part, shown), self._reasons(part, shown)
        records, start = self.log.records[part][shown], self.start[part][shown]
        return lines(
            len(records),
            ',\n{"ph":"X","name":"', self.names.at(records["op"]),
            '","pid":', number(self.pid[part][shown]), ',"tid":', number(self.tid[part][shown]),
            ',"ts":', microseconds(start), ',"dur":', microseconds(self.end[part][shown] - start),
            ',"args":{"dtypes":"', self.dtypes.at(records["op"]), '","operands":{', operands,
            '},"work":', number(records["work"]), ',"source":"', self.sources.at(records["loc"]),
            '","task":', number(records["task"]), ',"reason":"', reasons, '"}}',
        )  # fmt: skip

    def _operands(self, part: slice, shown: np.ndarray) -> Piece:
        """In each line the operands of a record that have bytes, as the inside of a JSON object."""
        log, counts = self.log, self.log.operand_counts[part]
        owners, starts = np.repeat(np.arange(len(counts)), counts), np.cumsum(counts) - counts
        begin = int(log.records["first"][part][0])
        rows = log.operands[begin : begin + len(owners)]
        names = self.first_operand[log.records["op"][part][owners]] + np.arange(len(owners)) - starts[owners]
        used = (rows["bytes"] > 0) & shown[owners]
        rows, owners, names = rows[used], owners[used], names[used]
        follows = np.append(False, owners[1:] == owners[:-1])[: len(owners)]
        across, lanes = np.unique(rows["lane"].astype(np.int64) << 16 | rows["lanes"], return_inverse=True)
        offsets = offset_numbers(rows["key"])
        texts = lines(
            len(rows),
            Texts.of(('"', ',"')).at(follows), self.operands.at(names),
            '":{"region":"', self.space_texts.at(space_numbers(rows["key"])), "[", number(owner_numbers(rows["key"])),
            "]", Texts.of(lanes_text(one >> 16, one & 0xFFFF) for one in across.tolist()).at(lanes),
            " 0x", hexadecimal(offsets), "..0x", hexadecimal(offsets + rows["bytes"].astype(np.int64)),
            '","bytes":', number(rows["bytes"] * np.maximum(rows["lanes"], 1)), "}",
        )  # fmt: skip
        of_shown = np.flatnonzero(shown)
        return texts.between(*(np.searchsorted(owners, of_shown, side) for side in ("left", "right")))

    def _reasons(self, part: slice, shown: np.ndarray) -> Piece:
        """In each line why a record did not start earlier, as the inside of a JSON string."""
        reason, cause = self.timeline.reason[part][shown], self.timeline.cause[part][shown]
        held = cause >= 0
        cause = cause[held]
        records = self.log.records[cause]
        causes = lines(
            len(cause),
            ": ", self.names.at(records["op"]), ", core ", number(records["core"]),
            ", ", thousandths(self.start[cause]), "..", thousandths(self.end[cause]), " us",
        )  # fmt: skip
        past = held.cumsum()
        why = Texts.of(WHY[reason] for reason in Reason)
        return lines(len(reason), why.at(reason), causes.between(past - held, past)).at(np.arange(len(reason)))

    def _flows(self, waiting: np.ndarray) -> Texts:
        """Start and finish of the arrows to the records ``waiting``.

        A viewer binds an end of an arrow to the instruction under it, and an arrow must not run backwards. So it
        starts in the last nanosecond of the cause, or later within it; that of a barrier starts at the arrival.
        """
        cause = self.timeline.cause[waiting]
        finish = np.maximum(self.start[waiting], self.start[cause])
        begin = np.clip(np.minimum(finish, self.end[cause] - 1), self.start[cause], None)
        names = Texts.of(ARROWS.get(reason, "") for reason in Reason).at(self.timeline.reason[waiting])
        identity = number(waiting + 1 + self.flow)
        return lines(
            len(waiting),
            ',\n{"ph":"s","name":"', names, '","cat":"wait","id":', identity,
            ',"pid":', number(self.pid[cause]), ',"tid":', number(self.tid[cause]), ',"ts":', microseconds(begin),
            '},\n{"ph":"f","name":"', names, '","cat":"wait","id":', identity, ',"bp":"e"',
            ',"pid":', number(self.pid[waiting]), ',"tid":', number(self.tid[waiting]), ',"ts":', microseconds(finish),
            "}",
        )  # fmt: skip

    def _steps(self, counters: Sequence[Counter]) -> Iterator[Texts]:
        """The steps of counters that have the same unit."""
        pids = [self.device if one.core is None else self.core + one.core for one in counters]
        heads = Texts.of(
            f',\n{{"ph":"C","name":{_json(one.name)},"pid":{pid},"tid":{pid},"ts":'
            for one, pid in zip(counters, pids, strict=True)
        )
        which = np.repeat(np.arange(len(counters)), [len(one.times) for one in counters])
        times, levels = (np.concatenate([getattr(one, name) for one in counters]) for name in ("times", "levels"))
        for first in range(0, len(which), CHUNK):
            part = slice(first, first + CHUNK)
            whole = levels.dtype.kind == "i"
            level = number(levels[part]) if whole else thousandths(np.rint(levels[part] * 1e3))
            yield lines(
                len(which[part]), heads.at(which[part]), microseconds(times[part]),
                f',"args":{{"{counters[0].unit}":', level, "}}",
            )  # fmt: skip


def _encoded(names: Iterable[str]) -> Texts:
    """Names as the inside of JSON strings."""
    return Texts.of(_json(name)[1:-1] for name in names)


def _metadata(kind: str, pid: int, tid: int, **args: str | int) -> str:
    ((name, value),) = args.items()
    text = encode_basestring_ascii(value) if isinstance(value, str) else value
    return f',\n{{"ph":"M","name":"{kind}","pid":{pid},"tid":{tid or pid},"args":{{"{name}":{text}}}}}'
