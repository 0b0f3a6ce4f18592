"""What a notebook shows: short texts, and HTML that needs no script."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from mlusim.simulator import Run, load
from mlusim.simulator.findings import Finding
from mlusim.simulator.timing import Timeline, replay
from mlusim.traces import summarise
from mlusim.traces.notebook import static_html

from tests.support.paths import KERNELS_C
from tests.traces.handmade import DEVICE, make_log, pipelined


def launched() -> Run:
    program = load([KERNELS_C / "reports.mlu"], device=DEVICE)
    assert repr(program).startswith("<Program for mlu370-x4: ")
    return program.launch("part", args=[np.zeros(64, np.float32)])


def bars(page: ElementTree.Element, row: str) -> list[tuple[float, float]]:
    """Where the bars of a row begin and end."""
    (drawing,) = page.iter("{http://www.w3.org/2000/svg}svg")
    parts = list(drawing)
    (at,) = (number for number, part in enumerate(parts) if part.text == row)
    return [(float(bar.attrib["x"]), float(bar.attrib["x"]) + float(bar.attrib["width"])) for bar in parts[at + 1]]


def test_texts_are_one_short_line() -> None:
    run = launched()
    for one in (run, DEVICE, run.timeline, summarise(run.timeline)):
        assert len(repr(one)) < 100
        assert "\n" not in repr(one)
    assert repr(run).endswith("records of part, 1 warning>")
    assert f"{run.time_us:,.3f} us" in repr(run.timeline)


def test_a_run_shows_head_timeline_and_findings(tmp_path: Path) -> None:
    run = launched()
    page = run._repr_html_()
    root = ElementTree.fromstring(page)  # well-formed, so that nothing in it opens what it does not close
    assert f"{run.time_us:,.3f} us" in page
    assert "1 warning" in page
    assert [one.text for one in root.iter("pre")] == [str(run.findings[0])]
    assert any((text.text or "").startswith("core 0 ") for text in root.iter("{http://www.w3.org/2000/svg}text"))
    run.report(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_bytes().startswith(b"<!doctype html>")


def test_bars_lie_where_records_do() -> None:
    timeline = pipelined(cores=[0, 1], tiles=3)
    root, log = ElementTree.fromstring(static_html("k", timeline, [], [])), timeline.log
    scale = 720 / timeline.end.max()
    for core in (0, 1):
        for number, pipe in enumerate(log.pipes):
            mine = (log.records["core"] == core) & (log.records["pipe"] == number)
            shown = [op.name in ("load", "add", "store") for op in log.ops]
            mine &= np.array(shown)[log.records["op"]]
            if mine.any():
                drawn = bars(root, f"core {core} {pipe}")
                assert abs(drawn[0][0] - 130 - timeline.start[mine].min() * scale) <= 1
                assert abs(drawn[-1][1] - 130 - timeline.end[mine].max() * scale) <= 1


def test_it_is_small_says_what_it_leaves_out_and_runs_nothing() -> None:
    timeline = pipelined(cores=list(range(32)), tiles=30)
    evil = "</pre><script>alert(1)</script><img src=x onerror=alert(1)>"
    page = static_html(evil, timeline, [Finding("order", evil)] * 12, [])
    assert len(page) < 200_000
    assert "and 16 more cores" in page
    assert "and 2 more" in page
    assert not re.search(r"<(script|img|iframe|object)|<[^>]* on\w+=", page)
    ElementTree.fromstring(page)


def test_a_launch_without_records() -> None:
    empty: Timeline = replay(make_log([]), DEVICE.rates)
    assert "0 records" in static_html("k", empty, [], [])
