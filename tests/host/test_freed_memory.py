"""Kernels of host programs that use device memory after it has been freed."""

from __future__ import annotations

import pytest
from mlusim.simulator import Device
from mlusim.simulator.core.memory import Allocation
from mlusim.simulator.core.memory.global_memory import GlobalMemory
from mlusim.simulator.core.memory.quarantine import MOST_ARRAYS, MOST_BYTES
from mlusim.simulator.findings import Finding
from mlusim.simulator.launches.host_memory import after_free, one_for_freed
from mlusim.simulator.log import Location, Region


@pytest.mark.parametrize(
    ("rule", "byte", "again", "found"),
    [
        ("bounds", 8, False, "use-after-free"), ("bounds", 8, True, "bounds"), ("bounds", 4096, False, "bounds"),
        ("race", 8, False, "race"),
    ],
)  # fmt: skip
def test_what_has_been_freed_and_not_allocated_again(rule: str, byte: int, again: bool, found: str) -> None:
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


def test_all_that_a_kernel_does_with_a_freed_array_is_one_finding() -> None:
    def used(line: int, made: int, kernel: str = "k") -> Finding:
        places = {"location": Location("k.mlu", line), "origin": Location("a.mlu", made)}
        return Finding("use-after-free", f"line {line}", kernel=kernel, count=2, **places)

    other = Finding("bounds", "beyond", kernel="k", location=Location("k.mlu", 8), origin=Location("a.mlu", 1))
    found = one_for_freed([used(3, 1), other, used(5, 1), used(6, 2), used(3, 1, "other")])
    assert [(f.message, f.count, f.also) for f in found] == [
        ("line 3", 4, (Location("k.mlu", 5),)), ("beyond", 1, ()), ("line 6", 2, ()), ("line 3", 2, ()),
    ]  # fmt: skip


def freed(memory: GlobalMemory, bytes: int, many: int = 1) -> list[Allocation]:
    """Arrays that were allocated together, and have been freed."""
    entries = [memory.allocate(bytes, "array") for _ in range(many)]
    for entry in entries:
        entry.waits = True
    memory.dropped.extend(entries)
    memory.reclaim()
    return entries


def test_addresses_wait_until_many_arrays_have_been_freed_after_them() -> None:
    memory = Device.load("mlu370-x4").watched().memory
    (first,) = freed(memory, 256)
    assert memory.allocate(256, "next").start > first.start
    freed(memory, 128, MOST_ARRAYS - 1)
    assert memory.allocate(256, "next").start > first.start
    freed(memory, 128)
    assert memory.allocate(256, "next").start == first.start


def test_bytes_that_wait_are_limited() -> None:
    memory = Device.load("mlu370-x4").watched().memory
    (large,) = freed(memory, MOST_BYTES + 1)
    assert memory.allocate(MOST_BYTES + 1, "as large").start == large.start
    (first,) = freed(memory, MOST_BYTES // 2)
    (second,) = freed(memory, MOST_BYTES // 2)
    freed(memory, 1)  # the oldest goes for it
    assert memory.allocate(MOST_BYTES // 2, "next").start == first.start < second.start


def test_nothing_waits_where_its_place_is_needed() -> None:
    memory = Device.load("mlu370-x4").replace({"shape.spaces.gdram.bytes": 1 << 20}).memory
    held = memory.allocate(1 << 18, "held")
    for _ in range(MOST_ARRAYS):
        (last,) = freed(memory, 3 << 18)
        assert last.start > held.start


def test_the_copies_of_a_launch_do_not_wait() -> None:
    memory = Device.load("mlu370-x4").watched().memory
    entry = memory.allocate(256, "argument 0")
    memory.dropped.append(entry)
    assert memory.allocate(256, "argument 0").start == entry.start
