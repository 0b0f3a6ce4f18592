"""Every function of BDC and GDMA on tensors against a reference in plain Python; all of local memory is compared."""

from __future__ import annotations

import pytest

from tests.isa.run_lanes import check
from tests.isa.tpu import moves
from tests.isa.tpu.cases import elementwise, places
from tests.isa.tpu.rows import ELEMENTARY, NARROW, ROWS, Row

CHIPS = ("bm1690", "bm1684x", "bm1688")
NAMES = [*(row.name for row in (*ROWS, *ELEMENTARY)), *moves.MOVES]


def chips(name: str) -> tuple[str, ...]:
    """The chip that has all types; for every third function one of the others, too, which have other lanes."""
    number = NAMES.index(name)
    return CHIPS[0], *([] if number % 3 else [CHIPS[1 + number % 2]])


@pytest.mark.parametrize("row", [*ROWS, *ELEMENTARY], ids=lambda row: row.name)
def test_elements(row: Row) -> None:
    """Each type on the chip that has all, and some types on another one."""
    for chip in chips(row.name):
        kinds = row.kinds if chip == "bm1690" else [k for k in row.kinds if not {*k.values()} & {*NARROW}][:2]
        where = places(chip, row.name, len(kinds))
        check(chip, [elementwise(chip, row, one, *place) for one, place in zip(kinds, where, strict=True)])


@pytest.mark.parametrize("name", moves.MOVES)
def test_moves(name: str) -> None:
    for chip in chips(name):
        made = list(moves.cases(chip, name, places(chip, name, 4 if chip == "bm1690" else 2)))
        if made:
            check(chip, made)
