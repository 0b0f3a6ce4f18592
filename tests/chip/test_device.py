"""Device files: every number sourced, the public figures in place, what-if changes, and messages of user faults."""

import json
import math
import subprocess
import sys

import pytest
from mlusim.simulator import Device
from mlusim.simulator.chip import Shape

from tests.support.paths import CHIPS

KB = 1024
DEVICES = CHIPS

# arch, clusters x cores, MHz, NRAM / WRAM / SRAM in KB, DRAM in GB/s, one cluster alone in GB/s.
FIGURES = {
    "mlu270": (270, 4, 4, 1000, 512, 1024, 2048, 102.4, None),
    "mlu290": (290, 16, 4, 1000, 512, 512, 2048, 1024, None),
    "mlu370-x4": (372, 8, 4, 1000, 768, 1024, 4096, 307.2, 128),
    "mlu370-x8": (372, 4, 4, 1000, 768, 1024, 4096, 307.2, 128),
    "mlu370-m8": (372, 8, 4, 1300, 768, 1024, 4096, 307.2, 128),
    "mlu590": (592, 8, 4, 1850, 512, 512, 2048, 2304, None),
    "mlu590-m9": (592, 8, 4, 1850, 512, 512, 2048, 2765, None),
}


@pytest.fixture
def user_file(tmp_path):
    """Writes a copy of a built-in device with some text exchanged, and returns its path."""

    def write(old="", new="", base="mlu370-x4"):
        text = (DEVICES / f"{base}.toml").read_text(encoding="utf-8")
        assert old in text
        path = tmp_path / "mine.toml"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")
        return path

    return write


def test_names_lists_every_device_file():
    assert Device.names() == sorted([*FIGURES, "bm1684", "bm1684x", "bm1688", "bm1690", "cuda-sm80"])


@pytest.mark.parametrize("name", FIGURES)
def test_public_figures(name):
    arch, clusters, cores, mhz, nram, wram, sram, dram, cluster_port = FIGURES[name]
    device = Device.load(name)
    shape, rates = device.shape, device.rates
    assert (device.name, device.isa) == (name, "bang")
    assert (shape.arch, shape.clusters, shape.cores_per_cluster, shape.memory_cores_per_cluster) == (
        arch,
        clusters,
        cores,
        1,
    )
    assert {key: shape.spaces[key].bytes // KB for key in ("nram", "wram", "sram", "vreg")} == {
        "nram": nram,
        "wram": wram,
        "sram": sram,
        "vreg": 64,
    }
    assert {key: space.scope for key, space in shape.spaces.items()} == {
        "gdram": "device",
        "ldram": "core",
        "nram": "core",
        "wram": "core",
        "sram": "cluster",
        "vreg": "core",
    }
    assert shape.spaces["nram"].budget == nram * KB
    assert shape.spaces["sram"].budget == sram * KB
    assert shape.spaces["wram"].budget == wram * KB
    assert rates.clock_mhz == mhz
    assert (rates.engines["compute"].per_cycle, rates.engines["compute"].quantum) == (128, 128)
    assert rates.engines["io"].quantum == 64
    assert rates.channels["dram"].gb_per_s == dram
    assert rates.channels["dram"].spaces == ("gdram", "ldram")
    port = rates.channels.get("cluster_port")
    assert (port and port.gb_per_s) == cluster_port


@pytest.mark.parametrize("name", FIGURES)
def test_every_number_says_where_it_comes_from(name):
    facts = Device.load(name).facts
    assert {f"shape.spaces.{space}.bytes" for space in ("gdram", "ldram", "nram", "wram", "sram", "vreg")} <= set(facts)
    for path, fact in facts.items():
        assert fact.kind in {"measured", "documented", "derived", "fitted", "assumed"}, path
        assert len(fact.source.strip()) > 8, path
        if fact.kind == "derived":
            assert any(character.isdigit() or character == "/" for character in fact.source) or fact.value == 0, path


@pytest.mark.parametrize(("name", "gdram_loop_ns"), [("mlu370-x4", 777.6), ("mlu370-m8", 629.5)])
def test_scalar_engines_reproduce_the_measured_loops(name, gdram_loop_ns):
    """4 accesses and 6 operations an iteration, 3 loads waited for together.

    A store to NRAM is posted; a short one to the DRAM counts twice.
    """
    rates = Device.load(name).rates
    nram, gdram = rates.engines["scalar_nram"], rates.engines["scalar_gdram"]
    operations = 6 / rates.engines["scalar"].per_cycle
    assert math.isclose(4 / nram.per_cycle + nram.part_cycles + operations, 30.06, rel_tol=1e-2)
    cycles = 5 / gdram.per_cycle + 3 * gdram.part_cycles + operations
    assert math.isclose(cycles / rates.clock_mhz * 1e3, gdram_loop_ns, rel_tol=0.04)


