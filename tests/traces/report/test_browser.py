"""Reports in a real browser: they open without a word, leave the machine alone, and do what their keys say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from mlusim.simulator import load
from mlusim.simulator.cli import main
from mlusim.simulator.findings import Finding
from mlusim.simulator.log import Location
from mlusim.simulator.timing import Timeline, replay
from mlusim.traces import write_trace
from mlusim.traces.report import LaunchShown, ReportPage, write_report

from tests.support.paths import ROOT
from tests.traces.handmade import DEVICE, difference, pipelined
from tests.traces.report.browser import Opened, opened
from tests.traces.report.large import irregular

pytestmark = pytest.mark.slow
EVIL = "</script><script>alert(1)</script><img src=x onerror=alert(1)>&\"'\u202e"


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a kernel on four cores and a memory core, with a source and a finding."""
    folder = tmp_path_factory.mktemp("report")
    source = folder / "demo.mlu"
    source.write_text("\n".join(f"__nram__ float line{n}[256];" for n in range(1, 21)), encoding="utf-8")
    timeline = pipelined(cores=[0, 1, 2, 3, DEVICE.shape.cores], tiles=6)
    places = tuple(Location(str(source), place.line) for place in timeline.log.locations)
    timeline = replace(timeline, log=replace(timeline.log, locations=places))
    finding = Finding("order", "add uses memory that load is still working on", location=Location(str(source), 8))
    path = folder / "r.html"
    write_report(ReportPage("k", [LaunchShown("k", timeline)], [finding], folders=[folder]), path)
    return path


@pytest.fixture
def report(browser: Any, pipeline: Path) -> Iterator[Opened]:
    with opened(browser, pipeline) as found:
        yield found


def test_the_page_says_what_the_timeline_says(report: Opened) -> None:
    page = report.page
    assert page.title() == "k"
    assert "1 error" in page.inner_text("section[aria-label=Summary]")
    assert "add uses memory" in page.inner_text("section[aria-label=Findings]")
    assert "add uses memory" in page.inner_text(".listing tr.remark")
    assert page.inner_text(".listing tr.ran .number >> nth=0") in {"5", "6", "7", "8"}
    rows = report.js("launches[0].lanes.map((lane) => [lane.core, lane.name])")
    assert [0, "compute"] in rows
    assert [DEVICE.shape.cores, "io"] in rows


def test_keys_zoom_pan_and_go_from_record_to_record(report: Opened) -> None:
    page, first = report.page, look_around(report)
    page.keyboard.press("ArrowRight")
    second = report.state()["record"]
    assert report.js(f"l.lane[{first}] === l.lane[{second}] && l.start[{second}] >= l.start[{first}]")
    page.keyboard.press("ArrowDown")
    assert report.js(f"l.lane[store.state.record] !== l.lane[{second}]")
    waiting = report.js("Array.from(l.back).findIndex((back) => back > 0)")
    report.js(f"timeline.select({waiting})")
    page.focus("canvas.sheet")
    page.keyboard.press("c")
    assert report.state()["record"] == report.js(f"{waiting} - l.back[{waiting}]")
    page.keyboard.press("Escape")
    assert report.state()["record"] == -1


def test_a_click_selects_and_shows_all_that_is_known(report: Opened) -> None:
    page = report.page
    place = report.js(
        """(() => { const at = l.lanes.findIndex((lane) => lane.core === 0 && lane.name === 'compute');
            const record = l.order[l.lanes[at].begin]; const row = timeline.rows.find((one) => one.lanes[0] === at);
            const x = timeline.x((l.us(l.start[record]) + l.us(l.end[record])) / 2);
            return {record, x, y: row.y + 22 + row.height / 2}; })()"""
    )
    box = page.locator("canvas.sheet").bounding_box()
    page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
    tip = page.inner_text(".tip")
    assert tip.startswith("add, core 0, compute, ")
    assert "writes dst nram[0] 0x2000..0x3000" in tip
    assert "demo.mlu:8" in tip
    page.mouse.click(box["x"] + place["x"], box["y"] + place["y"])
    assert report.state()["record"] == place["record"]
    report.shows(".chosen:not(tr)", "reason")
    said = page.inner_text(".chosen:not(tr)")
    assert "reads a\tnram[0] 0x0..0x1000" in said.replace("\n", "\t")
    assert "waits for load (demo.mlu:6)" in said
    report.shows(".listing tr.chosen .number", "8")


