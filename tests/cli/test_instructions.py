"""`mlusim isa`: what it lists, shows and suggests."""

from __future__ import annotations

import re

import pytest
from mlusim.isa import DIALECTS
from mlusim.simulator.cli import main

from tests.support.commands import call, document


@pytest.fixture(autouse=True)
def width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")


def test_isa_lists_every_instruction(capsys):
    code, out, _ = call(capsys, "isa")
    listed = {line.split()[0] for line in out.splitlines() if line.startswith("  ") and line[2] != " "}
    bang = DIALECTS["bang"]
    assert code == 0
    assert listed >= {entry.name for entry in bang.instructions} | set(bang.known)
    _, data = document(capsys, "isa", "--arch", "270")
    names = [row["name"] for row in data["instructions"]]
    assert "__bang_add" in names
    assert "__bang_maximum" not in names


def test_isa_shows_a_declaration(capsys):
    code, out, _ = call(capsys, "isa", "__bang_div")
    assert code == 0
    assert "void __bang_div(half *dst, const half *src0, const half *src1, int32_t elem_count);" in out
    for words in (">=322 !=372", "may coincide", "documented", "compute"):
        assert words in out
    assert "multiples of 64" in call(capsys, "isa", "__bang_add")[1]
    assert "multiples of 64" not in call(capsys, "isa", "__bang_add", "--arch", "592")[1]
    assert "<300" not in call(capsys, "isa", "__bang_maximum")[1]  # it came later
    code, data = document(capsys, "isa", "__memcpy")
    assert len(data["declarations"]) == 6  # of 1, 2 or 3 levels of segments, each within a cluster and to another
    case = next(case for case in data["declarations"][0]["cases"] if case["label"] == "GDRAM2NRAM")
    assert (case["spaces"], case["pipe"]) == ({"dst": "nram", "src": "gdram"}, "io")


def test_isa_lists_the_names_that_a_part_is_in(capsys):
    assert main(["isa", "pow2"]) == 2
    assert (
        "has no instruction pow2 that mlusim knows; it is part of __bang_active_pow2, __bang_pow2"
        in capsys.readouterr().err
    )
    assert main(["isa", "max"]) == 2
    assert " more" in capsys.readouterr().err
    assert main(["isa", "gdma_cpy"]) == 2
    assert "tpu_gdma_cpy_L2L" in capsys.readouterr().err


def test_isa_names_that_are_wrong_or_only_known(capsys):
    code, out, err = call(capsys, "isa", "__bang_divv")
    assert (code, out) == (2, "")
    assert "the nearest names are __bang_div" in err
    name = next(iter(DIALECTS["bang"].known))
    code, out, _ = call(capsys, "isa", name)
    assert code == 0
    assert "known, not modelled" in out


def test_all_instructions_as_one_table(capsys):
    code, out, _ = call(capsys, "isa", "--markdown")
    assert code == 0
    rows = re.findall(r"^\| \w+ \| `(\w+)` \| .* \| (?:documented|inferred) \|$", out, re.M)
    assert set(rows) >= {entry.name for dialect in DIALECTS.values() for entry in dialect.instructions}
