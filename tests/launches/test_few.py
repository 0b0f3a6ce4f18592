"""The numbers of tasks that a launch is compared with where none are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch, load

from tests.support.devices import device

from .test_variants import N, even, rest_twice


@pytest.mark.parametrize(
    ("tasks", "kind", "others"),
    [
        (8, "union1", [(4, "union1"), (12, "union1")]),
        (4, "union1", [(8, "union2"), (16, "union4")]),
        (8, "union2", [(4, "union1"), (16, "union4")]),
        (16, "union2", [(8, "union2"), (24, "union2")]),
        (4, "block", [(1, "block"), (3, "block")]),
        (1, "block", [(3, "block"), (2, "block")]),
    ],
)
def test_few_are_two_others_that_suit_the_kind(tasks: int, kind: str, others: list[tuple[int, str]]) -> None:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    run = launch(even, (tasks, 1, 1), kind, args=[out, source, N], device=device(), resplit="few")
    tried = [variant.launch for variant in run.variants.chosen]
    assert [(other.dim[0], other.kind.name) for other in tried] == others


def of_one_union(m: Any, out: Any, source: Any, n: int) -> None:
    """What a task loads is numbered by clusters, which each union counts anew."""
    each = n // m.taskDim
    tile = m.nram("float", N // 4)
    m.__memcpy(tile, source + (m.clusterId * m.coreDim + m.coreId) * each, each * 4, m.GDRAM2NRAM)
    m.__memcpy(out + m.taskId * each, tile, each * 4, m.NRAM2GDRAM)


@pytest.mark.parametrize(
    ("kernel", "resplit", "said"),
    [
        (of_one_union, "few", []),
        (of_one_union, ((8, "union1"),), ["split-dependent"]),
        (rest_twice, "few", ["split-dependent"]),
        (even, "few", []),
    ],
    ids=["right in one union", "two are asked for", "wrong in a wider one", "right in all"],
)
def test_a_launch_of_one_union_is_compared_with_others_of_one(kernel: Any, resplit: Any, said: list[str]) -> None:
    out, source = np.zeros(N, np.float32), np.arange(N, dtype=np.float32)
    on = {"args": [out, source, N], "device": device(), "on_finding": "collect"}
    run = launch(kernel, (4, 1, 1), "union1", resplit=resplit, **on)
    assert [finding.rule for finding in run.findings if finding.severity == "error"] == said


NUMBERED = """
#include <bang.h>
__mlu_entry__ void numbered(int *out, int n, int slip) {
  int each = n / taskDim, rest = n - each * taskDim, last = taskId == taskDim - 1;
  for (int i = 0; i < each + last * rest; i++) {
    int at = taskId * each + i;
    out[at] = slip ? (taskDim == 4 && at == 7 ? 0 : at) : 1000 * taskId + i;
  }
}
"""


def test_whole_numbers_that_are_others_with_every_number_of_tasks(tmp_path: Path) -> None:
    """Each task counts from its own number, so none is right alone; a single wrong one is an error."""
    (tmp_path / "numbered.mlu").write_text(NUMBERED)
    program = load([tmp_path / "numbered.mlu"], device=device())

    def said(slip: int, resplit: Any = "few") -> list[tuple[str, str]]:
        args = np.zeros(50, np.int32), 50, slip
        run = program.launch("numbered", (4, 1, 1), args=args, resplit=resplit, on_finding="collect")
        return [(finding.rule, finding.severity) for finding in run.findings]

    assert said(0) == [("split-dependent", "advice")]
    assert said(1) == [("split-dependent", "error")]
    assert said(0, (1, 3)) == [("split-dependent", "error")]  # the user says that it takes these


ALONE = """
#include <bang.h>
__mlu_entry__ void halved(float *x, int n) {
  for (int i = 0; i < n; i++) x[i] = x[i] * 0.5f;
}
__mlu_entry__ void shared(float *x, int n) {
  for (int i = taskId; i < n; i += taskDim) x[i] = taskDim > 1 && i == 7 ? 0.0f : x[i] * 0.5f;
}
"""


def test_a_launch_of_one_task_whose_kernel_does_not_share_the_work(tmp_path: Path) -> None:
    """Several tasks would each do all of it, and halve what others have halved."""
    (tmp_path / "alone.mlu").write_text(ALONE)
    program = load([tmp_path / "alone.mlu"], device=device())

    def said(kernel: str, resplit: Any = "few") -> list[tuple[str, str]]:
        args = np.ones(50, np.float32), 50
        run = program.launch(kernel, (1, 1, 1), args=args, resplit=resplit, on_finding="collect")
        return [(finding.rule, finding.severity) for finding in run.findings]

    assert said("halved") == [("split-dependent", "advice")]
    assert said("shared") == [("split-dependent", "error")]
    assert said("halved", 3) == [("split-dependent", "error")]  # the user says that it takes three


CLUSTER = """
#include <bang.h>
__mlu_shared__ float parts[4];
__mlu_entry__ void summed(float *out, const float *x, int n) {
  float sum = 0;
  if (!__is_mpu()) {
    for (int i = taskId; i < n; i += taskDim) sum += x[i];
    parts[coreId] = sum;
  }
  __sync_cluster();
  if (coreId == 0) out[0] = parts[0] + parts[1] + parts[2] + parts[3];
}
__mlu_entry__ void slipped(float *out, const float *x, int n) {
  if (__is_mpu()) return;
  for (int i = taskId; i < n; i += taskDim) out[i] = taskDim > 4 && i == 7 ? 0.0f : x[i];
}
"""


def test_a_launch_of_one_cluster_whose_kernel_knows_no_other(tmp_path: Path) -> None:
    """Each cluster would store the sum of its part as that of all."""
    (tmp_path / "cluster.mlu").write_text(CLUSTER)
    program = load([tmp_path / "cluster.mlu"], device=device())

    def said(kernel: str, tasks: int) -> list[str]:
        args = np.zeros(64, np.float32), np.arange(1, 65, dtype=np.float32), 64
        run = program.launch(kernel, tasks, "union1", args=args, resplit="few", on_finding="collect")
        return [finding.severity for finding in run.findings if finding.rule == "split-dependent"]

    assert said("summed", 4) == ["advice"]
    assert said("slipped", 4) == ["error"]


CLUSTERS = """
#include <bang.h>
__nram__ float tile[16];
__mlu_entry__ void clusters(float *x, int n, int slip) {
  for (int at = (taskIdY * coreDim + coreId) * 16; at < n; at += taskDimY * coreDim * 16) {
    if (slip && taskDimY == 3 && at == 0) continue;
    __memcpy(tile, x + at, sizeof(tile), GDRAM2NRAM);
    __bang_add_scalar(tile, tile, 1.0f, 16);
    __memcpy(x + at, tile, sizeof(tile), NRAM2GDRAM);
  }
}
"""


def test_clusters_along_the_second_axis_stay_there(tmp_path: Path) -> None:
    """With twelve tasks along the first one, three clusters would do the same work."""
    (tmp_path / "clusters.mlu").write_text(CLUSTERS)
    program = load([tmp_path / "clusters.mlu"], device=device())

    def said(slip: int) -> list[tuple[str, str]]:
        args = np.ones(256, np.float32), 256, slip
        run = program.launch("clusters", (4, 2, 1), "union1", args=args, resplit="few", on_finding="collect")
        return [(finding.rule, finding.severity) for finding in run.findings]

    assert said(0) == []
    assert said(1) == [("split-dependent", "advice")]  # one run alone writes the first tile


BLOCKS = """
#include <bang.h>
__mlu_entry__ void blocks(float *out, int h, int w, int slip) {
  int x = h / 4, y = w / 4, x0 = x * (taskId / 4), y0 = y * (taskId % 4);
  int x1 = taskId / 4 == 3 ? h : x0 + x, y1 = taskId % 4 == 3 ? w : y0 + y;
  for (int i = x0; i < x1; i++)
    for (int j = y0; j < y1; j++) out[i * w + j] = slip && taskDim < 16 ? 70 : i + j + 1;
}
"""


def test_scalar_stores_between_which_another_run_writes_nothing(tmp_path: Path) -> None:
    """Written for 16 tasks: one alone writes a block of rows, whose record reaches from the first to the last."""
    (tmp_path / "blocks.mlu").write_text(BLOCKS)
    program = load([tmp_path / "blocks.mlu"], device=device())

    def found(slip: int) -> list[str]:
        out = np.zeros((18, 21), np.float32)
        run = program.launch("blocks", (16, 1, 1), args=[out, 18, 21, slip], resplit="few", on_finding="collect")
        return [finding.message.partition(" differ")[0] for finding in run.findings]

    assert found(0) == []
    assert found(1) == ["20 of the 378 elements of out"]


SUMS = """
#include <bang.h>
__mlu_entry__ void total(float *out, float *sums, const float *x, int n, int taken) {
  int each = n / taskDim;
  float sum = 0.0f;
  if (taskId == 0)
    for (int i = 0; i < 8; i++) sums[i] = 0.0f;
  __sync_all();
  if (coreId != 0x80) {
    for (int i = 0; i < each; i++) sum += x[taskId * each + i];
    sums[taskId] = sum;
  }
  __sync_all();
  if (taskId == 0) {
    sum = 0.0f;
    for (int i = 0; i < taken; i++) sum += sums[i];
    *out = sum;
  }
}
"""


def test_sums_of_parts_are_advice_beside_a_total_that_agrees(tmp_path: Path) -> None:
    (tmp_path / "total.mlu").write_text(SUMS)
    program = load([tmp_path / "total.mlu"], device=device())

    def found(taken: int, resplit: Any = "few") -> set[tuple[str, str]]:
        args = [np.zeros(1, np.float32), np.zeros(8, np.float32), np.arange(64, dtype=np.float32), 64, taken]
        run = program.launch("total", (4, 1, 1), "union1", args, resplit=resplit, on_finding="collect")
        return {(one.operand, one.severity) for one in run.findings if one.rule == "split-dependent"}

    assert found(8) == {("sums", "advice")}
    assert found(8, ((8, "union2"),)) == {("sums", "error")}  # which is asked for
    assert ("out", "error") in found(4)
