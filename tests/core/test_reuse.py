"""Memory is kept from task to task and from launch to launch; that must not show, nor may what is gone come back."""

import gc

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, Run, launch, load
from mlusim.simulator.engines.python.lines import Lines
from mlusim.simulator.log import Log

from tests.support.paths import KERNELS_C

SOURCE = KERNELS_C / "reuse.mlu"
ISOLATED = pytest.mark.parametrize("isolate", [False, True], ids=["inside", "isolated"])


@pytest.fixture(scope="module")
def other(device) -> Program:
    return load([KERNELS_C / "reuse_other.mlu"], device=device)


def ends(program: Program, kernel: str, *args, **options) -> str:
    """The message of the finding that ends a launch."""
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=args, **options)
    return f"{caught.value.finding.rule}: {caught.value.finding.message}"


def undefined(run: Run) -> list[tuple[str, int]]:
    """Rule and count of the findings of a run."""
    return [(finding.rule, finding.count) for finding in run.findings]


@ISOLATED
def test_a_local_variable_at_the_address_of_another(program, isolate):
    for _ in range(2):
        out = np.zeros(288, np.float32)
        run = program.launch("functions", args=[out, 256, 32], isolate=isolate)
        assert not run.findings
        assert out.tolist() == [1.0] * 32 + [2.0] * 256
        assert "passes its end by 4" in ends(program, "functions", out, 256, 33, isolate=isolate)
        assert "passes its end by 4" in ends(program, "functions", out, 257, 32, isolate=isolate)


@ISOLATED
def test_both_operands_of_a_mask_are_as_if_new(program, isolate):
    for value in (0.0, 1.0):
        program.launch("filled", args=[value], isolate=isolate)
        x = np.zeros(64, np.float32)
        assert undefined(program.launch("masked", args=[x], isolate=isolate)) == [("uninitialized", 1)]
        assert np.isnan(x).all()


@ISOLATED
def test_two_programs_take_turns_on_one_device(program, other, isolate):
    for _ in range(3):
        x = np.zeros(64, np.float32)
        assert undefined(program.launch("fresh", args=[x], isolate=isolate)) == [("uninitialized", 1)]
        assert x.tolist() == [3.0] * 64
        assert "'shorter' passes its end by 128" in ends(other, "other", x, 64, isolate=isolate)
        assert not other.launch("other", args=[x, 32], isolate=isolate).findings
        assert x.tolist() == [5.0] * 32 + [3.0] * 32


@ISOLATED
def test_variables_are_fresh_in_every_launch_and_task(program, isolate):
    for tasks in (1, 40, 1):  # 40 tasks on 32 cores: some cores have two
        x = np.zeros(64 * tasks, np.float32)
        run = program.launch("fresh", (tasks, 1, 1), args=[x], isolate=isolate)
        assert undefined(run) == [("uninitialized", tasks)]
        run = program.launch("fresh_scalar", (tasks, 1, 1), args=[x], isolate=isolate)
        assert undefined(run) == [("uninitialized", tasks)]
        assert np.isnan(x[0])


@ISOLATED
def test_a_launch_after_one_that_ended_with_a_variable_in_hand(program, isolate):
    out = np.zeros(288, np.float32)
    for _ in range(2):
        assert "'held' passes its end by 4" in ends(program, "ends_inside", out, isolate=isolate)
        assert not program.launch("functions", args=[out, 256, 32], isolate=isolate).findings
        assert out.tolist() == [1.0] * 32 + [2.0] * 256


def test_a_launch_after_one_that_crashed(program):
    out = np.zeros(288, np.float32)
    assert ends(program, "crashes", out).startswith("crash: ")
    assert not program.launch("functions", args=[out, 256, 32]).findings
    assert out.tolist() == [1.0] * 32 + [2.0] * 256


def test_a_thousand_turns_of_the_cores_of_a_cluster(program):
    out = np.zeros(4 * 64, np.float32)
    runs = [program.launch("turns", (4, 1, 1), "union1", [out, 1000], isolate=False) for _ in range(2)]
    assert runs[0].log == runs[1].log
    assert out.reshape(4, 64).tolist() == [[1000.0 * (task + 1)] * 64 for task in range(4)]


def test_a_device_array_in_the_place_of_another(device, program):
    for elements in (64, 128, 64):
        array = device.array(np.zeros(elements, np.float32))
        program.launch("fresh", args=[array], isolate=False)
        assert array.numpy()[:64].tolist() == [3.0] * 64
        del array
    short = device.array(np.zeros(63, np.float32))
    assert "passes its end by 4" in ends(program, "fresh", short, isolate=False)


