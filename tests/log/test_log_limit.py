"""A log that has not all of its launch: which records it has, what is said of them, and what is not."""

from __future__ import annotations

import numpy as np
import pytest
from mlusim.simulator import Device, HostProgram, Log, Program, Run, load
from mlusim.simulator.log import RUNS, Location, Op, Recorder
from mlusim.traces import print_summary, summarise
from mlusim.traces.report.facts import launch_facts
from rich.console import Console

SHAPE = Device.load("mlu370-x4").shape
LIMIT = 4000
#: Of each of 4 tasks: copies of rows and segments, computation, scalar accesses, barriers; its end may break an order.
SOURCE = """#include <bang.h>
#include <stdio.h>
__nram__ float a[256], b[256];
__mlu_entry__ void work(float *x, int n, int wrong) {
  for (int i = 99; __is_mpu() && i < n; i += 100) __sync_cluster();
  if (__is_mpu()) return;
  float *mine = x + 256 * taskId;
  __memcpy(a, mine, 1024, GDRAM2NRAM);
  for (int i = 0; i < n; i++) {
    __bang_add_scalar(a, a, 1, 256);
    __memcpy(b, a, 4, NRAM2NRAM, 8, 4, 63);
    a[i % 256] += 1;
    if (i % 100 == 99) __sync_cluster();
  }
  if (wrong) __memcpy_async(mine, a, 1024, NRAM2GDRAM), __bang_add_scalar(a, a, 1, 256);
  else __memcpy(mine, a, 1024, NRAM2GDRAM);
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Program:
    source = tmp_path_factory.mktemp("long") / "long.mlu"
    source.write_text(SOURCE)
    return load([source], device=Device.load("mlu370-x4"))


def run(program: Program, steps: int, wrong: int = 0, **options: object) -> tuple[Run, np.ndarray]:
    x = np.zeros(1024, np.float32)
    return program.launch("work", (4, 1, 1), "union1", [x, steps, wrong], on_finding="collect", **options), x


def rows(log: Log, count: int) -> list[tuple[str, ...]]:
    """What the first records say, but for the numbers of tables, in which nothing stands that the log has not."""
    return [
        (log.ops[r["op"]].name, log.pipes[r["pipe"]], str(r[["flags", "core", "task", "work", "gaps"]]),
         str(log.location(n)), str([region for *_, region in log.regions(n)]))
        for n, r in enumerate(log.records[:count])
    ]  # fmt: skip


def runs(log: Log, records: int) -> bytes:
    """The table of runs of the first records."""
    operands = int(log.operand_counts[:records].sum())
    return bytes(log.runs[log.runs["operand"] < operands].tobytes())


@pytest.mark.parametrize("isolate", [True, False])
def test_a_log_with_a_limit_is_the_beginning_of_the_whole_one(program, monkeypatch, isolate):
    whole, expected = run(program, 1000, isolate=isolate)
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    part, x = run(program, 1000, isolate=isolate)
    assert np.array_equal(x, expected)
    assert len(part.log) == LIMIT
    assert part.log.left_out == len(whole.log) - LIMIT
    assert rows(part.log, LIMIT) == rows(whole.log, LIMIT)
    assert runs(part.log, LIMIT) == runs(whole.log, LIMIT) != b""
    assert [finding.rule for finding in part.findings] == ["log-limit"]
    assert f"{LIMIT:,} of {len(whole.log):,} records" in str(part.findings[0])
    assert 0 < part.time_us < whole.time_us
    monkeypatch.delenv("MLUSIM_LOG_LIMIT")  # nothing of it is kept for the next launch
    assert run(program, 1000, isolate=isolate)[0].log == whole.log


def test_a_log_that_has_room_says_nothing(program, monkeypatch):
    whole, _ = run(program, 100)
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(len(whole.log)))
    same, _ = run(program, 100)
    assert same.log == whole.log
    assert not same.findings


def test_what_the_log_has_is_judged_and_what_it_has_not_is_not(program, monkeypatch):
    assert "order" in [finding.rule for finding in run(program, 10, wrong=1)[0].findings]
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    assert "order" in [finding.rule for finding in run(program, 10, wrong=1)[0].findings]
    late, _ = run(program, 1000, wrong=1)  # nothing is said of results that are not stored, either
    assert [finding.rule for finding in late.findings] == ["log-limit"]
    assert not late.advice


def test_results_are_compared(program, monkeypatch):
    _, right = run(program, 1000)
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    assert [f.rule for f in run(program, 1000, expect={"x": right})[0].findings] == ["log-limit"]
    assert "wrong-result" in [f.rule for f in run(program, 1000, expect={"x": right + 1})[0].findings]


def test_runs_in_other_orders_begin_with_what_was_there(program, monkeypatch):
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    assert [finding.rule for finding in run(program, 1000, orders=2)[0].findings] == ["log-limit"]


def test_a_saved_log_says_how_much_it_lacks(program, monkeypatch, tmp_path):
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    log = run(program, 1000)[0].log
    log.save(tmp_path / "part.mlulog")
    assert Log.load(tmp_path / "part.mlulog").left_out == log.left_out > 0


def test_a_summary_and_a_report_say_that_the_time_is_that_of_a_part(program, monkeypatch, tmp_path, capsys):
    whole, _ = run(program, 1000)
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    part, _ = run(program, 1000)
    assert (summarise(whole.timeline).left_out, summarise(part.timeline).left_out) == (0, part.log.left_out)
    print_summary(summarise(whole.timeline), Console(width=100))
    assert "at least" not in capsys.readouterr().out
    print_summary(summarise(part.timeline), Console(width=100))
    said = capsys.readouterr().out
    assert said.startswith("at least ")
    assert f"{LIMIT:,} records on 5 cores of mlu370-x4, the first of {len(whole.log):,}" in said
    assert f"the last {part.log.left_out:,} of" in launch_facts(part.timeline, 1 << 20)[0]["left_out"][0]


def test_a_program_with_host_code(tmp_path, monkeypatch, capfd):
    source = tmp_path / "host.mlu"
    source.write_text(
        SOURCE
        + """
