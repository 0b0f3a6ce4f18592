"""Memory of the second level: where kernels find it, and cores that hand rows on through it. Source: tpu_api.md, 1."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch, load

from tests.isa.lane_cases import device

#: Each core leaves a row there, and takes that of the next one.
SOURCE = """
#include "tpu_kernel.h"
typedef struct { global_addr_t numbers, in, out; int met; } arguments_t;
void kernel(const void *p) {
  const arguments_t *a = (const arguments_t *)p;
  const dim4 shape = {1, 1, 1, 16};
  const int core = tpu_core_index(), next = (core + 1) % tpu_core_num();
  unsigned long long *numbers = (unsigned long long *)tpu_global_mem_addr(a->numbers);
  tpu_initialize();
  if (core == 0) {
    numbers[0] = tpu_l2_sram_get_start_addr();
    numbers[1] = tpu_l2_sram_size();
    numbers[2] = tpu_local_mem_get_start_addr();
    numbers[3] = (unsigned long long)tpu_local_mem_addr(1, 64) - LOCAL_MEM_START_ADDR - LOCAL_MEM_SIZE;
    numbers[4] = tpu_global_mem_get_start_addr();
    numbers[5] = (unsigned long long)tpu_l2_sram_addr(L2_SRAM_START_ADDR + 8) - L2_SRAM_START_ADDR;
    tpu_flush_cache(a->numbers, 64);
  }
  if (L2_SRAM_SIZE == 0) return;
  tpu_gdma_cpy_S2L(0, a->in + 64 * core, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(L2_SRAM_START_ADDR + 64 * core, 0, &shape, NULL, NULL, DT_FP32);
  if (a->met) tpu_sync_all();
  tpu_gdma_cpy_S2S(a->out + 64 * core, L2_SRAM_START_ADDR + 64 * next, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel);
"""
#: Where the second level, local and global memory begin, and how much of the second there is.
PLACES = {
    "bm1690": (0x6980000000, 128 << 20, 0x1F << 40, 0),
    "bm1684x": (0x10000000, 0x1FB000, 0x8000000, 0x100000000),
    "bm1688": (0, 0, 0x1F << 36, 1 << 39),
}


class Arguments(ctypes.Structure):
    _fields_ = [*((name, ctypes.c_uint64) for name in ("numbers", "in", "out")), ("met", ctypes.c_int)]


@pytest.mark.parametrize("chip", PLACES)
def test_where_it_is_and_what_cores_hand_on(tmp_path: Path, chip: str) -> None:
    path, on, (second, size, local, everything) = tmp_path / "kernel.c", device(chip), PLACES[chip]
    path.write_text(SOURCE)
    program, cores = load([path], device=on), on.shape.cores
    for met in (True, False):
        given = np.arange(cores * 16, dtype=np.float32).reshape(cores, 16)
        arrays = on.array(np.zeros(8, np.uint64)), on.array(given), on.array(np.zeros_like(given))
        arguments = Arguments(*(array.address for array in arrays), met)
        run = program.launch("kernel", (cores, 1, 1), args=arguments, on_finding="collect")
        assert arrays[0].numpy()[:6].tolist() == [second, size, local, 64, everything, 8]
        found = {f.rule for f in run.findings} - {"unread", "unused", "unwritten"}
        if met or cores == 1:
            assert found == set()
            assert not size or (arrays[2].numpy() == np.roll(given, -1, 0)).all()
        elif size:
            assert found & {"race", "uninitialized"}


@pytest.mark.parametrize("opcode", [4, 9])
def test_sums_are_left_there(opcode: int) -> None:
    def kernel(unit: Any, given: Any, out: Any) -> None:
        row, second = (1, 1, 1, 16), PLACES["bm1690"][0]
        unit.tpu_gdma_cpy_S2L(0, given, row, None, None, unit.DT_FP32)
        unit.tpu_gdma_cpy_reduce_L12L2(second, 0, row, None, None, unit.DT_FP32, 0, 0)
        unit.tpu_gdma_cpy_reduce_L12L2(second, 0, row, None, None, unit.DT_FP32, 1, opcode)
        unit.tpu_gdma_cpy_S2S(out, second, row, None, None, unit.DT_FP32)
        unit.tpu_poll()

    given, out = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    run = launch(kernel, (1, 1, 1), args=[given, out], device=device("bm1690"), on_finding="collect")
    wrong = [(f.rule, f.instruction) for f in run.findings if f.rule not in ("unread", "unwritten")]
    assert wrong == ([] if opcode == 4 else [("argument", "tpu_gdma_cpy_reduce_L12L2")])
    assert (out == given * (2 if opcode == 4 else 1)).all()
