"""Instructions that are carried out without Python do what the ports in Python do, and most plain ones are."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from mlusim.isa import Overload
from mlusim.simulator import Device, load
from mlusim.simulator.checks.at_issue.values import Values
from mlusim.simulator.core.issue import NativePort
from mlusim.simulator.core.machine import Machine
from mlusim.simulator.engines.tasks import runner

from tests.fuzz.ports.compare import FINDINGS, LAUNCHES, Both
from tests.fuzz.ports.draw import draw
from tests.fuzz.ports.source import callable_overloads

KERNEL = """#include <bang.h>
#define N 256
__nram__ float a[4 * N], b[4 * N];
__mlu_entry__ void steps(float *out, const float *in, int times) {
  __memcpy(a, in, N * sizeof(float), GDRAM2NRAM);
  for (int i = 0; i < times; i++) {
    __bang_write_value(b, N, 2.0f);
    __bang_add(b, b, a, N);
    __bang_mul_scalar(b, b, 3.0f, N);
    __bang_gt(b, b, a, N);
    __bang_cycle_add(b, b, a, N, 64);
    __sync_compute();
    __memcpy(out + i * N, b, N * sizeof(float), NRAM2GDRAM);
  }
}
__mlu_entry__ void late(float *out, const float *in) {
  __bang_write_value(a, 4 * N, 0.0f);
  __bang_write_value(b, 4 * N, 0.0f);
  __memcpy_async(a, in, N * sizeof(float), GDRAM2NRAM);
  __bang_add_scalar(b, a, 1.0f, N);
  __sync_compute();
  __bang_add_scalar(b + N, a, 1.0f, N);
  __sync_io();
  __bang_add_scalar(b + 2 * N, a, 1.0f, N);
  __memcpy_async(a, in + N, N * sizeof(float), GDRAM2NRAM);
  __memcpy(a + N, a, N * sizeof(float), NRAM2NRAM);
  __bang_add_scalar(b + 3 * N, a + N, 1.0f, N);
  __memcpy(out, b, 4 * N * sizeof(float), NRAM2GDRAM);
}
#define TILES 4
__nram__ float before[2][N], after[2][N];
__mlu_shared__ float held[N];
__mlu_entry__ void pipeline(float *out, const float *in) {
  __memcpy(held, in, N * sizeof(float), GDRAM2SRAM);
  __sync_cluster();
  for (int i = 0; i < TILES + 2; i++) {
    if (i >= 2) __memcpy_async(out + (i - 2) * N, after[i % 2], N * sizeof(float), NRAM2GDRAM);
    if (i < TILES) __memcpy_async(before[i % 2], in + i * N, N * sizeof(float), GDRAM2NRAM);
    if (i >= 1 && i <= TILES) __bang_add(after[(i - 1) % 2], before[(i - 1) % 2], before[(i - 1) % 2], N);
    __sync();
  }
  __memcpy(a, held, N * sizeof(float), SRAM2NRAM);
}
__mlu_entry__ void too_soon(float *out, const float *in, int times) {
  volatile float *arriving = before[0];
  __memcpy_async(before[0], in, N * sizeof(float), GDRAM2NRAM);
  out[0] = arriving[0];
  for (int i = 0; i < times; i++) __memcpy_async(after[0], before[0], N * sizeof(float), NRAM2NRAM);
  __bang_write_value(b, N, 1.0f);
  for (int i = 0; i < times; i++) __memcpy_async(out + 1 + i, in + 1, sizeof(float), GDRAM2GDRAM);
  out[399] = out[times];
  __sync_cluster();
}
__mlu_entry__ void highest_bit(uint64_t *out) {
  __bang_write_value((uint64_t *)a, N, ~(uint64_t)0 - taskId);
  __memcpy(out, a, N * sizeof(uint64_t), NRAM2GDRAM);
}
__mlu_entry__ void conditions(int16_t *out, const int16_t *in, int number) {
  int16_t *from = (int16_t *)a, *to = (int16_t *)b;
  __memcpy(from, in, N * sizeof(int16_t), GDRAM2NRAM);
  __bang_xor_scalar(to, from, (int16_t)number, N);
  __memcpy(out, to, N * sizeof(int16_t), NRAM2GDRAM);
}
__mlu_entry__ void look_up(int *out, const int *in, const int *table) {
  __nram__ int from[N], to[N], held[4 * N];
  __memcpy(from, in, N * sizeof(int), GDRAM2NRAM);
  __memcpy(held, table, 64 * sizeof(int), GDRAM2NRAM);
  __bang_write_value(to, N, 7);
  __bang_lut_s32(to, from, held, N, 64);
  __memcpy(out, to, N * sizeof(int), NRAM2GDRAM);
  __bang_lut_s32(from, from, held, N, 64);  // in place
  __memcpy(out + N, from, N * sizeof(int), NRAM2GDRAM);
}
__mlu_entry__ void segments(float *out, const float *in, int times) {
  const int row = 4 * sizeof(float);
  for (int i = 0; i < times; i++) {
    __memcpy(a, in, row, GDRAM2NRAM, 2 * row, row, 15);  // into every second row
    __memcpy(b + N, a, row, NRAM2NRAM, -row, 1, 4 * row, 3, 4 * row, 3, 2 * row, 1);  // one axis goes down
    __memcpy(out, a, row, NRAM2GDRAM, row, 2 * row, 15);
    __memcpy(out + 64, b + N - 4, row, NRAM2GDRAM, row, 4 * row, 3);
  }
}
__mlu_entry__ void no_segments(float *out, int size, int more) {
  __bang_write_value(a, N, 1.0f);
  __bang_write_value(b, N, 2.0f);
  __memcpy(a, b, size, NRAM2NRAM, 64, 64, more);
  __memcpy(a, b, size, NRAM2NRAM, 64, more, 128, 0, 64, more, 128, 0);
  __memcpy(out, a, N * sizeof(float), NRAM2GDRAM);
}
__mlu_entry__ void updates(float *out, const float *in, int *bits) {
  __nram__ int mine[N];
  __memcpy(a, in, N * sizeof(float), GDRAM2NRAM);
  __bang_write_value(mine, N, 1 << taskId);
  __sync_compute();
  __bang_atomic_reduce_add(out, a, N);
  __bang_atomic_reduce_max(out + N, a, N);
  __bang_atomic_reduce_or(bits, mine, N);
}
__mlu_entry__ void updates_beside_copies(float *out, const float *in) {
  __bang_write_value(b, N, 5.0f);
  __memcpy(held, in + N, N * sizeof(float), GDRAM2SRAM);
  __memcpy(a, in, N * sizeof(float), GDRAM2NRAM);
  __sync_compute();
  __memcpy_async(b, in, N * sizeof(float), GDRAM2NRAM);
  __memcpy_async(a, held, N * sizeof(float), SRAM2NRAM);
  __bang_atomic_reduce_add(out, b, N);
  __bang_atomic_reduce_add(out + N, a, N);
  __sync();
  __bang_atomic_reduce_add(out + 2 * N, a, N);
}
__mlu_entry__ void into_its_table(int *out, const int *in, const int *table) {
  __nram__ int from[N], held[N];
  __memcpy(from, in, N * sizeof(int), GDRAM2NRAM);
  __memcpy(held, table, N * sizeof(int), GDRAM2NRAM);
  __bang_lut_s32(held, from, held, N, N);
  __memcpy(out, held, N * sizeof(int), NRAM2GDRAM);
}
__mlu_entry__ void parts(float *out) {
  volatile float *here = a;
  for (int i = 0; i < 4; i++) {
    here[i] = i;
    here = here == a ? b : a;
    if (i == 1) __sync();
  }
  out[0] = a[0];
}
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ports") / "steps.mlu"
    path.write_text(KERNEL)
    return path


