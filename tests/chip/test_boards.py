"""Two numbers for one thing, on two boards with the same chip, need a reason."""

import re

import pytest
from mlusim.simulator import Device
from mlusim.simulator.chip.device_file import read_device_file

from tests.support.paths import ROOT

#: What differs between the boards of a family, and why.
REASONS = {
    "mlu370": {
        "clock.core_mhz": "the M8 is clocked higher, and measured so",
        "shape.clusters": "an X8 is two devices, each with half the clusters",
        "shape.spaces.gdram.bytes": "the memory of an X8 is dealt to its two devices",
        "channels.dram.latency_ns": "measured by the same loop on both boards, whose memory clocks are not published",
    },
    "mlu590": {
        "channels.dram.gb_per_s": "M9 boards have a wider memory bus",
        "channels.dram.bus_bits": "M9 boards have a wider memory bus",
        "shape.spaces.gdram.bytes": "96 GB on M9 boards, 80 on others",
    },
}


@pytest.mark.parametrize("family", REASONS)
def test_boards_of_a_family_differ_in_what_has_a_reason(family):
    files = [file for name in Device.names() if (file := read_device_file(Device.file(name))).family == family]
    assert len(files) > 1
    values = [{path: fact.value for path, fact in file.facts.items()} for file in files]
    names = {path for facts in values for path in facts}
    differing = {path for path in names if len({facts.get(path) for facts in values}) > 1}
    assert differing == REASONS[family].keys()
    for path in differing:  # each board says in its own words where its number is from
        said = {(file.facts[path].value, file.facts[path].source) for file in files}
        assert len({source for _, source in said}) >= len({value for value, _ in said}), path


def test_what_the_boards_have_in_common_is_as_sure_on_each():
    for family in REASONS:
        files = [file for name in Device.names() if (file := read_device_file(Device.file(name))).family == family]
        for path, fact in files[0].facts.items():
            if path not in REASONS[family] and fact.kind == "fitted":
                assert all(file.facts[path] == fact for file in files), path


@pytest.mark.parametrize("name", Device.names())
def test_a_number_that_is_as_on_another_chip_is_the_same_there(name):
    """Where the source says no more than that: a rate in cycles at another clock has more to say."""
    files = [read_device_file(Device.file(other)) for other in Device.names()]
    named = {f"as on {file.title.removeprefix('Cambricon ')}": file.facts for file in files}
    for path, fact in read_device_file(Device.file(name)).facts.items():
        there = named.get(fact.source, {}).get(path)
        assert there is None or there.value == fact.value, path


TABLE = (ROOT / "docs" / "timing.md").read_text(encoding="utf-8").partition("<!-- boards -->")[2].partition("\n\n")[0]
#: Figures that follow from others of a device file, by their unit; peaks of int8 are told in powers of two a core.
FOLLOWING = {
    "TOPS of int8": lambda facts, cores, mhz: 2 * facts["engines.tensor_int8.per_cycle"] / 1024 * cores * mhz / 1000,
    "bits of bus at 1800 MHz": lambda facts, *_: facts["channels.dram.gb_per_s"] * 8e3 / (2 * 1800),
    "TFLOPS of float": lambda facts, cores, mhz: 2 * facts["shape.lanes"] * 32 * cores * mhz / 1e6,
    "GB/s a core": lambda facts, *_: facts["channels.dram.core_gb_per_s"],
}


def test_the_page_says_of_each_board_what_its_file_does():
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in TABLE.splitlines()[3:]]
    assert {row[0] for row in rows} == {*Device.names()} - {"bm1684x", "cuda-sm80"}  # of these little is public
    for name, shape, mhz, bandwidth, following in rows:
        facts = {path: fact.value for path, fact in read_device_file(Device.file(name)).facts.items()}
        clusters, each = map(int, shape.split(" x "))
        assert (clusters, each) == (facts["shape.clusters"], facts["shape.cores_per_cluster"]), name
        assert float(mhz) == facts["clock.core_mhz"], name
        assert float(bandwidth) == facts["channels.dram.gb_per_s"], name
        public, unit = re.match(r"([\d.]+) (.+?)(?: \(.*|,.*)?$", following).groups()
        assert FOLLOWING[unit](facts, clusters * each, float(mhz)) == pytest.approx(float(public), rel=0.03), name
        if unit == "GB/s a core":
            assert float(bandwidth) == pytest.approx(float(public) * each), name
