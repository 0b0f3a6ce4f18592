"""The first advice is what makes a slow kernel fastest, it brings what was promised, and no less was possible."""

from __future__ import annotations

import pytest
from mlusim.simulator import Program
from mlusim.traces.advice import advise

from tests.support.paths import KERNELS_C
from tests.traces.advice_cases import SLOW, WELL_MADE, Launch

SOURCE = KERNELS_C / "slow.mlu"


@pytest.mark.parametrize(("slow", "kind", "better"), SLOW, ids=[f"{slow.kernel}-{kind}" for slow, kind, _ in SLOW])
def test_the_first_advice_is_followed(program: Program, slow: Launch, kind: str, better: Launch) -> None:
    before = slow.run(program)
    assert not [f for f in before.findings if f.severity == "error"]
    first = advise(before.timeline)[0]
    assert first.kind == kind
    after = better.run(program).time_us
    assert first.after_us == pytest.approx(after, rel=0.15)
    assert first.gain <= 1.15 * (1 - after / before.time_us)  # no promise that is not kept
    assert first.least_us <= after * (1 + 1e-9)


@pytest.mark.parametrize("launch", WELL_MADE, ids=lambda launch: f"{launch.kernel}-{launch.tasks}")
def test_a_well_made_kernel_is_told_nothing(program: Program, launch: Launch) -> None:
    assert advise(launch.run(program).timeline) == []


@pytest.mark.parametrize("tasks", [1, 4, 8])
def test_rows_of_a_thousand_are_copied_several_at_a_time(program: Program, tasks: int) -> None:
    rows = Launch("rows_in_turn", (512,), tasks).run(program)
    four = Launch("four_rows", (512,), tasks).run(program).time_us
    (said,) = (entry for entry in advise(rows.timeline) if entry.kind == "short copies")
    assert said.after_us < four
    assert said.least_us <= four
