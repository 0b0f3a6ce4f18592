"""What a report says of a launch in words and figures, as plain data; the columns beside it hold the records."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...simulator.timing import Costs, Timeline
from ..summary import REASONS, summarise
from ..tracks import FRONT_END, HIDDEN, rows
from ..why import explain
from .bandwidth import bandwidth
from .columns import Columns
from .memory import facts as memory_facts
from .memory import live, variables
from .records import OPERANDS, Drawn, add_operands, add_records, ticks

#: A log with more records than the first number gets no advice, which looks at each record several times; one with
#: more than the second shows no operands and no memory.
_SLOW, _MANY = 200_000, 4_000_000
#: As ``top``, it asks for everything that a summary and an explanation have.
_ALL = 1 << 31
#: Records that a page draws fast.
_DRAWN = 2_000_000


def launch_facts(timeline: Timeline, limit: int, *, fixed: bool = False) -> tuple[dict[str, Any], Columns]:
    """The facts of a launch, and columns that take about ``limit`` bytes at most; ``left_out`` says what that cost.

    ``fixed``: the log does not hold all that a replay needs.
    """
    log, columns = timeline.log, Columns()
    drawn, left_out = Drawn.of(timeline), list[str]()
    if log.left_out:
        left_out.append(
            f"the last {log.left_out:,} of {len(log) + log.left_out:,} records: the log had no room for them"
        )
    last = int(ticks(np.array([timeline.end.max(initial=0.0)]), drawn.tick_us)[0])
    _add(columns, timeline, drawn, last, left_out)
    drawn = _fitted(columns, drawn, limit, left_out)
    summary = summarise(timeline, _ALL).to_dict()
    facts = {
        "device": log.device, "launch": log.launch, "records": len(log), "tick_us": drawn.tick_us, "last": last,
        "lanes": drawn.lanes, "rows": ["front end", *log.pipes],
        "shape": {"cores": log.shape.cores, "per_cluster": log.shape.cores_per_cluster},
        "ops": [_op(op) for op in log.ops],
        "lines": [(place.file, place.line) for place in log.locations],
        "spaces": list(log.shape.spaces), "memories": memory_facts(log) if "live_memory" in columns.described else [],
        "reasons": {int(reason): text for reason, text in REASONS.items()},
        "summary": summary,
        "why": explain(timeline, top=_ALL, advice=len(log) <= _SLOW and not fixed).to_dict(),
        "bandwidth": bandwidth(timeline, Costs.of(log, timeline.rates)), "balance": _balance(timeline),
        "left_out": left_out,
    }  # fmt: skip
    if fixed:
        left_out.append("advice and declared variables: they are in the log (--log), not in the trace")
    elif len(log) > _SLOW:
        left_out.append(f"advice: the log has more than {_SLOW:,} records; `mlusim why` gives it")
    return facts, columns


def _op(op: Any) -> dict[str, Any]:
    return {"name": op.name, "dtypes": op.dtypes, "operands": op.operands, "writes": op.writes, "engine": op.engine}


def _add(columns: Columns, timeline: Timeline, drawn: Drawn, last: int, left_out: list[str]) -> None:
    """All columns of a launch that it is not too large for."""
    log = timeline.log
    if len(log) > _MANY:
        left_out.append(f"operands and memory: the log has more than {_MANY:,} records")
        return
    start, end = ticks(timeline.start, drawn.tick_us), ticks(timeline.end, drawn.tick_us)
    variables(log, start, last).add_to(columns, "held")
    live(log, rows(log) != HIDDEN, start, end).add_to(columns, "live")
    add_operands(columns, log, drawn)


def _fitted(columns: Columns, drawn: Drawn, limit: int, left_out: list[str]) -> Drawn:
    """Add the columns of the records; leave out operands, then short records, until all fits."""
    most, found = min(len(drawn), _DRAWN), drawn
    while True:
        if most < len(found):
            found = drawn.condensed(most)
        if len(found) < len(drawn):
            columns.drop(*OPERANDS)
        add_records(columns, found)
        if columns.size > limit and "bytes" in columns.described:
            columns.drop(*OPERANDS)
            left_out.append("operands of the records: they take more room than a report has")
        if columns.size <= limit or most < 1000:
            break
        most = int(most * 0.9 * limit / columns.size)
    if len(found) < len(drawn):
        left_out.append(
            f"{len(drawn) - len(found):,} of {len(drawn):,} records: short ones that lie side by side are drawn as "
            "one, without operands and causes; all figures beside the timeline are of all records"
        )
    return found


def _balance(timeline: Timeline) -> dict[str, Any]:
    """Busy time of every pipe on every core, and when the core's last record ends, in microseconds."""
    log, row = timeline.log, rows(timeline.log)
    cores, core = np.unique(log.records["core"], return_inverse=True)
    ends = np.zeros(len(cores))
    np.maximum.at(ends, core, timeline.end)
    busy = np.where(row > FRONT_END, timeline.end - timeline.start, 0.0)
    return {
        "cores": cores.tolist(), "end": _short(ends),
        "busy": [_short(np.bincount(core[row == 1 + at], busy[row == 1 + at], len(cores)))
                 for at in range(len(log.pipes))],
    }  # fmt: skip


def _short(us: np.ndarray) -> list[float]:
    return [round(value, 4) for value in us.tolist()]
