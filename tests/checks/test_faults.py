"""Broken C kernels: each fault is the finding that it should be, at its line, and the next launch works."""

import pickle
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, KernelError, Program, launch, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "faults.mlu"
KB = 1024
#: An address that no memory of a device has.
WILD = 0x1234_5678


@pytest.fixture(scope="module")
def strict() -> Program:
    """The same kernels on a device that wants addresses of 64 bytes and lengths of 128."""
    return load([SOURCE], device=Device.load("mlu270"))


def marked(name: str) -> int:
    """The line of the source that carries the mark of a kernel."""
    return line_of(SOURCE, rf"// \^ {name}\b")


def healthy(program: Program) -> bool:
    """Whether a launch gives the right answer."""
    x = np.arange(32, dtype=np.float32)
    run = program.launch("healthy", args=[x, 32])
    return not run.errors and x.tolist() == [2.0 * i for i in range(32)]


def fault(program: Program, kernel: str, *args, **options) -> Finding:
    """The finding that ends a launch; it names the kernel and the marked line, and a launch afterwards works."""
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=args, **options)
    found = caught.value.finding
    assert found.kernel == kernel
    assert (Path(found.location.file).name, found.location.line) == (SOURCE.name, marked(kernel))
    assert str(found) == str(caught.value)
    assert healthy(program)
    return found


def test_a_misaligned_operand_where_the_architecture_wants_alignment(strict):
    found = fault(strict, "misaligned")
    assert (found.rule, found.instruction, found.operand) == ("alignment", "__bang_add", "dst")
    assert (found.region.space, found.region.offset % 64, found.region.bytes) == ("nram", 4, 128)
    assert "64 bytes" in found.limit


def test_a_misaligned_operand_is_legal_on_newer_architectures(program):
    assert not program.launch("misaligned").errors


def test_a_length_that_is_no_multiple(strict):
    found = fault(strict, "odd_length", 33)
    assert (found.rule, found.instruction) == ("length", "__bang_add")
    assert found.message.endswith("got elem_count = 33")
    assert "multiple of 128" in found.limit


def test_a_length_that_is_no_multiple_is_legal_on_newer_architectures(program):
    assert not program.launch("odd_length", args=[33]).errors


def test_one_element_too_many_for_a_vector(program):
    assert not program.launch("vector_overrun", args=[256]).errors
    found = fault(program, "vector_overrun", 257)
    assert (found.rule, found.operand, found.region.space) == ("bounds", "dst", "nram")
    assert "'a' passes its end by 4" in found.message
    assert found.limit == "'a' has 1024 bytes"
    assert found.suggestion.endswith(f"; `mlusim isa {found.instruction}` says what its arguments count")


def test_one_element_too_many_for_a_scalar_store(program):
    assert not program.launch("scalar_overrun", args=[255]).errors
    found = fault(program, "scalar_overrun", 256)
    assert (found.rule, found.instruction, found.region.space) == ("bounds", "scalar.store", "nram")
    assert "'a' passes its end by 4" in found.message
    assert "mlusim isa" not in found.suggestion
    assert found.limit == "'a' has 1024 bytes"


def test_one_element_too_many_for_a_variable_of_a_function(program):
    assert not program.launch("local_overrun", args=[8]).errors
    found = fault(program, "local_overrun", 9)
    assert (found.rule, found.limit) == ("bounds", "'local' has 32 bytes")


def test_variables_of_a_function_over_budget(program):
    found = fault(program, "local_budget")
    assert (found.rule, found.operand) == ("budget", "large")
    assert "nram" in found.message
    assert str(program.device.shape.spaces["nram"].budget) in found.limit


def test_a_variable_over_budget_is_there_nevertheless(device):
    """That it does not fit hides nothing of what the kernel does with it."""

    def kernel(mlu, x):
        mlu.nram("uint8", device.shape.spaces["nram"].bytes)
        tile = mlu.nram("float", 64)
        x[0] = tile[0]

    found = launch(kernel, args=[np.zeros(1, np.float32)], device=device, on_finding="collect").findings
    assert [(one.rule, one.severity) for one in found] == [("budget", "error"), ("uninitialized", "warning")]


def test_a_table_index_out_of_range(program):
    assert not program.launch("table_index", args=[63]).errors
    found = fault(program, "table_index", 64)
    assert (found.rule, found.instruction, found.operand) == ("value", "__bang_lut", "src")
    assert "src[5] is 64" in found.message


def test_a_copy_past_the_end_of_an_array(program):
    found = fault(program, "gdram_vector", np.zeros(100, np.float32), 101)
    assert (found.rule, found.operand, found.region.space, found.region.bytes) == ("bounds", "src", "gdram", 404)
    assert "argument 0" in found.message
    assert "400 bytes" in found.limit


@pytest.mark.parametrize("index", [100, -1])
def test_a_scalar_store_beside_an_array(program, index):
    found = fault(program, "gdram_scalar", np.zeros(100, np.float32), index)
    assert (found.rule, found.instruction) == ("bounds", "scalar.store")