int main() {
  float *x;
  cnrtMalloc((void **)&x, 4096);
  cnrtMemset(x, 0, 4096);
  cnrtDim3_t dim = {4, 1, 1};
  for (int i = 0; i < 3; i++) work<<<dim, cnrtFuncTypeUnion1, 0>>>(x, 1000, 0);
  cnrtSyncDevice();
  float back[1024];
  cnrtMemcpy(back, x, 4096, cnrtMemcpyDevToHost);
  printf("%g\\n", back[1023]);
  cnrtFree(x);
}
"""
    )
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", str(LIMIT))
    done = HostProgram([source], device=Device.load("mlu370-x4")).run()
    assert (done.exit_code, capfd.readouterr().out) == (0, "3009\n")
    assert [(finding.rule, finding.count) for finding in done.findings] == [("log-limit", 3)]


def test_a_record_is_kept_with_all_of_its_operands_or_not_at_all():
    for before in range(6):
        recorder = Recorder()
        recorder.begin(600)
        op, long = (recorder.op(Op(f"op{n}", "", tuple("abcdef"[:n]), (False,) * n, "")) for n in (1, 6))
        pipe = recorder.pipe("compute")
        for _ in range(before):
            recorder.write(op, pipe, 0, 0, 0, 0, 0, [(0, 4, 0, 0)])
        for number in range(20_000):
            recorder.pieces.append((recorder.operands.at, 0, ((4, 0, (8, 0, 0), (2, 1, 1), 0, 0),)))
            recorder.write(long, pipe, 0, 0, 0, 0, number, [(8 * n, 4, 0, 0) for n in range(6)])
        assert len(recorder) < 10_000
        log = recorder.finish(lambda pcs: [Location("k.c", pc) for pc in pcs], SHAPE, "d", {})
        assert len(log) == 600
        assert np.array_equal(log.records["work"][before:], np.arange(len(log) - before))
        assert len(log.operands) == before + 6 * (len(log) - before)
        assert len(log.runs) == len(log) - before
        assert len(log) + log.left_out == before + 20_000


@pytest.mark.parametrize("asked", ["0", "-1", "1e6", "many", "\N{ARABIC-INDIC DIGIT THREE}"])
def test_a_limit_that_is_none_is_refused(program, monkeypatch, asked):
    monkeypatch.setenv("MLUSIM_LOG_LIMIT", asked)
    with pytest.raises(ValueError, match="give the number of records"):
        run(program, 10)


def test_rows_of_any_number_at_once_find_their_end():
    recorder = Recorder()
    recorder.begin(1000)
    op = recorder.op(Op("op", "", ("a",), (False,), ""))
    recorder.write(op, recorder.pipe("compute"), 0, 0, 0, 0, 0, [(0, 4, 0, 0)])
    rows = [rows.pages[: rows.at] * 50_000 for rows in (recorder.records, recorder.operands)]
    gaps = np.zeros(50_000, RUNS)
    gaps["operand"], gaps["run"], gaps["count"] = np.arange(50_000), 1, 1
    recorder.write_rows(*rows, gaps)
    log = recorder.finish(lambda pcs: [Location("k.c", pc) for pc in pcs], SHAPE, "d", {})
    assert len(log) == 1000
    assert log.left_out == 49_001
    assert log.runs["operand"].tolist() == list(range(1, 1000))
