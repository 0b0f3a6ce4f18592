"""Random instruction sequences do in C and in Python what the interpreter says; the long form is a command."""

from __future__ import annotations

import random

import pytest

from .compare import differences
from .execute import Executor
from .program import draw

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("device", ["mlu370-x4", "mlu270"])
def test_sequences(device: str) -> None:
    executor = Executor(device)
    broken = 0
    for seed in range(150):
        found = differences(executor, draw(random.Random(seed), executor.grain), seed)
        assert found.texts == [], f"seed {seed}"
        broken += found.broken
    assert 30 < broken < 140  # both kinds are tried
