"""Cycles of BDC's classes on a BM1688 (32 lanes of 16 bytes), counted by hand from its performance model."""

import pytest
from mlusim.isa.expression import FUNCTIONS
from mlusim.isa.tpu.cycles import CLASSES, work
from mlusim.simulator import Device

#: A result [2, 40, 5, 7]: 2 x 2 groups of 32 lanes; of 35 floats 9 beats of 4, or 2 beats for each of the 5 lines.
SHAPE = {"shape.n": 2, "shape.c": 40, "shape.h": 5, "shape.w": 7}
FLOAT = {"shape": "shape", "size": "4"}
#: Class, names of its template, start and work.
COUNTED = [
    ("bdc_ar", FLOAT, 11, 4 * 9),
    ("bdc_ar", {"shape": "shape", "size": "2"}, 11, 4 * 5),  # 35 halves: 5 beats of 8
    ("bdc_select", FLOAT, 9, 4 * 9),
    ("bdc_lin", FLOAT, 12, 4 * 5 * 2),
    ("bdc_pool", {**FLOAT, "kernel": "3 * 3"}, 10, 4 * 9 * 17),
    ("bdc_depthwise", {**FLOAT, "kernel": "3 * 3"}, 10, 4 * 9 * 17 / 2),
    ("bdc_taylor", {**FLOAT, "terms": "10"}, 0, 4 * 9 * 9.5),
    ("bdc_rsqrt", FLOAT, 14, 30 * 4 * 9),
    ("bdc_requant", {"shape": "shape", "size": "1"}, 11, 4 * 3),
    # 35 points, 4 at a time; 20 channels, 16 at a time.
    ("bdc_conv", {"shape": "shape", "channels": "20", "parallel": "16", "kernel": "9"}, 23, 4 * 9 * 2 * 9),
    ("bdc_conv_float", {**FLOAT, "channels": "20", "kernel": "9"}, 23, 4 * 9 * 20 * 9),
    ("bdc_mm", {"m": "6", "columns": "40", "width": "9", "k": "50", "size": "4"}, 32, 6 * 2 * 3 * 50),
    ("bdc_mm2_nn", {"m": "70", "n": "20", "k": "50", "parallel": "16"}, 81, 3 * 2 * 13),
    ("bdc_mm2_nt", {"m": "70", "n": "20", "k": "50", "parallel": "16"}, 56, 3 * 2 * 13),
    ("bdc_mm2_tt", {"m": "70", "n": "20", "k": "50", "parallel": "16"}, 37, 3 * 2 * 13),
    ("bdc_gather", {"each": "77"}, 11, 77),
    ("bdc_gather_lines", {"elements": "3000"}, 24, 3),  # 1024 a cycle
    ("bdc_transpose", {"elements": "3001", "size": "4"}, 30, 751),
    ("bdc_lane_copy", {"elements": "3001", "size": "4"}, 27, 751),
    ("bdc_lane_broadcast", {"elements": "3001", "size": "4"}, 27, 24),  # 128 a cycle
]


def value(text):
    """What an expression of a declaration comes to on a BM1688."""
    for name, number in SHAPE.items():
        text = text.replace(name, str(number))
    shape = Device.load("bm1688").shape
    return eval(text, {"__builtins__": {}, **FUNCTIONS}, {"lanes": shape.lanes, "eu_bytes": shape.eu_bytes})


@pytest.mark.parametrize(("engine", "names", "start", "cycles"), COUNTED)
def test_a_class_takes_its_start_and_its_work(engine, names, start, cycles):
    rate = Device.load("bm1688").rates.engines[engine]
    assert (rate.startup_cycles, value(work(engine, **names)) / rate.rate) == (start, cycles)


def test_every_class_is_counted_and_every_chip_has_it():
    assert {engine for engine, *_ in COUNTED} == set(CLASSES)
    for chip in ("bm1684x", "bm1688", "bm1690"):
        rates = Device.load(chip).rates
        assert set(CLASSES) <= set(rates.engines)
        kinds = {rates.kind(f"engines.{engine}.startup_cycles") for engine in CLASSES}
        assert kinds == {"documented" if chip == "bm1688" else "assumed"}
