"""A union that C passes by value: a bias that is an address, or the bits of a float."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
from mlusim.simulator import load

from tests.isa.lane_cases import device

SOURCE = """
#include "tpu_kernel.h"
typedef struct { global_addr_t out, a, b, bias; int is_const; float value; } arguments_t;
void kernel(const void *p) {
  const arguments_t *a = (const arguments_t *)p;
  const dim4 factor = {1, 3, 1, 3}, every = {1, NPU_NUM, 1, 3}, repeat = {0, 0, 0, 1};
  var_context_t bias = {.addr = 512};
  tpu_initialize();
  if (a->is_const) bias.scalar.f32 = a->value;
  tpu_gdma_cpy_S2L(0, a->a, &factor, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(256, a->b, &factor, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(512, a->bias, &every, NULL, &repeat, DT_FP32);
  tpu_bdc_fp_mm_with_bias(768, 0, 256, 3, 3, 3, DT_FP32, DT_FP16, DT_FP32, false, a->is_const, bias, true);
  tpu_gdma_cpy_L2S(a->out, 768, &factor, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel);
"""


class Arguments(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_uint64) for name in ("out", "a", "b", "bias")),
        ("is_const", ctypes.c_int), ("value", ctypes.c_float),
    ]  # fmt: skip


def test_a_bias_in_c(tmp_path: Path) -> None:
    path, on = tmp_path / "kernel.c", device("bm1684x")
    path.write_text(SOURCE)
    program = load([path], device=on)
    a, b = np.arange(9, dtype=np.float16).reshape(3, 3), np.eye(3, dtype=np.float16) * np.float16(-1)
    bias = np.array([1, 4, 9], np.float32)
    for constant, wanted in ((0, np.maximum(a @ b + bias, 0)), (1, np.maximum(a @ b + np.float32(4.5), 0))):
        arrays = [on.array(array) for array in (np.zeros((3, 3), np.float32), a, b, bias)]
        run = program.launch("kernel", args=Arguments(*(array.address for array in arrays), constant, 4.5))
        assert {finding.rule for finding in run.findings} <= {"unread"}
        assert arrays[0].numpy().tolist() == wanted.tolist()
