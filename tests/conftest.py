"""What several modules of tests here use."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture
def quick_collections() -> Iterator[None]:
    """The collector of garbage passes over all that is there already: after hundreds of tests that takes it long."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()
