"""Tiles written in part: native ports pass on which bytes are uninitialized, as those in Python do."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, load
from mlusim.simulator.core.machine import Machine
from mlusim.simulator.engines.tasks import runner

KERNEL = """#include <bang.h>
#define N 256
#define ROW 64
#define TIMES 6
__nram__ float a[N], b[N], c[N], rows[N], ones[N];
__nram__ half narrow[N];
__nram__ int whole[N], mask[N];
// Of each tile `count` elements are loaded, and half of one more; all N are computed with.
__mlu_entry__ void tiles(float *out, const float *in, int count) {
  __bang_write_value(ones, N, 1.0f);
  for (int i = 0; i < TIMES; i++) {
    __memcpy(a, in, count * sizeof(float) + (count < N ? 2 : 0), GDRAM2NRAM);
    __bang_add(b, a, ones, N);
    __bang_mul_scalar(b, b, 2.0f, N);
    __bang_sub(c, b, a, N);
    __bang_sub(c, a, c, N);
    __bang_active_exp(c, c, N);
    __bang_cycle_add(rows, ones, a, N, ROW);
    __bang_cycle_mul(rows, rows, a, N, ROW);
    __bang_float2half_rd(narrow, a, N);
    __bang_half2float(b, narrow, N);
    __bang_float2int32_rd(whole, b, N, 0);
    __bang_add_scalar(whole, whole, 3, N);
    __memcpy(c + 8, b, 32 * sizeof(float), NRAM2NRAM);
    __memcpy(rows, b + 4, 8 * sizeof(float), NRAM2NRAM, 16 * sizeof(float), 32 * sizeof(float), 7);
    __bang_add(a, a, ones, N);
  }
  __memcpy(out, b, count * sizeof(float), NRAM2GDRAM);
  __memcpy(out + N, c, count * sizeof(float), NRAM2GDRAM);
  __memcpy(out + 2 * N, a, count * sizeof(float), NRAM2GDRAM);
}
__mlu_entry__ void used(float *out, const float *in, int count) {
  for (int i = 0; i < TIMES; i++) {
    __bang_write_value(c, N, 0.0f);
    __memcpy(a, in, count * sizeof(float), GDRAM2NRAM);
    __bang_add(b, a, a, N);
    __bang_add(c, c, b, N);
    __memcpy(out, c, N * sizeof(float), NRAM2GDRAM);
  }
}
__mlu_entry__ void bits(float *out, const float *in, int count) {
  for (int i = 0; i < TIMES; i++) {
    __bang_write_zero(mask, N);
    __memcpy(whole, in, count * sizeof(float), GDRAM2NRAM);
    __bang_band((char *)b, (char *)whole, (char *)mask, N * sizeof(int));
  }
  __memcpy(out, b, N * sizeof(float), NRAM2GDRAM);
}
"""
N = 256


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("padding") / "padded.mlu"
    path.write_text(KERNEL)
    return path


class Launched:
    """A launch of a kernel: what it leaves, and what Python has carried out of it."""

    def __init__(self, source: Path, monkeypatch: pytest.MonkeyPatch, kernel: str, count: int, native: bool) -> None:
        self.by_python: Counter[str] = Counter()
        machines, make = [], Machine.port

        def counted(machine: Machine, number: int):
            machines[:] = [machine]
            name, port = machine.dialect.overloads[number].name, make(machine, number)

            def issue(*numbers):
                self.by_python[name] += 1
                return port(*numbers)

            return issue

        with monkeypatch.context() as patch:
            patch.setattr(Machine, "port", counted)
            patch.setattr(runner, "NATIVE_PORTS", native)
            self.out = np.zeros((3, N), np.float32)
            given = np.linspace(-3, 3, N, dtype=np.float32)
            program = load([source], device=Device.load("mlu370-x4"))
            self.run = program.launch(kernel, args=[self.out, given, count], isolate=False, on_finding="collect")
        (nram,) = [memory for memory in machines[0].map.own if memory.space.name == "nram"]
        self.holes = {
            entry.name: [(first - entry.start, last - entry.start) for first, last in entry.uninitialized]
            for entry in nram.allocations(0)
        }
        self.bytes = {entry.name: entry.view(np.dtype(np.uint8)).tobytes() for entry in nram.allocations(0)}

    def same_as(self, other: Launched, holes: bool = True) -> bool:
        """Whether all that can be seen is equal: results, memory, what is uninitialized, findings, log.

        Without ``holes`` where nothing asks what a task has written first, which is forgotten with the task.
        """
        logs = [[getattr(one.run.log, name).tobytes() for name in ("records", "operands")] for one in (self, other)]
        said = [[repr(finding) for finding in one.run.findings] for one in (self, other)]
        alike = (self.bytes, self.out.tobytes()) == (other.bytes, other.out.tobytes())
        return alike and logs[0] == logs[1] and said[0] == said[1] and (not holes or self.holes == other.holes)


@pytest.mark.parametrize("count", [1, 9, 100, 255, 256])
def test_padding_goes_on_without_python(source: Path, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python puts NaN patterns into it once, where it is read first."""
    here, there = (Launched(source, monkeypatch, "tiles", count, native) for native in (True, False))
    assert here.same_as(there, holes=count < N)
    assert "uninitialized" not in [finding.rule for finding in here.run.findings]
    padding, known = [(4 * count, 4 * N)] if count < N else [], here.holes if count < N else there.holes
    assert known["a"] == known["whole"] == padding
    assert known["narrow"] == [(2 * first // 4, 2 * last // 4) for first, last in padding]
    element = np.arange(N)
    written = element % 64 < count
    for row in range(8):
        written[16 * row : 16 * row + 8] = element[4 + 32 * row : 12 + 32 * row] < count
    edges = 4 * np.flatnonzero(np.diff(written, prepend=True, append=True))
    assert known["rows"] == list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
    most = 3 if count < N else 0
    assert all(times <= most for times in here.by_python.values()), here.by_python
    assert there.by_python["__bang_add"] == 12
    assert (here.out[2, :count] == np.linspace(-3, 3, N, dtype=np.float32)[:count] + 1).all()


def test_padding_that_is_stored_is_found(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here, there = (Launched(source, monkeypatch, "used", 100, native) for native in (True, False))
    assert here.same_as(there)
    assert "uninitialized" in [finding.rule for finding in here.run.findings]


def test_padding_under_a_mask_is_no_more_of_it(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is 0 whatever the other operand holds: bits decide, which native ports do not look at."""
    here, there = (Launched(source, monkeypatch, "bits", 100, native) for native in (True, False))
    assert here.same_as(there)
    assert "uninitialized" not in [finding.rule for finding in here.run.findings]
    assert here.holes["b"] == []
    assert here.by_python["__bang_band"] == 6
