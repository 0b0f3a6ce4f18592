"""A few random kernels in C++; `python -m tests.fuzz.cxx` goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from mlusim.simulator import Device

from .compare import differences


@pytest.mark.slow
def test_random_kernels_do_what_their_text_does_on_the_host(tmp_path: Path, device: Device) -> None:
    assert differences(20, tmp_path, device) == []
