"""Advice is true: the advised change is made in the source, and the gain of the new run is what was foretold."""

import json

import numpy as np
import pytest
from mlusim.simulator import Device, load
from mlusim.simulator.cli import main
from mlusim.simulator.timing import critical_path, path_share
from mlusim.traces import write_trace
from mlusim.traces.advice import advise
from mlusim.traces.efficiency import efficiency, theory_bytes, theory_operations
from mlusim.traces.why import explain

from tests.support.documents import document
from tests.support.paths import KERNELS_C
from tests.traces.handmade import difference

SOURCE = """
#include <bang.h>
#define TILE 8192
#define WORK(x) for (int r = 0; r < 6; r++) __bang_mul_scalar(x, x, 1.01f, TILE)

__mlu_global__ void serial(float *out, float *in, int tiles) {
  __nram__ float a[2][TILE];
  for (int i = 0; i < tiles; i++) {
    __memcpy(a[0], in + i * TILE, TILE * 4, GDRAM2NRAM);  // line 9
    WORK(a[0]);
    __sync_compute();
    __memcpy(out + i * TILE, a[0], TILE * 4, NRAM2GDRAM);
  }
}
__mlu_global__ void overlapped(float *out, float *in, int tiles) {
  __nram__ float a[3][TILE];
  __memcpy_async(a[0], in, TILE * 4, GDRAM2NRAM);
  for (int i = 0; i < tiles; i++) {
    __sync_io();
    if (i + 1 < tiles) __memcpy_async(a[(i + 1) % 3], in + (i + 1) * TILE, TILE * 4, GDRAM2NRAM);
    if (i) __memcpy_async(out + (i - 1) * TILE, a[(i + 2) % 3], TILE * 4, NRAM2GDRAM);
    WORK(a[i % 3]);
    __sync_compute();
  }
  __sync_io();
  __memcpy(out + (tiles - 1) * TILE, a[(tiles - 1) % 3], TILE * 4, NRAM2GDRAM);
}
__mlu_global__ void short_copies(float *out, float *in, int n) {
  __nram__ float a[TILE];
  for (int i = 0; i < 64; i++) __memcpy_async(a + i * n, in + i * n, n * 4, GDRAM2NRAM);
  __sync_io();
  __memcpy(out, a, 64 * n * 4, NRAM2GDRAM);
}
__mlu_global__ void one_copy(float *out, float *in, int n) {
  __nram__ float a[TILE];
  __memcpy_async(a, in, 64 * n * 4, GDRAM2NRAM);
  __sync_io();
  __memcpy(out, a, 64 * n * 4, NRAM2GDRAM);
}
__mlu_global__ void strided(float *out, float *in, int rows) {
  __nram__ float a[TILE];
  __memcpy(a, in, 256, GDRAM2NRAM, 256, 512, rows - 1);
  __memcpy(out, a, rows * 256, NRAM2GDRAM);
}
__mlu_global__ void whole(float *out, float *in, int rows) {
  __nram__ float a[TILE];
  __memcpy(a, in, rows * 256, GDRAM2NRAM);
  __memcpy(out, a, rows * 256, NRAM2GDRAM);
}
__mlu_global__ void needless_wait(float *out, float *in, int tiles) {
  __nram__ float a[2][TILE];
  for (int i = 0; i < tiles; i++) {
    WORK(a[0]);
    __sync_compute();  // line 57
    __memcpy_async(a[1], in + i * TILE, TILE * 4, GDRAM2NRAM);
  }
}
__mlu_global__ void no_wait(float *out, float *in, int tiles) {
  __nram__ float a[2][TILE];
  for (int i = 0; i < tiles; i++) {
    WORK(a[0]);
    __memcpy_async(a[1], in + i * TILE, TILE * 4, GDRAM2NRAM);
  }
}
__mlu_global__ void dealt(float *out, int even, int total) {
  __nram__ float a[TILE];
  int mine = even ? total / taskDim : taskId ? total / (2 * taskDim) : total - (taskDim - 1) * (total / (2 * taskDim));
  for (int i = 0; i < mine; i++) __bang_mul_scalar(a, a, 1.01f, TILE);
}
__mlu_global__ void halves(float *out, float *in, int whole) {
  __nram__ float a[TILE];
  __memcpy(a, in, TILE * 4, GDRAM2NRAM);
  for (int half = TILE / 64; half > 0; half /= 2) {
    if (whole) __bang_add(a, a, a + half * 32, half * 32);
    for (int i = 0; i < half && !whole; i++) __bang_add(a + i * 32, a + i * 32, a + (i + half) * 32, 32);
  }
  __memcpy(out, a, 128, NRAM2GDRAM);
}
"""


def timeline(program, kernel, *args, tasks=1):
    arrays = np.zeros(16 * 8192, np.float32), np.zeros(16 * 8192, np.float32)
    kept = arrays if kernel != "dealt" else arrays[:1]
    return program.launch(kernel, (tasks, 1, 1), args=[*kept, *args], on_finding="collect").timeline