def test_an_operand_in_the_wrong_space(program):
    found = fault(program, "wrong_space", np.zeros(8, np.float32))
    assert (found.rule, found.operand, found.region.space) == ("space", "src1", "gdram")
    assert "not in nram" in found.message


def test_a_copy_in_the_wrong_direction(program):
    found = fault(program, "wrong_direction", np.zeros(16, np.float32))
    assert (found.rule, found.operand, found.region.space) == ("space", "dst", "gdram")


@pytest.mark.parametrize("kernel", ["null_vector", "null_scalar"])
def test_a_null_pointer(program, kernel):
    found = fault(program, kernel, None)
    assert found.rule == "bounds"
    assert "null" in found.message


def test_an_instruction_that_is_known_and_not_modelled(program):
    found = fault(program, "unmodelled")
    assert (found.rule, found.instruction) == ("not-modelled", "__bang_histogram")
    assert "__bang_histogram" not in found.suggestion


def test_an_instruction_that_the_architecture_lacks(program):
    found = fault(program, "divide")
    assert (found.rule, found.instruction) == ("arch", "__bang_div")
    assert "372" in found.message


def test_operands_that_overlap_in_part(program):
    assert not program.launch("same_operand").errors
    found = fault(program, "partial_overlap")
    assert (found.rule, found.operand, found.region.offset, found.region.bytes) == ("overlap", "dst", 64, 256)


def test_a_wild_store(program):
    found = fault(program, "wild_write", WILD)
    assert (found.rule, found.instruction) == ("bounds", "scalar.store")
    assert f"{WILD:#x}" in found.message


def test_a_wild_load(program):
    found = fault(program, "wild_read", WILD, np.zeros(1, np.int32))
    assert (found.rule, found.instruction) == ("bounds", "scalar.load")


def test_a_jump_to_a_wild_address(program):
    found = fault(program, "wild_call", WILD)
    assert found.rule == "crash"
    assert f"segmentation fault at {WILD:#x}" in found.message


@pytest.mark.parametrize(
    ("kernel", "args"), [("endless", [1]), ("endless_memory", [np.zeros(2, np.int32)]), ("endless_instructions", [])]
)
def test_a_loop_that_does_not_end(program, kernel, args):
    found = fault(program, kernel, *args, time_limit=0.2)
    assert found.rule == "time"
    assert "0.2 s" in found.message


def test_a_recursion_that_does_not_end(program):
    assert fault(program, "recursion", np.zeros(1, np.int32)).rule == "stack"


def test_an_array_too_large_for_the_stack(program):
    assert fault(program, "large_frame", np.zeros(1, np.int32)).rule == "stack"


def test_an_integer_division_by_zero(program):
    found = fault(program, "division", np.ones(2, np.int32), 0)
    assert found.rule == "crash"
    assert "division by zero" in found.message


def test_abort(program):
    found = fault(program, "aborts")
    assert (found.rule, found.message) == ("crash", "the kernel crashed: abort")


def test_exit(program):
    found = fault(program, "exits")
    assert (found.rule, found.message) == ("crash", "the kernel called exit(3)")


def test_a_kernel_that_kills_its_process(program):
    found = fault(program, "dies")
    assert (found.rule, found.message) == ("crash", "the kernel sent itself signal 9")


def test_a_task_that_ends_before_a_barrier(program):
    found = fault(program, "missing_at_barrier", dim=(4, 1, 1), type="union1")
    assert (found.rule, found.task) == ("barrier", 0)
    assert "waits in a union_ipu barrier for task 2 (has ended); 3 tasks wait forever" in found.message


def test_tasks_at_different_barriers(program):
    found = fault(program, "two_barriers", dim=(4, 1, 1), type="union1")
    assert found.rule == "barrier"
    assert "task 1 (waits in union_ipu)" in found.message


def test_collecting_goes_on_and_counts_equal_findings(program):
    out = np.zeros(256, np.float32)
    run = program.launch("two_faults", args=[out, 257], on_finding="collect")
    assert [(f.rule, f.count, f.location.line) for f in run.errors] == [
        ("overlap", 5, marked("partial")),
        ("bounds", 1, marked("overrun")),
    ]
    assert set(out.tolist()) == {5.0}
    assert healthy(program)


@pytest.mark.parametrize("how", range(6))
def test_what_lies_inside_of_bounds_is_carried_out(program, how):
    """Of copies (at once, waited for, in segments), of a vector, and of scalar accesses, which have no other effect."""
    x, y = np.zeros(64, np.float32), np.arange(64, dtype=np.float32)
    run = program.launch("partly", args=[x, y, how], on_finding="collect")
    assert [f.rule for f in run.errors] == ["bounds"]
    filled = {0: 64, 1: 64, 2: 64}.get(how, 0)
    ones = np.arange(64) % 8 == 0 if how == 2 else np.arange(64) < filled
    assert y.tolist() == np.where(ones, 1, np.arange(64)).tolist()
    if how == 3:
        assert x[:60].tolist() == [3] * 60
    if how == 5:
        assert np.isnan(x[0])
    assert x[60:].tolist() == [9] * 4


