"""The memory of a cluster in launches that have none: a Block task that uses it is told so."""

import numpy as np
import pytest
from mlusim.simulator import KernelError, launch

SOURCE = """\
#include <bang.h>
__mlu_shared__ float shared[64];
__nram__ float own[64];
__mlu_entry__ void copy(float *x) {
  __memcpy(shared, x, sizeof(shared), GDRAM2SRAM);
  __sync_cluster();
  __memcpy(own, shared, sizeof(own), SRAM2NRAM);
  if (coreId == 0) __memcpy(x + 64, own, sizeof(own), NRAM2GDRAM);
}
__mlu_entry__ void scalar(float *x) {
  if (coreId == 0) shared[1] = x[0];
}
__mlu_entry__ void unused(float *x) {
  own[0] = x[0];
  if (clusterDim) shared[0] = 1;
}
"""


@pytest.mark.parametrize(("kernel", "line", "instruction"), [("copy", 5, "__memcpy"), ("scalar", 11, "scalar.store")])
def test_a_block_task_that_uses_it(program, kernel, line, instruction):
    with pytest.raises(KernelError, match="a Block task has none") as caught:
        program.launch(kernel, args=[np.ones(128, np.float32)])
    found = caught.value.finding
    assert (found.rule, found.location.line, found.instruction) == ("space", line, instruction)
    assert "launch it as union1" in found.suggestion


def test_all_that_a_block_task_does_with_it_is_one_finding(program):
    (found,) = program.launch("copy", args=[np.ones(128, np.float32)], on_finding="collect").findings
    assert (found.location.line, [place.line for place in found.also]) == (5, [7])


@pytest.mark.parametrize("kernel", ["copy", "scalar"])
def test_a_union_may_use_it(program, kernel):
    x = np.arange(128, dtype=np.float32)
    assert program.launch(kernel, (4, 1, 1), "union1", [x]).findings == []
    assert kernel == "scalar" or (x[64:] == x[:64]).all()


def test_a_block_task_may_leave_it_alone(program):
    assert program.launch("unused", args=[np.ones(1, np.float32)]).findings == []


@pytest.mark.parametrize("scalar", [False, True])
def test_a_kernel_in_python(program, scalar):
    def kernel(mlu, x):
        shared = mlu.sram("float", 256)
        if scalar:
            shared[mlu.coreId] = 1
        else:
            mlu.__memcpy(shared, x, 256, mlu.GDRAM2SRAM)

    x = np.ones(64, np.float32)
    assert launch(kernel, args=[x], device=program.device).findings == []  # it is tried out
    (finding,) = launch(kernel, (1, 1, 1), "block", [x], device=program.device, on_finding="collect").findings
    assert (finding.rule, finding.instruction) == ("space", "scalar.store" if scalar else "__memcpy")
    assert launch(kernel, (4, 1, 1), "union1", [x], device=program.device).findings == []
