"""Large arrays of device memory lie on large pages of the host's, where it has such."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device
from mlusim.simulator.core.memory.mapping import LARGE_PAGE, Mapping

_ADDRESS = 0x3A00_0000_0000
_HALF = LARGE_PAGE // 2


@pytest.fixture
def mapping() -> Iterator[Mapping]:
    fd = os.memfd_create("mapping")
    os.ftruncate(fd, 8 * LARGE_PAGE)
    made = Mapping(8 * LARGE_PAGE, _ADDRESS, fd)
    yield made
    made.close()
    os.close(fd)


def on_large_pages(address: int) -> int:
    """Bytes on large pages of the mapping that begins at an address; a test is skipped where there are none at all."""
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    assert any(line.startswith(f"{address:x}-") for line in lines)
    return next(int(line.split()[1]) << 10 for line in lines if line.startswith("ShmemPmdMapped:"))


def enlarged(mapping: Mapping, start: int, end: int) -> int:
    mapping.enlarge(_ADDRESS + start, _ADDRESS + end)
    mapping.bytes(_ADDRESS + start, end - start)[:] = 1
    return on_large_pages(_ADDRESS)


@pytest.fixture
def large(mapping: Mapping) -> Mapping:
    if not enlarged(mapping, 0, LARGE_PAGE):
        pytest.skip("this system gives files in memory small pages alone")
    mapping.drop(_ADDRESS, _ADDRESS + LARGE_PAGE)
    return mapping


@pytest.mark.parametrize(
    ("start", "end", "pages"),
    [
        (0, 4 * LARGE_PAGE, 4),
        (_HALF - 1, 2 * LARGE_PAGE, 2),
        (_HALF, 2 * LARGE_PAGE, 1),
        (0, LARGE_PAGE + _HALF, 2),
        (0, LARGE_PAGE + _HALF - 1, 1),
        (0, _HALF - 1, 0),
        (3 * LARGE_PAGE - 1000, 3 * LARGE_PAGE + 1000, 0),
        (_HALF - 1, LARGE_PAGE + _HALF + 1, 2),
    ],
)
def test_bytes_are_rounded_to_large_pages(large, start, end, pages):
    assert enlarged(large, start, end) == pages * LARGE_PAGE


def test_what_lies_there_stays(large):
    """All but what is about to be written, also on the same large page."""
    before = large.bytes(_ADDRESS + 3, LARGE_PAGE + _HALF - 103)
    before[:] = 7
    assert enlarged(large, LARGE_PAGE + _HALF - 100, 4 * LARGE_PAGE) == 3 * LARGE_PAGE
    assert (before == 7).all()


def test_dropped_pages_are_asked_for_again(large):
    assert enlarged(large, 0, 3 * LARGE_PAGE) == 3 * LARGE_PAGE
    large.drop(_ADDRESS + LARGE_PAGE, _ADDRESS + 2 * LARGE_PAGE)
    assert on_large_pages(_ADDRESS) == 2 * LARGE_PAGE
    assert enlarged(large, 0, 3 * LARGE_PAGE) == 3 * LARGE_PAGE
    large.drop(_ADDRESS + LARGE_PAGE, _ADDRESS + LARGE_PAGE + 4096)
    assert on_large_pages(_ADDRESS) == 2 * LARGE_PAGE
    assert enlarged(large, 0, 3 * LARGE_PAGE) == 3 * LARGE_PAGE


def test_arrays_of_a_device(large):
    array = Device.load("mlu370-x4").replace({}).array(np.ones(LARGE_PAGE, np.uint32))
    assert on_large_pages(array.address) == array.nbytes


def test_random_large_arrays_keep_their_contents():
    chance = random.Random(1)
    device = Device.load("mlu370-x4").replace({"shape.spaces.gdram.bytes": 64 << 20})
    held: dict[int, object] = {}
    for number in range(60):
        if sum(array.nbytes for array in held.values()) > 40 << 20:
            for old in chance.sample(list(held), 3):
                del held[old]
        held[number] = device.array(np.full(chance.randrange(1 << 19, 6 << 20), number, np.uint8))
        assert all((array.held() == n).all() for n, array in held.items())
