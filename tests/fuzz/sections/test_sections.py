"""Random sections do what memory says that changes step by step, or have a finding; the long form is a command."""

from __future__ import annotations

from .execute import Executor


def test_sections() -> None:
    executor = Executor()
    found = [executor.differences(seed) for seed in range(30)]
    assert [(seed, texts) for seed, (texts, _) in enumerate(found) if texts] == []
    assert 6 < sum(conflict for _, conflict in found) < 24  # both kinds are tried
