"""Where device memory may lie: at addresses that nothing else has, of which there are enough."""

from __future__ import annotations

import ctypes
import gc
import itertools

import numpy as np
import pytest
from mlusim.simulator import Device, launch, load
from mlusim.simulator.core.memory import global_memory
from mlusim.simulator.core.memory.mapping import Mapping

from tests.support.paths import ROOT

SCALE = ROOT / "docs" / "examples" / "scale.mlu"


def double(mlu, x):
    tile = mlu.nram("float", 64)
    mlu.__memcpy(tile, x, 256, mlu.GDRAM2NRAM)
    mlu.__bang_add(tile, tile, tile, 64)
    mlu.__memcpy(x, tile, 256, mlu.NRAM2GDRAM)


def test_addresses_that_are_in_use_are_left_alone():
    """Whatever the user's process has there: each of the first places is taken in turn, as far as it is free."""
    taken = []
    for address in itertools.islice(global_memory.addresses(1), 100):
        try:
            taken.append(Mapping(4096, address))
        except FileExistsError:
            continue
    for mapping in taken:
        ctypes.memset(mapping.address, 0xA5, 4096)
    device = Device.load("mlu370-x4")
    x = np.arange(64, dtype=np.float32)
    launch(double, (1, 1, 1), args=[x], device=device)
    assert x.tolist() == [2.0 * n for n in range(64)]
    for mapping in taken:
        assert ctypes.string_at(mapping.address, 4096) == b"\xa5" * 4096
        mapping.close()


@pytest.fixture
def few(monkeypatch) -> int:
    """Room for a few devices only."""
    gc.collect()
    last = global_memory._ROOM[-1].stop
    monkeypatch.setattr(global_memory, "_ROOM", [range(last - 20 * global_memory._APART, last)])
    return len(list(global_memory.addresses(1)))


def test_a_dropped_device_makes_room_for_the_next_one(few):
    for _ in range(2 * few):
        assert Device.load("mlu370-x4").array(np.ones(4, np.float32)).numpy().sum() == 4


def test_devices_dropped_in_circles_make_room_too(few):
    """Python frees a circle only at a collection: the device that finds no room asks for one."""
    gc.disable()
    try:
        for _ in range(few + 1):
            circle = [Device.load("mlu370-x4")]
            assert circle[0].array(np.ones(4, np.float32)).numpy().sum() == 4
            circle.append(circle)
    finally:
        gc.enable()


def test_more_devices_than_there_is_room_for(few):
    taken = []
    for address in global_memory.addresses(1):
        try:
            taken.append(Mapping(4096, address))
        except FileExistsError:
            continue
    try:
        with pytest.raises(MemoryError, match="no addresses are left for the memory of another device; drop one"):
            Device.load("mlu370-x4").array(np.zeros(1, np.float32))
    finally:
        for mapping in taken:
            mapping.close()
    assert len(taken) == few == 20


@pytest.mark.slow
def test_a_large_memory_where_several_small_ones_were(few):
    """A worker lets go of the dropped memories of all devices whose addresses the next one takes in part."""

    def run(device: Device) -> None:
        x = np.ones(64, np.float32)
        launched = load([SCALE], device=device).launch("scale", (1, 1, 1), args=[x, x.copy(), 3.0, 64])
        assert not launched.findings
        assert (x == 3).all()

    def size(name: str) -> int:
        return Device.load(name).memory.mapping.size

    assert size("mlu590") > global_memory._APART >= size("mlu370-x4")
    devices = [Device.load("mlu370-x4") for _ in range(4)]
    for device in devices:
        run(device)
    starts = [device.memory.address for device in devices]
    assert starts == list(itertools.islice(global_memory.addresses(1), 4))
    del devices, device
    gc.collect()
    large = Device.load("mlu590")
    run(large)
    assert large.memory.address == starts[0]
