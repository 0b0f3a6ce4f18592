"""How many elements a command of GDMA has found: the number that `tpu_gdma_get_filter_num` waits for.

Source: tpu_api.md, section 6.10.
"""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import Finding, launch, load

from tests.isa.lane_cases import device

_SHAPE = (1, 2, 3, 4)
#: Every core looks at rows of its own, twice: the first number counts for nothing.
SOURCE = """
#include "tpu_kernel.h"
typedef struct { global_addr_t out, in, numbers; } arguments_t;
void kernel(const void *p) {
  const arguments_t *a = (const arguments_t *)p;
  const dim4 shape = {1, 1, 1, 16}, all = {1, 1, 2, 16};
  int core = tpu_core_index(), *numbers = (int *)tpu_global_mem_addr(a->numbers + 64 * core);
  tpu_initialize();
  tpu_gdma_nonzero_S2S(a->out + 256 * core, a->in, &all, DT_INT16, 0);
  tpu_gdma_nonzero_S2S(a->out + 256 * core, a->in + 32 * core, &shape, DT_INT16, 7);
  unsigned int found = tpu_gdma_get_filter_num();
  tpu_invalidate_cache(a->out + 256 * core, 64);
  const int *positions = (const int *)tpu_global_mem_addr(a->out + 256 * core);
  numbers[0] = found;
  numbers[1] = found ? positions[found - 1] : -1;
  tpu_flush_cache(a->numbers + 64 * core, 64);
}
TPUKERNEL_FUNC_REGISTER(kernel);
"""


class Arguments(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("out", "in", "numbers")]


def values(*places: int) -> np.ndarray:
    """As many elements as the shape has, zero but in some places."""
    made = np.zeros(24, np.float32)
    made[list(places)] = 2
    return made


def findings(kernel: Any, *arrays: np.ndarray) -> list[Finding]:
    found = launch(kernel, (1, 1, 1), args=list(arrays), device=device("bm1690"), on_finding="collect").findings
    return [finding for finding in found if finding.rule not in ("unwritten", "unread", "unused")]


def test_each_core_has_the_number_of_its_last_command(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(SOURCE)
    on = device("bm1690")
    given = np.zeros(32, np.int16)
    given[[1, 4, 15]] = -3, 1, 9
    out, source, numbers = on.array(np.zeros(128, np.int32)), on.array(given), on.array(np.zeros(32, np.int32))
    run = load([path], device=on).launch(
        "kernel", (2, 1, 1), args=Arguments(out.address, source.address, numbers.address)
    )
    assert run.findings == []
    assert numbers.numpy()[[0, 1, 16, 17]].tolist() == [3, 7 + 15, 0, -1]


def test_the_number_is_that_of_what_has_been_found_last() -> None:
    seen: list[int] = []

    def kernel(unit: Any, source: Any, out: Any) -> None:
        for base in (100, 0):
            seen.append(unit.tpu_gdma_get_filter_num())
            unit.tpu_gdma_nonzero_S2S(out + seen[-1], source, _SHAPE, unit.DT_FP32, base)
        unit.tpu_gdma_cpy_S2S(source, source + 24, (1, 1, 1, 24), None, None, unit.DT_FP32)  # counts nothing
        seen.append(unit.tpu_gdma_get_filter_num())
        unit.tpu_gdma_nonzero_S2S(out, source, _SHAPE, unit.DT_FP32, 0)
        seen.append(unit.tpu_gdma_get_filter_num())

    out = np.full(7, -1, np.int32)
    assert findings(kernel, np.concatenate([values(3, 5, 23), values()]), out) == []
    assert (seen, out.tolist()) == ([0, 3, 3, 0], [103, 105, 123, 3, 5, 23, -1])


@pytest.mark.parametrize("section", [False, True])
def test_it_sees_what_its_own_engine_has_written(section: bool) -> None:
    seen: list[int] = []

    def kernel(unit: Any, source: Any, out: Any, copied: Any) -> None:
        if section:
            unit.tpu_parallel_start()
        unit.tpu_gdma_cpy_S2S(copied, source, _SHAPE, None, None, unit.DT_FP32)
        unit.tpu_gdma_nonzero_S2S(out, copied, _SHAPE, unit.DT_FP32, 0)
        if section:
            unit.tpu_parallel_end()
        seen.append(unit.tpu_gdma_get_filter_num())

    out = np.full(3, -1, np.int32)
    assert findings(kernel, values(0, 8), out, np.ones(24, np.float32)) == []
    assert (seen, out.tolist()) == ([2], [0, 8, -1])


def test_the_number_may_not_be_asked_for_in_a_section() -> None:
    def kernel(unit: Any) -> None:
        unit.tpu_parallel_start()
        unit.tpu_gdma_get_filter_num()
        unit.tpu_parallel_end()

    assert [(f.rule, f.instruction) for f in findings(kernel)] == [("section", "tpu_gdma_get_filter_num")]


@pytest.mark.parametrize(("room", "rules"), [(3, []), (2, ["bounds"])])
def test_as_much_room_is_needed_as_is_found(room: int, rules: list[str]) -> None:
    def kernel(unit: Any, source: Any, out: Any) -> None:
        unit.tpu_gdma_nonzero_S2S(out, source, _SHAPE, unit.DT_FP32, 0)
        unit.tpu_poll()

    assert [f.rule for f in findings(kernel, values(1, 2, 3), np.zeros(room, np.int32))] == rules


@pytest.mark.parametrize("wait", ["", "tpu_gdma_get_filter_num", "tpu_poll"])
def test_positions_are_read_after_a_wait(wait: str) -> None:
    def kernel(unit: Any, source: Any, out: Any) -> None:
        unit.tpu_gdma_nonzero_S2S(out, source, _SHAPE, unit.DT_FP32, 0)
        if wait:
            getattr(unit, wait)()
        unit.tpu_invalidate_cache(out, 12)
        out[0]

    found = findings(kernel, values(1, 2, 3), np.zeros(3, np.int32))
    assert [f.rule for f in found] == ([] if wait else ["order"])
    assert all("tpu_poll()" in f.suggestion for f in found)
