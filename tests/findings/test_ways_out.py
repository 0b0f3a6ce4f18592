"""Findings whose way out depends on what was done."""

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Finding, launch, load
from mlusim.simulator.findings import rules


def copied(direction: str, outwards: bool) -> list[Finding]:
    """What is found of a copy between an array and NRAM in a direction."""

    def kernel(mlu, array):
        tile = mlu.nram("float", 64)
        target, source = (array, tile) if outwards else (tile, array)
        mlu.__bang_write_value(tile, 64, 1)
        mlu.__memcpy(target, source, 256, getattr(mlu, direction))

    array = np.zeros(64, np.float32)
    return launch(kernel, args=[array], device=Device.load("mlu370-x4"), on_finding="collect").findings


@pytest.mark.parametrize(
    ("direction", "outwards", "operand", "way"),
    [
        ("NRAM2GDRAM", False, "dst", "to nram: ...2NRAM"),
        ("GDRAM2NRAM", True, "dst", "to gdram: ...2GDRAM"),
        ("NRAM2NRAM", False, "src", "from gdram: GDRAM2..."),
    ],
)
def test_a_copy_against_its_direction(direction, outwards, operand, way):
    (found,) = copied(direction, outwards)
    assert (found.rule, found.operand) == ("space", operand)
    assert found.message.startswith(f"{operand} lies in ")
    assert "as the direction of the copy says" in found.message
    assert found.suggestion.startswith(f"pass the direction that leads {way}")


@pytest.mark.parametrize(("direction", "outwards"), [("GDRAM2NRAM", False), ("NRAM2GDRAM", True)])
def test_a_copy_in_its_direction(direction, outwards):
    assert copied(direction, outwards) == []


def test_dynamic_shared_memory_that_no_launch_gives(tmp_path: Path):
    source = tmp_path / "k.cu"
    source.write_text(
        "__global__ void k(float *out) {\n  extern __shared__ float s[];\n  s[threadIdx.x] = 1;\n"
        "  out[threadIdx.x] = s[threadIdx.x];\n}\n"
    )
    program, out = load([source], device=Device.load("cuda-sm80")), np.zeros(32, np.float32)
    first = program.launch("k", 1, args=[out], block=32, on_finding="collect").findings[0]
    assert first.rule == "bounds"
    assert first.suggestion.startswith("launch it with as many bytes as the block needs")
    (behind,) = program.launch("k", 1, args=[out[:31]], block=32, shared=128, on_finding="collect").findings
    assert behind.suggestion.startswith("compare the index")
    assert program.launch("k", 1, args=[out], block=32, shared=128).findings == []


def test_an_instruction_that_stands_for_an_outcome_left_open(tmp_path: Path):
    source = tmp_path / "k.mlu"
    source.write_text("#include <bang.h>\n__mlu_entry__ void k(int *out, int n) { __builtin_trap(); }\n")
    program = load([source], device=Device.load("mlu370-x4"))
    run = program.launch("k", args=[np.zeros(4, np.int32), 4], on_finding="collect")
    assert [finding.rule for finding in run.errors] == ["crash"]
    assert "divides by zero" in run.errors[0].suggestion


def test_an_operand_on_the_stack(tmp_path: Path) -> None:
    source = tmp_path / "stack.mlu"
    source.write_text(
        "#include <bang.h>\n__nram__ float part[64];\n__mlu_entry__ void k(float *out) {\n"
        "  float total = 3;\n  __bang_atomic_add(part, out, &total, 1);\n}\n"
    )
    program = load([source], device=Device.load("mlu370-x4"))
    (found,) = program.launch("k", args=[np.zeros(1, np.float32)], on_finding="collect").findings
    assert "belongs to no memory of the device\n  operand src\n  limit: an address in nram\n" in str(found)
    assert (
        found.suggestion
        == "pass an address in nram; a local variable lies on the stack unless it is declared in a memory"
    )


@pytest.mark.parametrize("space", ["gdram", "global"])
def test_host_code_gives_memory_of_the_device_alone(space: str) -> None:
    """Whatever the device calls it; a scalar access may be meant for it, and an operand on the chip is not."""
    meant = rules.bounds.null_operand(space), rules.bounds.nowhere(64, space), rules.bounds.scalar_nowhere(True, 4, 64)
    assert all(rules.bounds.may_be_for(finding, space) for finding in meant)
    assert not rules.bounds.may_be_for(rules.bounds.nowhere(64, "nram"), space)
