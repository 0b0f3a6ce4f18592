"""Every function of BDC and GDMA on tensors is a command of its engine's queue, in turns outside a section only.

Source: tpu_api.md, "Ordering". What a wrong order does: tests/isa/facts/test_fact_queues.py, for one of each family.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from mlusim.simulator import launch
from mlusim.simulator.log import ASYNC, SERIAL

from tests.isa.lane_cases import Case, device
from tests.isa.run_lanes import passed
from tests.isa.tpu.cases import elementwise, places
from tests.isa.tpu.moves import MOVES, cases
from tests.isa.tpu.rows import ELEMENTARY, ROWS

CHIP = "bm1690"


def _calls() -> dict[str, Any]:
    """Function -> what makes a call of it."""
    made = {
        f"tpu_bdc_{row.name}": lambda row=row: elementwise(
            CHIP, row, row.kinds[0], random.Random(row.name), 3, (1, 66, 2, 3)
        )
        for row in (*ROWS, *ELEMENTARY)
    }
    return made | {
        f"tpu_{name}": lambda name=name: next(cases(CHIP, name, places(CHIP, name, 1)))
        for name in MOVES
        if "sdma" not in name
    }


@pytest.mark.parametrize(("name", "call"), _calls().items(), ids=_calls())
def test_the_queue_of_a_function(name: str, call: Any) -> None:
    case: Case = call()

    def kernel(unit: Any, system: Any) -> None:
        for section in (False, True):
            if section:
                unit.tpu_parallel_start()
            getattr(unit, name)(*(passed(argument, system) for argument in case.arguments))
        unit.tpu_parallel_end()
        unit.tpu_poll()

    system = np.zeros(max(len(case.system), 1 << 15), np.uint8)
    log = launch(kernel, (1, 1, 1), args=[system], device=device(CHIP), on_finding="collect").log
    rows = [record for record in log.records if log.ops[record["op"]].name == name]
    assert [bool(row["flags"] & SERIAL) for row in rows] == [True, False]
    assert all(row["flags"] & ASYNC for row in rows)
    assert {log.pipes[row["pipe"]] for row in rows} == {name.split("_")[1]}
    assert {log.ops[row["op"]].queues for row in rows} == {("bdc", "gdma")}
