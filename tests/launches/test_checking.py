"""A device is frozen data, and the checks of its launches are a value that goes with it."""

from __future__ import annotations

import pickle

import pytest
from mlusim.simulator import Device
from mlusim.simulator.checks.at_issue.checking import Checking
from mlusim.simulator.checks.at_issue.standard import STANDARD, subscribed
from mlusim.simulator.checks.at_issue.values import Values


def test_a_device_with_other_checks_is_the_same_chip_with_a_memory_of_its_own() -> None:
    device = Device.load("mlu370-x4")
    quick = device.checked("fast").watched(Values)
    assert quick.checking == Checking("fast", (Values,))
    assert (quick.shape, quick.rates, quick.facts) == (device.shape, device.rates, device.facts)
    assert quick.memory is not device.memory
    assert quick.memory is quick.memory
    assert quick.replace({"shape.spaces.nram.bytes": 1 << 20}).checking == quick.checking
    assert pickle.loads(pickle.dumps(quick)).checking == quick.checking
    with pytest.raises(AttributeError):
        quick.name = "another"  # type: ignore[misc]


def test_what_a_level_subscribes() -> None:
    assert subscribed(Checking()) == subscribed(Checking("fast")) == STANDARD
    assert subscribed(Checking("none", (Values,))) == (Values,)
    assert [level for level in ("all", "fast", "none") if Checking(level).of_logs] == ["all"]