@pytest.mark.parametrize(
    ("kind", "text", "before", "after"),
    [
        ("overlap", "overlap the copies at lines 9 and 12", ("serial", 16, 1), ("overlapped", 16, 1)),
        ("short copies", "copy 64 times as much", ("short_copies", 64, 1), ("one_copy", 64, 1)),
        ("strides", "in one piece", ("strided", 100, 1), ("whole", 100, 1)),
        ("wait", "double-buffer the data", ("needless_wait", 16, 1), ("no_wait", 16, 1)),
        ("short instructions", "make one instruction of the 36 short ones", ("halves", 0, 1), ("halves", 1, 1)),
        ("idle cores", "use all 32 cores", ("dealt", 1, 640, 8), ("dealt", 1, 640, 32)),
        ("imbalance", "deal the work evenly", ("dealt", 0, 320, 8), ("dealt", 1, 320, 8)),
    ],
)
def test_the_change_brings_what_was_foretold(program, kind, text, before, after):
    def run(kernel, *args):
        return timeline(program, kernel, *args[:-1], tasks=args[-1])

    first = run(*before)
    advice = next(entry for entry in advise(first) if entry.kind == kind and text in entry.text)
    second = run(*after)
    gain = 1 - second.total_us / first.total_us
    assert gain > 0.03
    assert advice.gain == pytest.approx(gain, rel=0.2)


def test_no_advice_without_gain(program):
    kinds = {entry.kind for entry in advise(timeline(program, "whole", 100))}
    assert not kinds & {"strides", "short copies", "imbalance", "wait"}


def test_the_critical_path_is_the_time_of_the_kernel(program):
    for kernel, number in (("serial", 8), ("overlapped", 8), ("short_copies", 64)):
        line = timeline(program, kernel, number)
        path = critical_path(line)
        starts = line.start[path.records].tolist()
        assert starts == sorted(starts)
        assert path.us.sum() + starts[0] == pytest.approx(line.end.max())
        assert path_share(line).sum() == pytest.approx(1)


def test_theory_and_grades(program):
    line = timeline(program, "serial", 16)
    # Every tile is read and written once; 6 operations for each of its elements.
    assert theory_bytes(line.log) == 2 * 16 * 8192 * 4
    assert theory_operations(line.log) == 6 * 16 * 8192
    found = efficiency(line, baseline_us=line.total_us * 2)
    assert found.io_efficiency == pytest.approx(2 * 16 * 8192 * 4 / (line.total_us * 1e-6 * 307.2e9))
    assert found.compute_efficiency == pytest.approx(6 * 16 * 8192 / (line.total_us * 1e-6 * 1.024e12))
    assert (found.bound, found.baseline, found.grade) == ("io", pytest.approx(2), "below the standard")


def test_why_is_plain_data(program):
    data = explain(timeline(program, "serial", 16)).to_dict()
    assert data["advice"][0]["gain"] > 0.2
    assert data["lines"][0]["path"] > 0.2
    assert sum(share for _, share in data["path"]) <= data["kernel_us"] * (1 + 1e-9)


def test_what_differs_between_two_runs(program):
    serial, overlapped = timeline(program, "serial", 16), timeline(program, "overlapped", 16)
    found = difference(serial, overlapped)
    assert found.after_us < found.before_us
    assert {change.name for change in found.lines} >= {"k.mlu:9", "k.mlu:20"}
    assert any(change.name.startswith("wait __memcpy") and change.us < 0 for change in found.waits)
    assert difference(serial, serial).lines == ()


def test_traces_are_compared_like_their_logs(program, tmp_path, capsys):
    files = []
    for kernel in ("serial", "overlapped"):
        line = timeline(program, kernel, 16)
        line.log.save(tmp_path / f"{kernel}.mlulog")
        write_trace(line, tmp_path / f"{kernel}.json")
        files.append([str(tmp_path / f"{kernel}.{kind}") for kind in ("mlulog", "json")])
    said = []
    for before, after in zip(*files, strict=True):
        assert main(["diff", before, after, "--json"]) == 0
        said.append(document(capsys.readouterr().out, "diff"))
    assert said[0].pop("interval")
    assert said[1].pop("interval") is None  # a trace has no rates
    assert said[0] == said[1]
    assert main(["diff", files[0][0], files[1][1], "--json"]) == 0  # a log and a trace
    assert json.loads(capsys.readouterr().out) == said[0] | {"interval": None}
    assert main(["diff", *(pair[1] for pair in files), "--set", "launch.overhead_us=1"]) == 2
    assert "is a trace, whose times are fixed" in capsys.readouterr().err
    whole = (tmp_path / "serial.json").read_text()
    for broken in (whole[:-3], whole[: len(whole) // 2], "{}", whole.replace('"pipes"', '"tubes"')):
        (tmp_path / "broken.json").write_text(broken)
        assert main(["diff", str(tmp_path / "broken.json"), files[1][1]]) == 2
        assert "is neither a log (made with --log) nor a whole trace" in capsys.readouterr().err


def test_blocks_of_threads_are_told_of_idle_multiprocessors():
    source = KERNELS_C / "threads.cu"
    chip = Device.load("cuda-sm80")
    program = load([source], device=chip)
    for blocks, idle in ((4, 104), (108, 0), (300, 0)):
        a, b, c = (np.zeros(blocks * 64, np.float32) for _ in range(3))
        run = program.launch("add<float>", blocks, args=[a, b, c, len(c)], block=64)
        advice = [entry for entry in advise(run.timeline) if entry.kind == "idle cores"]
        assert all(5.0 <= entry.least_us <= entry.after_us for entry in advice)  # the launch alone takes 5 us
        found = [entry.text for entry in advice]
        assert found == ([f"launch more blocks: {idle} of 108 multiprocessors have none"] if idle else [])