def test_shape_survives_json_and_keeps_the_order_of_its_spaces():
    shape = Device.load("mlu370-x8").shape
    back = Shape.from_dict(json.loads(json.dumps(shape.to_dict())))
    assert back == shape
    assert list(back.spaces) == list(shape.spaces)
    assert shape.cores == 16
    assert shape != Device.load("mlu370-x4").shape


def test_names_are_case_insensitive():
    assert Device.load("MLU370-X4").name == "mlu370-x4"


def test_replace_changes_rates_and_marks_them_assumed():
    device = Device.load("mlu370-x4")
    faster = device.rates.replace({"channels.dram.gb_per_s": 600, "clock.core_mhz": 1300})
    assert (faster.channels["dram"].gb_per_s, faster.clock_mhz) == (600, 1300)
    assert faster.kind("channels.dram.gb_per_s") == "assumed"
    assert faster.facts["channels.dram.gb_per_s"].source == "set by the user"
    assert faster.channels["cluster_port"] == device.rates.channels["cluster_port"]
    assert faster.kind("engines.compute.per_cycle") == "documented"
    assert device.rates.channels["dram"].gb_per_s == 307.2


def test_device_replace_changes_shape_and_rates_together():
    device = Device.load("mlu370-x4")
    bigger = device.replace({"shape.spaces.nram.bytes": 1536 * KB, "engines.io.startup_cycles": 0})
    assert bigger.shape.spaces["nram"].budget == 1536 * KB
    assert bigger.shape.spaces["wram"] == device.shape.spaces["wram"]
    assert bigger.rates.engines["io"].startup_cycles == 0
    assert bigger.facts["shape.spaces.nram.bytes"].kind == "assumed"
    assert device.shape.spaces["nram"].bytes == 768 * KB


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"channels.dram.gbps": 600}, "nearest name is 'channels.dram.gb_per_s'"),
        ({"channels.dram.gb_per_s": 0}, "channels.dram.gb_per_s must be a finite number, above zero, not 0"),
        ({"channels.dram.gb_per_s": math.nan}, "above zero, not nan"),
        ({"engines.io.startup_cycles": -1}, "zero or more, not -1"),
        ({"shape.clusters": 2.5}, "shape.clusters must be a whole number"),
        ({"shape.spaces.nram.bytes": 64 * KB}, "must be above shape.spaces.nram.reserved, 131072"),
    ],
)
def test_replace_refuses(changes, message):
    with pytest.raises(ValueError, match=message):
        Device.load("mlu370-x4").replace(changes)


def test_kind_of_an_unknown_number_names_the_nearest():
    with pytest.raises(ValueError, match=r"nearest name is 'engines\.compute\.per_cycle'"):
        Device.load("mlu590").rates.kind("engines.compute.percycle")


def test_unknown_device_names_the_nearest_and_lists_all():
    with pytest.raises(ValueError, match=r"did you mean 'mlu370-x4'.*mlu270, mlu290.*path of its .toml") as caught:
        Device.load("mlu370x4")
    assert all(name in str(caught.value) for name in FIGURES)


def test_user_file_loads_like_a_built_in(user_file):
    path = user_file('name = "mlu370-x4"', 'name = "mine"')
    mine, theirs = Device.load(path), Device.load("mlu370-x4")
    assert mine.name == "mine"
    assert (mine.shape, mine.rates, mine.facts) == (theirs.shape, theirs.rates, theirs.facts)
    assert Device.load(str(path)).shape == mine.shape


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "startup_cycles",
            "start_cycles",
            r"engines\.compute: unknown key 'start_cycles' .did you mean 'startup_cycles'",
        ),
        ("core_mhz = { value = 1000", "core_mhz = { value = true", r"clock\.core_mhz\.value: must be a number"),
        ("core_mhz = { value = 1000", "core_mhz = { value = 0", r"clock\.core_mhz must be .* above zero"),
        ("gb_per_s = { value = 307.2", "gb_per_s = { value = inf", r"channels\.dram\.gb_per_s must be a finite"),
        ('kind = "documented"', 'kind = "guessed"', r"shape\.arch\.kind: .*'measured', 'documented', 'derived'"),
        ('scope = "device"', 'scope = "planet"', r"shape\.spaces\.gdram\.scope: .*'cluster'"),
        (
            'spaces = ["gdram", "ldram"]',
            'spaces = ["dram"]',
            r"channels\.dram\.spaces names 'dram' .did you mean '.dram'.*; the spaces .* gdram",
        ),
        ("[engines.scalar]", "[engines.scalars]", r"engines\.scalar is missing"),
        ("granule = {", "core_gb_per_s = {", r"channels: none has a granule, the bytes of one access"),
        (
            "granule = { value = 64",
            "granule = { value = 0.5",
            r"channels\.dram\.granule must be a whole number of bytes",
        ),
        ("[launch]", "[start]", r"unknown key 'start'"),
        ('isa = "bang"', "", r"isa: is missing"),
        ('isa = "bang"', 'isa = "bong"', r"isa is 'bong' .did you mean 'bang'.*; the dialects are bang, tpu"),
        (
            "[shape.spaces.wram]",
            "[shape.spaces.warm]",
            r"bang has no space warm .did you mean 'wram'.*; it has gdram, .*wram",
        ),
        ('isa = "bang"', "isa = ", r"line 5"),
    ],
)
def test_faults_of_a_user_file_name_file_key_and_expectation(user_file, old, new, message):
    path = user_file(old, new)
    with pytest.raises(ValueError, match=message) as caught:
        Device.load(path)
    assert f"device file {path}" in str(caught.value)


