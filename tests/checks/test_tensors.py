"""Rules on tensors across lanes of a TPU: each fault, the near miss, and what a log says of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, Region

from tests.support.tensors import LANE, ROW, add, collect, load, rules, store

CHIP = "bm1690"

# --- uninitialized elements -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "stride", "lane", "byte"),
    [
        ((1, 1, 1, 16), None, 1, 1024),  # of the first lane alone
        ((1, 63, 1, 16), None, 63, 1024),  # all lanes but the last one
        ((1, 64, 1, 16), None, 0, 1024 + 64),  # the first of two rows of lanes
        ((1, 128, 1, 15), (1, 16, 16, 1), 0, 1024 + 60),  # all but the last elements
        ((1, 128, 1, 8), (1, 16, 16, 2), 0, 1024 + 4),  # every other element
    ],
)
def test_a_tensor_of_which_a_part_was_written(
    device: Device, written: tuple[int, ...], stride: Any, lane: int, byte: int
) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones, (1, 128, 1, 16))
        load(unit, 1024, ones, written, stride)
        add(unit, 2048, 0, 1024, (1, 128, 1, 16))
        store(unit, out, 2048, (1, 128, 1, 16))
        store(unit, out, 2048, (1, 128, 1, 16))  # is not said twice
        unit.tpu_poll()

    (finding,), out, _ = collect(device, kernel)
    assert (finding.rule, finding.instruction, finding.severity) == ("uninitialized", "tpu_gdma_cpy_L2S", "warning")
    assert (finding.region.space, (finding.region.lane, finding.region.offset)) == ("local", (lane, byte + 1024))
    values = out[:2048].reshape(128, 16)
    missing = np.ones((128, 16), bool)
    missing[: written[1], : written[3] * (stride[3] if stride else 1) : stride[3] if stride else 1] = False
    assert (np.isnan(values) == missing).all()  # it is uninitialized, and that shows
    assert (values[~missing] == 2).all()


@pytest.mark.parametrize(("lanes", "said"), [(3, 0), (4, 1)])
def test_lanes_that_are_computed_and_not_used_stay_silent(device: Device, lanes: int, said: int) -> None:
    """Three lanes of data through two additions and a conversion, all of them on a whole row of lanes."""

    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones, (1, 3, 1, 16))
        add(unit, 1024, 0, 0)
        add(unit, 1024, 1024, 0)
        unit.tpu_bdc_cast(2048, 1024, ROW, None, None, unit.DT_FP16, unit.DT_FP32, unit.RM_HALF_TO_EVEN)
        unit.tpu_bdc_cast(0, 2048, ROW, None, None, unit.DT_FP32, unit.DT_FP16, unit.RM_HALF_TO_EVEN)
        store(unit, out, 0, (1, lanes, 1, 16))
        unit.tpu_poll()

    findings, out, _ = collect(device, kernel)
    assert [(f.rule, f.instruction, f.region.lane) for f in findings if f.region] == (
        [("uninitialized", "tpu_gdma_cpy_L2S", 3)] * said
    )
    assert (out[:48] == 3).all()


@pytest.mark.parametrize(
    ("tables", "lanes", "named"),
    [(3, 3, []), (3, 4, [("tpu_gdma_cpy_L2S", 3)]), (1, 3, [("tpu_bdc_fp32_pow", 0)]), (2, 3, [])],
)
def test_powers_of_what_is_missing(device: Device, tables: int, lanes: int, named: list[tuple[str, int]]) -> None:
    """Three lanes of two bases and exponents on a row of lanes; of two tables all lanes are read, of that of powers
    none from BM1690 on."""

    def kernel(unit: Any, out: Any, ones: Any) -> None:
        for address in (1024, 2048):
            load(unit, address, ones, (1, 3, 1, 16))
        for table in range(tables):
            load(unit, (5 + table) * 1024, ones, (1, 64, 1, 192))
        unit.tpu_bdc_fp32_pow(*range(0, 1024 * 8, 1024), ROW)
        store(unit, out, 0, (1, lanes, 1, 16))
        unit.tpu_poll()

    findings, out, _ = collect(device, kernel)
    assert [(f.instruction, f.region.lane) for f in findings if f.region] == named
    assert (out[:48] == 1).all()


def test_what_lies_between_the_elements_is_not_read(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        for address in (0, 1024):
            load(unit, address, ones, (2, 65, 1, 3))  # 12 bytes of every 64; one lane has a second row
        add(unit, 2048, 0, 1024, (2, 65, 1, 3))
        store(unit, out, 2048, (2, 65, 1, 3))
        unit.tpu_poll()

    findings, out, _ = collect(device, kernel)
    assert findings == []
    assert (out[: 2 * 65 * 3] == 2).all()
    assert (out[2 * 65 * 3 :] == 5).all()


def test_local_memory_is_fresh_for_every_launch(device: Device) -> None:
    for _ in range(2):
        assert rules(device, lambda unit, out, ones: store(unit, out, 0)) == [("uninitialized", "tpu_gdma_cpy_L2S")]


def test_work_operands_may_not_be_read_afterwards(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        for address in range(0, 1024 * 8, 1024):
            load(unit, address, ones, (1, 64, 1, 192))
        unit.tpu_bdc_fp32_pow(*range(0, 1024 * 8, 1024), ROW)
        for address in range(0, 1024 * 8, 1024):
            store(unit, out + address // 8, address, (1, 4, 1, 16))
        unit.tpu_poll()

    findings, out, run = collect(device, kernel)
    assert {f.rule for f in findings} == {"uninitialized", "unread"}  # all operands are loaded from the first rows
    (read,) = [f for f in findings if f.rule == "uninitialized"]
    (power,) = [at for at, op in enumerate(run.log.ops) if op.name == "tpu_bdc_fp32_pow"]
    assert read.related == run.log.location(int(np.flatnonzero(run.log.records["op"] == power)[0]))
    blocks = np.isnan(out[: 8 * 128].reshape(8, 128)[:, :64])
    assert blocks.all(1).tolist() == [False, False, False, True, True, False, False, False]
    assert blocks.any(1).tolist() == blocks.all(1).tolist()


# --- operands beside each other --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "address", "operand"),
    [
        (3, 1024, "work0_addr"),  # on src0
        (4, 3 * 1024, "work0_addr"),  # both on each other
        (4, 64, "work1_addr"),  # on dst, in part
        (3, 5 * 1024 + 64, "work0_addr"),  # on a table
        (0, 3 * 1024, "work0_addr"),
        (0, 1024 + 64, "dst_addr"),  # on src0 in part
        (0, 1024, ""),  # on src0 altogether
        (3, 8 * 1024, ""),
    ],
)
def test_work_operands_have_memory_of_their_own(device: Device, changed: int, address: int, operand: str) -> None:
    addresses = [*range(0, 1024 * 8, 1024)]
    addresses[changed] = address

    def kernel(unit: Any, out: Any, ones: Any) -> None:
        for place in range(0, 1024 * 9, 1024):
            load(unit, place, ones, (1, 64, 1, 256))
        unit.tpu_bdc_fp32_pow(*addresses, (1, 64, 1, 64))

    found = collect(device, kernel)[0]
    assert [(f.rule, f.operand) for f in found] == ([("overlap", operand)] if operand else [])


def test_an_overlap_names_the_lanes_and_bytes_of_both(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones, (1, 64, 1, 256))
        unit.tpu_bdc_fp_mul(64, 0, 0, (1, 30, 1, 32), None, None, None, unit.DT_FP32)

    (finding,) = collect(device, kernel)[0]
    assert finding.rule == "overlap"
    assert (
        "dst_addr (a tensor at local[0] lane 0, 0x40) and src0_addr (a tensor at local[0] lane 0, 0x0)"
        in finding.message
    )
    assert str(finding.region) == "local[0] 30 lanes from 0, 0x40..0xc0"


def test_a_cast_in_place_does_not_widen(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 0, ones)
        unit.tpu_bdc_cast(0, 0, ROW, None, None, unit.DT_FP16, unit.DT_FP32, unit.RM_HALF_TO_EVEN)
        unit.tpu_bdc_cast(0, 0, ROW, None, None, unit.DT_FP32, unit.DT_FP16, unit.RM_HALF_TO_EVEN)

    (finding,) = collect(device, kernel)[0]
    assert (finding.rule, finding.instruction) == ("overlap", "tpu_bdc_cast")


# --- places ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "shape", "says"),
    [
        (LANE - 64, (1, 1, 1, 17), "passes the end of a lane by 64 bytes"),  # aligned: a row of 32
        (LANE - 64, (1, 65, 1, 16), "passes the end of a lane by 64 bytes"),
        (63 * LANE + LANE - 64, (1, 2, 1, 16), "passes the end of a lane by 64 bytes"),
        (64 * LANE, (1, 1, 1, 1), "is not in local memory"),
    ],
)
def test_a_tensor_stays_in_its_lanes(device: Device, address: int, shape: tuple[int, ...], says: str) -> None:
    (finding,) = collect(device, lambda unit, out, ones: load(unit, address, ones, shape))[0]
    assert (finding.rule, finding.operand) == ("bounds", "dst_addr")
    assert says.replace("64 bytes", "4 bytes" if shape[3] == 17 else "64 bytes") in finding.message


def test_a_tensor_that_leaves_its_lanes_is_one_finding_for_all_that_use_it(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        wide = (1, 1, 1, 32)
        load(unit, LANE - 64, ones, wide)
        add(unit, 0, LANE - 64, LANE - 64, wide)
        store(unit, out, LANE - 64, wide)
        unit.tpu_gdma_cpy_S2L(LANE - 64, ones, (1, 1, 1, 48), None, None, unit.DT_FP32)

    found = [finding for finding in collect(device, kernel)[0] if finding.rule == "bounds"]
    assert [len(finding.also) for finding in found] == [2, 0]
    assert [finding.message.partition(" passes")[0] for finding in found] == [
        f"the tensor [1, 1, 1, {width}] at {LANE - 64:#x}" for width in (32, 48)
    ]


def test_the_last_bytes_of_every_lane_are_legal(device: Device) -> None:
    assert rules(device, lambda unit, out, ones: load(unit, LANE - 64, ones)) == []


def test_records_say_which_lanes(device: Device) -> None:
    def kernel(unit: Any, out: Any, ones: Any) -> None:
        load(unit, 5 * LANE + 128, ones, (2, 3, 1, 20))
        load(unit, 63 * LANE, ones, (1, 3, 1, 16))
        load(unit, 4096, ones, (1, 130, 1, 16))
        store(unit, out, 5 * LANE + 128, (2, 3, 1, 20))

    log = collect(device, kernel)[2].log
    places = [[region for *_, region in log.regions(index)] for index in range(len(log))]
    local = [[region for region in row if region.space == "local"] for row in places]
    assert local == [
        [Region("local", 0, 128, 128 + 80, 5, 3)],  # two of 32 elements apart, the second one 20 long
        [Region("local", 0, 0, 128, 63, 3)],  # the second row of lanes 0 and 1
        [Region("local", 0, 4096, 3 * 64, 0, 64)],
        [Region("local", 0, 128, 208, 5, 3)],
    ]
    assert [row[1].lanes if row[1].space == "global" else row[0].lanes for row in places] == [0, 0, 0, 0]
    assert log.operand_bytes.tolist()[:2] == [208 * 3, 2 * 3 * 20 * 4]
