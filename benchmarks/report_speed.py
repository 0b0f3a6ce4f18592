"""What reports of long irregular logs weigh, and how fast a browser without a GPU opens and draws them."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from mlusim.simulator.timing import replay
from mlusim.traces.report import LaunchShown, ReportPage, write_report

from tests.traces.report.browser import chromium, opened
from tests.traces.report.large import irregular

from .measure import Figure, device

#: Records -> bytes, milliseconds until the timeline is drawn, and milliseconds of a frame, at most.
BUDGETS = {100_000: (1_500_000, 1000, 33), 1_000_000: (5_000_000, 2000, 50)}
_ROUNDS = 3
#: Frames of every pipe of every core, from near to all; a pixel is read back, so that all has been drawn.
_FRAMES = """(timeline.foldAll(true), Array.from({length: 30}, (_, at) => {
    const before = performance.now(), whole = store.state.whole;
    store.state.view = {from: whole * at / 100, to: whole * (1 - at / 100)};
    timeline.frame();
    timeline.context.getImageData(200, 100, 1, 1);
    return performance.now() - before;
}))"""


def reports() -> Iterator[Figure]:
    """The file, the shortest time to open of three, the median of 30 frames."""
    driver, browser = chromium()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for count, (most_bytes, most_open, most_frame) in BUDGETS.items():
                path = Path(folder, f"{count}.html")
                launch = LaunchShown("irregular", replay(irregular(count), device().rates))
                write_report(ReportPage("irregular", [launch]), path)
                yield Figure(f"report of {count:,} records, file", path.stat().st_size / 1e6, "MB", most_bytes / 1e6)
                waited, frames = [], list[float]()
                for _ in range(_ROUNDS):
                    with opened(browser, path) as report:
                        waited.append(
                            report.page.evaluate("performance.measure('open', {start: 0, end: 'drawn'}).duration")
                        )
                        report.page.wait_for_function("window.mlusimTimeline.height > 300")
                        frames.append(statistics.median(report.js(_FRAMES)))
                        report.said.clear()  # Chromium says that reading pixels back is slow
                yield Figure(f"report of {count:,} records, open", min(waited), "ms", most_open)
                yield Figure(f"report of {count:,} records, frame", min(frames), "ms", most_frame)
    finally:
        browser.close()
        driver.stop()