def test_bare_number_in_a_user_file_is_refused_with_an_example(tmp_path, user_file):
    path = user_file()
    text = path.read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("clusters = "))
    path.write_text(text.replace(line, "clusters = 8"), encoding="utf-8")
    with pytest.raises(ValueError, match=r"shape\.clusters: must be a table such as \{ value = 1"):
        Device.load(path)


def test_all_faults_of_a_user_file_are_said_at_once(user_file):
    path = user_file('name = "mlu370-x4"', 'name = ""')
    text = path.read_text(encoding="utf-8")
    for old, new in [
        ("core_mhz = { value = 1000", 'core_mhz = { value = "1000"'),
        ('spaces = ["gdram", "ldram"]', 'spaces = ["gdram", 1]'),
        ("[engines.io]", "[engines.'I O']"),
        ("overhead_us = {", "overhead_us = 3 # {"),
    ]:
        assert old in text
        text = text.replace(old, new, 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="device file") as caught:
        Device.load(path)
    said = str(caught.value)
    assert "name: must not be empty" in said
    assert "clock.core_mhz.value: must be a number, not '1000'" in said
    assert "channels.dram.spaces: must be a list of texts, not ['gdram', 1]" in said
    assert "engines: 'I O' is no name; one has small letters" in said
    assert said.count("launch.overhead_us: must be a table such as { value = 1") == 1
    assert "missing" not in said
    assert said.count(";") == 5  # one for each fault but the first, one within a fault


def test_eight_faults_are_shown_and_the_others_counted(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text("name = 'x'\nisa = 'bang'\ntitle = 't'\n[shape]\n[clock]\n[engines]\n[channels]\n")
    with pytest.raises(ValueError, match=r"launch: is missing; shape\.arch: is missing; .*clock.core_mhz: is missing"):
        Device.load(path)
    path.write_text("name = 'x'\nisa = 'bang'\ntitle = 't'\n" + "".join(f"[channels.c{n}]\n" for n in range(4)))
    with pytest.raises(ValueError, match=r"channels\.c0\.scope: is missing; .*; and 12 more"):
        Device.load(path)


def test_missing_user_file_is_a_value_error(tmp_path):
    with pytest.raises(ValueError, match=r"absent\.toml cannot be read: No such file"):
        Device.load(tmp_path / "absent.toml")


def test_numbers_and_layout_are_wrong_in_one_error(user_file):
    path = user_file("gb_per_s = { value = 307.2", "gb_per_s = { value = -1")
    text = path.read_text(encoding="utf-8").replace("[clock]", "[clock]\ncore_mz = 1").replace("[bus]", "[buss]")
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match="device file") as caught:
        Device.load(path)
    said = str(caught.value)
    assert "unknown key 'buss' (did you mean 'bus'?); the keys here are name, title" in said
    assert "clock: unknown key 'core_mz' (did you mean 'core_mhz'?); the keys here are core_mhz" in said
    assert "channels.dram.gb_per_s must be a finite number, above zero, not -1" in said


def loads(path):
    """Whether a new process that loads a device has to import what validates; ValueError is printed."""
    code = (
        "import sys\nfrom mlusim.simulator import Device\n"
        f"try: Device.load({str(path)!r})\nexcept ValueError as error: print(error)\n"
        "print('pydantic' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.slow
def test_what_was_validated_is_read_without_doing_it_again(user_file, tmp_path, monkeypatch):
    cache = tmp_path / "cache"
    monkeypatch.setenv("MLUSIM_CACHE", str(cache))
    path = user_file()
    assert loads(path) == ["True"]
    assert loads(path) == ["False"]
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("core_mhz = { value = 1000", "core_mhz = { value = 0"), encoding="utf-8")
    fault, imported = loads(path)
    assert "clock.core_mhz must be a finite number, above zero, not 0" in fault
    assert imported == "True"
    assert loads(path)[0] == fault  # what is wrong is not kept
    path.write_text(text, encoding="utf-8")
    marks = list(cache.glob("*/checked"))
    assert marks
    for mark in marks:
        mark.write_bytes(mark.read_bytes()[:-5])
    assert loads(path) == ["True"]  # a damaged mark says nothing
    assert loads(path) == ["False"]
    cache.chmod(0o777)
    assert loads(path) == ["True"]  # nor one that others could have made
