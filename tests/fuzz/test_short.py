"""The searches in short, and that they notice what they look for."""

from __future__ import annotations

import random

import pytest

from . import arguments, devices, logs, search
from .search import Tally, UnexpectedError, mutated

pytestmark = pytest.mark.slow


def test_logs():
    logs.run(250, seed=11).check()


def test_devices():
    devices.run(250, seed=11).check()


def test_arguments():
    arguments.run(400, seed=11).check()


def test_a_search_has_both_outcomes():
    """Most mutants are refused; those that are not show that the search reaches what lies behind the door."""
    outcomes = devices.run(60, seed=3).outcomes
    assert outcomes["answers"] > 10
    assert outcomes["ValueError"] > 10


@pytest.mark.parametrize("error", [KeyError("x"), ValueError(" "), UnicodeError("a relative of ValueError")])
def test_a_tally_notices_other_errors(error):
    def fail() -> None:
        raise error

    tally = Tally()
    tally.attempt("this", (ValueError,), fail)
    with pytest.raises(UnexpectedError, match="this"):
        tally.check()


def test_a_tally_notices_memory(monkeypatch):
    monkeypatch.setattr(search, "_peak", iter([1 << 20, 600 << 20]).__next__)
    tally = Tally()
    tally.attempt("this", (ValueError,), lambda: None)
    with pytest.raises(UnexpectedError, match="MiB"):
        tally.check()


def test_mutants_follow_from_the_seed():
    one, other = (mutated(bytes(range(200)), random.Random(5)) for _ in range(2))
    assert one == other != bytes(range(200))