@pytest.mark.parametrize("how", range(10))
def test_a_fill_of_another_width_than_its_pointer_says(program, how):
    marks = {0: "as int", 1: "as float", 2: "in blocks", 3: "as half"}
    run = program.launch("widths", args=[np.zeros(64, np.float32), how], on_finding="collect")
    found = [(f.severity, f.location.line) for f in run.findings if f.rule == "fill-width"]
    assert found == ([("warning", marked(marks[how]))] if how in marks else [])


def test_a_task_that_runs_through_foreign_memory_is_ended(program):
    """After some thousand accesses, or at once where nothing is."""
    run = program.launch("wild", args=[np.zeros(4, np.float32)], on_finding="collect", time_limit=60)
    (found,) = run.errors
    assert (found.rule, found.count) == ("bounds", 4096)


def test_an_error_ends_the_launch_and_copies_nothing_wrong_back(program):
    out = np.zeros(256, np.float32)
    with pytest.raises(KernelError) as caught:
        program.launch("two_faults", args=[out, 257])
    assert [f.rule for f in caught.value.run.errors] == ["overlap"]
    assert not out.any()


def test_the_error_travels_between_processes(program):
    with pytest.raises(KernelError) as caught:
        program.launch("null_scalar", args=[None])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.finding, str(copy)) == (caught.value.finding, str(caught.value))
    assert copy.run.log == caught.value.run.log


def test_an_exception_in_the_callers_progress_function(program):
    def progress(done, total):
        raise ZeroDivisionError(f"{done} of {total}")

    with pytest.raises(ZeroDivisionError, match="1 of 2"):
        program.launch("same_operand", dim=(2, 1, 1), progress=progress)
    assert healthy(program)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([1], r"numbers\(int32_t i, uint8_t small, float f, half h, float \*x\) takes 5 arguments; 1 were given"),
        (["1", 2, 3, 4, None], "argument 0 .* int32; pass a number, not '1'"),
        ([1.5, 2, 3, 4, None], "argument 0 .* 1.5 is no whole number"),
        ([1, 256, 3, 4, None], "argument 1 .* uint8, which cannot hold 256"),
        ([1, 2, 3, 4, [5.0]], r"argument 4 .* float\*; pass an array, a device array or an address, not list"),
        ([1, 2, 3, 4, np.zeros(1)], "argument 4 .* the array has dtype float64, pass float32"),
    ],
)
def test_arguments_that_do_not_fit_the_kernel(program, args, message):
    with pytest.raises(TypeError, match=message):
        program.launch("numbers", args=args)


def test_arguments_that_fit_arrive(program):
    out = np.zeros(1, np.float32)
    program.launch("numbers", args=[np.int64(-7), 200, 0.25, np.float16(1.5), out])
    assert out[0] == 194.75


def test_an_unknown_kernel_lists_the_kernels(program):
    with pytest.raises(ValueError, match=r"no kernel 'health'.*healthy, misaligned"):
        program.launch("health")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"dim": (0, 1, 1)}, "dim"),
        ({"dim": (1, 1, 1, 1)}, "three whole numbers"),
        ({"type": "union3"}, "pass one of block, .*union1"),
        ({"type": "union16", "dim": (64, 1, 1)}, "needs 16 clusters; this device has 8"),
        ({"type": "union1", "dim": (6, 1, 1)}, r"multiple of 4 \(a cluster of 4 cores\)"),
        ({"on_finding": "ignore"}, "pass 'raise' or 'collect'"),
        ({"time_limit": 0}, "above 0"),
        ({"time_limit": 1, "isolate": False}, "needs a process of its own"),
    ],
)
def test_launch_options_that_do_not_fit(program, options, message):
    with pytest.raises(ValueError, match=message):
        program.launch("same_operand", **options)


def test_an_array_larger_than_the_device_memory(program):
    size = program.device.shape.spaces["gdram"].bytes + 4
    # Broadcast from one element, it takes no memory of the host.
    large = np.broadcast_to(np.float32(0), (size // 4,))
    with pytest.raises(MemoryError, match=r"argument 0 of healthy needs .* bytes of device memory"):
        program.launch("healthy", args=[large, 1])
    assert healthy(program)


def children(process: int) -> list[Path]:
    """The running children of a process."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it may end meanwhile
            if stat.read_text().rpartition(")")[2].split()[1] == str(process):
                found.append(stat.parent)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("fork", ["", "if os.fork() == 0: time.sleep(12); os._exit(0)"])
def test_a_killed_parent_takes_its_worker_along(fork):
    """Also where a fork of the parent, which has inherited all descriptors, lives on."""
    script = f"""
import os, time
import numpy as np
from mlusim.simulator import Device, load
program = load([{str(SOURCE)!r}], device=Device.load("mlu370-x4"))
program.launch("healthy", args=[np.zeros(32, np.float32), 32])
{fork}
print("ready", flush=True)
program.launch("endless", args=[1])
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout.readline() == "ready\n"
        (worker,) = (child for child in children(parent.pid) if b"bootstrap" in (child / "cmdline").read_bytes())
        time.sleep(0.3)  # into the endless kernel
        parent.kill()
    deadline = time.monotonic() + 10
    while worker.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not worker.exists()
