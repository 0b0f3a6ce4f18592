"""A toolkit that the tests of host code share."""

from pathlib import Path

import pytest
from mlusim.simulator.host.programs.toolkit import write_toolkit


@pytest.fixture(scope="session")
def sdk(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("toolkit") / "sdk"
    write_toolkit(folder, ["mlu370-x4"])
    return folder
