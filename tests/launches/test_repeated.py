"""Launches of a kernel that has been launched before: what is kept of one never shows in the next."""

from __future__ import annotations

import gc
import random
import weakref
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, KernelError, Program, load

SOURCE = """\
#include <mlu.h>
__mlu_entry__ void add(float *x, float *out, int n, float by) {
  __nram__ float a[64];
  __memcpy(a, x, n * 4, GDRAM2NRAM);
  __bang_add_scalar(a, a, by, 64);
  __memcpy(out, a, n * 4, NRAM2GDRAM);
}
__mlu_entry__ void add_scalars(float *x, float *out, int n, float by) {
  for (int i = 0; i < n; ++i) out[i] = x[i] + by;
}
"""


@pytest.fixture
def program(tmp_path: Path) -> Program:
    source = tmp_path / "add.mlu"
    source.write_text(SOURCE)
    return load([source], device=Device.load("mlu370-x4"))


@pytest.mark.parametrize("seed", range(3))
def test_launches_in_any_order_are_those_that_were_asked_for(program, seed):
    chance, numbers = random.Random(seed), np.random.default_rng(seed)
    kept = program.device.array(numbers.random(64, np.float32))
    for _ in range(30):
        kernel, isolate = chance.choice(["add", "add_scalars"]), chance.random() < 0.6
        x, by, out = numbers.random(64, np.float32), float(chance.randrange(3)), np.zeros(64, np.float32)
        given, target = chance.choice([(x, out), (program.device.array(x), program.device.array(out)), (x, kept)])
        run = program.launch(kernel, args=[given, target, 64, by], isolate=isolate)
        found = target if isinstance(target, np.ndarray) else target.numpy()
        np.testing.assert_array_equal(found, x + np.float32(by))
        assert not run.findings


def test_findings_of_launches_that_take_turns_are_their_own(program):
    x, out = (program.device.array(np.ones(64, np.float32)) for _ in range(2))
    for _ in range(3):
        assert not program.launch("add_scalars", args=[x, out, 64, 1.0]).findings
        with pytest.raises(KernelError, match="bounds"):
            program.launch("add_scalars", args=[x, out, 65, 1.0])
        assert program.launch("add_scalars", args=[x, out, 0, 1.0]).findings[0].rule == "empty"


def test_a_program_goes_with_its_last_reference(program, tmp_path):
    own = load([tmp_path / "add.mlu"], device=program.device)
    own.launch("add_scalars", args=[np.ones(64, np.float32), np.zeros(64, np.float32), 64, 1.0])
    gone = weakref.ref(own)
    gc.disable()
    try:
        del own
        assert gone() is None
    finally:
        gc.enable()
