"""Arguments that break rules, without checks: the instruction is left out, and that is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Device, launch


def pooled_without_a_step(unit: Any, given: Any) -> None:
    nram = unit.nram("float", 4096)
    unit.__memcpy(nram, given, 4 * 1024, unit.GDRAM2NRAM)
    unit.__bang_sumpool(nram + 2048, nram, 64, 4, 4, 2, 2, 0, 0)


def stored_without_rows(unit: Any, given: Any) -> None:
    unit.tpu_gdma_matrix_L2S(given, 0, 0, 16, 16, 16, unit.DT_FP32)
    unit.tpu_poll()


@pytest.mark.parametrize(
    ("kernel", "device", "instruction"),
    [
        (pooled_without_a_step, "mlu270", "__bang_sumpool"),
        (stored_without_rows, "bm1690", "tpu_gdma_matrix_L2S"),
    ],
)
def test_an_instruction_that_cannot_be_carried_out_is_a_finding(kernel: Any, device: str, instruction: str) -> None:
    run = launch(
        kernel, (1, 1, 1), args=[np.ones(1024, np.float32)], device=Device.load(device).checked("none"),
        on_finding="collect",
    )  # fmt: skip
    (found,) = run.findings
    assert (found.rule, found.instruction, found.location.line > 0) == ("argument", instruction, True)
    assert "run it with checks" in found.suggestion
