"""Kernels in Python: results, pointers, scalar accesses, errors, barriers, and equality with a C kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, launch, load

from tests.support.paths import KERNELS_C

TILE = 256


def both_ways(mlu: Any, x: Any, y: Any, out: Any, n: int) -> None:
    a, b = mlu.nram("float", TILE), mlu.nram("float", TILE)
    if mlu.coreId == 0x80:
        return
    per = n // mlu.taskDim
    first = mlu.taskId * per
    mlu.__memcpy(a, x + first, 4 * per, mlu.GDRAM2NRAM)
    mlu.__memcpy_async(b, y + first, 4 * per, mlu.GDRAM2NRAM)
    mlu.__sync_io()
    mlu.__bang_add(a, a, b, per)
    for i in range(4):
        a[i] = b[i] + 1
    mlu.__bang_mul_scalar(a, a, 3, per)
    mlu.__sync_all_ipu()
    mlu.__memcpy(out + first, a, 4 * per, mlu.NRAM2GDRAM)


@pytest.mark.parametrize(("dim", "type"), [((4, 1, 1), "block"), ((8, 1, 1), "union1"), ((8, 1, 1), "union2")])
def test_a_kernel_in_c_and_in_python_is_the_same_work(device: Device, dim: tuple[int, int, int], type: str) -> None:
    n = dim[0] * TILE
    x = np.arange(n, dtype=np.float32)
    y = x[::-1].copy()
    in_c, in_python = np.zeros_like(x), np.zeros_like(x)
    program = load([KERNELS_C / "both_ways.mlu"], device=device)
    first = program.launch("both_ways", dim, type, [x, y, in_c, n])
    second = launch(both_ways, dim, type, [x, y, in_python, n], device=device)
    wanted = [3 * (y[i] + 1) if i % TILE < 4 else 3 * (x[i] + y[i]) for i in range(n)]
    assert in_python.tolist() == in_c.tolist() == wanted
    assert [*first.findings, *second.findings] == []
    assert second.log.same_work(first.log)
    assert {op.name for op in second.log.ops} >= {"__memcpy_async", "scalar.load", "scalar.store", "__sync_all_ipu"}


def test_two_runs_leave_equal_logs(device: Device) -> None:
    x = np.ones(8 * TILE, np.float32)
    runs = [launch(both_ways, (8, 1, 1), "union2", [x, x, x.copy(), len(x)], device=device) for _ in range(2)]
    assert runs[0].log == runs[1].log


def test_records_name_the_line_of_the_kernel(device: Device) -> None:
    x = np.ones(TILE, np.float32)
    log = launch(both_ways, args=[x, x, x.copy(), TILE], device=device).log
    lines = {log.ops[record["op"]].name: log.location(i) for i, record in enumerate(log.records)}
    first = both_ways.__code__.co_firstlineno
    assert lines["__bang_add"].file == __file__
    assert lines["__bang_add"].line == first + 9
    assert lines["scalar.store"].line == first + 11


def test_pointers_count_elements_and_cast(device: Device) -> None:
    data = np.arange(8, dtype=np.int32)
    seen: dict[str, Any] = {}

    def kernel(mlu: Any, x: Any) -> None:
        half_words = x.cast("int16")
        seen["step"] = (x + 3).address - x.address
        seen["back"] = (x + 3 - 3).address == x.address
        seen["narrow"] = (half_words + 3).address - half_words.address
        seen["low half of x[2]"] = half_words[4]
        seen["by dtype"] = x.cast(np.uint8)[8]
        seen["text"] = repr(x).split()[0]
        (x + 2)[1] = 70

    launch(kernel, args=[data], device=device)
    assert seen == {
        "step": 12, "back": True, "narrow": 6, "low half of x[2]": 2, "by dtype": 2, "text": "<int32*",
    }  # fmt: skip
    assert data.tolist() == [0, 1, 2, 70, 4, 5, 6, 7]


def test_scalar_accesses_are_runs_in_the_log(device: Device) -> None:
    def kernel(mlu: Any) -> None:
        a = mlu.nram("float", 64)
        for i in range(64):
            a[i] = i
        total = 0
        for i in range(0, 64, 2):
            total += a[i]
        assert total == sum(range(0, 64, 2))

    log = launch(kernel, device=device).log
    runs = [
        (log.ops[record["op"]].name, int(record["work"]), [region.bytes for _, _, region in log.regions(i)])
        for i, record in enumerate(log.records)
        if log.ops[record["op"]].name.startswith("scalar")
    ]
    assert runs == [("scalar.store", 64, [256]), ("scalar.load", 32, [4 * 63])]


@pytest.mark.parametrize("index", [-1, 64])
def test_a_scalar_access_outside_a_variable(device: Device, index: int) -> None:
    def kernel(mlu: Any) -> None:
        mlu.nram("float", 64)[index] = 1

    with pytest.raises(KernelError) as caught:
        launch(kernel, device=device)
    assert (caught.value.finding.rule, caught.value.finding.instruction) == ("bounds", "scalar.store")


def test_uninitialized_memory_is_a_warning(device: Device) -> None:
    def kernel(mlu: Any, x: Any) -> None:
        a = mlu.nram("float", 64)
        mlu.__memcpy(x, a, 256, mlu.NRAM2GDRAM)

    data = np.zeros(64, np.float32)
    (finding,) = launch(kernel, args=[data], device=device).findings
    assert (finding.rule, finding.severity, finding.operand) == ("uninitialized", "warning", "src")
    assert np.isnan(data).all()  # fresh memory holds NaN


def test_an_asynchronous_copy_takes_effect_at_the_sync(device: Device) -> None:
    seen = []

    def kernel(mlu: Any, x: Any) -> None:
        a = mlu.nram("int32", 64)
        mlu.__bang_write_value(a, 64, 7)
        mlu.__sync_compute()
        mlu.__memcpy_async(a, x, 256, mlu.GDRAM2NRAM)
        mlu.__sync_compute()
        seen.append(a[5])
        mlu.__sync_io()
        seen.append(a[5])

    (finding,) = launch(kernel, args=[np.arange(64, dtype=np.int32)], device=device, on_finding="collect").findings
    assert seen == [7, 5]
    assert finding.rule == "order"
    assert "__sync_io" in finding.suggestion


def test_the_six_flag_form_of_the_sync(device: Device) -> None:
    def kernel(mlu: Any, x: Any) -> None:
        a = mlu.nram("int32", 64)
        mlu.__memcpy_async(a, x, 256, mlu.GDRAM2NRAM)
        mlu.__sync_io_move_compute(0, 0, 1, 1, 0, 0)
        mlu.__bang_add_scalar(a, a, 1, 64)
        mlu.__sync_io_move_compute()
        mlu.__memcpy_async(x, a, 256, mlu.NRAM2GDRAM)
        mlu.__sync()

    data = np.arange(64, dtype=np.int32)
    assert launch(kernel, args=[data], device=device).findings == []
    assert data.tolist() == list(range(1, 65))


def test_cores_of_a_union_exchange_values_at_a_barrier(device: Device) -> None:
    def kernel(mlu: Any, out: Any, scratch: Any) -> None:
        if mlu.coreId == 0x80:
            return
        scratch[mlu.taskId] = mlu.taskId * 10
        mlu.__sync_all_ipu()
        out[mlu.taskId] = scratch[(mlu.taskId + 1) % mlu.taskDim]

    out, scratch = np.zeros(8, np.int32), np.zeros(8, np.int32)
    launch(kernel, (8, 1, 1), "union2", [out, scratch], device=device)
    assert out.tolist() == [10, 20, 30, 40, 50, 60, 70, 0]


def test_the_memory_core_runs_the_kernel_and_ignores_vectors(device: Device) -> None:
    seen = []

    def kernel(mlu: Any, x: Any, out: Any) -> None:
        seen.append((mlu.coreId, mlu.clusterDim, mlu.coreDim, mlu.taskDim))
        a = mlu.nram("float", 64)
        mlu.__memcpy(a, x, 256, mlu.GDRAM2NRAM)
        mlu.__bang_add_scalar(a, a, mlu.coreId, 64)
        mlu.__sync_cluster()
        mlu.__memcpy(out + 64 * mlu.taskId, a, 256, mlu.NRAM2GDRAM)

    out = np.zeros((4, 64), np.float32)
    run = launch(kernel, (4, 1, 1), "union1", [np.ones(64, np.float32), out], device=device)
    assert run.findings == []
    assert seen == [(core, 1, 4, 4) for core in (0, 1, 2, 3, 0x80)]
    assert [sorted(set(row)) for row in out.tolist()] == [[1.0], [2.0], [3.0], [4.0]]


def test_a_task_that_never_arrives_is_named(device: Device) -> None:
    def kernel(mlu: Any) -> None:
        if mlu.taskId != 2:
            mlu.__sync_all_ipu()

    with pytest.raises(KernelError) as caught:
        launch(kernel, (4, 1, 1), "union1", device=device)
    assert caught.value.finding.rule == "barrier"
    assert "task 2 (has ended)" in str(caught.value)


def test_a_misspelt_instruction_names_the_nearest(device: Device) -> None:
    with pytest.raises(AttributeError, match=r"no instruction '__bang_addd'.*__bang_add"):
        launch(lambda mlu: mlu.__bang_addd, device=device)


def test_arguments_that_fit_no_form_list_the_forms(device: Device) -> None:
    def kernel(mlu: Any) -> None:
        mlu.__bang_add(mlu.nram("float", 64), mlu.nram("half", 64), 3, 64)

    with pytest.raises(TypeError, match=r"__bang_add\(float\*, half\*, number, number\) matches no form.*half\* dst"):
        launch(kernel, device=device)


def test_an_unknown_element_type_lists_the_types(device: Device) -> None:
    with pytest.raises(TypeError, match=r"'double' is no element type; the types are half, bfloat16, float"):
        launch(lambda mlu: mlu.nram("double", 4), device=device)


def test_what_is_known_and_not_modelled_is_a_finding(device: Device) -> None:
    def kernel(mlu: Any) -> None:
        mlu.__bang_histogram(1, 2)

    with pytest.raises(KernelError) as caught:
        launch(kernel, device=device)
    assert (caught.value.finding.rule, caught.value.finding.instruction) == ("not-modelled", "__bang_histogram")


def test_an_exception_of_the_kernel_reaches_the_caller_and_the_next_launch_works(device: Device) -> None:
    error = LookupError("the kernel's own")

    def failing(mlu: Any, x: Any) -> None:
        mlu.__sync_all_ipu()
        if mlu.taskId == 1:
            raise error

    x = np.zeros(TILE, np.float32)
    with pytest.raises(LookupError) as caught:
        launch(failing, (4, 1, 1), "union1", [x], device=device)
    assert caught.value is error
    out = np.zeros_like(x)
    assert launch(both_ways, args=[x, x, out, TILE], device=device).findings == []
    assert out.tolist() == [3.0] * 4 + [0.0] * (TILE - 4)


def test_a_finding_ends_the_kernel_where_it_happens(device: Device) -> None:
    reached = []

    def kernel(mlu: Any) -> None:
        a = mlu.nram("float", 64)
        reached.append("before")
        mlu.__bang_write_value(a, 65, 1)
        reached.append("after")

    with pytest.raises(KernelError) as caught:
        launch(kernel, device=device)
    assert reached == ["before"]
    assert caught.value.finding.rule == "bounds"
    assert caught.value.finding.location.file == __file__
    assert [f.rule for f in launch(kernel, device=device, on_finding="collect").findings] == ["bounds"]
    assert reached == ["before", "before", "after"]


def test_arrays_that_cannot_be_written_are_not_copied_back(device: Device) -> None:
    def kernel(mlu: Any, x: Any) -> None:
        x[0] = 5

    frozen, free = np.zeros(4, np.int32), np.zeros(4, np.int32)
    frozen.flags.writeable = False
    launch(kernel, args=[frozen], device=device)
    launch(kernel, args=[free], device=device)
    assert (frozen[0], free[0]) == (0, 5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"on_finding": "ignore"}, "on_finding is 'ignore'"),
        ({"type": "union3"}, "type is 'union3'"),
        ({"dim": (3, 1, 1), "type": "union1"}, "multiple of 4"),
        ({"dim": (0, 1, 1)}, r"dim is \(0, 1, 1\)"),
    ],
)
def test_wrong_options(device: Device, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        launch(lambda mlu: None, device=device, **options)