def test_a_drag_selects_a_span_with_its_statistics(report: Opened) -> None:
    page, whole = report.page, report.js("store.state.whole")
    box = page.locator("canvas.sheet").bounding_box()
    for x, act in ((400, page.mouse.down), (700, page.mouse.up)):
        page.mouse.move(box["x"] + x, box["y"] + 60)
        act()
    span = report.state()["span"]
    assert 0 < span["from"] < span["to"] < whole
    report.shows(".chosen:not(tr)", "load")
    report.shows(".chosen:not(tr)", "waits for")


def test_a_source_line_and_a_search_pick_records(report: Opened) -> None:
    page = report.page
    page.click(".listing tr.ran >> nth=0 >> button")
    line = report.state()["line"]["line"]
    report.shows(".hits", f"demo.mlu:{line}: 30 records")
    page.keyboard.press("/")
    page.fill("input[type=search]", "add")
    report.shows(".hits", "60 records")
    page.keyboard.press("Enter")
    first = report.state()["record"]
    page.keyboard.press("Enter")
    assert report.js("l.opOf(store.state.record).name") == "add"
    assert report.state()["record"] != first
    page.fill("input[type=search]", "nothing is called so")
    report.shows(".hits", "0 records")


def test_all_that_is_drawn_is_in_tables(report: Opened) -> None:
    page = report.page
    for title in ("Pipes, and what", "Records of the time", "Variables and live ranges", "Bandwidth as a table"):
        page.click(f"summary:has-text('{title}')")
    records = page.inner_text("details:has(> summary:has-text('Records of')) .paged")
    assert "load" in records
    assert "dst nram[0] 0x0..0x1000" in records
    lives = page.inner_text("details:has(> summary:has-text('Variables'))")
    assert "line2" in lives  # the name of what is declared at line 2
    assert "live from" in lives
    assert page.locator("canvas[tabindex], canvas[aria-hidden]").count() >= 3


def test_themes_and_print(browser: Any, pipeline: Path) -> None:
    def back(report: Opened) -> str:
        return str(report.page.evaluate("getComputedStyle(document.body).backgroundColor"))

    with opened(browser, pipeline, color_scheme="dark") as dark, opened(browser, pipeline) as light:
        assert back(dark) != back(light)
        light.page.select_option(".tools select", "dark")
        wanted = back(dark)
        light.page.wait_for_function(
            "(wanted) => getComputedStyle(document.body).backgroundColor === wanted", arg=wanted
        )
        light.page.emulate_media(media="print")
        assert light.page.locator(".search").is_hidden()


def test_two_launches_have_one_scale(browser: Any, tmp_path: Path) -> None:
    one, other = (pipelined(cores=[0, 1], tiles=tiles) for tiles in (4, 9))
    path = tmp_path / "r.html"
    launches = [LaunchShown("before", one), LaunchShown("after", other)]
    write_report(ReportPage("both", launches, compare=difference(one, other).to_dict()), path)
    with opened(browser, path) as report:
        assert report.page.locator("canvas.sheet").count() == 2
        assert report.js("store.state.whole") == pytest.approx(other.end.max(), rel=1e-3)
        assert "slower" in report.page.inner_text("section[aria-label=Difference]")


