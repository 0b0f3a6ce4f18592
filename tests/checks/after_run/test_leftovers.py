"""Elements beside a tile, left of what lay there before, that reach a store or scalar code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.checks.after_run.launched import BYTES, N, rules, run, zeros

USED = 40  # elements of a tile of N, which is rounded up to whole lines


@pytest.mark.parametrize("before", ["filled", "loaded"])
@pytest.mark.parametrize(
    ("mistake", "first"),
    [("", None), ("short load", USED - 1), ("late load", 0), ("long store", USED), ("late store", USED)],
)
def test_one_element_too_many(before: str, mistake: str, first: int | None) -> None:
    """The padding of a tile is computed on; of it one element is stored where an address or a count is off by one.

    What was filled before the first load may be a border or a history.
    """

    def kernel(m: Any, source: Any, out: Any) -> None:
        made, tile = m.nram("float", N), m.nram("float", N)
        late, short = mistake == "late load", mistake == "short load"
        m.__bang_write_value(tile, N, 0.0)
        for at, count in [(0, N), (late, USED - short)][before == "filled" :]:
            m.__memcpy(tile + at, source, 4 * count, m.GDRAM2NRAM)
        m.__bang_mul_scalar(made, tile, 2.0, N)
        m.__bang_add(made, made, tile, N)
        m.__memcpy(out, made + (mistake == "late store"), 4 * (USED + (mistake == "long store")), m.NRAM2GDRAM)

    found = run(kernel, zeros(N), zeros(USED + 1 if mistake == "long store" else USED))
    said = [finding for finding in found.findings if finding.rule == "leftover"]
    assert len(said) == (first is not None and before == "loaded")
    if said:
        (finding,) = said
        assert finding.severity == "advice"
        assert finding.region is not None
        assert (finding.region.offset, finding.region.bytes) == (4 * first, 4)
        assert finding.related is not None
        assert finding.location.line == finding.related.line + 3
    else:
        assert set(rules(found)) <= {"unused", "shifted"}


@pytest.mark.parametrize("element", [0, USED - 1, USED])
@pytest.mark.parametrize("through", ["an instruction", "nothing"])
def test_scalar_code(element: int, through: str) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        tile = m.nram("float", N)
        for count in (USED + 2, USED):
            m.__memcpy(tile, source, 4 * count, m.GDRAM2NRAM)
        if through == "an instruction":
            m.__bang_add_scalar(tile, tile, 1.0, USED + 2)
        out[0] = tile[element]

    found = [finding.instruction for finding in run(kernel, zeros(N), zeros(1)).findings if finding.rule == "leftover"]
    assert found == ["scalar.load"] * (element == USED)


@pytest.mark.parametrize("wide", [False, True])
def test_lanes_of_another_type(wide: bool) -> None:
    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, made = m.nram("half", N), m.nram("float", N)
        for count in (N, USED):
            m.__memcpy(tile, source, 2 * count, m.GDRAM2NRAM)
        m.__bang_half2float(made, tile, N)
        m.__memcpy(out, made, 4 * (USED + wide), m.NRAM2GDRAM)

    assert rules(run(kernel, np.zeros(N, np.float16), zeros(USED + wide))) == ["leftover"] * wide


@pytest.mark.parametrize(
    "why", ["padding as it is", "cleared", "patch", "mask", "accumulated", "pieces", "next piece", "reduced"]
)
def test_what_may_be_stored(why: str) -> None:
    """The whole tile is stored, with the bytes that are older than the newest ones."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, made = m.nram("float", N), m.nram("float", N)
        if why in ("patch", "mask"):
            m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
        else:
            m.__bang_write_value(tile, N, 0.0)
        if why == "mask":
            m.__bang_write_value(tile, USED, 0.0)
        elif why == "patch":
            m.__memcpy(tile + 8, source, 32, m.GDRAM2NRAM)
        elif why == "accumulated":
            m.__bang_add_scalar(tile, tile, 1.0, USED)
        elif why == "pieces":
            for at in (0, 32):
                m.__memcpy(tile + at, source + at, 128, m.GDRAM2NRAM)
        elif why == "next piece":
            m.__bang_add(tile, made_of(m, source), made_of(m, source), USED)
            m.__bang_add(tile + 24, made_of(m, source), made_of(m, source), USED)
        else:
            m.__memcpy(tile, source, 4 * USED, m.GDRAM2NRAM)
        if why == "reduced":
            m.__bang_sumpool(made, tile, 1, 1, N, 1, N, 1, 1)
        elif why != "padding as it is":
            m.__bang_add_scalar(made, tile, 1.0, N)
        if why == "cleared":
            m.__bang_write_value(made + USED, N - USED, 0.0)
        m.__memcpy(out, tile if why == "padding as it is" else made, 4 if why == "reduced" else BYTES, m.NRAM2GDRAM)

    found = run(kernel, zeros(N), zeros(1 if why == "reduced" else N))
    assert "leftover" not in rules(found)


