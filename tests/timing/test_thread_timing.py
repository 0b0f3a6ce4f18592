"""Transactions of warps, bank conflicts, and the time that follows from them."""

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Run
from mlusim.simulator.timing.costs import Costs
from mlusim.traces import summarise

from tests.support.paths import KERNELS_C

CHIP = "cuda-sm80"
SOURCE = KERNELS_C / "threads.cu"


def segments(addresses: list[int], size: int) -> dict[int, int]:
    """Transactions of one warp access by their bytes, worked out from the bytes that it touches."""
    touched = {byte for address in addresses for byte in range(address, address + size)}
    counts = {32: 0, 64: 0, 128: 0}
    for line in {byte // 128 for byte in touched}:
        for bytes in (32, 64, 128):
            parts = {byte // bytes for byte in touched if byte // 128 == line}
            if len(parts) == 1:
                counts[bytes] += 1
                break
    return counts


def counted(run: Run, access: str) -> dict[int, int]:
    """Transactions of a run by their bytes, over all places that access memory so."""
    found = [entry.counts for entry in summarise(run.timeline).transactions if entry.access == access]
    return dict(zip((32, 64, 128), np.sum(found, axis=0).tolist(), strict=True))


@pytest.mark.parametrize("stride", [1, 2, 3, 5, 8, 16, 32, 100])
@pytest.mark.parametrize("threads", [1, 5, 8, 16, 17, 32])
def test_transactions_of_a_warp(device, program, stride, threads):
    data, out = device.array(np.zeros(3200, np.float32)), device.array(np.zeros(32, np.float32))
    run = program.launch("strided", 1, args=[data, out, stride], block=threads)
    assert counted(run, "global.load") == segments([4 * stride * t for t in range(threads)], 4)
    assert counted(run, "global.store") == segments([4 * t for t in range(threads)], 4)


@pytest.mark.parametrize("offset", [1, 4, 8, 9, 31])
def test_a_start_between_two_segments_costs_one_more(device, program, offset):
    data, out = device.array(np.zeros(100, np.float32)), device.array(np.zeros(32, np.float32))
    run = program.launch("strided", 1, args=[data.address + 4 * offset, out, 1], block=32)
    assert counted(run, "global.load") == segments([4 * (offset + t) for t in range(32)], 4)


def test_each_warp_counts_by_itself(program):
    run = program.launch("strided", 3, args=[np.zeros(288, np.float32), np.zeros(288, np.float32), 1], block=96)
    assert counted(run, "global.load") == {32: 0, 64: 0, 128: 9}
    run = program.launch("strided", 3, args=[np.zeros(1, np.float32), np.zeros(288, np.float32), 0], block=96)
    assert counted(run, "global.load") == {32: 9, 64: 0, 128: 0}


def test_vectors_are_one_access(program):
    run = program.launch("vectors", 1, args=[np.zeros(128, np.float32), np.zeros(128, np.float32), 0], block=32)
    assert counted(run, "global.load") == counted(run, "global.store") == {32: 0, 64: 0, 128: 4}


@pytest.mark.parametrize(("stride", "passes"), [(1, 1), (2, 2), (4, 4), (31, 1), (32, 32), (33, 1)])
def test_bank_conflicts(program, stride, passes):
    run = program.launch("banks", 1, args=[np.zeros(32, np.float32), stride], block=32)
    assert counted(run, "shared.store")[128] == passes


def test_what_the_summary_says_of_a_line(program):
    run = program.launch("strided", 1, args=[np.zeros(1024, np.float32), np.zeros(32, np.float32), 32], block=32)
    load_entry, store_entry = summarise(run.timeline).transactions
    assert (load_entry.moved, load_entry.requested, load_entry.counts) == (1024, 128, (32, 0, 0))
    assert (store_entry.moved, store_entry.requested) == (128, 128)
    assert Path(load_entry.file).name == "threads.cu"
    assert load_entry.line == store_entry.line > 0
    (traffic,) = summarise(run.timeline).traffic
    assert (traffic.space, traffic.read, traffic.written) == ("global", 1024, 128)


def test_a_long_add_takes_the_time_of_its_bytes(device, program):
    count = 1 << 20
    arrays = [device.array(np.zeros(count, np.float32)) for _ in range(3)]
    run = program.launch("add<float>", count // 256, args=[*arrays, count], block=256)
    bound = 12 * count / (1555e9) * 1e6
    assert bound < run.time_us - device.rates.launch_overhead_us < 1.15 * bound
    assert run.timeline.not_modelled == ("arithmetic, caches, barriers",)


def test_a_block_waits_for_the_memory_once(device, program):
    arrays = [device.array(np.zeros(256, np.float32)) for _ in range(3)]
    run = program.launch("add<float>", 1, args=[*arrays, 256], block=256)
    # Three times 1024 bytes at 180.5 GB/s, and 205.7 ns.
    assert run.timeline.end.max() == pytest.approx(3 * 1024 / 180.5e3 + 0.2057, rel=1e-3)


def test_a_transaction_that_writes_reads_nothing(device, program):
    run = program.launch("strided", 1, args=[device.array(np.zeros(8, np.float32)) for _ in range(2)] + [1], block=1)
    costs = Costs.of(run.log, run.rates)
    moves = costs.moved[list(run.rates.channels).index("dram")] > 0
    assert costs.moved[:, moves].tolist() == [[32, 32], [32, 32]]
    assert costs.alone[moves] == pytest.approx([1 / 1410] * 2)  # one cycle each


def test_blocks_are_spread_over_multiprocessors_and_their_places(program):
    log = program.launch("skip_alike", 300, args=[np.zeros(300 * 1024, np.int32), 0], block=1024).log
    blocks = {int(task): int(core) for task, core in zip(log.records["task"], log.records["core"], strict=True)}
    # 108 multiprocessors of 32 places; two blocks of 1024 threads at a time on each.
    assert [blocks[n] for n in (0, 1, 107, 108, 215, 216, 299)] == [
        0,
        32,
        107 * 32,
        1,
        107 * 32 + 1,
        0,
        (299 - 216) * 32,
    ]


def test_a_log_says_how_it_was_launched(program):
    log = program.launch("turn", 2, args=[np.zeros(64, np.int32), np.zeros(64, np.int32)], block=(32, 1)).log
    assert (log.launch["dim"], log.launch["block"], log.launch["shared"]) == ([2, 1, 1], [32, 1, 1], 1024)
