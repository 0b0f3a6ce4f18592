"""CUDA sources in the forms that people write: declarations, qualifiers, headers, host code beside the kernels."""

import numpy as np
import pytest
from mlusim.simulator import Log, Program, Run, load, replay

from tests.support.paths import KERNELS_C

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "thread_forms.cu"


def launched(program: Program, kernel: str, dim, block, *args, **options) -> Run:
    """A launch without any finding."""
    run = program.launch(kernel, dim, args=args, block=block, **options)
    assert run.findings == []
    return run


def test_the_kernels_are_found(program):
    assert program.kernels == [
        "file_scope", "carved", "several", "grid_stride", "prints", "compared", "tiled<...>"
    ]  # fmt: skip


def test_shared_memory_at_file_scope(program):
    out = np.zeros(64, np.int32)
    launched(program, "file_scope", 1, 64, out)
    assert out.tolist() == [63 - t + 5 + (1, 10, 100)[t % 3] for t in range(64)]


def test_dynamic_shared_memory_that_a_kernel_carves_up(program):
    out = np.zeros(48, np.float32)
    launched(program, "carved", 1, 48, out, shared=48 * 8)
    assert out.tolist() == [1.5 * (47 - t) for t in range(48)]


def test_several_declarations_and_members(program):
    out = np.zeros(32, np.int32)
    launched(program, "several", 1, 32, out, 1000)
    expected = [31 - t + 2 * (t % 4 * 8 + t // 4) + 1000 + 2 * (31 - t) + 2 for t in range(32)]
    assert out.tolist() == expected


def test_templates_with_values_and_function_objects(program):
    data = np.arange(32, dtype=np.float32)
    out = np.zeros(32, np.float32)
    launched(program, "tiled<32, Negated>", 1, (8, 4), data, out, b"\0")
    assert out.reshape(8, 4).tolist() == (-data.reshape(4, 8).T).tolist()


def test_grid_stride_loops(program):
    data = np.random.default_rng(3).integers(0, 256, 5000, np.uint8)
    histogram = np.zeros(256, np.uint32)
    launched(program, "grid_stride", 4, 128, data, histogram, 5000)
    assert histogram.tolist() == np.bincount(data, minlength=256).tolist()


def test_print_and_functions_of_the_device(program, capfd):
    out = np.zeros(8, np.int32)
    launched(program, "prints", 1, 8, out)
    assert capfd.readouterr().out == "thread 2 of 32\n"
    assert out.tolist() == [min(t, 3) + 2 + bin(t).count("1") + 2 for t in range(8)]


def test_compare_and_exchange(program):
    lock, out = np.zeros(1, np.int32), np.full(4, -1, np.int32)
    out[2:] = 0
    launched(program, "compared", 2, 32, lock, out)
    assert (lock[0], out[1], out[2]) == (7, 3, 64)
    assert out[0] == 7  # of the last block; the first saw 0 before


def test_a_log_is_replayed_at_other_rates(device, program, tmp_path):
    run = launched(program, "several", 2, 32, np.zeros(32, np.int32), 1)
    run.log.save(tmp_path / "log")
    log = Log.load(tmp_path / "log")
    assert log == run.log
    assert replay(log, device.rates).total_us == run.time_us
    slow = device.rates.replace({"channels.dram.gb_per_s": 1.0})
    assert replay(log, slow).total_us > run.time_us


def test_a_device_with_other_limits(device, program):
    small = device.replace({"shape.threads.per_block": 16})
    with pytest.raises(ValueError, match="32 threads; a block has 16 at most"):
        load([SOURCE], device=small).launch("several", 1, args=[np.zeros(32, np.int32), 1], block=32)
