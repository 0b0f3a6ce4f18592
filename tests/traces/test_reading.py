"""A trace that is read back shows what the timeline did, and one that was tampered with is a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator.timing import Timeline
from mlusim.traces import write_trace
from mlusim.traces.reading import read_trace
from mlusim.traces.tracks import HIDDEN, rows

from tests.traces.handmade import DEVICE, pipelined


@pytest.fixture(scope="module")
def timeline() -> Timeline:
    return pipelined(cores=[0, 1, 5, DEVICE.shape.cores], tiles=12)


@pytest.fixture(scope="module")
def trace(timeline: Timeline, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("read") / "t.json"
    write_trace(timeline, path)
    return path


def test_it_shows_what_the_timeline_did(timeline: Timeline, trace: Path) -> None:
    found, shown = read_trace(trace), np.flatnonzero(rows(timeline.log) != HIDDEN)
    log, read = timeline.log, found.log
    assert len(read) == len(shown)
    assert np.allclose(found.start, timeline.start[shown], atol=1e-3)
    assert np.allclose(found.end, timeline.end[shown], atol=1e-3)
    assert (rows(read) == rows(log)[shown]).all()
    assert found.total_us == timeline.total_us
    for name in ("core", "task", "work"):
        assert (read.records[name] == log.records[name][shown]).all()
    for at, index in enumerate(shown.tolist()):
        assert read.ops[read.records["op"][at]].name == log.ops[log.records["op"][index]].name
        assert read.location(at) == log.location(index)
        assert [(n, place) for n, _, place in read.regions(at)] == [(n, place) for n, _, place in log.regions(index)]
    assert (found.reason == timeline.reason[shown]).all()
    # A cause that no row shows, such as a declaration, is lost; the others are the records of their words.
    kept = np.isin(timeline.cause[shown], shown)
    assert (shown[found.cause[kept]] == timeline.cause[shown][kept]).mean() > 0.99
    assert (found.cause[~kept] == -1).all()


def event(change: Callable[[dict[str, Any]], object]) -> Callable[[dict[str, Any]], object]:
    """A change to an instruction of a trace."""
    return lambda document: change(next(one for one in document["traceEvents"] if one["ph"] == "X"))


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "no events": lambda document: document.pop("traceEvents"),
    "events that are none": lambda document: document.update(traceEvents={"a": 1}),
    "an unknown device": lambda document: document["otherData"].update(device="../../etc/passwd"),
    "no total": lambda document: document["otherData"].pop("total_us"),
    "a time before the launch": event(lambda one: one.update(ts=-1)),
    "a time that is text": event(lambda one: one.update(ts="<script>")),
    "an endless time": event(lambda one: one.update(dur=1e300)),
    "a core that is none": event(lambda one: one.update(pid=10**9)),
    "a row that is none": event(lambda one: one.update(tid=10**12)),
    "absurd work": event(lambda one: one["args"].update(work=1 << 70)),
    "a task below zero": event(lambda one: one["args"].update(task=-1)),
    "operands that are a list": event(lambda one: one["args"].update(operands=[1])),
    "a memory that is none": event(lambda one: one["args"].update(operands={"a": {"region": "dram[0] 0x0..0x1"}})),
    "an absurd place": event(lambda one: one["args"].update(operands={"a": {"region": "nram[9] 0x9..0x1"}})),
    "an owner that is none": event(lambda one: one["args"].update(operands={"a": {"region": "nram[99999] 0x0..0x1"}})),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_trace_that_was_tampered_with_is_a_sentence(trace: Path, tmp_path: Path, name: str) -> None:
    document = json.loads(trace.read_text())
    TAMPERED[name](document)
    (tmp_path / "t.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=r"pass|is damaged: ") as caught:
        read_trace(tmp_path / "t.json")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["{", "{" * 100_000, '{"traceEvents":[]}', "{}", '{"otherData":1,"traceEvents":[]}'])
def test_text_that_is_no_trace(tmp_path: Path, text: str) -> None:
    (tmp_path / "t.json").write_text(text)
    with pytest.raises(ValueError, match="is no trace of a launch"):
        read_trace(tmp_path / "t.json")
