"""Test cases of an operator, in this process or in several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from ..host.cases import CaseOutcome, OperatorCase, run_case
from ..host.cases.run import CasePlan
from ..host.cases.suite import CaseSuite
from ..host.operators.program import OperatorProgram
from .sweep import run_all


def run_cases(suite: CaseSuite, cases: Sequence[OperatorCase], workers: int = 1) -> list[CaseOutcome]:
    """The outcome of each case, from so many processes.

    A case whose process dies has an error, and the others go on. ValueError or BuildError where the operator cannot be
    built or does not have the function.
    """
    program, plan = suite.load()
    with program:
        if workers == 1:
            return [run_case(program, case, plan) for case in cases]
    points = [{"suite": suite, "case": case} for case in cases]
    found = dict(run_all(_run, points, min(workers, len(points))))
    outcomes = (found[number] for number in range(len(cases)))
    return [
        result["outcome"] if "outcome" in result else CaseOutcome(case, "error", result["error"])
        for case, result in zip(cases, outcomes, strict=True)
    ]


def _run(point: Mapping[str, Any]) -> dict[str, Any]:
    program, plan = _loaded(point["suite"])
    return {"outcome": run_case(program, point["case"], plan)}


@lru_cache(maxsize=1)
def _loaded(suite: CaseSuite) -> tuple[OperatorProgram, CasePlan]:
    """What a process runs one case after the other with."""
    return suite.load()
