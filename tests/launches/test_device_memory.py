"""Device memory that is small, in pieces, or more than the host has; and that nothing of it stays behind."""

import gc
import random
import re
import resource
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, launch, load
from mlusim.simulator.core.memory import global_memory
from mlusim.simulator.launches.copies import ArrayCopies

from tests.soak import devices, growth, launches
from tests.support.forked import in_child
from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "aliases.mlu"


def small(size: int) -> Device:
    return Device.load("mlu370-x4").replace({"shape.spaces.gdram.bytes": size})


@pytest.mark.parametrize("seed", range(4))
def test_random_arrays_in_a_small_memory(seed):
    """Each keeps its contents; it is refused exactly where its bytes do not fit, or no gap is large enough."""
    chance, size = random.Random(seed), 1 << (12, 14, 17, 20)[seed]
    device, held, refused = small(size), {}, 0
    for number in range(250):
        if held and chance.random() < 0.45:
            del held[chance.choice(list(held))]
            continue
        count = chance.choice((0, 1, chance.randrange(1, 200), *(chance.randrange(size // 8, size // 2) for _ in "ab")))
        used, message = sum(max(array.nbytes, 1) for array in held.values()), ""
        try:
            held[number] = device.array(np.full(count, number % 251, np.uint8))
        except MemoryError as error:
            refused, message = refused + 1, str(error)
        if used + count > size:
            assert f"needs {count} bytes of device memory; {used} of {size} are in use" in message
        else:
            assert not message or f"no room for {max(count, 1)} more bytes of device array in one piece" in message
        if number % 10 == 0:
            assert all(set(array.numpy()) <= {n % 251} for n, array in held.items())
    places = sorted((array.address, array.nbytes) for array in held.values())
    assert all(start + count <= other for (start, count), (other, _) in pairwise(places))
    assert refused > 5


def test_a_gap_that_is_too_small_is_passed_over():
    device = small(1 << 20)
    first, second = (device.array(np.full(400 << 10, n, np.uint8)) for n in (1, 2))
    del first
    third = device.array(np.full(550 << 10, 3, np.uint8))
    assert (set(second.numpy()), set(third.numpy())) == ({2}, {3})


def test_kernels_use_all_of_a_small_memory():
    device = small(1 << 16)
    program = load([SOURCE], device=device)
    n = 1 << 13
    x, y = np.arange(n, dtype=np.float32), np.zeros(n, np.float32)
    program.launch("twice", args=[y, x, n])
    assert np.array_equal(y, 2 * x)
    with pytest.raises(MemoryError, match="argument 1 of twice needs 4 bytes of device memory; 65536 of 65536"):
        program.launch("twice", args=[np.zeros(2 * n, np.float32), x[:1], 1])
    program.launch("twice", args=[y, x, n])
    held = device.array(x)
    with pytest.raises(MemoryError, match=r"argument 0 of <lambda> needs 65536 bytes"):
        launch(lambda mlu, x: None, args=[np.zeros(1 << 16, np.uint8)], device=device)
    assert held.numpy().tolist() == x.tolist()


def test_many_small_arrays():
    device = small(1 << 18)
    held = [device.array(np.full(1, n, np.int32)) for n in range(800)]
    assert [int(array.numpy()[0]) for array in held] == list(range(800))
    held = held[::2]
    gc.collect()
    held += [device.array(np.full(1, n, np.int32)) for n in range(400)]
    assert [int(array.numpy()[0]) for array in held] == [*range(0, 800, 2), *range(400)]


# --- a host without room --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "most", "message"),
    [
        ("RLIMIT_AS", 1 << 30, "cannot reserve .* bytes of address space: Cannot allocate memory"),
        ("RLIMIT_FSIZE", 1 << 20, "the host has no room for .* bytes of device memory: File too large"),
        ("RLIMIT_NOFILE", 3, "the host has no room for the memory of another device: Too many open files"),
    ],
)
def test_limits_of_the_process(limit, most, message):
    def work() -> str:
        device = Device.load("mlu370-x4")
        number = getattr(resource, limit)
        before = resource.getrlimit(number)
        resource.setrlimit(number, (most, before[1]))
        try:
            device.array(np.zeros(4))
        except MemoryError as error:
            found = str(error)
        resource.setrlimit(number, before)
        return f"{found} {device.array(np.ones(4)).numpy().sum()}"

    text = in_child(work)
    assert re.fullmatch(f"{message} 4.0", text)


def test_an_array_for_which_the_host_has_no_pages(monkeypatch):
    device = Device.load("mlu370-x4")
    large = np.broadcast_to(np.uint8(0), global_memory._LARGE)
    assert global_memory.host_room() > 1 << 20
    monkeypatch.setattr(global_memory, "host_room", lambda: 1 << 20)
    with pytest.raises(MemoryError, match=f"needs {large.size} bytes of the host's memory, which has {1 << 20} left"):
        device.array(large)
    assert device.array(large[:1000]).nbytes == 1000


# --- nothing stays behind -------------------------------------------------------------------------------------------


def test_copies_that_never_ended_go_back():
    """As when Ctrl-C comes just before the end of a launch."""
    memory = Device.load("mlu370-x4").memory
    copies = ArrayCopies(memory, "kernel", [("0", array := np.zeros(4))])
    copies.address(array)
    assert memory.memory.used(0) == 32
    del copies
    memory.reclaim()
    assert memory.memory.used(0) == 0


@pytest.mark.slow
def test_devices_leave_nothing_behind():
    found = list(devices(24))
    assert not growth(found)
    assert found[-1].addresses < found[0].addresses + (40 << 30)  # a machine reserves three, or 40 on a TPU


def test_launches_leave_nothing_behind():
    assert not growth(list(launches(120)))


def test_a_dropped_machine_is_gone_at_once():
    gc.disable()
    try:
        found = []
        for _ in range(6):
            device = Device.load("mlu370-x4")
            launch(lambda mlu: mlu.nram("float", 4), device=device)
            del device
            found.append(int(Path("/proc/self/statm").read_text().split()[0]) >> 18)  # GiB of addresses
    finally:
        gc.enable()
    assert found == found[:1] * 6
