"""Kernels of host programs that use device memory after it has been freed."""

from __future__ import annotations

import pytest
from mlusim.simulator import Device
from mlusim.simulator.findings import Finding
from mlusim.simulator.launches.host_memory import after_free
from mlusim.simulator.log import Location, Region


@pytest.mark.parametrize(
    ("rule", "byte", "again", "found"),
    [
        ("bounds", 8, False, "use-after-free"), ("bounds", 8, True, "bounds"), ("bounds", 4096, False, "bounds"),
        ("race", 8, False, "race"),
    ],
)  # fmt: skip
def test_what_has_been_freed_and_is_nobodys(rule: str, byte: int, again: bool, found: str) -> None:
    memory = Device.load("mlu370-x4").watched().memory
    freed = [memory.allocate(256, name) for name in ("first", "second")]
    offset = freed[1].start - memory.address + byte
    memory.dropped.extend(freed)
    memory.reclaim()
    if again:
        memory.allocate(4096, "third")
    finding = Finding(rule, "there is nothing", region=Region(memory.memory.name, 0, offset, 4))
    made = after_free(finding, memory, [(freed[0], 1, 3), (freed[1], 2, 4)], lambda place: Location("a.mlu", place))
    assert made.rule == found
    if found == "use-after-free":
        assert made.message == "access to byte 8 of 'second', which has been freed"
        assert (made.origin, made.related) == (Location("a.mlu", 2), Location("a.mlu", 4))
    else:
        assert made == finding
