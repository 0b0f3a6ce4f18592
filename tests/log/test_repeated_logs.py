"""Launch after launch gives the same log, which is made and looked at once; one that differs anywhere is another."""

import numpy as np
import pytest
from mlusim.simulator import Device, Program, load
from mlusim.simulator.log import SHORT

SOURCE = """
#include <mlu.h>
__nram__ float tile[64];
__mlu_entry__ void twice(float *out, const float *in, int count, int late, int waits) {
  for (int i = 0; i < count; i++) {
    __memcpy_async(tile, in + 64 * i, 256, GDRAM2NRAM);
    if (waits || i != late) __sync();
    __bang_add(tile, tile, tile, 64);
    __memcpy(out + 64 * i, tile, 256, NRAM2GDRAM);
  }
}
"""


@pytest.fixture(scope="module")
def program(device: Device, tmp_path_factory: pytest.TempPathFactory) -> Program:
    path = tmp_path_factory.mktemp("repeated") / "twice.mlu"
    path.write_text(SOURCE)
    return load([path], device=device)


@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize("count", [10, 250, 800])
def test_equal_launches_and_others(program, count, isolate):
    """Others: a wait that is missing, at one place or at another; other arrays."""
    data = np.ones(64 * count, np.float32)
    out, other = np.zeros_like(data), np.zeros(64 * count + 64, np.float32)

    def found(late: int, waits: int, target: np.ndarray = out) -> tuple:
        run = program.launch("twice", args=[target, data, count, late, waits], on_finding="collect", isolate=isolate)
        assert (run.log.nbytes <= SHORT) == (count < 800)
        hazards = [(f.rule, f.count) for f in run.findings if f.severity == "error"]
        return run.log, hazards

    right, silent = found(-1, 1)
    assert not silent
    for late in (3, 7, 3, 7):
        log, hazards = found(late, 0)
        assert hazards == [("order", 1)]
        assert log == found(late, 0)[0]
        assert log != found(10 - late, 0)[0]
    assert found(-1, 1) == (right, [])
    moved, silent = found(-1, 1, other)
    assert (moved.ops, len(moved), silent) == (right.ops, len(right), [])
    assert moved != right


def test_what_launches_share_cannot_be_changed(program):
    data = np.ones(64 * 250, np.float32)
    log = program.launch("twice", args=[np.zeros_like(data), data, 250, -1, 1]).log
    with pytest.raises(ValueError, match="read-only"):
        log.records["task"] = 1