def test_two_launches_have_one_colour_for_a_name_and_one_for_what_takes_long_in_either(
    browser: Any, tmp_path: Path
) -> None:
    one = pipelined(cores=[0, 1], tiles=4)
    ops = tuple(replace(op, name=f"other.{op.name}") if op.name == "load" else op for op in one.log.ops)
    other = replace(one, log=replace(one.log, ops=ops))
    path = tmp_path / "r.html"
    launches = [LaunchShown("before", one), LaunchShown("after", other)]
    write_report(ReportPage("both", launches, compare=difference(one, other).to_dict()), path)
    with opened(browser, path) as report:
        hues = report.js("launches.map((one) => one.facts.ops.map((op, at) => [op.name, one.hue[at]]))")
        before, after = map(dict, hues)
        assert before["add"] == after["add"]
        assert len({before["load"], after["other.load"], before["add"], before["store"]}) == 4


def test_nothing_of_a_stranger_runs(browser: Any, tmp_path: Path) -> None:
    source = tmp_path / f"{EVIL.replace('/', '')[:60]}.mlu"
    source.write_text(f"{EVIL}\n" * 20, encoding="utf-8")
    timeline = pipelined(cores=[0], tiles=3)
    log = replace(
        timeline.log, launch={"kernel": EVIL, "dim": [EVIL], "type": EVIL}, device=EVIL,
        locations=tuple(Location(str(source), place.line) for place in timeline.log.locations),
        ops=tuple(replace(op, name=EVIL + op.name, operands=(EVIL,) * len(op.operands)) for op in timeline.log.ops),
    )  # fmt: skip
    findings = [Finding("order", EVIL, EVIL, EVIL, location=Location(str(source), n), suggestion=EVIL) for n in (5, 6)]
    path = tmp_path / "r.html"
    launch = LaunchShown(EVIL, replace(timeline, log=log))
    write_report(ReportPage(EVIL, [launch], findings, tables=[(EVIL, [EVIL], [[EVIL]])], folders=[tmp_path]), path)
    with opened(browser, path) as report:
        report.js("timeline.select(3)")
        report.js("store.set({search: '<img'})")
        for summary in report.page.locator("summary").all():
            summary.click()
        assert EVIL in report.page.inner_text("h1")
        assert report.page.locator("img").count() == 0
        assert report.page.locator("script").count() == 1