def in_python(
    source: Path, monkeypatch: pytest.MonkeyPatch, kernel: str, *args: object,
    launch: tuple[tuple[int, int, int], str] = ((1, 1, 1), "block"), logs: list | None = None,
) -> Counter[str]:  # fmt: skip
    """The instructions that a launch has carried out by Python, by name."""
    taken: Counter[str] = Counter()
    make = Machine.port

    def counted(self: Machine, number: int):
        name, port = self.dialect.overloads[number].name, make(self, number)

        def issue(*numbers):
            taken[name] += 1
            return port(*numbers)

        return issue

    monkeypatch.setattr(Machine, "port", counted)
    program = load([source], device=Device.load("mlu370-x4"))
    run = program.launch(kernel, *launch, args=list(args), isolate=False, on_finding="collect")
    assert {finding.rule for finding in run.findings} <= {"race", "waste"}
    if logs is not None:
        logs.append(run.log)
    return taken


def test_plain_instructions_need_no_python(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    times, one = 5, np.ones(256, np.float32)
    out = np.zeros((times, 256), np.float32)
    assert in_python(source, monkeypatch, "steps", out, one, times) == {}
    assert (out == 2).all()  # 1 + (9 > 1)
    monkeypatch.setattr(runner, "NATIVE_PORTS", False)
    again = np.zeros_like(out)
    taken = in_python(source, monkeypatch, "steps", again, one, times)
    assert taken["__bang_add"] == taken["__bang_cycle_add"] == taken["__sync_compute"] == times
    assert taken["__memcpy"] == times + 1
    assert (again == out).all()


@pytest.mark.parametrize("native", [True, False])
def test_effects_that_wait(source: Path, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Instructions of the compute pipe do not wait for a copy, waits and blocking copies do where they have to."""
    monkeypatch.setattr(runner, "NATIVE_PORTS", native)
    program = load([source], device=Device.load("mlu370-x4"))
    given, out = np.repeat(np.float32([7, 8]), 256), np.zeros((4, 256), np.float32)
    program.launch("late", args=[out, given], isolate=False, on_finding="collect")
    assert out[:, 0].tolist() == [1, 1, 8, 9]


@pytest.mark.parametrize("native", [True, False])
def test_who_reads_before_the_wait_reads_nan(source: Path, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever lay there before; and copies that wait are not lost where there are many, or at the end of a task."""
    monkeypatch.setattr(runner, "NATIVE_PORTS", native)
    program = load([source], device=Device.load("mlu370-x4"))
    given, times = np.arange(1, 257, dtype=np.float32), 390
    program.launch("steps", args=[np.zeros((1, 256), np.float32), given, 1], isolate=False)
    out = np.zeros(400, np.float32)
    program.launch("too_soon", args=[out, given, times], isolate=False, on_finding="collect")
    assert np.isnan(out[0])
    assert out[1:391].tolist() == [2] * 390
    assert out[399] == 0


def test_atomic_updates_need_no_python(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given, before = np.linspace(-9, 9, 256, dtype=np.float32), np.ones((2, 256), np.float32)
    made = []
    for native in (True, False):
        monkeypatch.setattr(runner, "NATIVE_PORTS", native)
        out, bits, logs = before.copy(), np.zeros(256, np.int32), []
        taken = in_python(source, monkeypatch, "updates", out, given, bits, launch=((4, 1, 1), "block"), logs=logs)
        assert sum(taken[f"__bang_atomic_reduce_{name}"] for name in ("add", "max", "or")) == (0 if native else 12)
        assert np.array_equal(out[0], 1 + given + given + given + given)
        assert np.array_equal(out[1], np.maximum(given, 1))
        assert (bits == 15).all()
        made.append((out.tobytes(), logs[0].records.tobytes()))
    assert made[0] == made[1]


@pytest.mark.parametrize("native", [True, False])
def test_atomic_updates_wait_for_their_own_pipe_alone(
    source: Path, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "NATIVE_PORTS", native)
    program = load([source], device=Device.load("mlu370-x4"))
    given, out = np.repeat(np.float32([7, 8]), 256), np.zeros((3, 256), np.float32)
    program.launch("updates_beside_copies", args=[out, given], isolate=False, on_finding="collect")
    assert out[:, 0].tolist() == [7, 7, 8]


@pytest.mark.parametrize("native", [True, False])
def test_numbers_without_a_sign(source: Path, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "NATIVE_PORTS", native)
    out = np.zeros(256, np.uint64)
    load([source], device=Device.load("mlu370-x4")).launch("highest_bit", args=[out], isolate=False)
    assert (out == 2**64 - 1).all()


@pytest.mark.parametrize("number", [0, 1, 2, 256, -1])
def test_a_number_that_is_a_condition(source: Path, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """NumPy's loop takes bytes of 0 and 1."""
    given, out = np.arange(-100, 156, dtype=np.int16), np.zeros(256, np.int16)
    assert in_python(source, monkeypatch, "conditions", out, given, number) == {}
    assert (out == ((given != 0) != (number != 0))).all()


@pytest.mark.parametrize("last", [63, 64, -1, -2])
def test_what_a_table_has_is_looked_up_without_python(source: Path, last: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last place decides: nothing has been written when it is found to be none."""
    given, table = np.arange(256, dtype=np.int32) % 64, np.arange(100, 164, dtype=np.int32)
    given[-1], logs, found = last, [], []
    for native in (True, False):
        monkeypatch.setattr(runner, "NATIVE_PORTS", native)
        out = np.zeros((2, 256), np.int32)
        program = load([source], device=Device.load("mlu370-x4"))
        run = program.launch("look_up", args=[out, given, table], isolate=False, on_finding="collect")
        logs.append(run.log)
        found.append([out.tolist(), [repr(finding) for finding in run.findings]])
    assert found[0] == found[1]
    assert found[0][0][0][:255] == ([7] * 255 if last in (64, -2) else table[given[:255]].tolist())
    assert logs[0].records.tobytes() == logs[1].records.tobytes()
    monkeypatch.setattr(runner, "NATIVE_PORTS", True)
    if last == 63:
        assert in_python(source, monkeypatch, "look_up", out, given, table) == {}


def test_copies_of_segments(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They need no Python: flags say which bytes of a row are uninitialized, once native code asks for them."""
    given, times, logs = np.arange(64, dtype=np.float32), 5, []
    for native in (True, False):
        monkeypatch.setattr(runner, "NATIVE_PORTS", native)
        out = np.zeros(80, np.float32)
        taken = in_python(source, monkeypatch, "segments", out, given, times, logs=logs)
        assert (out[:64] == given).all()
        rows = given.reshape(16, 4)
        assert (out[64:80] == rows[[2, 6, 3, 7]].ravel()).all()
        assert taken["__memcpy"] == (0 if native else 4 * times)
    for name in ("records", "operands", "runs"):
        assert getattr(logs[0], name).tobytes() == getattr(logs[1], name).tobytes()
    assert logs[0].records["gaps"].max() == 15
    assert len(logs[0].runs)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize(("size", "more"), [(0, 3), (-8, 3), (8, -1), (8, -2)])
def test_copies_without_segments(
    source: Path, native: bool, size: int, more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "NATIVE_PORTS", native)
    program, out = load([source], device=Device.load("mlu370-x4")), np.zeros(256, np.float32)
    run = program.launch("no_segments", args=[out, size, more], isolate=False, on_finding="collect")
    assert (out == 1).all()
    assert ("length" in {finding.rule for finding in run.findings}) == (size < 0 or more < 0)


def test_a_table_that_is_overwritten_is_read_before(source: Path) -> None:
    given, table, out = np.arange(256, dtype=np.int32)[::-1].copy(), np.arange(256, dtype=np.int32), np.zeros(256, "i4")
    program = load([source], device=Device.load("mlu370-x4"))
    program.launch("into_its_table", args=[out, given, table], isolate=False)
    assert (out == given).all()


def test_what_makes_arrays_of_numbers_needs_python() -> None:
    machine = Device.load("mlu590").replace({"shape.arch": 613}).machine
    for number in machine.dialect.by_name["__bang_incseq"]:
        assert machine.native_ports(number) == {0: "its semantics makes arrays of its own"}


def test_pipelines_need_python_at_barriers_alone(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = np.arange(1024, dtype=np.float32)
    logs = []
    for native in (True, False):
        monkeypatch.setattr(runner, "NATIVE_PORTS", native)
        out = np.zeros(1024, np.float32)
        taken = in_python(source, monkeypatch, "pipeline", out, given, launch=((4, 1, 1), "union1"), logs=logs)
        assert (out == 2 * given).all()
        assert set(taken) == {"__sync_cluster"} if native else taken["__memcpy_async"] >= 4 * 8
    assert logs[0].records.tobytes() == logs[1].records.tobytes()
    assert logs[0].operands.tobytes() == logs[1].operands.tobytes()


def test_where_a_check_looks_at_values_all_of_it_is_pythons() -> None:
    machine = Device.load("mlu370-x4").watched(Values).machine
    (number,) = [n for n in machine.dialect.by_name["__bang_add"] if machine.dialect.overloads[n].dtypes == "float"]
    assert machine.native_ports(number) == {0: "Values looks at it"}


def test_equal_launches_leave_equal_logs_whatever_lay_where_before(source: Path) -> None:
    program = load([source], device=Device.load("mlu370-x4"))
    logs = [program.launch("parts", args=[np.zeros(1, np.float32)], isolate=False).log for _ in range(3)]
    for log in logs[1:]:
        assert log.records.tobytes() == logs[0].records.tobytes()
        assert log.runs.tobytes() == logs[0].runs.tobytes()


def sample(chip: Device, rng: random.Random) -> list[Overload]:
    """Overloads that the kernel can call: one of each kind that is native, some others, copies and waits."""
    overloads = callable_overloads(chip.shape.arch)
    numbers = {overload: number for number, overload in enumerate(chip.machine.dialect.overloads)}
    kinds: dict[object, list[Overload]] = {}
    for overload in overloads:
        port = chip.machine.native_ports(numbers[overload]).get(0)
        if isinstance(port, NativePort):
            values = frozenset((kind, repeated) for kind, *_, repeated in port.values)
            kinds.setdefault((port.effect, frozenset(loop.kind for loop in port.loops), values), []).append(overload)
    chosen = [rng.choice(kind) for kind in kinds.values()] + rng.sample(overloads, 4)
    return chosen + [o for o in overloads if o.name in ("__memcpy", "__memcpy_async", "__sync_compute", "__sync_io")]


@pytest.mark.parametrize("device", ["mlu370-x4", pytest.param("mlu270", marks=pytest.mark.further)])
def test_both_ports_do_the_same(device: str, tmp_path: Path) -> None:
    """The long form is a command, `python -m tests.fuzz.ports`."""
    chip = Device.load(device)
    overloads = sample(chip, random.Random(device))
    both = Both(chip, overloads, tmp_path)
    for seed in range(5):
        rng = random.Random(seed)
        table = draw(rng, overloads, rng.randint(2, 80))
        assert both.differences(table, rng.choice(LAUNCHES), rng.choice(FINDINGS), seed) == []
