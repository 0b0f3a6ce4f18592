"""A headless Chromium for tests of reports, where there is one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> Any:
    """A browser that is running; skips the test where none is installed."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        pytest.skip("needs Chromium (Debian, Ubuntu: apt-get install chromium)")
    driver = sync_api.sync_playwright().start()
    # Without a GPU, as the budgets are measured; a browser of root has no sandbox.
    flags = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    return driver, driver.chromium.launch(executable_path=path, args=flags)


@dataclass
class Opened:
    """A report in a page, and what the page has said and asked for meanwhile."""

    page: Any
    metrics: Any
    said: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def js(self, text: str) -> Any:
        """The value of an expression, with the launch, the state and the timeline of the page as l, store, timeline."""
        names = "const {store, launches} = window.mlusim; const l = launches[0], timeline = window.mlusimTimeline;"
        return self.page.evaluate(f"(() => {{ {names} return {text}; }})()")

    def shows(self, selector: str, text: str) -> None:
        """Wait until an element has a text: the page draws itself a moment after an event."""
        self.page.locator(selector, has_text=text).wait_for(timeout=5000)

    def cpu_ms(self) -> float:
        """Milliseconds of CPU time that the page's own thread has taken since it was opened."""
        found = {one["name"]: one["value"] for one in self.metrics.send("Performance.getMetrics")["metrics"]}
        return float(found["TaskDuration"]) * 1e3

    def state(self) -> Any:
        """The state of the page."""
        return self.js("store.state")


@contextmanager
def opened(browser: Any, path: Path, **more: Any) -> Iterator[Opened]:
    """A report, opened and drawn; afterwards: it has said nothing, and asked for nothing but itself."""
    page = browser.new_page(viewport={"width": 1400, "height": 1000}, **more)
    metrics = page.context.new_cdp_session(page)
    metrics.send("Performance.enable", {"timeDomain": "threadTicks"})
    found = Opened(page, metrics)
    page.on("console", lambda message: found.said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: found.said.append(f"error: {error}"))
    page.on("dialog", lambda dialog: (found.said.append(f"dialog: {dialog.message}"), dialog.dismiss()))
    page.on("request", lambda request: found.requests.append(request.url))
    page.goto(path.as_uri())
    page.wait_for_selector("canvas.sheet, section[aria-label=Findings]")
    yield found
    assert found.said == []
    assert found.requests == [path.as_uri()]
    page.close()
