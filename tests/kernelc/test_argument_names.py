"""A vendor's argument may have any name: none collides with what ports and headers generate."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from mlusim.isa import DIALECTS
from mlusim.isa.declare import Copy, Require, declare
from mlusim.simulator import Device, launch, load

#: Names that ports have used, of Python's functions that they call, and of variables of the C functions.
NAMES = (  # noqa: SIM905 - a list says no more
    "stride count z_dst machine pc at cur find low size shape x i k rec task core pipe work buffer record result name "
    "found pack op filter range next tuple locals sum any print v0 v1 v2 address entry key places segments self values"
).split()
ROWS, LENGTH = 3, 5
#: Roles: rows, elements of a row, bytes from one row to the next of dst and of src.
ROLES = ("rows", "length", "into", "from_")


def roles(turn: int) -> dict[str, str]:
    """A name for each role, every name having every role in turn."""
    return {role: NAMES[(turn + number) % len(NAMES)] for number, role in enumerate(ROLES)}


def declared(turn: int) -> Any:
    """A copy of rows whose arguments have all of `NAMES`, those without a role being values that are not used."""
    name = roles(turn)
    spare = [other for other in NAMES if other not in name.values()]
    return declare(
        f"void __bang_rows_{turn}(T dst[{name['rows']} @ {name['into']}][{name['length']}],"
        f" const T src[{name['rows']} @ {name['from_']}][{name['length']}],"
        + ", ".join(f" int32 {name}" for name in [*name.values(), *spare])
        + ")",
        doc="dst row by row",
        types="int32",
        effect=Copy(),
        rules=(Require(f"{name['rows']} > 0", rule="length"), Require(f"{spare[0]} == 77")),
        work=f"{name['rows']} * {name['length']}",
    )


TURNS = range(0, len(NAMES), len(ROLES))


@pytest.fixture(scope="module")
def device() -> Any:
    """A device whose dialect has the copies too."""
    patch = pytest.MonkeyPatch()
    dialect = replace(DIALECTS["bang"], instructions=(*DIALECTS["bang"].instructions, *map(declared, TURNS)))
    for module in ("core.execution.state", "kernelc.build"):
        patch.setattr(f"mlusim.simulator.{module}.DIALECTS", {"bang": dialect})
    made = Device.load("mlu590")
    assert made.machine.dialect is dialect
    yield made
    patch.undo()


DATA = np.arange(64, dtype=np.int32)
#: Rows of 5 elements, 7 apart, from rows 9 apart; the rest stays.
WANTED = [DATA[at % 7 + 9 * (at // 7)] if at % 7 < LENGTH and at < 7 * ROWS else -1 for at in range(64)]
VALUES = [ROWS, LENGTH, 28, 36]


@pytest.mark.parametrize("turn", TURNS)
def test_from_python(device: Device, turn: int) -> None:
    def kernel(mlu: Any, out: Any, data: Any, first: int) -> None:
        dst, src = mlu.nram("int32", 64), mlu.nram("int32", 64)
        mlu.__memcpy(src, data, 256, mlu.GDRAM2NRAM)
        mlu.__bang_write_value(dst, 64, -1)
        getattr(mlu, f"__bang_rows_{turn}")(dst, src, *VALUES, first, *range(100, 99 + len(NAMES) - len(ROLES)))
        mlu.__memcpy(out, dst, 256, mlu.NRAM2GDRAM)

    out = np.zeros(64, np.int32)
    assert launch(kernel, args=[out, DATA, 77], device=device).findings == []
    assert out.tolist() == WANTED
    (finding,) = launch(kernel, args=[out, DATA, 76], device=device, on_finding="collect").findings
    assert finding.message.endswith("= 76")


@pytest.mark.parametrize("turn", TURNS)
def test_what_was_not_written_is_seen(device: Device, turn: int) -> None:
    def kernel(mlu: Any) -> None:
        dst, src = mlu.nram("int32", 64), mlu.nram("int32", 64)
        mlu.__bang_write_value(src, 9 * 2 + LENGTH - 1, 1)  # the last element of the last row is missing
        getattr(mlu, f"__bang_rows_{turn}")(dst, src, *VALUES, 77, *range(100, 99 + len(NAMES) - len(ROLES)))
        for row in range(ROWS):
            for element in range(LENGTH):
                dst[7 * row + element]  # only the one that is a copy of what is missing

    (finding,) = launch(kernel, device=device, on_finding="collect").findings
    assert (finding.rule, finding.instruction, finding.count) == ("uninitialized", "scalar.load", 1)
    assert finding.region is not None
    assert (finding.region.offset, finding.region.bytes) == (4 * (7 * 2 + LENGTH - 1), 4)


def test_from_c(device: Device, tmp_path: Path) -> None:
    spare = ", ".join(["77", *["1"] * (len(NAMES) - len(ROLES) - 1)])
    values = ", ".join(map(str, VALUES))
    calls = "".join(
        f"  __bang_write_value(dst, 64, -1);\n  __bang_rows_{turn}(dst, src, {values}, {spare});\n"
        f"  __memcpy(out + 64 * {number}, dst, 256, NRAM2GDRAM);\n"
        for number, turn in enumerate(TURNS)
    )
    source = tmp_path / "kernel.mlu"
    source.write_text(
        "#include <bang.h>\n__nram__ int32_t dst[64], src[64];\n"
        "__mlu_entry__ void rows(int32_t *out, int32_t *data) {\n"
        f"  __memcpy(src, data, 256, GDRAM2NRAM);\n{calls}}}\n"
    )
    out = np.zeros((len(TURNS), 64), np.int32)
    assert load([source], device=device).launch("rows", args=[out, DATA], isolate=False).findings == []
    assert out.tolist() == [WANTED] * len(TURNS)
