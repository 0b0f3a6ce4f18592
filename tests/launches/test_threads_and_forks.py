"""A device in several threads, in forked and spawned processes, and in code that a launch calls."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Log, Program, launch, load
from mlusim.simulator.core.memory import arena
from mlusim.simulator.log.region import region_key

from tests.support.forked import in_child
from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "aliases.mlu"
SIZE = 700


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads change at every instruction of Python's."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def twice(mlu, y, x, n):
    tile = mlu.nram("float", n)
    mlu.__memcpy(tile, x, 4 * n, mlu.GDRAM2NRAM)
    for _ in range(5):
        mlu.__bang_mul_scalar(tile, tile, 4.0, n)
        mlu.__bang_mul_scalar(tile, tile, 0.25, n)
    mlu.__bang_mul_scalar(tile, tile, 2.0, n)
    mlu.__memcpy(y, tile, 4 * n, mlu.NRAM2GDRAM)


def in_c(program: Program, y: Any, x: Any, isolate: bool = True) -> None:
    program.launch("twice", args=[y, x, SIZE], isolate=isolate)


def in_python(program: Program, y: Any, x: Any) -> None:
    launch(twice, args=[y, x, SIZE], device=program.device)


def numbers(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1000, SIZE).astype(np.float32)


def wrong(program: Program, run: Callable[..., None], seed: int, count: int) -> int:
    """How many of so many launches give a wrong result; arrays of the host and of the device, dropped in between."""
    found = 0
    for number in range(count):
        x, y = numbers(seed * 1000 + number), np.zeros(SIZE, np.float32)
        if number % 2:
            on_device = program.device.array(x), program.device.array(y)
            run(program, *reversed(on_device))
            y = on_device[1].numpy()
        else:
            run(program, y, x)
        found += not np.array_equal(y, 2 * x)
    return found


# --- threads --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("runs", [(in_python,) * 4, (in_c,) * 4, (in_c, in_python) * 2], ids=["Python", "C", "both"])
def test_threads_on_one_device(program, hasty, runs):
    with ThreadPoolExecutor(4) as threads:
        jobs = [threads.submit(wrong, program, run, seed, 10) for seed, run in enumerate(runs)]
        assert [job.result(timeout=100) for job in jobs] == [0] * 4


def test_threads_on_devices_of_their_own(hasty):
    def job(seed: int) -> int:
        own = load([SOURCE], device=Device.load("mlu370-x4"))
        return sum(wrong(own, run, seed, 2) for run in (in_c, in_python, lambda *given: in_c(*given, isolate=False)))

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(job, range(4), timeout=100)) == [0] * 4


def test_a_device_that_many_threads_use_first_at_once(hasty):
    for _ in range(5):
        device, ready = Device.load("mlu370-x4"), threading.Barrier(6)

        def first(kind: int, device=device, ready=ready) -> Any:
            ready.wait()
            return device.array(numbers(kind)) if kind % 2 else device.machine

        with ThreadPoolExecutor(6) as threads:
            found = list(threads.map(first, range(6), timeout=100))
        assert len(set(found[::2])) == 1
        assert [a.numpy().tolist() for a in found[1::2]] == [numbers(kind).tolist() for kind in (1, 3, 5)]


def test_arrays_come_and_go_in_threads(hasty):
    device = Device.load("mlu370-x4").replace({"shape.spaces.gdram.bytes": 1 << 20})

    def job(seed: int) -> bool:
        kept: list[Any] = []
        for number in range(60):
            kept.append((number, device.array(np.full(1000, seed * 100 + number, np.int32))))
            kept = kept[-5:]
            if any(set(array.numpy()) != {seed * 100 + number} for number, array in kept):
                return False
        return True

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(job, range(4), timeout=100)) == [True] * 4
    del job
    gc.collect()
    device.memory.reclaim()
    assert device.memory.memory.used(0) == 0


@pytest.mark.usefixtures("quick_collections")
def test_finalizers_that_use_the_device_while_memory_is_handed_out(monkeypatch):
    """The collector of garbage may come by at any allocation of Python's, also inside of the allocator's lock."""
    device, made = Device.load("mlu370-x4"), []

    class Loop:
        def __init__(self) -> None:
            self.me, self.array = self, device.array(np.full(100, 7, np.int32))

        def __del__(self) -> None:
            made.append(device.array(np.full(50, 9, np.int32)))

    def key(*numbers: int) -> int:
        gc.collect()
        return region_key(*numbers)

    monkeypatch.setattr(arena, "region_key", key)
    kept = []
    for number in range(20):
        kept.append(device.array(np.full(100, number, np.int32)))
        Loop()
    assert len(made) == 19  # one is left
    starts = [array.address for array in made + kept]
    assert len(set(starts)) == len(starts)
    assert [set(array.numpy()) for array in made + kept] == [{9}] * 19 + [{number} for number in range(20)]
    monkeypatch.undo()
    gc.collect()  # the last one goes
    device.memory.reclaim()
    assert [entry.start for entry in device.memory.memory.allocations()] == sorted(a.address for a in made + kept)


def test_a_finalizer_that_uses_a_device_which_goes_with_it():
    said = []

    class Last:
        def __init__(self) -> None:
            self.me, self.device = self, Device.load("mlu370-x4")
            self.array = self.device.array(np.ones(4, np.float32))
            launch(lambda mlu: mlu.nram("float", 4), device=self.device)

        def __del__(self) -> None:
            uses = (
                self.array.numpy,
                lambda: self.device.array(np.ones(4)),
                lambda: launch(lambda mlu: mlu.nram("float", 4), device=self.device),
            )
            for use in uses:
                try:
                    use()
                except RuntimeError as error:
                    said.append(str(error))

    Last()
    gc.collect()
    assert len(said) == 3
    assert all("has gone" in text for text in said)


# --- launches inside of launches ------------------------------------------------------------------------------------


@pytest.mark.parametrize("outer", [in_c, in_python])
@pytest.mark.parametrize("inner", [in_c, in_python])
def test_a_launch_in_a_progress_callback(program, outer, inner):
    other = load([SOURCE], device=Device.load("mlu370-x4"))
    x, y, seen = numbers(1), np.zeros(SIZE, np.float32), []

    def progress(done: int, total: int) -> None:
        with pytest.raises(RuntimeError, match="mlu370-x4 is in the middle of a launch, which called this code"):
            inner(program, y, x)
        seen.append((done, wrong(other, inner, done, 1)))

    for _ in range(2):
        how = {"progress": progress, "on_finding": "collect"}  # the tasks write the same numbers
        if outer is in_c:
            program.launch("twice", (3, 1, 1), "block", [y, x, SIZE], **how)
        else:
            launch(twice, (3, 1, 1), "block", [y, x, SIZE], device=program.device, **how)
        assert y.tolist() == (2 * x).tolist()
    assert seen == [(1, 0), (2, 0), (3, 0)] * 2
    assert wrong(program, inner, 5, 2) == 0


def test_launches_without_isolation_inside_of_each_other(program):
    other = load([SOURCE], device=Device.load("mlu370-x4"))
    x, y = numbers(1), np.zeros(SIZE, np.float32)

    def progress(done: int, total: int) -> None:
        assert wrong(other, in_c, 3, 2) + wrong(other, in_python, 4, 2) == 0
        with pytest.raises(RuntimeError, match="called by a launch with isolate=False"):
            in_c(other, y, x, isolate=False)

    program.launch("twice", args=[y, x, SIZE], isolate=False, progress=progress)
    assert y.tolist() == (2 * x).tolist()


def test_what_a_kernel_was_given_ends_with_its_launch(program):
    kept = []
    x = np.zeros(4, np.float32)
    launch(lambda mlu, x: kept.extend([mlu, x, mlu.__memcpy]), args=[x], device=program.device)
    mlu, pointer, copies = kept
    for use in (lambda: pointer[0], lambda: pointer.__setitem__(0, 1), lambda: mlu.nram("float", 4),
                lambda: copies(pointer, pointer, 4, mlu.GDRAM2GDRAM)):  # fmt: skip
        with pytest.raises(RuntimeError, match="launch has ended"):
            use()


# --- processes ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [in_c, in_python])
def test_a_forked_child_has_a_device_of_its_own(program, run):
    held = program.device.array(numbers(1))
    assert wrong(program, run, 1, 2) == 0

    def work() -> list[Any]:
        made = program.device.array(np.full(SIZE, 77, np.float32))
        return [wrong(program, run, 2, 4), set(made.numpy()), wrong(program, in_c, 3, 2)]

    for _ in range(2):  # the parent goes on while the child works
        with ThreadPoolExecutor(1) as other:
            meanwhile = other.submit(wrong, program, run, 4, 6)
            assert in_child(work) == [0, {77.0}, 0]
            assert meanwhile.result(timeout=100) == 0
        assert held.numpy().tolist() == numbers(1).tolist()


def test_a_child_asks_for_what_a_thread_of_its_parent_is_computing(program, monkeypatch):
    """Such as a column of a log, at the moment of the fork."""
    begun, go_on = threading.Event(), threading.Event()
    logs = [program.launch("twice", args=[np.zeros(SIZE, np.float32), numbers(1), SIZE]).log for _ in range(2)]
    compute = Log.owners.func
    for log in logs:
        log.__dict__.pop("owners", None)
        log.kept.clear()

    def slow(log: Any) -> Any:
        begun.set()
        go_on.wait(100)
        return compute(log)

    monkeypatch.setattr(Log.owners, "func", slow)
    with ThreadPoolExecutor(1) as other:
        other.submit(lambda: logs[0].owners)
        assert begun.wait(100)
        monkeypatch.undo()
        try:
            assert in_child(lambda: len(logs[1].owners)) == len(logs[1].operands)
        finally:
            go_on.set()


def test_arrays_of_the_parent_say_so_in_a_child(program):
    held = program.device.array(numbers(1))
    for use in (held.numpy, lambda: held.address, lambda: in_c(program, held, held),
                lambda: in_python(program, held, held)):  # fmt: skip
        error = in_child(use)
        assert isinstance(error, RuntimeError)
        assert f"this device array belongs to process {os.getpid()}" in str(error)
    assert in_child(lambda: repr(held)) == repr(held)
    assert held.numpy().tolist() == numbers(1).tolist()


def test_a_child_that_drops_a_device_of_its_parent():
    """Memory of its own lies at the same addresses."""
    held = [Device.load("mlu370-x4")]
    held.append(held[0].array(numbers(1)))
    address = held[0].memory.address

    def work() -> tuple[int, bool]:
        mapped = Path("/proc/self/maps").read_text().count("mlusim-device-memory")
        others: list[Device] = []
        while address not in [other.memory.address for other in others]:
            others.append(Device.load("mlu370-x4"))
            others[-1].memory  # noqa: B018 - is mapped when it is looked at
        arrays = [other.array(numbers(n)) for n, other in enumerate(others)]
        held.clear()
        gc.collect()
        return mapped, all(np.array_equal(array.numpy(), numbers(n)) for n, array in enumerate(arrays))

    assert in_child(work) == (0, True)
    assert held[1].numpy().tolist() == numbers(1).tolist()


def test_a_child_leaves_the_worker_of_its_parent_alone(program):
    assert wrong(program, in_c, 1, 1) == 0
    before = workers()

    def work() -> int:
        result = wrong(program, in_c, 2, 1)
        gc.collect()
        return result

    assert in_child(work) == 0
    assert wrong(program, in_c, 3, 1) == 0
    assert workers() == before


def workers() -> set[int]:
    """The processes that this one has started and that run kernels."""
    text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
    return {int(number) for number in text.split()}


@pytest.mark.parametrize("outer", [in_c, in_python])
def test_a_fork_in_a_progress_callback(program, outer):
    """The child may work there and end; it cannot go on with its parent's launch."""
    x, y, parent = numbers(1), np.zeros(SIZE, np.float32), os.getpid()
    results = []

    def work() -> Any:
        return wrong(program, in_c, 1, 1), wrong(program, in_python, 1, 1)

    def progress(done: int, total: int) -> None:
        results.append(in_child(work))

    how = {"progress": progress, "on_finding": "collect"}  # the tasks write the same numbers
    if outer is in_c:
        program.launch("twice", (2, 1, 1), "block", [y, x, SIZE], **how)
    else:
        launch(twice, (2, 1, 1), "block", [y, x, SIZE], device=program.device, **how)
    assert (results, y.tolist()) == ([(0, 0)] * 2, (2 * x).tolist())

    read, write = os.pipe()

    def strays(done: int, total: int) -> None:
        if os.getpid() == parent and not os.fork():
            return

    try:
        if outer is in_c:
            program.launch("twice", (2, 1, 1), "block", [y, x, SIZE], progress=strays, on_finding="collect")
        else:
            launch(
                twice, (2, 1, 1), "block", [y, x, SIZE], device=program.device, progress=strays, on_finding="collect"
            )
    except BaseException as error:
        if os.getpid() == parent:
            raise
        os.write(write, f"{type(error).__name__}: {error}".encode())
        os._exit(0)
    if os.getpid() != parent:
        os._exit(1)
    assert [os.wait()[1] for _ in range(2)] == [0, 0]
    assert os.read(read, 1 << 12).count(b"RuntimeError: a forked child cannot go on with a launch") == 2
    os.close(read)
    os.close(write)
    assert y.tolist() == (2 * x).tolist()


def test_a_device_is_sent_as_what_it_is_and_an_array_is_not(program):
    device = program.device
    held = device.array(numbers(1))
    for other in (pickle.loads(pickle.dumps(device)), copy.deepcopy(device)):
        assert (other.name, other.shape, other.rates.facts) == (device.name, device.shape, device.rates.facts)
        assert other.memory is not device.memory
        assert in_python(load([SOURCE], device=other), np.zeros(SIZE, np.float32), numbers(2)) is None
    for act in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match=r"stays in its device's memory and cannot be copied or sent"):
            act(held)