def made_of(m: Any, source: Any) -> Any:
    """A tile of its own."""
    tile = m.nram("float", N)
    m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
    return tile


@pytest.mark.parametrize("read", ["all", "a part", "in place", "nothing"])
def test_a_load_over_another_one(read: str) -> None:
    """Ping is loaded twice where pong was meant."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, made = m.nram("float", N), m.nram("float", N)
        m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
        if read in ("all", "a part"):
            m.__bang_add_scalar(made, tile, 1.0, N if read == "all" else N // 2)
        if read == "in place":
            m.__bang_add_scalar(tile, tile, 1.0, N)
        m.__memcpy(tile, source + N, BYTES, m.GDRAM2NRAM)
        m.__memcpy(out, tile, BYTES, m.NRAM2GDRAM)

    found = run(kernel, zeros(2 * N), zeros(N)).findings
    told = {"a part": ["shifted"], "nothing": ["unused"]}.get(read, [])
    assert [(f.rule, f.severity) for f in found] == [(rule, "advice") for rule in told]


def test_a_read_of_an_instruction_in_place_stays_a_read() -> None:
    """Of a tile one part is added to another one in place; both parts may be stored meanwhile, and used together."""

    def summed(m: Any, source: Any, out: Any) -> tuple[Any, Any]:
        tile, total = m.nram("float", 2 * N), m.nram("float", N)
        m.__memcpy(tile, source, 2 * BYTES, m.GDRAM2NRAM)
        m.__memcpy(total, source, BYTES, m.GDRAM2NRAM)
        m.__bang_add(total, total, tile, N)
        m.__memcpy_async(out, tile, BYTES, m.NRAM2GDRAM)
        return tile, total

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, _ = summed(m, source, out)
        m.__bang_add(tile, tile, tile, 2 * N)
        m.__sync()

    assert "order" in rules(run(kernel, zeros(2 * N), zeros(N)))  # the sum in place, while its tile is stored

    def sound(m: Any, source: Any, out: Any) -> None:
        tile, total = summed(m, source, out)
        m.__bang_add_scalar(total, total, 1.0, N)
        m.__sync()
        m.__memcpy(out, tile, 2 * BYTES, m.NRAM2GDRAM)

    assert rules(run(sound, zeros(2 * N), zeros(2 * N))) == []


def test_as_many_as_are_selected() -> None:
    """What is left behind selected elements is known to the kernel alone."""

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, chosen, mask = (m.nram("float", N) for _ in range(3))
        m.__memcpy(chosen, source, BYTES, m.GDRAM2NRAM)
        m.__memcpy(tile, source, BYTES, m.GDRAM2NRAM)
        m.__memcpy(mask, source + N, BYTES, m.GDRAM2NRAM)
        m.__bang_filter(chosen, tile, mask, N)
        m.__bang_add_scalar(tile, chosen, 1.0, N)
        m.__memcpy(out, tile, BYTES, m.NRAM2GDRAM)

    source = zeros(2 * N)
    source[N : N + USED] = 1.0
    assert rules(run(kernel, source, zeros(N))) == []


@pytest.mark.parametrize(
    ("count", "step", "place", "stored", "rounds", "found"),
    [
        (32, N, 0, N, 3, True), (16, N, 0, N, 3, True), (N, N, 0, N, 3, False), (32, N, 0, 32, 3, False),
        (32, N, 0, N, 1, False), (32, 0, 0, N, 3, False), (16, N, 16, N, 3, False),
    ],
)  # fmt: skip
def test_a_beginning_that_is_loaded_anew(
    count: int, step: int, place: int, stored: int, rounds: int, found: bool
) -> None:
    """The rest is that of another loop's last tile, and stays: a count in elements of what is counted in bytes.

    The rest may stay unused, one row may be loaded anew, and rows that take turns; the same row may come back.
    """

    def kernel(m: Any, source: Any, out: Any) -> None:
        tile, most, made = (m.nram("float", N) for _ in range(3))
        m.__bang_write_value(most, N, 0.0)
        for number in range(rounds):
            m.__memcpy(tile, source + number * N, BYTES, m.GDRAM2NRAM)
            m.__bang_maxequal(most, most, tile, N)
        for number in range(rounds):
            m.__memcpy(tile + number * place, source + number * step, 4 * count, m.GDRAM2NRAM)
            m.__bang_sub(made, tile, most, N)
            m.__bang_active_exp(made, made, N)
            m.__memcpy(out + number * N, made, 4 * stored, m.NRAM2GDRAM)

    seen = [f for f in run(kernel, zeros(rounds * N), zeros(rounds * N)).findings if f.rule == "leftover"]
    assert [(f.severity, f.region.bytes) for f in seen if f.region] == [("advice", 4 * (N - count))] * found
