"""Scalar accesses of C kernels: runs of one source position stay apart where the arrays do, and sizes have 64 bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load

SOURCE = Path(__file__).parents[1] / "kernels_c" / "scalar_accesses.mlu"
N = 16


@pytest.fixture(scope="module")
def program() -> Program:
    return load([SOURCE], device=Device.load("mlu370-x4"))


def test_one_store_instruction_writes_to_two_arrays(program: Program) -> None:
    out = np.zeros(2, np.float32)
    run = program.launch("two_arrays", args=[out])
    assert out.tolist() == [1.0, 2.0]
    assert run.findings == []
    stores = [i for i, record in enumerate(run.log.records) if run.log.ops[record["op"]].name == "scalar.store"]
    assert [region.bytes for i in stores for _, _, region in run.log.regions(i)] == [4, 4]


def test_stores_around_a_copy_do_not_touch_it(program: Program) -> None:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    assert program.launch("around_a_copy", args=[out, source]).findings == []
    assert out.tolist() == source.tolist()


def test_stores_around_a_copy_into_a_part_of_their_array(program: Program) -> None:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    run = program.launch("around_a_part", args=[out, source])
    assert [finding.rule for finding in run.findings] == ["uninitialized"]  # the last copy reads all of the array
    assert [out[0], *out[4:8].tolist(), out[12]] == [1.0, 0.0, 1.0, 2.0, 3.0, 2.0]


def test_a_store_into_a_copy_does(program: Program) -> None:
    with pytest.raises(KernelError) as caught:
        program.launch("into_a_copy", args=[np.zeros(N, np.float32)])
    lines = SOURCE.read_text(encoding="utf-8").splitlines()
    assert caught.value.finding.rule == "order"
    # The line of the store itself: it stands in a helper.
    assert "*where = value" in lines[caught.value.finding.location.line - 1]


@pytest.mark.parametrize("size", [4 * N + 1, 2**31, 2**32 + 8, 2**40, -1, -64, -(2**31), -(2**63)])
@pytest.mark.parametrize("kernel", ["fill", "move"])
def test_a_block_of_any_size_is_checked_before_a_byte_moves(program: Program, kernel: str, size: int) -> None:
    arrays = [program.device.array(np.arange(N, dtype=np.float32) + i) for i in range(3)]
    with pytest.raises(KernelError) as caught:
        program.launch(kernel, args=[*arrays[: 2 - (kernel == "fill")], size])
    finding = caught.value.finding
    assert (finding.rule, finding.location.file) == ("bounds", str(SOURCE))
    assert str(size % 2**64) in finding.message
    assert [array.numpy().tolist() for array in arrays] == [[i + x for x in range(N)] for i in range(3)]


@pytest.mark.parametrize("size", [0, 1, 4 * N])
def test_a_block_that_fits_is_moved(program: Program, size: int) -> None:
    out, source = np.full(N, 7.0, np.float32), np.arange(N, dtype=np.float32)
    program.launch("move", args=[out, source, size])
    assert out.tobytes() == source.tobytes()[:size] + np.full(N, 7.0, np.float32).tobytes()[size:]
