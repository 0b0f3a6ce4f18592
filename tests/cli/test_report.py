"""Every command that sees a launch writes a report of it with --report; `view` writes one of a log and opens it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mlusim.simulator.cli import main

from tests.support.paths import ROOT
from tests.traces.handmade import pipelined
from tests.traces.report.reading import read

FAULTS = str(ROOT / "docs" / "examples" / "faults.mlu")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where commands run: logs of a short and a longer kernel are there."""
    monkeypatch.chdir(tmp_path)
    for name, tiles in (("a", 2), ("b", 4)):
        pipelined(cores=[0, 1], tiles=tiles).log.save(tmp_path / f"{name}.mlulog")
    return tmp_path


def called(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    return code, *capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "title", "launches"),
    [
        (["replay", "a.mlulog"], "k", ["k"]),
        (["replay", "a.mlulog", "--set", "channels.dram.gb_per_s=900"], "k", ["k"]),
        (["why", "a.mlulog"], "k", ["k"]),
        (["diff", "a.mlulog", "b.mlulog"], "a.mlulog and b.mlulog", ["a.mlulog", "b.mlulog"]),
        (["check", "a.mlulog"], "check of a.mlulog", ["k"]),
        (["op", "logspace", "start=0", "end=1", "steps=64"], "MLUKernelLogspace<float>", ["MLUKernelLogspace<float>"]),
        (["check", FAULTS, "--kernel", "order", "--arg", "zeros:float32:4096"], "check of faults.mlu", ["order"]),
        (["run", FAULTS, "--kernel", "order", "--arg", "zeros:float32:4096"], "order", ["order"]),
    ],
)
def test_a_report_of_each_command(capsys, arguments, title, launches):
    _, out, err = called(capsys, *arguments, "--report", "r.html")
    assert "wrote r.html  (open it in a browser)" in out, err
    head = read(Path("r.html")).head
    assert head["title"] == title
    assert [launch["name"] for launch in head["launches"]] == launches
    assert (head["compare"] is not None) == (arguments[0] == "diff")
    assert head["checked"] == (arguments[0] in ("op", "check", "run"))
    if FAULTS in arguments:
        assert [finding["rule"] for finding in head["findings"]] == ["order"]
        (source,) = (one for one in head["sources"] if one["path"] == FAULTS)
        assert "__mlu_entry__ void order" in source["text"]


def test_it_is_in_the_document(capsys):
    code, out, _ = called(capsys, "why", "a.mlulog", "--json", "--report", "r.html")
    assert (code, json.loads(out)["written"]) == (0, ["r.html"])


def test_a_report_does_not_take_the_place_of_what_is_read(capsys):
    code, _, err = called(capsys, "replay", "a.mlulog", "--report", "a.mlulog")
    assert code == 2
    assert "which this command reads" in err


def test_view_writes_a_file_of_its_own_and_opens_it(capsys, monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url: asked.append(url) or True)
    code, out, _ = called(capsys, "view", "a.mlulog")
    assert code == 0
    path = Path(out.split()[1])
    assert asked == [path.as_uri()]
    assert path.stat().st_mode & 0o077 == 0
    assert read(path).head["title"] == "k"
    path.unlink()


def test_a_trace_is_shown_like_a_log(capsys):
    assert called(capsys, "replay", "a.mlulog", "--trace", "a.json")[0] == 0
    assert called(capsys, "view", "a.json", "--report", "v.html", "--no-browser")[0] == 0
    assert called(capsys, "view", "a.mlulog", "--report", "w.html", "--no-browser")[0] == 0
    trace, log = (read(Path(name)) for name in ("v.html", "w.html"))
    assert trace.head["title"] == "a.json"
    for of_trace, of_log in zip(trace.times(0), log.times(0), strict=True):
        assert abs(of_trace - of_log).max() <= 10  # ticks of a tenth of a nanosecond
    assert "advice" in trace.head["launches"][0]["left_out"][0]
    code, out, _ = called(capsys, "diff", "a.json", "b.mlulog", "--report", "d.html")
    assert (code, [one["name"] for one in read(Path("d.html")).head["launches"]]) == (0, ["a.json", "b.mlulog"])
    assert "wrote d.html" in out
    code, _, err = called(capsys, "view", "a.json", "--set", "launch.overhead_us=1", "--no-browser")
    assert code == 2
    assert "a trace, whose times are fixed" in err


@pytest.mark.parametrize("target", ["secret.txt", "missing", "pipe"])
def test_view_reads_logs_alone(capsys, folder, target):
    (folder / "secret.txt").write_text("the secret\n", encoding="utf-8")
    (folder / "link.mlulog").symlink_to("/dev/zero" if target == "pipe" else folder / target)
    code, out, err = called(capsys, "view", "link.mlulog", "--no-browser", "--report", "r.html")
    assert code == 2
    assert "secret\n" not in out + err
    assert "link.mlulog" in err
    assert not (folder / "r.html").exists()


def test_a_trace_too_large_for_its_viewers_says_so(capsys, monkeypatch):
    monkeypatch.setattr("mlusim.simulator.cli.outputs._LARGEST_TRACE", 100)
    _, out, _ = called(capsys, "replay", "a.mlulog", "--trace", "t.json")
    said = " ".join(out.split())  # a line may be wrapped
    assert "viewers of JSON do not open" in said
    assert "ends in .pftrace" in said
    assert "--report" in said
    _, out, _ = called(capsys, "replay", "a.mlulog", "--trace", "t.pftrace")
    assert "wrote t.pftrace (open it at https://ui.perfetto.dev)" in " ".join(out.split())
