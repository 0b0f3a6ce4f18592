"""Names, paths and texts that others chose reach a terminal spelled out, and traces as JSON that every parser reads."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import BuildError, Device, Finding, KernelError, Log, launch, load, replay
from mlusim.simulator.chip.rates import Channel
from mlusim.simulator.log import Location
from mlusim.simulator.text import printable, quoted
from mlusim.traces import summarise, write_trace

from tests.support.commands import call
from tests.support.paths import CHIPS

#: Colours, a title, the clipboard, C1 codes, a change of direction, a bell, a byte that is no text, two kinds of lines.
NASTY = "\x1b[31m\x1b]0;t\x07\x1b]52;c;eA==\x07\x9b2J\u202e\u2066\udcff\x7f\u2028\x85"
DEVICE = Device.load("mlu370-x4")


def clean(text: str) -> bool:
    """Whether a terminal would only print it."""
    return all(c.isprintable() or c in "\n\t" for c in text)


def copy(mlu, x):
    tile = mlu.nram("float", 64)
    mlu.__memcpy(tile, x, 256, mlu.GDRAM2NRAM)


def refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")


@pytest.fixture(scope="module")
def nasty_log() -> Log:
    log = launch(copy, args=[np.zeros(64, np.float32)], device=DEVICE).log
    ops = tuple(replace(op, name=op.name + NASTY, operands=tuple(o + NASTY for o in op.operands)) for op in log.ops)
    places = tuple(Location(NASTY + place.file, place.line) for place in log.locations)
    pipes = tuple(pipe + NASTY for pipe in log.pipes)
    return replace(log, ops=ops, locations=places, pipes=pipes, device="mlu370-x4", launch={"kernel": NASTY})


def test_printable():
    assert printable("plain ü 中 text\n\tx") == "plain ü 中 text\n\tx"
    assert printable("a\x1b[0m\u202eb\udcff") == r"a\x1b[0m\u202eb\udcff"
    assert printable("a\nb", keep="") == r"a\nb"
    assert clean(printable(NASTY))


def test_quoted_is_short_and_clean():
    many = np.zeros((2,) * 20, np.int8)  # of which NumPy writes a long text for seconds
    values = [NASTY, [NASTY], {NASTY: NASTY}, 10**5000, -(10**5000), [10**5000], "x" * 10**7, [[[[[[1]]]]]], many]
    for text in map(quoted, values):
        assert clean(text)
        assert len(text) < 1500
    assert quoted(many) == f"an array of int8 with shape {[2] * 20}"


def test_findings_and_build_errors(tmp_path):
    finding = Finding("bounds", NASTY, instruction=NASTY, kernel=NASTY, location=Location(NASTY, 3), suggestion=NASTY)
    assert clean(str(finding))
    assert clean(str(KernelError(finding)))
    assert finding.to_dict()["message"] == NASTY
    source = tmp_path / "k.mlu"
    source.write_bytes(b"__mlu_entry__ void k(float *x) { x[0] = \x1b[31m; /* \xe2\x80\xae */ }\n")
    with pytest.raises(BuildError) as caught:
        load([source], device=DEVICE)
    assert clean(str(caught.value))


def test_a_log_of_hostile_names_on_the_command_line(capfd, tmp_path, nasty_log, monkeypatch):
    monkeypatch.chdir(tmp_path)
    nasty_log.save("l.mlulog")
    assert Log.load("l.mlulog") == nasty_log
    code, out, err = call(capfd, "replay", "l.mlulog", "--trace", "t.json")
    assert code == 0, err
    assert clean(out + err)
    assert "__memcpy" in out
    trace = json.loads(Path("t.json").read_bytes(), parse_constant=refuse)
    assert any(event["name"].endswith(NASTY) for event in trace["traceEvents"])


def test_a_trace_of_a_memory_with_a_hostile_name(tmp_path, nasty_log):
    names = {name: name + NASTY + '"' * (name == "nram") for name in nasty_log.shape.spaces if name != "gdram"}
    spaces = {
        names.get(name, name): replace(s, name=names.get(name, name)) for name, s in nasty_log.shape.spaces.items()
    }
    log = replace(nasty_log, shape=replace(nasty_log.shape, spaces=spaces))
    write_trace(replay(log, DEVICE.rates), tmp_path / "t.json")
    trace = json.loads((tmp_path / "t.json").read_bytes(), parse_constant=refuse)
    operands = [event["args"].get("operands", {}) for event in trace["traceEvents"] if "args" in event]
    regions = [place["region"] for places in operands for place in places.values()]
    assert any(region.startswith("nram" + NASTY + '"') for region in regions)


def test_file_names_on_the_command_line(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = NASTY.replace("\udcff", "") + os.fsdecode(b"\xff")
    Path(name + ".mlu").write_text("__mlu_entry__ void k(float *x) { nothing(); }\n")
    Path(name + ".toml").write_text('name = "\\u001b[31m"\n')
    new = ("op", "logspace", "start=0", "end=1", "steps=2")
    for arguments in (
        ("build", name + ".mlu"), ("build", name), ("run", name, "--kernel", name), ("devices", name), ("isa", name),
        ("devices", name + ".toml"), ("replay", name), ("op", name), ("op", "logspace", f"{name}=1"), (name,),
        ("isa", "--arch", name), (*new, "--out", f"{name}/{name}"), ("op", "logspace", "start=" + name),
    ):  # fmt: skip
        code, out, err = call(capfd, *arguments)
        assert code in (1, 2)
        assert clean(out + err), arguments


def test_a_device_of_a_hostile_name(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    chip = CHIPS / "mlu370-x4.toml"
    text = chip.read_text(encoding="utf-8").replace('name = "mlu370-x4"', 'name = "\\u001b[31m\\u202e"')
    Path("mine.toml").write_text(text, encoding="utf-8")
    for arguments in (
        ("devices", "mine.toml"),
        ["op", "logspace", "start=0", "end=1", "steps=2", "--device", "mine.toml"],
    ):
        code, out, err = call(capfd, *arguments)
        assert code == 0
        assert clean(out + err)
        assert r"\x1b[31m\u202e" in out


def test_a_trace_of_times_that_are_none(tmp_path, nasty_log):
    path = tmp_path / "t.json"
    for rate in (1e-30, 0.0, float("nan"), float("-inf")):
        slow = {"dram": Channel(rate, 0.0, "device", ("gdram",))}
        with np.errstate(all="ignore"):
            timeline = replay(nasty_log, replace(DEVICE.rates, channels=slow))
            try:
                write_trace(timeline, path)
            except OverflowError as error:
                assert "a trace holds" in str(error)  # noqa: PT017 - either end is right
                assert not path.exists()
                continue
        json.loads(path.read_bytes(), parse_constant=refuse)
        path.unlink()


@pytest.mark.parametrize("change", ["launch.overhead_us", "channels.dram.latency_ns", "engines.io.startup_cycles"])
@pytest.mark.parametrize("value", [0, 1e-12, 1e11, 1e30])
def test_a_trace_at_any_legal_rate(tmp_path, change, value):
    run = launch(copy, args=[np.zeros(64, np.float32)], device=DEVICE)
    try:
        rates = DEVICE.rates.replace({change: value})
        timeline = replay(run.log, rates)
        summarise(timeline)
        write_trace(timeline, tmp_path / "t.json")
    except OverflowError:
        assert value == 1e30
        return
    json.loads((tmp_path / "t.json").read_bytes(), parse_constant=refuse)
