"""Further runs of a launch that has an error as it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.launches.added import add, even, launched, rest_twice
from tests.support.devices import device


@pytest.mark.parametrize(("kernel", "rules"), [(rest_twice, ["length", "split-dependent"]), (even, ["length"])])
def test_a_count_that_the_chip_does_not_allow_hides_no_other_mistake(kernel: Any, rules: list[str]) -> None:
    run, _ = launched(kernel, on=device("mlu270"), resplit=(1, 3, 7), orders=2)
    assert [finding.rule for finding in run.findings] == rules
    assert [finding.rule for finding in launched(kernel, on=device("mlu270"))[0].findings] == ["length"]


def test_a_split_whose_count_the_chip_does_not_allow_is_compared_all_the_same() -> None:
    """Those of the launch itself are multiples."""
    run, _ = launched(rest_twice, n=992, on=device("mlu270"), resplit="few", tasks=1)
    assert [error.rule for error in run.errors] == ["split-dependent"]


def test_another_error_of_a_split_is_told_beside_the_count_that_the_chip_does_not_allow() -> None:
    def parts_of_four(m: Any, out: Any, source: Any, n: int) -> None:
        add(m, out, source, m.taskId * 250, 250)

    run, _ = launched(parts_of_four, on=device("mlu270"), resplit=8)
    assert [(finding.rule, finding.message.startswith("with 8 tasks")) for finding in run.findings] == [
        ("length", False), ("bounds", True),
    ]  # fmt: skip


def test_an_instruction_that_has_not_been_carried_out_leaves_nothing_to_compare() -> None:
    def no_count(m: Any, out: Any, source: Any, n: int) -> None:
        rest_twice(m, out, source, n)
        m.__bang_add_scalar(m.nram("float", 64), m.nram("float", 64), 1.0, 0)

    run, _ = launched(no_count, resplit=(1, 3, 7))
    assert [finding.rule for finding in run.findings] == ["length"]
    assert "the launch itself breaks rules" in run.variants.tried


def test_operands_are_named_by_where_they_lie_in_their_memory() -> None:
    """Which is the same in every run, as an address of the host is not."""

    def misaligned(m: Any, out: Any, source: Any, n: int) -> None:
        tile, other = m.nram("float", 64), m.nram("float", 64)
        m.__bang_write_value(other, 64, 1.0)
        m.__memcpy(tile + 1, other, 128, m.NRAM2NRAM)

    (found,) = (f for f in launched(misaligned, on=device("mlu270"))[0].findings if f.rule == "alignment")
    assert found.message.endswith("got dst at nram[0] 0x4, src at nram[0] 0x200, size = 128")