@ISOLATED
def test_memory_of_another_core_that_this_core_has_not_used(program, isolate):
    for _ in range(2):
        message = ends(program, "lent", np.zeros(2, np.int64), dim=(4, 1, 1), type="union1", isolate=isolate)
        assert message == "space: nram of core 0 is not this core's own"


def test_an_operand_of_no_bytes_gives_the_same_log_each_time(program):
    gc.collect()  # device arrays that earlier tests have left would move those of the runs
    out = np.zeros(64, np.float32)
    runs = [program.launch("nothing", args=[out], isolate=False) for _ in range(3)]
    assert [finding.rule for finding in runs[0].findings] == ["unwritten"]  # it stores 64 bytes of 64 floats
    assert runs[0].log == runs[1].log == runs[2].log


@ISOLATED
def test_pieces_of_no_bytes_lie_nowhere(program, isolate, tmp_path):
    for size, others, written in ((0, 3, 1), (4, 0, 4), (4, 3, 16)):
        out = np.zeros(64, np.float32)
        run = program.launch("nothing_at_strides", args=[out, size, others], isolate=isolate)
        assert np.count_nonzero(out) == written
        run.log.save(tmp_path / "log")
        assert Log.load(tmp_path / "log") == run.log


@pytest.mark.slow
@pytest.mark.usefixtures("quick_collections")
@ISOLATED
def test_many_devices_one_after_the_other(isolate):
    for number in range(8):  # more than a process keeps attached
        device = Device.load("mlu370-x4")
        out = device.array(np.full(16, number, np.float32))
        load([KERNELS_C / "both_ways.mlu"], device=device).launch(
            "both_ways", args=[out, out, out, 16], isolate=isolate
        )
        assert out.numpy().tolist() == [3.0 * (number + 1)] * 4 + [6.0 * number] * 12
        del device, out
        gc.collect()


@pytest.mark.slow
@pytest.mark.usefixtures("quick_collections")
def test_the_memory_of_a_dropped_device_is_given_back():
    addresses = set()
    for _ in range(110):  # more than there is room for side by side
        device = Device.load("mlu370-x4")
        assert device.array(np.ones(4)).numpy().tolist() == [1.0] * 4
        addresses.add(device.memory.address)
        del device
        gc.collect()
    assert len(addresses) < 20


def test_more_devices_by_turns_than_a_process_keeps():
    devices = [Device.load("mlu370-x4") for _ in range(6)]
    programs = [load([KERNELS_C / "both_ways.mlu"], device=device) for device in devices]
    arrays = [device.array(np.full(16, number, np.float32)) for number, device in enumerate(devices)]
    for _ in range(3):
        for number, (program, array) in enumerate(zip(programs, arrays, strict=True)):
            out = np.zeros(16, np.float32)
            program.launch("both_ways", args=[array, array, out, 16])
            assert out.tolist() == [3.0 * (number + 1)] * 4 + [6.0 * number] * 12


def test_a_log_holds_nothing_of_the_launches_before():
    """The rows of a launch lie where those of others have been; many records take a larger buffer for a while."""

    device = Device.load("mlu370-x4")
    logs = [launch(adds, args=[count], device=device).log for count in (3000, 1, 2, 3000, 1)]
    fresh = [launch(adds, args=[count], device=Device.load("mlu370-x4")).log for count in (3000, 1, 2)]
    assert logs == [*fresh, fresh[0], fresh[1]]
    assert [len(log) for log in fresh] == [3005, 6, 7]


def test_a_long_launch_after_one_that_was_interrupted_at_its_end(monkeypatch):
    device = Device.load("mlu370-x4")
    monkeypatch.setattr(Lines, "place", interrupt)
    with pytest.raises(KeyboardInterrupt) as held:
        launch(adds, args=[1], device=device)
    monkeypatch.undo()
    assert len(launch(adds, args=[3000], device=device).log) == 3005
    assert held.value  # with the traceback, and in it the rows of the first launch


def adds(mlu, count):
    a, b = mlu.nram("float", 64), mlu.nram("float", 64)
    mlu.__bang_write_value(a, 64, 1.0)
    for _ in range(count):
        mlu.__bang_add(b, a, a, 64)


def interrupt(*_):
    raise KeyboardInterrupt
