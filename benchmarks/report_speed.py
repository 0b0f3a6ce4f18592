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
BUDGETS: dict[int, tuple[int, int | None, int | None]] = {
    100_000: (1_500_000, 1000, 33),
    1_000_000: (5_000_000, 2000, 50),
    10_000_000: (20_000_000, None, None),
}
_ROUNDS = 3
#: Frames of every pipe of every core, each with less of the time than the one before; a pixel is read back, so that all
#: has been drawn.
_FRAMES = """(shortest) => (timeline.foldAll(true), Array.from({length: 30}, (_, at) => {
    const before = performance.now(), whole = store.state.whole, long = whole * shortest ** (at / 29);
    store.state.view = {from: (whole - long) / 2, to: (whole + long) / 2};
    timeline.frame();
    timeline.context.getImageData(200, 100, 1, 1);
    return performance.now() - before;
}))"""
#: The shortest of them beside the whole: those of the median have all records or nearly half, and many each.
_HALF, _THOUSANDTH = 0.4, 1e-3


def reports() -> Iterator[Figure]:
    """The file, the shortest time to open of three, the median and the slowest of 30 frames."""
    driver, browser = chromium()
    try:
        with tempfile.TemporaryDirectory() as folder:
            for count, (most_bytes, most_open, most_frame) in BUDGETS.items():
                path = Path(folder, f"{count}.html")
                launch = LaunchShown("irregular", replay(irregular(count), device().rates))
                write_report(ReportPage("irregular", [launch]), path)
                yield Figure(f"report of {count:,} records, file", path.stat().st_size / 1e6, "MB", most_bytes / 1e6)
                waited, middle, worst = [], list[float](), list[float]()
                for _ in range(_ROUNDS):
                    with opened(browser, path) as report:
                        waited.append(
                            report.page.evaluate("performance.measure('open', {start: 0, end: 'drawn'}).duration")
                        )
                        report.page.wait_for_function("window.mlusimTimeline.height > 300")
                        middle.append(statistics.median(report.js(f"({_FRAMES})({_HALF})")))
                        worst.append(max(report.js(f"({_FRAMES})({_THOUSANDTH})")))
                        report.said.clear()  # Chromium says that reading pixels back is slow
                yield Figure(f"report of {count:,} records, open", min(waited), "ms", most_open)
                yield Figure(f"report of {count:,} records, frame", min(middle), "ms", most_frame)
                yield Figure(f"report of {count:,} records, slowest frame of 30 down to a thousandth", min(worst), "ms")
    finally:
        browser.close()
        driver.stop()
