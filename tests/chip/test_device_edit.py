"""Numbers put into the text of a device file: all else stays."""

import pytest
from mlusim.simulator import Device
from mlusim.simulator.chip.device_file import Quantity
from mlusim.simulator.chip.edit import with_numbers


def number(value):
    return Quantity(value=value, kind="fitted", source='a "table", 3 %')


def test_old_and_new_numbers(tmp_path):
    text = Device.file("mlu290").read_text()
    numbers = {
        "launch.overhead_us": number(7.5),
        "engines.move.part_cycles": number(0.25),
        "engines.io.efficiency": number(0.5),
    }
    edited = with_numbers(text, numbers)
    (tmp_path / "d.toml").write_text(edited)
    rates = Device.load(tmp_path / "d.toml").rates
    engines = rates.engines
    assert (rates.launch_overhead_us, engines["move"].part_cycles, engines["io"].efficiency) == (7.5, 0.25, 0.5)
    assert rates.facts["engines.move.part_cycles"].source == 'a "table", 3 %'
    old, new = text.splitlines(), edited.splitlines()
    assert [line for line in new if line not in old] == [line for line in new if '"fitted"' in line]
    assert len(new) == len(old) + 2


@pytest.mark.parametrize(
    ("text", "message"),
    [("[clock]\n", r"no table \[launch\]"), ("[launch]\noverhead_us = {\n value = 1 }\n", "spans several lines")],
)
def test_texts_that_cannot_be_edited(text, message):
    with pytest.raises(ValueError, match=message):
        with_numbers(text, {"launch.overhead_us": number(1)})


@pytest.mark.parametrize(("efficiency", "message"), [("1.5", "a share, above zero and at most 1"), ("0", "above zero")])
def test_an_efficiency_is_a_share(tmp_path, efficiency, message):
    text = with_numbers(Device.file("mlu290").read_text(), {"channels.dram.efficiency": number(0.123)})
    (tmp_path / "d.toml").write_text(text.replace("0.123", efficiency))
    with pytest.raises(ValueError, match=message):
        Device.load(tmp_path / "d.toml")
