"""Arrays of a launch that share host memory, and what reaches the host when a launch fails."""

import signal
import sys

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, launch
from mlusim.simulator.launches.copies import ArrayCopies

from tests.fuzz.launches import search
from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "aliases.mlu"
REAL = np.arange(16, dtype=np.float32)


def windows(a: np.ndarray) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(a, (4, 3), (4, 16))


def twice(mlu, y, x, n):
    for i in range(n):
        y[i] = 2 * x[i]


@pytest.fixture(params=["C", "Python"])
def run(request, program):
    """Launches y[i] = 2 * x[i], element after element."""
    if request.param == "C":
        return lambda y, x, n: program.launch("twice", args=[y, x, n])
    return lambda y, x, n: launch(twice, args=[y, x, n], device=program.device)


def test_random_launches_with_shared_arrays():
    found = search(150, seed=7)
    assert min(found[outcome] for outcome in ("right", "refused", "failed")) > 10


@pytest.mark.parametrize(
    ("make", "wanted"),
    [
        (lambda a: (a, a), 2 * REAL),
        (lambda a: (a, a[:]), 2 * REAL),
        (lambda a: (a[1:], a[:-1]), [0.0] * 16),  # every element is twice the one before it, the first is 0
        (lambda a: (a[:-1], a[1:]), [*(2 * REAL[1:]), 15.0]),
        (lambda a: (a[::2], a[::2]), [2 * x if x % 2 == 0 else x for x in REAL]),
        (lambda a: (a[::2], a[1::2]), [2 * (x + 1) if x % 2 == 0 else x for x in REAL]),
        (lambda a: (a[::-1], a[::-1]), 2 * REAL),
        (lambda a: (a.reshape(4, 4)[:2, 1:3], a.reshape(4, 4)[1:3, 1:3]), [0, 10, 12, 3, 4, 18, 20, 7, *range(8, 16)]),
    ],
)
def test_one_memory_on_the_host_is_one_on_the_device(run, make, wanted):
    a = REAL.copy()
    y, x = make(a)
    assert not run(y, x, min(y.size, x.size)).findings
    assert a.tolist() == list(wanted)


@pytest.mark.parametrize(
    "make",
    [
        lambda a: (a, a[::2]),
        lambda a: (a, a[::-1]),
        lambda a: (a.reshape(4, 4), a.reshape(4, 4).T),
        lambda a: (a[::2], a[::4]),
        lambda a: (a, np.broadcast_to(a[:1], 16)),
        lambda a: (windows(a), windows(a[2:])),  # each is a set of elements, both together are not
    ],
)
def test_what_packed_copies_cannot_share_is_refused(run, make):
    a = REAL.copy()
    with pytest.raises(ValueError, match=r"arguments 0 and 1 of twice share host memory.*\.copy\(\)"):
        run(*make(a), 1)
    assert a.tolist() == REAL.tolist()


def test_a_view_that_repeats_its_own_elements(run):
    a = REAL.copy()
    windows = np.lib.stride_tricks.as_strided(a, (8, 8), (4, 4))
    with pytest.raises(ValueError, match="argument 1 of twice is a view whose elements share memory"):
        run(np.zeros(64, np.float32), windows, 64)
    windows.flags.writeable = False
    out = np.zeros(64, np.float32)
    run(out, windows, 64)
    assert out.tolist() == (2 * windows).ravel().tolist()


def test_arrays_that_nothing_can_write_need_not_share(run):
    a = REAL.copy()
    a.flags.writeable = False
    transposed, out = a.reshape(4, 4).T, np.zeros(16, np.float32)

    def both(mlu, out, x, y):
        for i in range(16):
            out[i] = x[i] + y[i]

    launch(both, args=[out, a, transposed], device=Device.load("mlu370-x4"))
    assert out.tolist() == (a + transposed.ravel()).tolist()


def test_a_read_only_view_sees_what_is_written(run):
    a = REAL.copy()
    seen = a[:-1]
    seen.flags.writeable = False
    a[0] = 1
    run(a[1:], seen, 15)
    assert a.tolist() == [2.0**i for i in range(16)]


