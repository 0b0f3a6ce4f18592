"""What a notebook shows of a launch: head, timeline and findings as HTML that needs no script."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

import numpy as np

from ..simulator.findings import Finding, counted
from ..simulator.text import between, percent
from ..simulator.timing import Timeline
from .summary import summarise
from .tracks import FRONT_END, rows

#: Cores that a drawing has at most, findings that are shown in full; pixels of a row and of the whole width.
_CORES, _FINDINGS = 16, 10
_ROW, _WIDTH, _NAMES = 12, 720, 130
#: Colours that colour-blind readers tell apart (Okabe and Ito); every row has its name, too.
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#999999")


def static_html(name: str, timeline: Timeline, findings: Sequence[Finding], suppressed: Sequence[Finding]) -> str:
    """A launch called ``name``: its time and what bounds it, a row for each pipe of its first cores, its findings."""
    return f'<div style="max-width:{_NAMES + _WIDTH}px">{"".join(_parts(name, timeline, findings, suppressed))}</div>'


def _parts(name: str, timeline: Timeline, findings: Sequence[Finding], suppressed: Sequence[Finding]) -> Iterator[str]:
    summary = summarise(timeline)
    sure = f" ({between(summary.interval.low, summary.interval.high)})" if summary.interval else ""
    said = [f"{summary.total_us:,.3f} us{sure} on {summary.device}", f"{summary.records:,} records"]
    busiest = max(summary.pipes, key=lambda pipe: pipe.mean, default=None)
    said += [f"{busiest.pipe} {percent(busiest.mean)} busy"] if busiest else []
    said.append(f"{percent(summary.assumed_share)} of the busy time comes from assumed rates")
    said.append(counted(findings, len(suppressed)) or "no findings")
    yield f"<p><b>{html.escape(name)}</b>: {html.escape('; '.join(said))}</p>"
    yield from _drawing(timeline)
    for finding in findings[:_FINDINGS]:
        yield f'<pre style="white-space:pre-wrap">{html.escape(str(finding))}</pre>'
    if len(findings) > _FINDINGS:
        yield f"<p>and {len(findings) - _FINDINGS} more</p>"


def _drawing(timeline: Timeline) -> Iterator[str]:
    """A row for each pipe of each core, drawn where it is busy."""
    log, row = timeline.log, rows(timeline.log)
    last = float(timeline.end.max(initial=0.0))
    cores = np.unique(log.records["core"]).tolist()
    if not last or not np.isfinite(last):
        return
    lanes = [
        (core, pipe, np.flatnonzero((log.records["core"] == core) & (row == pipe)))
        for core in cores[:_CORES] for pipe in range(FRONT_END + 1, len(log.pipes) + 1)
    ]  # fmt: skip
    lanes = [lane for lane in lanes if len(lane[2])]
    high = _ROW * (len(lanes) + 2)
    yield (
        f'<svg width="100%" viewBox="0 0 {_NAMES + _WIDTH} {high}" font-size="9" fill="currentColor" role="img" '
        f'aria-label="{len(lanes)} rows, {last:,.3f} us" xmlns="http://www.w3.org/2000/svg">'
    )
    for number, (core, pipe, mine) in enumerate(lanes):
        name = html.escape(f"core {core} {log.pipes[pipe - 1]}")
        at = number * _ROW
        yield f'<text x="0" y="{at + 9}">{name}</text><g fill="{_COLOURS[(pipe - 1) % len(_COLOURS)]}">'
        for begin, end in _busy(timeline.start[mine], timeline.end[mine], _WIDTH / last):
            yield f'<rect x="{_NAMES + begin:g}" y="{at + 1}" width="{end - begin:g}" height="{_ROW - 2}"/>'
        yield "</g>"
    yield f'<text x="{_NAMES}" y="{high - 12}">0</text>'
    yield f'<text x="{_NAMES + _WIDTH}" y="{high - 12}" text-anchor="end">{last:,.3f} us</text>'
    if len(cores) > _CORES:
        yield f'<text x="0" y="{high - 1}">and {len(cores) - _CORES} more cores</text>'
    yield "</svg>"


def _busy(start: np.ndarray, end: np.ndarray, scale: float) -> list[tuple[float, float]]:
    """Where records lie, in pixels; those that touch at half a pixel are one."""
    order = np.argsort(start, kind="stable")
    begin = np.floor(start[order] * scale * 2) / 2
    until = np.maximum.accumulate(np.maximum(np.ceil(end[order] * scale * 2) / 2, begin + 0.5))
    heads = np.flatnonzero(np.append(True, begin[1:] > until[:-1]))
    tails = np.append(heads[1:], len(begin)) - 1
    return list(zip(begin[heads].tolist(), until[tails].tolist(), strict=True))