def test_numbers_out_of_range_leave_a_sentence(browser: Any, pipeline: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.html"
    text = pipeline.read_text(encoding="utf-8")
    begin = text.index('id="data">') + 10
    path.write_text(text[: begin + 400] + text[begin + 800 :], encoding="utf-8")
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("[role=alert]")
    assert page.inner_text("#app").startswith("The report cannot be shown: ")
    page.close()


def test_a_million_records_open_and_can_be_walked_through(browser: Any, tmp_path: Path) -> None:
    """How fast is measured by `python -m benchmarks report`."""
    path = tmp_path / "r.html"
    write_report(ReportPage("large", [LaunchShown("large", replay(irregular(1_000_000), DEVICE.rates))]), path)
    assert path.stat().st_size <= 5_000_000
    with opened(browser, path) as report:
        walk(report)


def look_around(report: Opened) -> int:
    """Zoom, pan, see all again, and go to a record by keys; which one."""
    page, whole = report.page, report.js("store.state.whole")
    page.focus("canvas.sheet")
    page.keyboard.press("w")
    near = report.state()["view"]
    assert near["to"] - near["from"] == pytest.approx(0.6 * whole)
    page.keyboard.press("d")
    assert report.state()["view"]["from"] > near["from"]
    page.keyboard.press("0")
    assert report.state()["view"] == {"from": 0, "to": whole}
    page.keyboard.press("ArrowDown")
    found = report.state()["record"]
    assert found >= 0
    return int(found)


def walk(report: Opened) -> None:
    """Zoom, pan, select by key and by search, on a page of any size."""
    page, first = report.page, look_around(report)
    page.keyboard.press("/")
    page.fill("input[type=search]", report.js(f"l.opOf({first}).name"))
    page.locator(".hits", has_text=" record").wait_for(timeout=60_000)
    page.keyboard.press("Enter")
    assert report.js(f"l.opOf(store.state.record).name === l.opOf({first}).name")
    page.keyboard.press("Escape")


def test_reports_of_real_kernels_open(browser: Any, tmp_path: Path) -> None:
    """Logspace on 32 cores, and a kernel of five stages with a memory core."""
    import numpy as np
    from mlusim.kernels import logspace

    chip = DEVICE
    source = np.zeros(4 * 3 * 4096, np.float32)
    program = load([ROOT / "tests" / "kernels_c" / "pipelines.mlu"], device=chip)
    runs: list[Timeline] = [
        logspace(chip, 0, 10, 65536, 2).timeline,
        program.launch("five_stages", (4, 1, 1), "union1", [source, np.zeros_like(source), 3, -1]).timeline,
    ]
    for number, timeline in enumerate(runs):
        path = tmp_path / f"{number}.html"
        write_report(ReportPage("k", [LaunchShown("k", timeline)], folders=[ROOT]), path)
        with opened(browser, path) as report:
            assert report.js("l.lanes.length") > 4
            cores = report.js("timeline.cores")
            assert cores[:4] == [0, 1, 2, 3]
            assert report.page.locator(".listing tr.ran").count() >= 2
            walk(report)


def test_a_failed_check_opens_at_its_findings(browser: Any, tmp_path: Path) -> None:
    path, source = tmp_path / "r.html", ROOT / "docs" / "examples" / "faults.mlu"
    command = ["check", str(source), "--kernel", "order", "--arg", "zeros:float32:4096", "--report", str(path)]
    assert main(command) == 1
    with opened(browser, path) as report:
        assert "__sync_io" in report.page.inner_text("section[aria-label=Findings]")
        assert report.page.locator(".listing tr.remark").count() >= 1
        walk(report)


def test_advice_beside_findings_fits_narrow_windows(browser: Any, tmp_path: Path) -> None:
    """The words have a column that they can be read in, and nothing is wider than the window."""
    path, source = tmp_path / "r.html", ROOT / "docs" / "examples" / "scale_broken.mlu"
    arrays = ["zeros:float32:100000", "zeros:float32:100000", "3", "100000"]
    assert main(["check", str(source), "--kernel", "scale", "--dim", "4", "--arg", *arrays, "--report", str(path)]) == 1
    with opened(browser, path) as report:
        for wide in (1400, 900, 720, 480):
            report.page.set_viewport_size({"width": wide, "height": 900})
            fits = "(wide) => document.documentElement.scrollWidth <= wide"
            report.page.wait_for_function(fits, arg=wide, timeout=5000)
            said = report.page.evaluate("[...document.querySelectorAll('.said')].map((one) => one.offsetWidth)")
            assert min(said) >= 200, wide
        report.page.set_viewport_size({"width": 720, "height": 900})
        report.page.emulate_media(media="print")  # where nothing can be scrolled
        report.page.wait_for_function(fits, arg=720, timeout=5000)


def test_a_trace_of_a_stranger_is_data(browser: Any, tmp_path: Path) -> None:
    """Names and texts in a trace come from whoever has written it."""
    write_trace(pipelined(cores=[0], tiles=3), tmp_path / "t.json")
    document = json.loads((tmp_path / "t.json").read_text())
    for event in document["traceEvents"]:
        if event["ph"] == "X":
            event["name"] += EVIL
            event["args"] |= {"source": f"/etc/passwd{EVIL}:3", "reason": EVIL, "dtypes": EVIL}
            event["args"]["operands"] = {EVIL + name: place for name, place in event["args"]["operands"].items()}
    (tmp_path / "t.json").write_text(json.dumps(document))
    path = tmp_path / "r.html"
    assert main(["view", str(tmp_path / "t.json"), "--report", str(path), "--no-browser"]) == 0
    assert "root:" not in path.read_text(encoding="utf-8")
    with opened(browser, path) as report:
        report.js("timeline.select(1)")
        for summary in report.page.locator("summary").all():
            summary.click()
        assert report.page.locator("img").count() == 0
        assert report.page.locator("script").count() == 1
