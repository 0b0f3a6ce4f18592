"""Lines of text from columns: each beside what Python makes of the same numbers and texts."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from mlusim.traces.lines import Texts, hexadecimal, lines, microseconds, number, thousandths

#: Nanoseconds of 13 days; doubles tell apart those of 104.
WHOLE = st.lists(st.integers(0, 1 << 50), max_size=20)


def said(texts: Texts) -> list[str]:
    """The lines as Python has them."""
    data, ends = texts.data.tobytes(), texts.begins.tolist()
    return [data[begin:end].decode() for begin, end in pairwise(ends)]


@given(WHOLE)
def test_numbers_are_those_that_python_writes(values: list[int]) -> None:
    column = np.array(values, np.int64)
    made = lines(len(values), "<", number(column), " 0x", hexadecimal(column), " ", thousandths(column), ">")
    assert said(made) == [f"<{n} 0x{n:x} {n // 1000}.{n % 1000:03d}>" for n in values]


@given(WHOLE)
def test_microseconds_come_back_as_nanoseconds(values: list[int]) -> None:
    values = [*values, 1001, 1009, 4095, 32769]  # 1.001 * 1000 is less than 1001
    found = [float(text) for text in said(lines(len(values), microseconds(np.array(values))))]
    assert [int(us * 1000.0) for us in found] == values
    assert np.allclose(found, np.array(values) / 1e3, rtol=1e-15)


@given(st.lists(st.text(max_size=5), min_size=1, max_size=6), st.data())
def test_texts_are_taken_by_their_numbers(table: list[str], data: st.DataObject) -> None:
    texts = Texts.of(table)
    index = np.array(data.draw(st.lists(st.integers(0, len(table) - 1), max_size=8)), np.int64)
    past = np.array([data.draw(st.integers(one, len(table))) for one in index.tolist()], np.int64)
    made = said(lines(len(index), "é", texts.at(index), "|", texts.between(index, past)))
    assert made == [f"é{table[i]}|{''.join(table[i:j])}" for i, j in zip(index.tolist(), past.tolist(), strict=True)]


def test_no_lines() -> None:
    made = lines(0, "a", number(np.zeros(0)), Texts.of(()).at(np.zeros(0, np.int64)))
    assert said(made) == []
    assert said(Texts.of(())) == []
