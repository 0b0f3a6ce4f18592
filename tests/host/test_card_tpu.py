"""The suite for a card with a TPU: its program runs here, and each rate comes back from what it prints."""

import os
import re
import subprocess

import pytest
from mlusim.isa import DIALECTS
from mlusim.isa.tpu.cycles import CLASSES
from mlusim.simulator.host.programs.toolkit import write_toolkit

from tests.host.card_rates import check_rates_come_back
from tests.support.paths import ROOT

pytestmark = pytest.mark.slow
SUITE = ROOT / "benchmarks" / "card" / "tpu"
#: How often kernels of classes do their work here, and by the suite's own Makefile.
FEW, USUAL = 8, re.search(r"^TIMES \?= (\d+)$", (SUITE / "Makefile").read_text(encoding="utf-8"), re.M)[1]
#: Classes of which the suite has no instruction; a wait has no work.
UNSEEN = {
    f"engines.{name}" for name in (
        "bdc_lin.startup_cycles", "bdc_lin.per_cycle", "bdc_conv_float.startup_cycles", "bdc_conv_float.per_cycle",
        "bdc_lane_copy.startup_cycles", "bdc_lane_copy.per_cycle", "sync.per_cycle",
    )
}  # fmt: skip

#: Others that the fit may name: start-ups of ten cycles or so, which the processor hides that needs 40 to issue a
#: command, and rates of SDMA and HAU where the DRAM is slower.
HIDDEN = 11
BOUNDED = {"engines.hau_gather.per_cycle", "engines.sdma.per_cycle"}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """The table of a bm1690, printed by the suite's program, built and run with a toolkit in place of the vendor's.

    Here the kernels of classes run a few times each; the rows then stand for as many times as they run on a card.
    """
    folder = tmp_path_factory.mktemp("card")
    write_toolkit(folder / "sdk", ["bm1690"])
    words = ["make", "-s", "-C", SUITE, f"SDK={folder / 'sdk'}", "LAUNCHES=1", f"TIMES={FEW}", f"OUT={folder}"]
    made = subprocess.run(words, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
    path = {**os.environ, "LD_LIBRARY_PATH": str(folder / "sdk" / "lib")}
    done = subprocess.run([folder / "card", "bm1690"], env=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "error:" not in done.stderr
    assert "warning:" not in done.stderr
    assert done.stdout.count(f" times={FEW} ") == 36
    table = done.stdout.replace(f" times={FEW} ", f" times={USUAL} ")
    # Long products take long to simulate, and a quarter of them tells as much.
    return re.sub(rf"(bytes=4096 times=){USUAL}( parts=64)", rf"\g<1>{int(USUAL) // 4}\2", table)


def test_the_classes_without_an_instruction_are_those_that_the_page_names():
    unused = {*CLASSES} - {entry.engine for entry in DIALECTS["tpu"].instructions}
    assert {path.split(".")[1] for path in UNSEEN} - {"sync"} == unused
    page = " ".join((ROOT / "docs" / "calibrate.md").read_text(encoding="utf-8").split())
    named = re.search(r"(\w+) classes that no modelled instruction has \((.*?)\)", page)
    assert (named[1], {*re.findall(r"`(\w+)`", named[2])}) == ("three", unused)


def test_every_rate_of_a_bm1690_comes_back(printed, tmp_path):
    table = tmp_path / "card.csv"
    table.write_text(printed)
    check_rates_come_back(table, SUITE, UNSEEN, HIDDEN, BOUNDED)


@pytest.mark.further
def test_every_rate_of_a_bm1684x_comes_back(printed, tmp_path):
    """Its program prints the same rows, but for SDMA and several cores."""
    head, *rows = printed.splitlines()
    rows = [re.sub("^bm1690", "bm1684x", row) for row in rows if "sdma" not in row and "dim={1," in row]
    table = tmp_path / "card.csv"
    table.write_text("\n".join([head, *rows]))
    check_rates_come_back(table, SUITE, UNSEEN, HIDDEN, BOUNDED)
