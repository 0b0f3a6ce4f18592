"""What tests of traces and reports share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.traces.report.browser import chromium


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A headless Chromium; skips where none is installed."""
    driver, found = chromium()
    yield found
    found.close()
    driver.stop()
