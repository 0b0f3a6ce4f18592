"""Accesses that the compiler does not announce reach the runtime: results, bounds, order, races, records."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, KernelError, Program, Run, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "unmarked.mlu"


def fault(program: Program, kernel: str, *args, **options) -> Finding:
    """The finding that ends a launch, at the marked line, or where the kernel calls what has it: compilers differ."""
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=args, **options)
    found = caught.value.finding
    called = line_of(SOURCE, rf"__mlu_entry__ void {kernel}\b")
    assert found.location.file == str(SOURCE)
    assert found.location.line in (line_of(SOURCE, rf"// \^.* {kernel}\b"), called)
    return found


def zeros(count: int, dtype: type = np.int32) -> np.ndarray:
    return np.zeros(count, dtype)


def test_a_structure_that_a_function_returns_arrives(program):
    out = zeros(64)
    run = program.launch("result", args=[out])
    assert out.tolist() == list(range(7, 71))
    assert run.findings == []
    stores = [run.log.ops[record["op"]].name for record in run.log.records].count("scalar.store")
    assert stores in (1, 16)  # one run of 64; of GCC 14 one for each 16 bytes of a copy


def test_structures_on_the_stack_and_in_memory(program):
    out = zeros(2)
    assert program.launch("of_two", args=[out, np.array([3], np.int32)]).findings == []
    assert out.tolist() == [sum(range(1, 65)) + sum(range(100, 164)), sum(range(3, 67))]


def test_a_structure_ends_at_the_end_of_the_array(program):
    x, y = zeros(64), zeros(64)
    assert "byte 256 of 'argument 0" in fault(program, "past_the_end", x).message
    assert not x.any()
    small = zeros(4, np.int64)
    program.launch("small_result", args=[small, 2])
    assert small.tolist() == [0, 0, 5, 6]
    assert fault(program, "small_result", small, 3).rule == "bounds"
    total = zeros(1)
    program.launch("argument", args=[np.ones(64, np.int32), 0, total])
    assert total.tolist() == [64]
    assert fault(program, "argument", y, 16, total).rule == "bounds"


def test_a_result_has_an_order_like_any_store(program):
    with pytest.raises(KernelError, match="order"):
        program.launch("too_early", args=[zeros(64)])
    assert fault(program, "races", zeros(64), dim=(4, 1, 1), type="union1").rule == "race"


def test_fills_that_the_compiler_expands(program):
    out = zeros(64, np.int8)
    assert program.launch("fills", args=[out, 64]).findings == []
    assert out.tolist() == [8] * 8 + [7] * 48 + [8] * 8


@pytest.mark.parametrize("kernel", ["filled_past", "set_past", "set_far_past", "copied_past"])
def test_a_fill_ends_at_the_end_of_the_array(program, kernel):
    x = zeros(64, np.int8)
    assert fault(program, kernel, x).rule == "bounds"
    assert not x.any()


def test_an_index_that_leaves_the_stack_is_found(program):
    out = zeros(8)
    assert program.launch("local_array", args=[out, 3]).findings == []
    assert out.tolist() == [0, 0, 0, 7, 0, 0, 0, 0]
    assert fault(program, "local_array", out, 1 << 28).rule == "bounds"


def test_an_attribute_hides_no_store(program):
    out = zeros(8)
    program.launch("quiet_store", args=[out, 7])
    assert out.tolist() == [0] * 7 + [7]
    assert fault(program, "quiet_store", out, 8).rule == "bounds"


def test_a_name_hides_no_store(program):
    assert fault(program, "named", zeros(64), np.array([60], np.int32)).rule == "bounds"
    assert fault(program, "in_namespace", zeros(64), np.array([60], np.int32)).rule == "bounds"


def counted(run: Run) -> dict[str, int]:
    """The scalar loads and stores of a launch."""
    work = {"scalar.load": 0, "scalar.store": 0}
    for record in run.log.records:
        name = run.log.ops[record["op"]].name
        if name in work:
            work[name] += int(record["work"])
    return work


def test_an_access_is_counted_once(program):
    x = np.array([0, 16, 1, np.nan], np.float16)
    assert counted(program.launch("announced", args=[x])) == {"scalar.load": 4, "scalar.store": 4}
    assert x.tolist() == [0, 4, 2, 1]


def test_a_sum_in_place_is_counted_once(program):
    n = 7
    left, right = np.random.default_rng(1).integers(-9, 10, (2, n, n)).astype(np.float32)
    out = np.zeros((n, n), np.float32)
    run = program.launch("product", args=[out, left, right, n])
    assert counted(run) == {"scalar.load": 3 * n**3, "scalar.store": n**3 + n**2}
    assert np.array_equal(out, left @ right)


def test_registers_and_flags_are_kept(program):
    n = 200
    x = np.random.default_rng(1).integers(-9, 10, n).astype(np.float32)
    sums, counts, steps = np.zeros(7, np.float32), [0] * 5, 0
    for i, v in enumerate(x):
        at = (i * 3 + steps) % 7
        other = (at + i) % 5
        sums[at] += v * np.float32(2)
        if sums[at] > 10:
            steps += counts[other]
            counts[other] += 1
        counts[(other + 1) % 5] += at if v > 3 else -other
        left = (at + int(np.fmod(steps, 3)) + 3) % 7
        sums[left] -= v / np.float32(1 + i)
    program.launch("in_between", args=[x, n])
    assert x[:13].tolist() == [*sums.tolist(), *map(float, counts), float(steps)]


@pytest.mark.parametrize(("kernel", "bytes_"), [("streamed", 4), ("masked", 16), ("state", 512)])
def test_stores_of_the_hosts_own_instructions(kernel: str, bytes_: int) -> None:
    program = load([KERNELS_C / "intrinsics.mlu"], device=Device.load("mlu370-x4"))
    x = np.zeros(256, np.int32)
    assert not program.launch(kernel, args=[x, 0]).errors
    assert x.any()
    assert not x[bytes_ // 4 :].any()
    with pytest.raises(KernelError, match=f"write of {bytes_} bytes at byte 1024"):
        program.launch(kernel, args=[x, 256])
