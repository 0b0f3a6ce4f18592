"""Copies from the SRAM of one cluster into that of another one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, Program, Run, load

from tests.support.paths import KERNELS_C
from tests.support.sources import line_of

SOURCE = KERNELS_C / "clusters.mlu"
ROW = 256


def send(program: Program, clusters: int, *given: int) -> tuple[np.ndarray, Run]:
    """What each cluster has in the end, int [clusters, 256]; before it was sent anything, its own row."""
    x = np.arange(clusters * ROW, dtype=np.int32)
    out = np.full_like(x, -1)
    run = program.launch("send", (4 * clusters, 1, 1), f"union{clusters}", [x, out, *given], on_finding="collect")
    return out.reshape(clusters, ROW), run


def loud(run: Run) -> list[str]:
    """What is told but advice, and that the own row, which shows what has not been sent, is overwritten."""
    own = line_of(SOURCE, "// within the cluster$")
    return [
        str(finding) for finding in run.findings
        if finding.severity != "advice"
        and not (finding.rule == "unused" and finding.related and finding.related.line == own)
    ]  # fmt: skip


def rows(clusters: int) -> np.ndarray:
    return np.arange(clusters * ROW).reshape(clusters, ROW)


@pytest.mark.parametrize("clusters", [2, 4])
def test_a_row_arrives_where_it_would_lie_in_the_own_memory(program: Program, clusters: int) -> None:
    out, run = send(program, clusters, 0, -1, 1)
    assert loud(run) == []
    assert (out == np.roll(rows(clusters), 1, axis=0)).all()


@pytest.mark.parametrize(
    ("form", "targets"), [(1, range(16, 256, 32)), (2, (16, 48, 80, 112, 144, 176)), (3, (16, 48))]
)
def test_segments(program: Program, form: int, targets: range | tuple[int, ...]) -> None:
    out, run = send(program, 2, form, -1, 1)
    wanted = rows(2)
    for number, target in enumerate(targets):
        wanted[:, target : target + 16] = rows(2)[::-1, number * 16 : number * 16 + 16]
    assert loud(run) == []
    assert (out[:, : targets[-1]] == wanted[:, : targets[-1]]).all()


def test_the_own_cluster_is_one_of_them(program: Program) -> None:
    out, run = send(program, 1, 0, 0, 1)
    assert loud(run) == []
    assert (out == rows(1)).all()


@pytest.mark.parametrize(
    ("given", "rule", "words"),
    [
        ((4, -1, 1), "bounds", "write of 256 bytes at byte 896 of 'other' passes its end by 128"),
        ((5, -1, 1), "space", "lies in nram, not in sram"),
        ((6, -1, 1), "argument", "dir is 12"),
        ((0, 2, 1), "argument", "id_dst_cluster is 2"),
        ((0, -1, 0), "race", "use the same bytes of sram in no order"),
    ],
)
def test_what_is_wrong_is_named(program: Program, given: tuple[int, ...], rule: str, words: str) -> None:
    _, run = send(program, 2, *given)
    assert {finding.rule for finding in run.errors} == {rule}
    assert words in run.errors[0].message


def test_newer_architectures_have_no_such_copy() -> None:
    _, run = send(load([Path(SOURCE)], device=Device.load("mlu590")), 2, 0, -1, 1)
    (finding,) = run.errors
    assert (finding.rule, finding.limit) == ("arch", "architectures >=200 <500")
    assert "with id_dst_cluster" in finding.message