def test_a_structured_view(run):
    records = np.zeros(4, [("x", np.float32), ("y", np.float32)])
    records["x"], records["y"] = REAL[:4], REAL[4:8]
    run(records.view(np.float32), records.view(np.float32)[::1], 8)
    assert (records["x"].tolist(), records["y"].tolist()) == ((2 * REAL[:4]).tolist(), (2 * REAL[4:8]).tolist())
    with pytest.raises(ValueError, match="share host memory"):
        run(records.view(np.float32), records["y"], 1)


# --- launches that fail ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "rule"), [(1, "bounds"), (2, "crash"), (3, "time")])
def test_a_launch_that_fails_changes_no_array(program, how, rule):
    x = np.zeros(4, np.float32)
    limit = 0.2 if how == 3 else None
    with pytest.raises(KernelError) as caught:
        program.launch("ends", args=[x, how], time_limit=limit)
    assert (caught.value.finding.rule, x.tolist()) == (rule, [0.0] * 4)
    run = program.launch("ends", args=[x, how], time_limit=limit, on_finding="collect")
    assert [finding.rule for finding in run.errors] == [rule]
    assert x[0] == 100  # what the kernel wrote until then


def writes_and(act):
    def kernel(mlu, x):
        x[0] = 100
        act(mlu, x)

    return kernel


def test_a_python_kernel_that_fails_changes_no_array(device):
    x = np.zeros(4, np.float32)
    beyond = writes_and(lambda mlu, x: x[9])
    with pytest.raises(KernelError, match="bounds"):
        launch(beyond, args=[x], device=device)
    with pytest.raises(ZeroDivisionError):
        launch(writes_and(lambda mlu, x: 1 // 0), args=[x], device=device)
    assert not x.any()
    assert [f.rule for f in launch(beyond, args=[x], device=device, on_finding="collect").errors] == ["bounds"]
    assert x.tolist() == [100.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    "never",
    [
        lambda program, x: program.launch("ends", args=[x, 3]),
        lambda program, x: launch(
            writes_and(lambda mlu, x: [x[1] for _ in iter(int, 1)]), args=[x], device=program.device
        ),
    ],
    ids=["C", "Python"],
)
def test_an_interrupted_launch_changes_no_array(program, never):
    def interrupt(number, frame):
        raise KeyboardInterrupt

    x = np.zeros(4, np.float32)
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            never(program, x)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert not x.any()
    program.launch("ends", args=[x, 0])
    assert x.tolist() == [100.0, 0.0, 300.0, 0.0]


def test_an_interrupt_leaves_all_arrays_or_none(device):
    """Wherever Python looks for signals while the results are copied back."""

    def fill(mlu, *arrays):
        for array in arrays[:-1]:
            array[0] = arrays[-1]

    arrays, outcomes = [np.zeros(1, np.float32) for _ in range(5)], set()
    for number in range(1, 100):
        left = number

        def interrupt(frame, event, argument):
            nonlocal left
            if frame.f_code.co_name != "copy_back":
                return None
            left -= event == "line"
            if not left:
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            launch(fill, args=[*arrays, number], device=device)
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        assert len({array[0] for array in arrays}) == 1
        outcomes.add((left == 0, bool(arrays[0][0] == number)))
        if left:
            break
    assert outcomes >= {(True, False), (False, True)}
    assert device.memory.memory.used(0) == 0


# One that comes in the finalizer Python tells of and drops.
@pytest.mark.filterwarnings("ignore:.*ArrayCopies.__del__:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("number", range(12))
def test_an_interrupt_at_any_time_leaves_a_device_that_works(device, number):
    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    x = np.zeros(4, np.float32)
    try:
        signal.setitimer(signal.ITIMER_REAL, (number + 1) * 1e-4)
        for _ in range(1000):
            launch(twice, args=[x, x, 4], device=device)
    except KeyboardInterrupt:
        pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    x[:] = 1
    launch(twice, args=[x, x, 4], device=device)
    assert x.tolist() == [2.0] * 4


def test_an_interrupt_before_anything_is_held():
    ArrayCopies.__new__(ArrayCopies).__del__()
