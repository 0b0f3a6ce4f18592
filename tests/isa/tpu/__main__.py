"""The command: `python -m tests.isa.tpu [--only WORD]`: every function with every type at every place, on three chips.

The suite draws some of these calls (test_values.py); here each type meets all start lanes, numbers of channels and
shapes of `cases.places`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import suppress
from math import lcm

from tests.isa.lane_cases import Case
from tests.isa.run_lanes import check
from tests.isa.tpu import moves
from tests.isa.tpu.bench import Bench
from tests.isa.tpu.cases import CHANNELS, SPATIAL, STARTS, elementwise, places
from tests.isa.tpu.rows import ELEMENTARY, NARROW, ROWS
from tests.isa.tpu.test_values import CHIPS

#: After so many, start lanes, numbers of channels, shapes and images begin anew.
_PLACES = lcm(len(STARTS), len(CHANNELS), 2 * len(SPATIAL))
_AT_ONCE = 12  # calls of a launch


def _calls(chip: str, name: str) -> Iterator[Case]:
    """Those that a lane has room for."""
    for_all = chip == "bm1690"
    if name not in moves.MOVES:
        row = next(row for row in (*ROWS, *ELEMENTARY) if row.name == name)
        for kinds in row.kinds:
            if for_all or not {*kinds.values()} & {*NARROW}:
                yield from (elementwise(chip, row, kinds, *place) for place in places(chip, name, _PLACES))
        return
    make, types = moves.MOVES[name]
    for kind in () if "sdma" in name and not for_all else types:
        for chance, start, shape in () if kind in NARROW and not for_all else places(chip, name, _PLACES):
            with suppress(ValueError):
                yield make(Bench(chip, chance, start, kind), shape)


def main() -> None:
    """Try all of them; the first difference ends it."""
    parser = argparse.ArgumentParser(prog="python -m tests.isa.tpu", description=__doc__)
    parser.add_argument("--only", default="", metavar="WORD", help="functions with this in their names")
    options = parser.parse_args()
    names = [name for name in (*(row.name for row in (*ROWS, *ELEMENTARY)), *moves.MOVES) if options.only in name]
    for chip in CHIPS:
        tried = 0
        for name in names:
            made = list(_calls(chip, name))
            for at in range(0, len(made), _AT_ONCE):
                check(chip, made[at : at + _AT_ONCE])
            tried += len(made)
        print(f"{chip}: {len(names)} functions, {tried} calls, no difference", flush=True)


if __name__ == "__main__":
    main()
