"""What follows from launches of a program that have equal logs, which is found once: `programs/many.mlu`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mlusim.simulator import Device, HostProgram
from mlusim.simulator.findings import Finding
from mlusim.simulator.host.programs import known, launching
from mlusim.simulator.host.programs.known import Followed, Known
from mlusim.simulator.log import Log

SOURCE = Path(__file__).parent / "programs" / "many.mlu"


@pytest.fixture(scope="module")
def program() -> HostProgram:
    return HostProgram([SOURCE], device=Device.load("mlu370-x4"))


@pytest.fixture(scope="module")
def log(program) -> Log:
    return program.run(keep_logs=True).processes[0].launches[0].log


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The kernels whose logs are looked at."""
    seen, examined = [], launching.examined
    monkeypatch.setattr(launching, "examined", lambda *given: seen.append(given[1].kernel) or examined(*given))
    return seen


def test_equal_launches_are_looked_at_once_and_reported_each(monkeypatch, capfd, program):
    seen = counted(monkeypatch)
    quick = program.run(keep_logs=True)
    assert [seen.count(name) for name in ("add", "take", "race")] == [2, 2, 1]
    seen.clear()
    monkeypatch.setattr(known, "_MOST", 0)
    whole = program.run(keep_logs=True)
    assert [seen.count(name) for name in ("add", "take", "race")] == [6, 6, 3]
    assert capfd.readouterr().out == "1 24\n1 24\n"
    assert quick.processes[0].launches == whole.processes[0].launches
    assert (quick.time_us, quick.findings) == (whole.time_us, whole.findings)
    found = {(finding.rule, finding.kernel): finding.count for finding in quick.findings}
    assert found["uninitialized", "take"] == 1
    assert found["race", "race"] == 3


def test_a_byte_and_a_finding_make_a_difference(log):
    kept, looked = Known(), []

    def follow(log: Log, findings: list[Finding]) -> Followed:
        looked.append(log)
        return known.followed(log, findings, 1.0)

    def looks(kernel: object, log: Log, findings: list[Finding]) -> bool:
        before = len(looked)
        assert kept.followed(kernel, lambda: (log, findings), follow).findings == findings
        return len(looked) > before

    finding = Finding("race", "two tasks")
    other = replace(log, records=log.records.copy())
    assert [looks("a", log, []), looks("a", other, []), looks("b", log, [])] == [True, False, True]
    assert [looks("a", log, [finding]), looks("a", log, [finding]), looks("a", log, [])] == [True, False, True]
    for rows in ("records", "operands"):
        changed = getattr(log, rows).copy()
        changed.view(np.uint8)[-1] ^= 1
        assert looks("a", replace(log, **{rows: changed}), [])
        assert looks("a", log, [])
    assert looks("a", replace(log, launch=log.launch | {"dim": [1, 1, 1]}), [])
    assert looks("a", replace(log, records=log.records[:-1]), [])


def test_logs_are_kept_up_to_a_number_of_bytes(monkeypatch, log):
    monkeypatch.setattr(known, "_MOST", 2 * log.nbytes)
    kept, looked = Known(), []
    for kernel in "abcacb":
        kept.followed(
            kernel,
            lambda: (log, []),
            lambda log, found, kernel=kernel: looked.append(kernel) or Followed(log, found, 0, len),
        )
    assert looked == ["a", "b", "c", "a", "b"]
